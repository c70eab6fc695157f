// Package stream is the one ordered stream of an engine's events, as a user may see them: screens,
// --json and logs read it.
//
//	st := stream.New(stream.Options{Mask: mask})
//	unsubscribe := st.Subscribe(func(ev *event.Event) { fmt.Println(ev.Name()) })
//	st.Tell(ev)
//	st.Flush(ctx)
//
// Every listener gets the same events in the same order. Matches of redactors are masked in them,
// also across the pieces of a text. Senders never wait for a script: events that functions of
// scripts have to examine wait in a bounded outbox.
package stream

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/redact"
)

// Options configures a Stream. The functions are called on goroutines of their own, or on that of
// the sender; nil ones are not called.
type Options struct {
	Mask *redact.Mask // what must not be seen
	// Observe gets the output of tools, masked as in the stream.
	Observe func(ev *event.Event)
	Failed  func(text string) // a listener failed
	Lost    func()            // events were not shown
}

// Stream is the stream. Its methods are safe for concurrent use.
type Stream struct {
	opts Options

	// order is held while an event is told to the stream and to observers, so that both get events
	// in the same order. It is locked before mu.
	order sync.Mutex
	mu    sync.Mutex // one event at a time
	// listeners receive the stream; nil = none. It is changed under mu.
	listeners atomic.Pointer[[]*listener]
	out       outbox
}

// New makes a stream without listeners.
func New(o Options) *Stream {
	if o.Observe == nil {
		o.Observe = func(*event.Event) {}
	}
	if o.Failed == nil {
		o.Failed = func(string) {}
	}
	if o.Lost == nil {
		o.Lost = func() {}
	}
	return &Stream{opts: o}
}

// listener is one that subscribed to the stream.
type listener struct{ hear func(ev *event.Event) }

// Subscribe calls f for every event from now on, in order, masked and rewritten as for a user. f
// must be quick and must not call back into the engine on the same goroutine; a panic of f is
// recovered and reported. unsubscribe may be called at any time, except by f; f is not called after
// it has returned.
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

// HasListeners reports whether the stream has listeners.
func (st *Stream) HasListeners() bool { return st.listeners.Load() != nil }

// Tell sends an event to all listeners. It does not wait for scripts.
func (st *Stream) Tell(ev *event.Event) {
	if st.HasListeners() {
		st.send(item{ev: ev})
	}
}

// InOrder sends ev, unless it is nil, and calls observe, atomically with respect to other calls of
// InOrder. observe must not block and must not call the stream.
func (st *Stream) InOrder(ev *event.Event, observe func()) {
	st.order.Lock()
	defer st.order.Unlock()
	if ev != nil {
		st.Tell(ev)
	}
	observe()
}

// tellStream sends an event to all listeners. Under mu.
func (st *Stream) tellStream(ev *event.Event) {
	for _, l := range st.listening() {
		st.tellOne(l, ev)
	}
}

func (st *Stream) tellOne(l *listener, ev *event.Event) {
	p := apart.Catch(func() { l.hear(ev) })
	// a listener that fails at the resulting event would cause an endless loop
	if p != nil && ev.Text("stage") == "" {
		// the stream is busy here
		go st.opts.Failed(fmt.Sprintf("a listener failed at %s: %v", ev.Name(), p.Value))
	}
}
