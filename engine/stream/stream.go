// Package stream is the one ordered stream of an engine's events, as a user may see them: screens,
// --json and logs read it.
//
//	st := stream.New(stream.Options{Mask: mask})
//	unsubscribe := st.Subscribe(func(ev *event.Event) { fmt.Println(ev.Name()) })
//	st.Tell(ev)
//	st.Flush(ctx)
//
// Every listener gets the same events in the same order. What redactors match is masked in them,
// also where a text comes piece by piece. Who tells of an event never waits for a script: events
// that functions of scripts have to look through wait in a bounded outbox.
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

// Options says what a Stream is made of. The functions are called on goroutines of their own, or on
// that of who tells of an event; nil ones are not called.
type Options struct {
	Mask *redact.Mask // what must not be seen
	// Observe is given what a tool said, as the stream shows it.
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
	// listeners hear the stream; nil = nobody does. It is changed under mu.
	listeners atomic.Pointer[[]*listener]
	out       outbox
}

// New makes a stream that nobody listens to yet.
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

// HasListeners reports whether anybody hears the stream.
func (st *Stream) HasListeners() bool { return st.listeners.Load() != nil }

// Tell hands an event to all who listen. It does not wait for scripts.
func (st *Stream) Tell(ev *event.Event) {
	if st.HasListeners() {
		st.send(item{ev: ev})
	}
}

// InOrder tells of ev, unless it is nil, and calls observe: others who do the same do it before or
// after both. observe must not block and must not call the stream.
func (st *Stream) InOrder(ev *event.Event, observe func()) {
	st.order.Lock()
	defer st.order.Unlock()
	if ev != nil {
		st.Tell(ev)
	}
	observe()
}

// tellStream hands an event to all who listen. Under mu.
func (st *Stream) tellStream(ev *event.Event) {
	for _, l := range st.listening() {
		st.tellOne(l, ev)
	}
}

func (st *Stream) tellOne(l *listener, ev *event.Event) {
	p := apart.Catch(func() { l.hear(ev) })
	// one that fails at what this sets off would go on for ever
	if p != nil && ev.Text("stage") == "" {
		// the stream is busy here
		go st.opts.Failed(fmt.Sprintf("a listener failed at %s: %v", ev.Name(), p.Value))
	}
}
