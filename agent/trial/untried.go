package trial

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
)

// untried notes what a script asks of the world while it is checked, where nobody answers: a
// handler that does so is stopped there, and what it would have done is not known. Its methods are
// safe for concurrent use, and on nil.
type untried struct {
	mu      sync.Mutex
	calls   []Untried
	missing bool // a file or the like that a script looked for was not there
}

// Untried is a function that reaches out of the world of a check, and where a handler was stopped
// by it.
type Untried struct {
	Name string // "ext.exec"
	At   engine.Position

	text string // of the error
}

// watch is the function of a row with what it answers noted.
func (u *untried) watch(row *engine.APIRow, f engine.HostFunc) engine.HostFunc {
	return func(c *engine.HostCall) (any, error) {
		v, err := f(c)
		var unstubbed *UnstubbedError
		var outside *OutsideError
		var world *engine.WorldError
		switch {
		case errors.As(err, &unstubbed):
			u.noteUntried(unstubbed.Name, err)
		case errors.As(err, &outside):
			u.noteUntried(outside.Name, err)
		case errors.As(err, &world), v == nil && err == nil && row.Result != "":
			u.mu.Lock()
			u.missing = true
			u.mu.Unlock()
		}
		return v, err
	}
}

func (u *untried) noteUntried(name string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.ContainsFunc(u.calls, func(c Untried) bool { return c.text == err.Error() }) {
		u.calls = append(u.calls, Untried{Name: name, text: err.Error()})
	}
}

// stopped reports whether a failure comes of what is not tried, and keeps its place.
func (u *untried) stopped(message string, at engine.Position) bool {
	if u == nil {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	i := slices.IndexFunc(u.calls,
		func(c Untried) bool { return strings.Contains(message, c.text) })
	if i >= 0 && u.calls[i].At.Line == 0 {
		u.calls[i].At = at
	}
	return i >= 0
}

// list returns the functions that reached out of the world, each once.
func (u *untried) list() []Untried {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []Untried
	for _, c := range u.calls {
		if !slices.ContainsFunc(out, func(o Untried) bool { return o.Name == c.Name }) {
			out = append(out, c)
		}
	}
	return out
}

// unsure reports whether something was missing that a script looked for.
func (u *untried) unsure() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.missing
}
