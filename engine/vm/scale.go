// This file weighs VMs: how much memory each keeps, and when to measure it. The memory of a single
// run is limited by the watchdog; see Watchdog.memory.

package vm

import (
	"path"
	"reflect"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"unsafe"
)

const (
	// KeepMost is how many bytes a script may keep from one run to the next: the same limit as for
	// one run.
	KeepMost = heapAllowance
	// weighStep is how much the live heap must grow before VMs below the limit are weighed again.
	weighStep = 64 << 20
	// weighMost is how many values of one VM are weighed, which takes about 100 ms. A guard of the
	// script may wait that long, once. The limit counts values, not time: on a busy machine a time
	// limit would affect scripts that keep little.
	weighMost = 1 << 20
)

// liveHeap returns the size of the live heap of the whole process after the last garbage
// collection.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// keeps decides when to weigh VMs: when the process keeps more than one script may, and again each
// time it has grown. All fields except busy belong to the watchdog's goroutine.
type keeps struct {
	next uint64 // the live heap at which VMs are weighed next
	busy sync.Mutex
}

// look is called regularly while scripts run, and when they have stopped. The live size is known
// only as of the last collection, and the runtime lets a large heap double before the next one, so
// this collects garbage when the heap has grown by as much as a script may keep.
func (k *keeps) look(weigh func(live uint64)) {
	if weigh == nil {
		return
	}
	live := liveHeap()
	k.next = max(KeepMost, min(k.next, live+weighStep))
	switch {
	case live >= k.next: // also if the heap has grown again meanwhile
		if !k.busy.TryLock() {
			return
		}
		k.next = live + weighStep
		go func() {
			defer k.busy.Unlock()
			weigh(live)
		}()
	case HeapBytes() >= live+KeepMost && k.busy.TryLock():
		go func() {
			defer k.busy.Unlock()
			runtime.GC()
		}()
	}
}

// Weight is the memory that a VM keeps, as far as it was measured.
type Weight struct {
	Bytes uint64
	Cut   bool // there was more
}

// Weigh adds up the memory that values keep together; they must not change meanwhile.
func Weigh(values ...any) Weight {
	s := scale{seen: map[spot]bool{}}
	for _, v := range values {
		s.weighParts(reflect.ValueOf(v))
	}
	return s.weigh()
}

// scale adds up memory. It follows the interpreter's own data, but enters neither the engine, which
// all scripts share, nor the standard library.
type scale struct {
	seen  map[spot]bool
	stack []level
	total uint64
}

// spot identifies an object in memory by address and type: its first field is another object at the
// same address.
type spot struct {
	at unsafe.Pointer
	t  reflect.Type
}

// level is a value whose parts are being visited: fields, elements, or the keys and values of a
// map.
type level struct {
	v    reflect.Value
	next int
	n    int
	iter *reflect.MapIter
}

func (s *scale) weigh() Weight {
	for n := 1; len(s.stack) > 0; n++ {
		if n > weighMost {
			return Weight{s.total, true}
		}
		l := &s.stack[len(s.stack)-1]
		switch {
		case l.iter != nil && l.iter.Next():
			key, value := l.iter.Key(), l.iter.Value()
			s.weighParts(key)
			s.weighParts(value)
		case l.iter != nil || l.next >= l.n:
			s.stack = s.stack[:len(s.stack)-1]
		case l.v.Kind() == reflect.Struct:
			l.next++
			s.weighParts(l.v.Field(l.next - 1))
		default:
			l.next++
			s.weighParts(l.v.Index(l.next - 1))
		}
	}
	return Weight{s.total, false}
}

// first reports whether the object at p of type t is not nil and was not weighed yet.
func (s *scale) first(p unsafe.Pointer, t reflect.Type) bool {
	if p == nil || s.seen[spot{p, t}] {
		return false
	}
	s.seen[spot{p, t}] = true
	return true
}

// weighParts weighs what v itself points to, and queues its parts.
func (s *scale) weighParts(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v = v.Elem(); !v.IsValid() {
			return
		}
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Map {
			s.total += uint64(v.Type().Size())
		}
		s.weighParts(v)
	case reflect.Pointer:
		if t := v.Type().Elem(); !sharedType(t) && s.first(v.UnsafePointer(), v.Type()) {
			s.total += uint64(t.Size())
			s.weighParts(v.Elem())
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

// leads reports whether values of a type can contain pointers.
func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.String, reflect.Slice, reflect.Map,
		reflect.Struct, reflect.Array:
		return true
	}
	return false
}

var textType = reflect.TypeFor[string]()

// enginePath is the import path prefix of the engine's packages.
var enginePath = path.Dir(reflect.TypeFor[Turn]().PkgPath())

// sharedType reports whether a type does not belong to an interpreter: a type of the engine, or of
// the standard library except math/big.
func sharedType(t reflect.Type) bool {
	from := t.PkgPath()
	if from == "" || from == "math/big" || from == "container/list" {
		return false
	}
	first, _, _ := strings.Cut(from, "/")
	return !strings.Contains(first, ".") || from == enginePath ||
		strings.HasPrefix(from, enginePath+"/")
}
