package load_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/load"
)

func TestPollingWhereNothingCanBeWatched(t *testing.T) {
	w := newWorld(t, nil)
	w.loader.FailWatching(errors.New("too many open files"))
	w.save("a.fake", "tool v1")
	w.start()
	w.untilTold("notification script folders cannot be watched (too many open files)")
	w.save("a.fake", "tool v2")
	w.untilMark("v2")
	w.save("a.fake", "tool v3")
	w.untilMark("v3")
	must(t, os.Remove(w.path("a.fake")))
	w.untilTold("script_unload a.fake removed")
	if n := w.count("notification script folders"); n != 1 {
		t.Errorf("told %d times, want once", n)
	}
}

func TestPollingWhenWatchesRunOut(t *testing.T) {
	w := newWorld(t, nil)
	w.loader.BreakWatching()
	w.save("a.fake", "tool v1")
	w.start()
	w.untilTold("notification script folders cannot be watched")
	w.save("a.fake", "tool v2")
	w.untilMark("v2")
}

func TestLostEventsAreMadeUpFor(t *testing.T) {
	w := newWorld(t, nil)
	w.save("a.fake", "tool v1")
	w.start()
	must(t, w.loader.Deafen(w.scripts))
	w.save("a.fake", "tool v2")
	w.loader.Overflow()
	w.untilMark("v2")
	w.save("a.fake", "tool v3") // the folder is watched again
	w.untilMark("v3")
}

func TestReplaceLoadsTheSameBytes(t *testing.T) {
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	old := w.engine.Snapshot().Generations[0]
	w.save("a.fake", "error oops")
	w.untilTold("script_error a.fake:1 oops")
	w.loader.Replace(old)
	now := w.engine.Snapshot().Generations[0]
	if now == old || now.Hash != old.Hash {
		t.Errorf("got generation %d of %s, want a new one of %s", now.Number, now.Hash, old.Hash)
	}
	w.wantOutcome("bash", "block")
	w.loader.Replace(old) // not current any more
	if w.engine.Snapshot().Generations[0] != now {
		t.Error("a generation that had gone was replaced")
	}
}

func TestThousandReloadsLeaveNothingBehind(t *testing.T) {
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1\non script_load")
	w.save("b.fake", "tool b")
	w.fake.heard = make(chan string, 10_000)
	w.start()
	w.loader.Reload(context.Background())
	before := runtime.NumGoroutine()
	for range 1000 {
		w.loader.Reload(context.Background())
		w.wantOutcome("bash", "block")
	}
	w.until("old versions are closed", func() bool { return w.fake.live.Load() == 2 })
	w.until("goroutines are as before", func() bool { return runtime.NumGoroutine() <= before })
	w.shut()
	w.until("all closed", func() bool { return w.fake.live.Load() == 0 })
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	w := newWorld(t, func(w *world, o *load.Options) {
		o.Confirm = func(ctx context.Context, _ string) (bool, error) { <-ctx.Done(); return true, nil }
	})
	w.save("a.fake", "guard bash")
	w.start()
	w.run(func() { must(t, os.Remove(w.path("a.fake"))) })
	w.untilTold("notification a.fake: the file is gone")
	w.loader.Close()
	w.loader.Close()
	w.loader.Reload(context.Background()) // nothing
	w.wantOutcome("bash", "block")        // what was in force is the engine's
	w.engine.Close()
	w.until("goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

func BenchmarkSaveToLive(b *testing.B) {
	w := newWorld(b, nil)
	w.save("a.fake", "tool v")
	w.start()
	var last string
	for b.Loop() {
		last = "v" + time.Now().String()
		w.save("a.fake", "guard bash\ntool "+last)
		for w.engine.Snapshot().Tool(last) == nil {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

func BenchmarkRescanUnchanged(b *testing.B) {
	w := newWorld(b, nil)
	for i := range 50 {
		w.save(string(rune('a'+i%26))+string(rune('a'+i/26))+".fake", "guard bash")
	}
	w.start()
	for b.Loop() {
		w.loader.Rescan(context.Background())
	}
}
