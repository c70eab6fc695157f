// Package stream is the ordered stream of an engine's events with secrets masked. Screens, --json
// and logs read it.
//
//	st := stream.New(stream.Options{Mask: mask})
//	unsubscribe := st.Subscribe(nil, func(ev *event.Event) { fmt.Println(ev.Name()) })
//	st.Tell(ev)
//	st.Flush(ctx)
//
// Every listener gets the events that it wants, all in the same order. Matches of redactors are
// masked in them, also across the pieces of a text. Senders never wait for a script: events that
// functions of scripts have to examine wait in a bounded outbox.
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
	Mask *redact.Mask
	// Observe gets the output of tools, masked as in the stream.
	Observe func(ev *event.Event)
	Failed  func(text string) // called when a listener panics
	Lost    func()            // called when events were dropped
}

// Stream is the stream. Its methods are safe for concurrent use.
type Stream struct {
	opts Options

	// order is held while the listeners and the observers get an event, so that both get events in
	// the same order. It is locked before mu.
	order sync.Mutex
	mu    sync.Mutex // held while the listeners get an event
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

// listener is a subscriber.
type listener struct {
	wants event.Interest
	hear  func(ev *event.Event)
}

// Subscribe calls f from now on for every event that wants selects, in order and masked. f must be
// quick and must not call the engine on the same goroutine; a panic of f is recovered and reported.
// unsubscribe may be called at any time, except by f; after it returns, f is not called.
func (st *Stream) Subscribe(wants event.Interest, f func(ev *event.Event)) (unsubscribe func()) {
	l := &listener{wants, f}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.setListeners(append(slices.Clone(st.currentListeners()), l))
	return sync.OnceFunc(func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.setListeners(slices.DeleteFunc(slices.Clone(st.currentListeners()),
			func(x *listener) bool { return x == l }))
	})
}

func (st *Stream) currentListeners() []*listener {
	if p := st.listeners.Load(); p != nil {
		return *p
	}
	return nil
}

func (st *Stream) setListeners(all []*listener) {
	if len(all) == 0 {
		st.listeners.Store(nil)
		return
	}
	st.listeners.Store(&all)
}

// Wants reports whether a listener wants the events of this name, so that others are not made.
func (st *Stream) Wants(name string) bool {
	for _, l := range st.currentListeners() {
		if l.wants.Wants(name) {
			return true
		}
	}
	return false
}

// Tell sends an event to the listeners that want it. It does not wait for scripts.
func (st *Stream) Tell(ev *event.Event) {
	if st.Wants(ev.Name()) || st.listeners.Load() != nil && endsPieces(ev) {
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

// tellStream sends an event to the listeners that want it. Under mu.
func (st *Stream) tellStream(ev *event.Event) {
	name := ev.Name()
	for _, l := range st.currentListeners() {
		if l.wants.Wants(name) {
			st.tellOne(l, ev)
		}
	}
}

func (st *Stream) tellOne(l *listener, ev *event.Event) {
	p := apart.Catch(func() { l.hear(ev) })
	// a listener that also panics at the event about its panic would cause an endless loop
	if p != nil && ev.Text("stage") == "" {
		// on another goroutine: this one holds mu
		go st.opts.Failed(fmt.Sprintf("a listener failed at %s: %v", ev.Name(), p.Value))
	}
}
