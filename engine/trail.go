// This file defines the trail, which records the actions of handlers on a call, and the decision
// log in memory.

package engine

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
)

// Step is an action of one handler, or of the engine.
type Step struct {
	Script   string // "" = the engine itself: mode, user
	Path     string
	Hash     string // of the version that answered
	Line     int    // of the registering call
	Event    string // tool_call, guard, tool_result, ... or "approval"
	Outcome  string // "pass", "rewrite", "block", "ask", "allow", "respond", "error", ...
	Reason   string
	Changed  []string // fields of the event that it changed
	Duration time.Duration
	Error    *fault.ScriptError

	hides bool // the original must not be shown
}

// Trail lists the actions on one call, in order.
type Trail []Step

// Decision is one line of the decision log.
type Decision struct {
	Time    time.Time
	Env     *event.Envelope // of the call: session, agent, permission mode
	CallID  string
	Origin  string         // who made the call: see Call
	Tool    string         // that ran, or would have
	Args    map[string]any // as it ran; long values are cut
	Before  *Rewrite       // the call before it was rewritten; nil = unchanged
	Allowed bool
	By      string // what decided: "guard", "mode", "user_once", ...
	Cause   string // why the tool did not run: see Result.Skipped
	Told    string // what the model got instead of a result; long texts are cut
	Ruling  string // what the user's rules say: "allow", "ask" or "deny"; "" = nothing
	Rule    string // the deciding rule
	IsError bool   // the tool ran and failed
	Lifted  string // what the sandbox let the call do because the user approved it; "" = nothing
	Trail   Trail
}

// UserApproval says that the user allowed a call, by the source of the decision; "" if someone else
// did, or a stored rule.
func UserApproval(source string) string {
	switch source {
	case "user_once":
		return "you allowed it"
	case "user_session":
		return "you allowed it for this session"
	case "session_allow":
		return "allowed for this session"
	}
	return ""
}

// decisionsKept is how many decisions are kept in memory: enough for a long session, and little
// memory.
const decisionsKept = 10_000

type decisionLog struct {
	mu   sync.Mutex
	ring []Decision
	next int
}

func (l *decisionLog) addDecision(d Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) < decisionsKept {
		l.ring = append(l.ring, d)
		return
	}
	l.ring[l.next] = d
	l.next = (l.next + 1) % decisionsKept
}

// Decisions returns the decision log, masked, oldest first. See redact.Mask for where it must not
// be called.
func (e *Engine) Decisions() []Decision {
	e.log.mu.Lock()
	list := append(append([]Decision(nil), e.log.ring[e.log.next:]...), e.log.ring[:e.log.next]...)
	e.log.mu.Unlock()
	for i := range list {
		list[i] = list[i].Masked(e.Mask)
	}
	return list
}

// Masked returns d masked. See redact.Mask for where it must not be called.
func (d Decision) Masked(k *redact.Mask) Decision {
	red := k.Set()
	if red == nil {
		return d
	}
	m := red.Look(true)
	d.Args, d.Told, d.Rule = m.Table(d.Args), m.Text(d.Told), m.Text(d.Rule)
	d.Lifted = m.Text(d.Lifted)
	if d.Before != nil {
		before := *d.Before
		before.Args = m.Table(before.Args)
		d.Before = &before
	}
	d.Trail = append(Trail(nil), d.Trail...)
	for i := range d.Trail {
		d.Trail[i].Reason = m.Text(d.Trail[i].Reason)
		if se := d.Trail[i].Error; se != nil {
			masked := *se
			masked.Message, masked.Err = m.Text(se.Message), nil
			d.Trail[i].Error = &masked
		}
	}
	return d
}

// brief returns d with long values cut. They are masked first: a mask does not recognize a cut
// secret.
func (d Decision) brief(k *redact.Mask) Decision {
	if d.isBrief() {
		return d
	}
	d = d.Masked(k)
	d.Args, d.Trail = briefArgs(d.Args), briefTrail(d.Trail)
	d.Told = cutText(d.Told, decisionText)
	if d.Before != nil {
		before := *d.Before
		before.Args = briefArgs(before.Args)
		d.Before = &before
	}
	return d
}

func (d Decision) isBrief() bool {
	left := decisionArgs
	if len(d.Told) > decisionText || !short(d.Args, &left, 0) {
		return false
	}
	for _, s := range d.Trail {
		if len(s.Reason) > decisionText {
			return false
		}
	}
	left = decisionArgs
	return d.Before == nil || short(d.Before.Args, &left, 0)
}

const (
	// decisionArgs is how many bytes of arguments are kept of each call: enough to recognize it,
	// without keeping written files in memory.
	decisionArgs = 2 << 10
	// decisionText is how many bytes are kept of one string: the beginning of a command, a reason.
	decisionText = 500
)

// briefArgs returns args with long values cut; args itself if there are none.
func briefArgs(args map[string]any) map[string]any {
	left := decisionArgs
	if short(args, &left, 0) {
		return args
	}
	left = decisionArgs
	cut, _ := brief(args, &left, 0).(map[string]any)
	return cut
}

// short reports whether v is small enough to keep; left is the remaining space.
func short(v any, left *int, depth int) bool {
	*left -= 8
	switch v := v.(type) {
	case string:
		if *left -= len(v); len(v) > decisionText {
			return false
		}
	case map[string]any:
		for k, e := range v {
			if *left -= len(k); *left < 0 || depth > value.MaxDepth || !short(e, left, depth+1) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if *left < 0 || depth > value.MaxDepth || !short(e, left, depth+1) {
				return false
			}
		}
	}
	return *left >= 0
}

// brief returns a copy of v that fits into the remaining space: long strings are cut, and later
// values are left out.
func brief(v any, left *int, depth int) any {
	const more = "…"
	*left -= 8
	switch v := v.(type) {
	case string:
		s := cutText(v, min(decisionText, max(*left, 0)))
		*left -= len(s)
		return s
	case map[string]any:
		m := map[string]any{}
		for _, k := range value.SortedKeys(v) {
			if *left -= len(k); *left <= 0 || depth > value.MaxDepth {
				m[more] = true
				break
			}
			m[k] = brief(v[k], left, depth+1)
		}
		return m
	case []any:
		var l []any
		for _, e := range v {
			if *left <= 0 || depth > value.MaxDepth {
				l = append(l, more)
				break
			}
			l = append(l, brief(e, left, depth+1))
		}
		return l
	}
	return v
}

// cutText returns a copy of the first n bytes of s, which does not keep the rest in memory.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.Clone(plain.Head(s, n)) + fmt.Sprintf("… (%d bytes)", len(s))
}

func briefTrail(t Trail) Trail {
	for i := range t {
		if len(t[i].Reason) > decisionText {
			t = append(Trail(nil), t...)
			for j := i; j < len(t); j++ {
				t[j].Reason = cutText(t[j].Reason, decisionText)
			}
			break
		}
	}
	return t
}
