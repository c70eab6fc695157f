// This file defines the trail: who did what to a call, and the decision log in memory.

package engine

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
)

// Step is what one handler, or the engine, did.
type Step struct {
	Script   string // "" = the engine itself: mode, user
	Path     string
	Hash     string // of the version that answered
	Line     int    // of the registering call
	Event    string // tool_call, guard, tool_result, ... or "approval"
	Outcome  string // "pass", "rewrite", "block", "ask", "allow", "respond", "error", ...
	Reason   string
	Changed  []string // fields of the event that it made something else of
	Duration time.Duration
	Error    *ScriptError

	hides bool // what was there before it must not be shown
}

// Trail is what was done to one call, in order.
type Trail []Step

// Decision is one line of the decision log.
type Decision struct {
	Time    time.Time
	Env     *event.Envelope // of the call: session, agent, permission mode
	CallID  string
	Origin  string         // who made the call: see Call
	Tool    string         // that ran, or would have
	Args    map[string]any // as it ran; what is long is cut
	Before  *Rewrite       // what the call was before it was rewritten; nil = the same
	Allowed bool
	By      string // what decided: "guard", "mode", "user_once", ...
	Cause   string // why the tool did not run: see Result.Skipped
	Told    string // what the model was told instead of a result; what is long is cut
	Ruling  string // what the user's rules say: "allow", "ask" or "deny"; "" = nothing
	Rule    string // the rule that says so
	IsError bool   // the tool ran and failed
	Trail   Trail
}

// decisionsKept is how many decisions the log in memory holds: enough for a long session, small
// enough not to matter.
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

// Decisions returns the decision log as it may be seen, oldest first. See redact.Mask for where it
// must not be called.
func (e *Engine) Decisions() []Decision {
	e.log.mu.Lock()
	list := append(append([]Decision(nil), e.log.ring[e.log.next:]...), e.log.ring[:e.log.next]...)
	e.log.mu.Unlock()
	for i := range list {
		list[i] = list[i].Masked(e.Mask)
	}
	return list
}

// Masked returns d as it may be seen. See redact.Mask for where it must not be called.
func (d Decision) Masked(k *redact.Mask) Decision {
	red := k.Set()
	if red == nil {
		return d
	}
	m := red.Look(true)
	d.Args, d.Told, d.Rule = m.Table(d.Args), m.Text(d.Told), m.Text(d.Rule)
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

// brief returns d with what is long cut. That is masked before: a mask does not know half a secret.
func (d Decision) brief(k *redact.Mask) Decision {
	if !d.isBrief() {
		d = d.Masked(k)
	}
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

// mutations remembers when tools that do not only read were at work.
type mutations struct {
	mu      sync.Mutex
	running int
	ended   time.Time
}

func (m *mutations) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running++
}

func (m *mutations) end(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running--
	m.ended = now
}

// Mutating reports whether a tool that does not only read is running, or ended within the last d:
// then a script that vanishes may have been removed by it.
func (e *Engine) Mutating(d time.Duration) bool {
	e.writes.mu.Lock()
	defer e.writes.mu.Unlock()
	return e.writes.running > 0 || !e.writes.ended.IsZero() && e.now().Sub(e.writes.ended) < d
}

const (
	// decisionArgs is how many bytes of arguments are kept of each: enough to know the call again.
	// A file that is written does not stay in memory for the rest of the session.
	decisionArgs = 2 << 10
	// decisionText is how much is kept of one string: the beginning of a command, a reason.
	decisionText = 500
)

// briefArgs returns args with what is long cut; the very same if nothing is.
func briefArgs(args map[string]any) map[string]any {
	left := decisionArgs
	if short(args, &left, 0) {
		return args
	}
	left = decisionArgs
	cut, _ := brief(args, &left, 0).(map[string]any)
	return cut
}

// short reports whether v is small enough to be kept as it is; left is what room there is.
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

// brief returns a copy of v that takes what room there is: long strings are cut, and what comes
// after is left out.
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

// maxErrorText bounds what an error of a function of the API says, in bytes: it repeats what it
// got.
const maxErrorText = 4 << 10

// briefError is an error that says less.
type briefError struct {
	text string
	err  error
}

func (e *briefError) Error() string { return e.text }
func (e *briefError) Unwrap() error { return e.err }

// briefly leaves out the middle of what an error of a function of the API says if that is long.
// What a script has said itself stays.
func briefly(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if len(text) <= maxErrorText {
		return err
	}
	head, tail := plain.Head(text, maxErrorText/4), plain.Tail(text, maxErrorText/4)
	text = fmt.Sprintf("%s… (%d bytes) …%s", head, len(text), tail)
	var script *ScriptError
	var fail *FailError
	if errors.As(err, &script) || errors.As(err, &fail) {
		return err
	}
	if world, ok := err.(*WorldError); ok {
		return &WorldError{Code: world.Code, Message: text}
	}
	return &briefError{text, err}
}

// cutText keeps the first n bytes of s, in a copy that does not hold on to the rest.
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
