// This file defines the trail: who did what to a call, and the decision log in memory.

package engine

import (
	"sync"
	"time"
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
	CallID  string
	Tool    string
	Args    map[string]any // as it ran; what is long is cut
	Allowed bool
	By      string // what decided: "guard", "mode", "user_once", ...
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

func (l *decisionLog) add(d Decision) {
	d.Args, d.Trail = briefArgs(d.Args), briefTrail(d.Trail)
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
	red := e.Mask.Set()
	if red == nil {
		return list
	}
	m := red.Look(true)
	for i := range list {
		d := &list[i]
		d.Args = m.Table(d.Args)
		d.Trail = append(Trail(nil), d.Trail...)
		for j := range d.Trail {
			d.Trail[j].Reason = m.Text(d.Trail[j].Reason)
			if se := d.Trail[j].Error; se != nil {
				masked := *se
				masked.Message, masked.Err = m.Text(se.Message), nil
				d.Trail[j].Error = &masked
			}
		}
	}
	return list
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
