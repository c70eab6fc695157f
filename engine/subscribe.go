// This file lets several listeners hear the one ordered stream, and keeps its order where scripts
// send events while others are asked about one.

package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// listener is one that subscribed to the stream.
type listener struct{ hear func(ev *Event) }

// Subscribe lets f hear every event from now on, in order and as a user may see it: what was
// rewritten is, secrets are masked. f must be quick and must not call back into the engine on the
// same goroutine; its panic is told, and does no harm. unsubscribe may be called at any time, but
// not by f; f is not called after it has returned.
func (e *Engine) Subscribe(f func(ev *Event)) (unsubscribe func()) {
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
func (e *Engine) tellStream(ev *Event) {
	for _, l := range e.listening() {
		e.tellOne(l, ev)
	}
}

func (e *Engine) tellOne(l *listener, ev *Event) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprintf("a listener failed at %s: %v", ev.Name(), p)
			if ev.Text("stage") == "" { // one that fails at what this sets off would go on for ever
				go e.internalError("listener", text) // the stream is busy here
			}
		}
	}()
	l.hear(ev)
}

// orderWait is how long a custom event waits for its place in the stream: as long as a guard's
// script may catch up. A handler that waits for an answer, or for the user, must not hold up more.
const orderWait = time.Second

// asking is an event that handlers are asked about: it gets its place in the stream when all have
// answered, but a script that was asked knows of it before. Guarded by Engine.order.
type asking struct {
	all   []*Generation // with a handler of the event
	asked []*Generation // those that were asked so far
}

// held is what waits for a place in the stream. Guarded by Engine.order.
type held struct {
	item   item
	behind []*asking  // what it has to come behind
	later  []*Handler // observers that must not hear of it before
	ev     *Event     // what those hear
}

// sequence is the order that Engine.order keeps between events that scripts are asked about and
// those that scripts send meanwhile: what is being asked about, and what waits for that, first come
// first. It is a part of an Engine, and its fields are guarded by Engine.order.
type sequence struct {
	e    *Engine
	open []*asking
	held []*held
}

// begins notes that scripts are about to be asked about ev, which goes to the stream afterwards: by
// stream, or by forget. Nothing needs to be noted if no script hears what others send.
func (s *sequence) begins(snap *Snapshot, ev *Event) *Event {
	if !snap.customs || !s.e.heard() {
		return ev
	}
	a := &asking{}
	for _, h := range snap.handlers[ev.row.Name] {
		if h.Gen != nil && !slices.Contains(a.all, h.Gen) {
			a.all = append(a.all, h.Gen)
		}
	}
	if len(a.all) == 0 {
		return ev
	}
	c := *ev
	c.asking = a
	s.e.order.Lock()
	defer s.e.order.Unlock()
	s.open = append(s.open, a)
	return &c
}

// asks notes that a script is asked about ev.
func (s *sequence) asks(ev *Event, h *Handler) {
	if ev.asking == nil || h.Gen == nil {
		return
	}
	s.e.order.Lock()
	defer s.e.order.Unlock()
	ev.asking.asked = append(ev.asking.asked, h.Gen)
}

// arrive gives an event that scripts were asked about its place in the stream, and what waited for
// that the places behind it.
func (s *sequence) arrive(ev *Event) {
	s.e.order.Lock()
	defer s.e.order.Unlock()
	s.e.send(item{ev: ev})
	s.endAsking(ev.asking)
}

// forget notes that ev does not go to the stream: it is asked about anew.
func (s *sequence) forget(ev *Event) {
	if ev.asking == nil {
		return
	}
	s.e.order.Lock()
	defer s.e.order.Unlock()
	s.endAsking(ev.asking)
}

// endAsking lets go what waited for a. Under Engine.order.
func (s *sequence) endAsking(a *asking) {
	s.open = slices.DeleteFunc(s.open, func(x *asking) bool { return x == a })
	n := 0
	for n < len(s.held) && !slices.ContainsFunc(s.held[n].behind,
		func(x *asking) bool { return slices.Contains(s.open, x) }) {
		n++
	}
	s.release(n)
}

// release lets the first n events go that wait. Under Engine.order.
func (s *sequence) release(n int) {
	list := s.held[:n]
	if s.held = s.held[n:]; len(s.held) == 0 {
		s.held = nil
	}
	for _, x := range list {
		s.e.send(x.item)
		s.e.tellThese(x.later, x.ev)
	}
}

// releaseAll lets everything go that waits.
func (s *sequence) releaseAll() {
	s.e.order.Lock()
	defer s.e.order.Unlock()
	s.release(len(s.held))
}

// hold tells the observers of ev, and gives it its place in the stream. A custom event waits for
// events that scripts are being asked about, if a script among its observers was asked already:
// else that script would know them in another order than the stream. What comes while one waits
// waits behind it. False: nothing has to wait. Under Engine.order.
func (s *sequence) hold(it item, observers []*Handler, ev *Event) bool {
	behind := s.behind(observers, ev)
	if len(behind)+len(s.held) == 0 {
		return false
	}
	x := &held{item: it, behind: behind, ev: ev}
	for _, h := range observers {
		if s.mustWait(h, behind) {
			x.later = append(x.later, h)
		} else {
			s.e.observe(h, ev)
		}
	}
	s.held = append(s.held, x)
	if len(behind) > 0 {
		time.AfterFunc(orderWait, func() { s.releaseTo(x) })
	}
	return true
}

// behind are the events that a custom event has to come behind. Under Engine.order.
func (s *sequence) behind(observers []*Handler, ev *Event) (list []*asking) {
	if len(s.open) == 0 || ev == nil || !strings.HasPrefix(ev.row.Name, "custom:") {
		return nil
	}
	for _, a := range s.open {
		if slices.ContainsFunc(observers,
			func(h *Handler) bool { return h.Gen != nil && slices.Contains(a.asked, h.Gen) }) {
			list = append(list, a)
		}
	}
	return list
}

// mustWait reports whether an observer may hear of an event only when that has its place: its
// script will still be asked about one that comes before, or waits for one already. Under
// Engine.order.
func (s *sequence) mustWait(h *Handler, behind []*asking) bool {
	if h.Gen == nil {
		return false
	}
	for _, a := range behind {
		if slices.Contains(a.all, h.Gen) && !slices.Contains(a.asked, h.Gen) {
			return true
		}
	}
	return slices.ContainsFunc(s.held, func(x *held) bool {
		return slices.ContainsFunc(x.later, func(o *Handler) bool { return o.Gen == h.Gen })
	})
}

// releaseTo lets go what waits up to x, which has waited long enough.
func (s *sequence) releaseTo(x *held) {
	s.e.order.Lock()
	defer s.e.order.Unlock()
	if i := slices.Index(s.held, x); i >= 0 {
		s.release(i + 1)
	}
}
