package load_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkSaveToLive measures the time from a save until the next call uses the new version,
// including the debounce.
func BenchmarkSaveToLive(b *testing.B) {
	w := newWorld(b, nil)
	w.save("a.fake", "tool v")
	w.start()
	var all []time.Duration
	for b.Loop() {
		start := time.Now()
		mark := fmt.Sprintf("v%d", len(all))
		w.save("a.fake", "guard bash\ntool "+mark)
		for !w.has(mark) {
			time.Sleep(100 * time.Microsecond)
		}
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1e3, "p99-ms")
}

func fifty(b *testing.B) *world {
	w := newWorld(b, nil)
	for i := range 50 {
		w.save(fmt.Sprintf("s%02d.fake", i), fmt.Sprintf("guard bash\ntool v%d", i))
	}
	return w
}

// BenchmarkRescanUnchanged measures a scan of 50 scripts after an event without a change.
func BenchmarkRescanUnchanged(b *testing.B) {
	w := fifty(b)
	w.start()
	for b.Loop() {
		w.loader.Rescan(context.Background())
	}
}

// BenchmarkReload50 measures a manual reload of 50 scripts, without the interpreter's part.
func BenchmarkReload50(b *testing.B) {
	w := fifty(b)
	w.start()
	for b.Loop() {
		w.loader.Reload(context.Background())
	}
}

// BenchmarkStart50 measures a start with 50 known scripts, without the interpreter's part.
func BenchmarkStart50(b *testing.B) {
	w := fifty(b)
	w.start()
	for b.Loop() {
		b.StopTimer()
		w.shut()
		w.open()
		b.StartTimer()
		w.start()
	}
}
