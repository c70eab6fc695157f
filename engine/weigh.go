// This file weighs VMs: how much each of them keeps. What a run takes at once is the watchdog's;
// see Watchdog.memory.

package engine

import (
	"context"
	"reflect"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"time"
	"unsafe"
	"weak"
)

const (
	// keepMost is what a script may keep from one run to the next: as much as one run may take.
	keepMost = heapAllowance
	// weighStep is how much more must be alive before VMs are weighed again that were found light
	// enough.
	weighStep = 64 << 20
	// weighTime is how long one VM is weighed: about a million values. A guard of the script waits
	// for so long, once.
	weighTime = 100 * time.Millisecond
	// weighWait is how long the turn of a VM is waited for.
	weighWait = 5 * time.Second
	// weighCheck is how many values are looked at between two looks at the clock.
	weighCheck = 256
)

// liveHeap is what was alive in the whole process at the last collection of garbage.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// keeps says when VMs are to be weighed: when the process keeps more than one script may, and again
// each time it has grown. It belongs to the watchdog's goroutine, but for busy.
type keeps struct {
	next uint64 // the heap at which they are
	busy sync.Mutex
}

// look is called now and then while scripts run, and when they have stopped. What is alive is known
// since the last collection only; the runtime lets a large heap double before the next one, so
// garbage is collected here when the heap has grown by as much as a script may keep.
func (k *keeps) look(weigh func(live uint64)) {
	if weigh == nil {
		return
	}
	live := liveHeap()
	k.next = max(keepMost, min(k.next, live+weighStep))
	switch {
	case live >= k.next: // also where the heap has grown again meanwhile
		if !k.busy.TryLock() {
			return
		}
		k.next = live + weighStep
		go func() {
			defer k.busy.Unlock()
			weigh(live)
		}()
	case heapBytes() >= live+keepMost && k.busy.TryLock():
		go func() {
			defer k.busy.Unlock()
			runtime.GC()
		}()
	}
}

// weigh gives up the VMs that keep too much: their guards fail, which asks, until whoever loaded
// them has loaded them anew.
func (e *Engine) weigh(live uint64) {
	s := e.acquire()
	defer s.release()
	var heaviest *Generation
	var most weight
	for _, g := range s.Generations {
		w := g.weigh()
		if w.bytes >= keepMost {
			e.tooHeavy(g)
			continue
		}
		if w.bytes > most.bytes {
			heaviest, most = g, w
		}
	}
	// it has more values than can be counted, and somebody has very many
	if heaviest != nil && most.cut && live >= 2*keepMost {
		e.tooHeavy(heaviest)
	}
}

// tooHeavy gives g's VM up, and says so.
func (e *Engine) tooHeavy(g *Generation) {
	err := &LimitError{What: "memory",
		Note: "the script keeps more than 128 MB in its variables; it is being replaced"}
	g.alone(func(run *Run) {
		if replace, ok := g.turn.giveUp(run, err); ok {
			// why comes before what is done about it
			e.reportError(e.scriptError(err, g, "memory"), e.envelope())
			go replace()
		}
	})
}

// alone runs f with the turn of g's VM held: nobody is in the VM meanwhile. It does not if the turn
// cannot be had.
func (g *Generation) alone(f func(run *Run)) {
	ctx, cancel := context.WithTimeout(g.ctx, weighWait)
	defer cancel()
	run := NewRun(ctx, g, KindCommand, "memory", nil, nil)
	defer run.End()
	if g.turn.Enter(run) != nil {
		return
	}
	f(run)
	_ = g.turn.Leave(run) // its budget is of no interest
}

// giveUp ends the turn, which r holds; replace has the VM loaded anew. ok is false if it had ended
// before.
func (t *Turn) giveUp(r *Run, err error) (replace func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dead != nil || t.holder != r {
		return nil, false
	}
	t.end(err)
	t.holder = nil
	if t.onWedge == nil {
		return func() {}, true
	}
	return t.onWedge, true
}

// GivenUp says why g's VM was given up, nil if it was not.
func (g *Generation) GivenUp() error {
	if g.turn == nil {
		return nil
	}
	g.turn.mu.Lock()
	defer g.turn.mu.Unlock()
	return g.turn.dead
}

// weight is what a VM keeps, as far as it could be seen.
type weight struct {
	bytes uint64
	cut   bool // there was more
}

// weigh weighs g's VM, under its turn: nobody changes it meanwhile.
func (g *Generation) weigh() (w weight) {
	if g.turn == nil || g.vm == nil {
		return w
	}
	g.alone(func(*Run) {
		g.turn.Aside(func() {
			s := scale{seen: map[spot]bool{}, until: time.Now().Add(weighTime)}
			s.put(reflect.ValueOf(g.vm))
			for _, f := range g.handed.all() {
				s.put(reflect.ValueOf(f))
			}
			w = s.weigh()
		})
	})
	return w
}

// handedOut are the functions of a script that were given to the program: what they hold is kept as
// long as they are.
type handedOut struct {
	mu    sync.Mutex
	list  []func() any // nil: it is not there any more
	prune int          // the length at which those are left out
}

// HandOut notes that the program gets f, a pointer, which implements Func and stands for a function
// of g's script.
func HandOut[F any](g *Generation, f *F) *F {
	w := weak.Make(f)
	h := &g.handed
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) >= max(h.prune, 64) {
		live := h.list[:0:0]
		for _, get := range h.list {
			if get() != nil {
				live = append(live, get)
			}
		}
		h.list, h.prune = live, 2*len(live)
	}
	h.list = append(h.list, func() any {
		if p := w.Value(); p != nil {
			return p
		}
		return nil
	})
	return f
}

func (h *handedOut) all() (funcs []any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, get := range h.list {
		if f := get(); f != nil {
			funcs = append(funcs, f)
		}
	}
	return funcs
}

// scale adds up what values keep. It follows the interpreter's own data, and goes neither into the
// engine, which all scripts share, nor into the standard library.
type scale struct {
	seen  map[spot]bool
	stack []level
	until time.Time
	total uint64
}

// spot is something in memory; what begins with it is another one.
type spot struct {
	at unsafe.Pointer
	t  reflect.Type
}

// level is a value whose parts are being looked at: fields, elements, or the keys and values of a
// map.
type level struct {
	v    reflect.Value
	next int
	n    int
	iter *reflect.MapIter
}

func (s *scale) weigh() weight {
	for n := 1; len(s.stack) > 0; n++ {
		if n%weighCheck == 0 && time.Now().After(s.until) {
			return weight{s.total, true}
		}
		l := &s.stack[len(s.stack)-1]
		switch {
		case l.iter != nil && l.iter.Next():
			key, value := l.iter.Key(), l.iter.Value()
			s.put(key)
			s.put(value)
		case l.iter != nil || l.next >= l.n:
			s.stack = s.stack[:len(s.stack)-1]
		case l.v.Kind() == reflect.Struct:
			l.next++
			s.put(l.v.Field(l.next - 1))
		default:
			l.next++
			s.put(l.v.Index(l.next - 1))
		}
	}
	return weight{s.total, false}
}

// first reports whether what p leads to, through a value of type t, was not weighed yet, and is
// something.
func (s *scale) first(p unsafe.Pointer, t reflect.Type) bool {
	if p == nil || s.seen[spot{p, t}] {
		return false
	}
	s.seen[spot{p, t}] = true
	return true
}

// put weighs what v itself leads to, and has its parts looked at.
func (s *scale) put(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v = v.Elem(); !v.IsValid() {
			return
		}
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Map {
			s.total += uint64(v.Type().Size())
		}
		s.put(v)
	case reflect.Pointer:
		if t := v.Type().Elem(); !sharedType(t) && s.first(v.UnsafePointer(), v.Type()) {
			s.total += uint64(t.Size())
			s.put(v.Elem())
		}
	case reflect.String:
		if text := v.String(); s.first(unsafe.Pointer(unsafe.StringData(text)), textType) {
			s.total += uint64(len(text))
		}
	case reflect.Slice:
		if t := v.Type().Elem(); s.first(v.UnsafePointer(), v.Type()) {
			s.total += uint64(v.Cap()) * uint64(t.Size())
			if leads(t) && !sharedType(t) {
				s.stack = append(s.stack, level{v: v, n: v.Len()})
			}
		}
	case reflect.Map:
		if t := v.Type(); s.first(v.UnsafePointer(), v.Type()) {
			s.total += uint64(v.Len()) * uint64(t.Key().Size()+t.Elem().Size()+8)
			if leads(t.Key()) || leads(t.Elem()) {
				s.stack = append(s.stack, level{iter: v.MapRange()})
			}
		}
	case reflect.Struct:
		if !sharedType(v.Type()) {
			s.stack = append(s.stack, level{v: v, n: v.NumField()})
		}
	case reflect.Array:
		if leads(v.Type().Elem()) {
			s.stack = append(s.stack, level{v: v, n: v.Len()})
		}
	}
}

// leads reports whether values of a type lead to others.
func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.String, reflect.Slice, reflect.Map,
		reflect.Struct, reflect.Array:
		return true
	}
	return false
}

var textType = reflect.TypeFor[string]()

var enginePath = reflect.TypeFor[Engine]().PkgPath()

// sharedType reports whether a type is no interpreter's: of the engine, or of the standard library,
// but for numbers without bounds.
func sharedType(t reflect.Type) bool {
	path := t.PkgPath()
	if path == "" || path == "math/big" || path == "container/list" {
		return false
	}
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") || path == enginePath ||
		strings.HasPrefix(path, enginePath+"/")
}
