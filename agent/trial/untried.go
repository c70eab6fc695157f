package trial

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// untried records the functions of the outside world that a script uses during a check, where they
// have no answer: the handler is stopped there, and its further effects are unknown. Its methods
// are safe for concurrent use, and valid on nil.
type untried struct {
	mu      sync.Mutex
	calls   []Untried
	missing bool // a script looked for a file or the like that did not exist
}

// Untried is a function of the outside world that a check cannot run, and the place at which it
// stopped a handler.
type Untried struct {
	Name string // "ext.exec"
	At   fault.Position

	text string // of the error
}

// watch returns f, the function of a row, with its failures recorded.
func (u *untried) watch(row *engine.APIRow, f engine.HostFunc) engine.HostFunc {
	return func(c *engine.HostCall) (any, error) {
		v, err := f(c)
		var unstubbed *UnstubbedError
		var outside *OutsideError
		var world *fault.WorldError
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

// stopped reports whether a failure is caused by an untried function, and records its position.
func (u *untried) stopped(message string, at fault.Position) bool {
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

// list returns the untried functions, each once.
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

// unsure reports whether a script looked for something that was missing.
func (u *untried) unsure() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.missing
}
