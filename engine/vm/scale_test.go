package vm

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestScale: values whose types are not the engine's are counted, each once. This package is part
// of the engine, so the test uses unnamed types for them.
func TestScale(t *testing.T) {
	big := make([]byte, 1<<20)
	text := string(big)
	type cycle = struct {
		next *any
		data []byte
	}
	var ring any
	ring = &cycle{&ring, big}
	var whole struct { // it has the same address as its first field
		first struct{ n int }
		more  []byte
	}
	whole.more = big
	for _, c := range []struct {
		name string
		v    any
		want uint64 // at least, and at most a tenth more
	}{
		{"bytes", big, 1 << 20},
		{"a string", text, 1 << 20},
		{"the same twice", []any{big, big, text, text}, 2 << 20},
		{"a cycle", ring, 1 << 20},
		{"a struct and its first field", []any{&whole.first, &whole}, 1 << 20},
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

// TestGrownHeapIsCollected: a heap that has grown by as much as a script may keep is collected at
// once, so that the script is weighed before the heap has doubled. The test is not parallel because
// it switches off the garbage collector.
func TestGrownHeapIsCollected(t *testing.T) {
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
				t.Errorf("weighed at %d live bytes, want at least the size of %d blocks", live, len(
					kept))
			}
			runtime.KeepAlive(kept)
			return
		default:
		}
	}
	t.Error("nothing was weighed")
}

// TestFastGrowingHeapIsWeighed: scripts are weighed when enough live memory is known, even if the
// heap has grown again since. Otherwise a script that constantly keeps more would never be weighed.
// The test also switches off the garbage collector.
func TestFastGrowingHeapIsWeighed(t *testing.T) {
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
