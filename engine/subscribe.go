// This file lets several listeners hear the one ordered stream.

package engine

import (
	"fmt"
	"slices"
	"sync"

	"github.com/agentscripts/agent/engine/event"
)

// listener is one that subscribed to the stream.
type listener struct{ hear func(ev *event.Event) }

// Subscribe lets f hear every event from now on, in order and as a user may see it: what was
// rewritten is, secrets are masked. f must be quick and must not call back into the engine on the
// same goroutine; its panic is told, and does no harm. unsubscribe may be called at any time, but
// not by f; f is not called after it has returned.
func (e *Engine) Subscribe(f func(ev *event.Event)) (unsubscribe func()) {
	l := &listener{f}
	e.emitMu.Lock()
	defer e.emitMu.Unlock()
	e.listen(append(slices.Clone(e.listening()), l))
	return sync.OnceFunc(func() {
		e.emitMu.Lock()
		defer e.emitMu.Unlock()
		e.listen(slices.DeleteFunc(slices.Clone(e.listening()),
			func(x *listener) bool { return x == l }))
	})
}

func (e *Engine) listening() []*listener {
	if p := e.listeners.Load(); p != nil {
		return *p
	}
	return nil
}

func (e *Engine) listen(all []*listener) {
	if len(all) == 0 {
		e.listeners.Store(nil)
		return
	}
	e.listeners.Store(&all)
}

// heard reports whether anybody hears the stream.
func (e *Engine) heard() bool { return e.listeners.Load() != nil }

// tellStream hands an event to all who listen. Under e.emitMu.
func (e *Engine) tellStream(ev *event.Event) {
	for _, l := range e.listening() {
		e.tellOne(l, ev)
	}
}

func (e *Engine) tellOne(l *listener, ev *event.Event) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprintf("a listener failed at %s: %v", ev.Name(), p)
			if ev.Text("stage") == "" { // one that fails at what this sets off would go on for ever
				go e.Notices.internalError("listener", text) // the stream is busy here
			}
		}
	}()
	l.hear(ev)
}
