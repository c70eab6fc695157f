// This file weighs VMs: how much each of them keeps, and when it is looked at. What a run takes at
// once is the watchdog's; see Watchdog.memory.

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
	// KeepMost is what a script may keep from one run to the next: as much as one run may take.
	KeepMost = heapAllowance
	// weighStep is how much more must be alive before VMs are weighed again that were found light
	// enough.
	weighStep = 64 << 20
	// weighMost is how many values of one VM are weighed, which takes about 100 ms. A guard of the
	// script waits for so long, once. Values are counted, and not time: on a busy machine time would
	// run out for scripts that keep little.
	weighMost = 1 << 20
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
	k.next = max(KeepMost, min(k.next, live+weighStep))
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
	case heapBytes() >= live+KeepMost && k.busy.TryLock():
		go func() {
			defer k.busy.Unlock()
			runtime.GC()
		}()
	}
}

// Weight is what a VM keeps, as far as it could be seen.
type Weight struct {
	Bytes uint64
	Cut   bool // there was more
}

// Weigh adds up what values keep together; nobody may change it meanwhile.
func Weigh(values ...any) Weight {
	s := scale{seen: map[spot]bool{}}
	for _, v := range values {
		s.weighParts(reflect.ValueOf(v))
	}
	return s.weigh()
}

// scale adds up what values keep. It follows the interpreter's own data, and goes neither into the
// engine, which all scripts share, nor into the standard library.
type scale struct {
	seen  map[spot]bool
	stack []level
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

// first reports whether what p leads to, through a value of type t, was not weighed yet, and is
// something.
func (s *scale) first(p unsafe.Pointer, t reflect.Type) bool {
	if p == nil || s.seen[spot{p, t}] {
		return false
	}
	s.seen[spot{p, t}] = true
	return true
}

// weighParts weighs what v itself leads to, and has its parts looked at.
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

// leads reports whether values of a type can refer to others.
func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.String, reflect.Slice, reflect.Map,
		reflect.Struct, reflect.Array:
		return true
	}
	return false
}

var textType = reflect.TypeFor[string]()

// enginePath is the folder that this package is in.
var enginePath = path.Dir(reflect.TypeFor[Turn]().PkgPath())

// sharedType reports whether a type is no interpreter's: of the engine, or of the standard library,
// but for numbers without bounds.
func sharedType(t reflect.Type) bool {
	from := t.PkgPath()
	if from == "" || from == "math/big" || from == "container/list" {
		return false
	}
	first, _, _ := strings.Cut(from, "/")
	return !strings.Contains(first, ".") || from == enginePath ||
		strings.HasPrefix(from, enginePath+"/")
}
