package vm

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestWhatAScaleSees: values of other packages than the engine's are weighed, once each. Here they
// are the engine's, so unnamed types stand for them.
func TestWhatAScaleSees(t *testing.T) {
	big := make([]byte, 1<<20)
	text := string(big)
	type circle = struct {
		next *any
		data []byte
	}
	var ring any
	ring = &circle{&ring, big}
	var whole struct { // it and what is first in it begin at one place
		first struct{ n int }
		more  []byte
	}
	whole.more = big
	for _, c := range []struct {
		name string
		v    any
		want uint64 // at least, and not a tenth more
	}{
		{"bytes", big, 1 << 20},
		{"a string", text, 1 << 20},
		{"the same twice", []any{big, big, text, text}, 2 << 20},
		{"a circle", ring, 1 << 20},
		{"the first part, and the whole", []any{&whole.first, &whole}, 1 << 20},
		{"a map", map[string]any{"a": big, text: nil}, 2 << 20},
		{"numbers in a table", func() any {
			list := make([]any, 1<<17)
			for i := range list {
				list[i] = float64(i)
			}
			return list
		}(), 3 << 20},
		{"the engine's own", &Turn{queue: make([]*waiter, 1<<17)}, 0},
		{"nothing", []any{nil, (*int)(nil), map[string]any(nil), "", []byte(nil), func() {},
			make(chan int)}, 0},
	} {
		s := scale{seen: map[spot]bool{}}
		s.weighParts(reflect.ValueOf(c.v))
		if w := s.weigh(); w.Cut || w.Bytes < c.want || w.Bytes > c.want+c.want/10+1000 {
			t.Errorf("%s: got %+v, want %d", c.name, w, c.want)
		}
	}
	s := scale{seen: map[spot]bool{}}
	s.weighParts(reflect.ValueOf(make([]any, weighMost+1)))
	if w := s.weigh(); !w.Cut {
		t.Errorf("too many: got %+v", w)
	}
}

// TestWhatIsAliveIsFoundOut: a heap that has grown by as much as a script may keep is collected at
// once, so that the script is weighed before the heap has doubled. It does not run beside other
// tests: it switches the collector off.
func TestWhatIsAliveIsFoundOut(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	old := liveHeap()
	var kept [][]byte
	for range KeepMost>>20 + 16 {
		kept = append(kept, make([]byte, 1<<20))
	}
	var k keeps
	weighed := make(chan uint64, 1)
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		k.look(func(live uint64) { weighed <- live })
		select {
		case live := <-weighed:
			if live < old+KeepMost {
				t.Errorf("weighed at %d bytes, want what %d kept blocks take", live, len(kept))
			}
			runtime.KeepAlive(kept)
			return
		default:
		}
	}
	t.Error("nothing was weighed")
}

// TestWhatGrowsFastIsWeighed: what is known to be alive is weighed although the heap has grown
// again by as much since it was found out; else a script that keeps more all the time would never
// be. It switches the collector off, too.
func TestWhatGrowsFastIsWeighed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	kept := make([]byte, KeepMost+1<<20)
	runtime.GC()
	more := make([]byte, KeepMost+1<<20)
	var k keeps
	weighed := make(chan uint64, 1)
	k.look(func(live uint64) { weighed <- live })
	select {
	case <-weighed:
	case <-time.After(time.Minute):
		t.Error("nothing was weighed")
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(more)
}
