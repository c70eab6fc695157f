// This file defines the stream, and lets several listeners hear it.

package engine

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/redact"
)

// Stream is the one ordered stream of events, as a user may see them: screens, --json and logs read
// it. Its methods are safe for concurrent use.
type Stream struct {
	redaction *redact.Mask
	observers func(ev *event.Event) // hear what a tool says as the stream does
	failed    func(text string)     // told that a listener failed
	lost      func()                // told that events were not shown

	// what is told to the stream and to observers has the same order for both; taken before mu
	order sync.Mutex
	mu    sync.Mutex // keeps the stream one stream
	// listeners hear the stream; nil = nobody does. It is changed under mu.
	listeners atomic.Pointer[[]*listener]
	out       outbox
}

// listener is one that subscribed to the stream.
type listener struct{ hear func(ev *event.Event) }

// Subscribe lets f hear every event from now on, in order and as a user may see it: what was
// rewritten is, secrets are masked. f must be quick and must not call back into the engine on the
// same goroutine; its panic is told, and does no harm. unsubscribe may be called at any time, but
// not by f; f is not called after it has returned.
func (st *Stream) Subscribe(f func(ev *event.Event)) (unsubscribe func()) {
	l := &listener{f}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.listen(append(slices.Clone(st.listening()), l))
	return sync.OnceFunc(func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.listen(slices.DeleteFunc(slices.Clone(st.listening()),
			func(x *listener) bool { return x == l }))
	})
}

func (st *Stream) listening() []*listener {
	if p := st.listeners.Load(); p != nil {
		return *p
	}
	return nil
}

func (st *Stream) listen(all []*listener) {
	if len(all) == 0 {
		st.listeners.Store(nil)
		return
	}
	st.listeners.Store(&all)
}

// isHeard reports whether anybody hears the stream.
func (st *Stream) isHeard() bool { return st.listeners.Load() != nil }

// tellStream hands an event to all who listen. Under mu.
func (st *Stream) tellStream(ev *event.Event) {
	for _, l := range st.listening() {
		st.tellOne(l, ev)
	}
}

func (st *Stream) tellOne(l *listener, ev *event.Event) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprintf("a listener failed at %s: %v", ev.Name(), p)
			if ev.Text("stage") == "" { // one that fails at what this sets off would go on for ever
				go st.failed(text) // the stream is busy here
			}
		}
	}()
	l.hear(ev)
}
