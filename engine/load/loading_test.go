package load_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/load"
)

func TestSlowLoadDoesNotDelayOtherFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).start()
	w.save("a.fake", "wait a\ntool v1")
	slow := w.fake.gate("a")
	<-slow.reached
	w.save("b.fake", "guard bash\ntool b1")
	w.untilMark("b1")
	w.save("b.fake", "guard bash\ntool b2")
	w.untilMark("b2")
	w.loader.Replace(w.engine.Scripts.Snapshot().Generations[0])
	w.wantOutcome("bash", "block")
	w.save("c.fake", "tool c")
	w.untilMark("c")
	must(t, os.Remove(w.path("c.fake")))
	w.untilSeen("script_unload c.fake removed")
	if w.has("v1") {
		t.Error("the slow script is in force before its load has ended")
	}
	close(slow.open)
	w.untilMark("v1")
}

// TestSavedAgainDuringTheLoad: the second save applies, although the first load ends later.
func TestSavedAgainDuringTheLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	w.save("a.fake", "guard bash\nwait a\ntool v2")
	slow := w.fake.gate("a")
	<-slow.reached
	w.save("a.fake", "guard bash\ntool v3")
	w.untilMark("v3")
	close(slow.open)
	w.until("the older version is closed", func() bool { return w.fake.live.Load() == 1 })
	w.until("the load is told", func() bool { return w.count("script_load") >= 2 })
	if w.has("v2") || w.count("script_error") > 0 || w.count("script_load") != 2 {
		t.Errorf("events: %v", w.seen())
	}
	w.wantOutcome("bash", "block")
}

// TestSaveUndoneDuringTheLoad: a save that is undone while it loads has no effect.
func TestSaveUndoneDuringTheLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "tool v1")
	w.start()
	w.save("a.fake", "wait a\ntool v2")
	slow := w.fake.gate("a")
	<-slow.reached
	w.save("a.fake", "tool v1")
	w.save("b.fake", "tool b") // when b.fake is in force, a.fake has been scanned
	w.untilMark("b")
	close(slow.open)
	w.until("v2 is closed", func() bool { return w.fake.live.Load() == 2 })
	if !w.has("v1") || w.has("v2") {
		t.Errorf("events: %v", w.seen())
	}
}

func TestFileDeletedWhileItLoads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).start()
	w.save("a.fake", "guard bash\nwait a\ntool v1")
	slow := w.fake.gate("a")
	<-slow.reached
	must(t, os.Remove(w.path("a.fake")))
	w.loader.Rescan(context.Background())
	close(slow.open)
	w.until("closed", func() bool { return w.fake.live.Load() == 0 })
	if len(w.loader.Scripts()) > 0 || w.count("script_") > 0 {
		t.Errorf("got %+v, events %v", w.loader.Scripts(), w.seen())
	}
}

// TestStartLoadsInParallel: at the start, scripts load in parallel and come into force together, in
// the order of their names.
func TestStartLoadsInParallel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	names := []string{"a.fake", "b.fake", "c.fake", "d.fake", "e.fake", "f.fake"}
	for _, name := range names {
		w.save(name, "wait "+name+"\nguard bash\ntool "+name)
	}
	done := make(chan bool)
	go func() { w.start(); close(done) }()
	for _, name := range names {
		<-w.fake.gate(name).reached // all loads run before any has ended
	}
	for i := len(names) - 1; i >= 0; i-- {
		if w.count("script_load") > 0 {
			t.Error("a script is in force before all have loaded")
		}
		close(w.fake.gate(names[i]).open)
	}
	<-done
	var order []string
	for _, text := range w.seen() {
		if name, ok := strings.CutPrefix(text, "script_load "); ok {
			order = append(order, strings.TrimSuffix(name, " start"))
		}
	}
	if !slices.Equal(order, names) {
		t.Errorf("got order %v", order)
	}
	w.wantOutcome("bash", "block")
}

// TestReplaceWaitsForANewerVersion: if a VM is replaced while a newer version loads, the newer
// version comes into force.
func TestReplaceWaitsForANewerVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	old := w.engine.Scripts.Snapshot().Generations[0]
	w.save("a.fake", "guard bash\nwait a\ntool v2")
	slow := w.fake.gate("a")
	<-slow.reached
	done := make(chan bool)
	go func() { w.loader.Replace(old); close(done) }()
	close(slow.open)
	<-done
	if !w.has("v2") || w.count("notification a.fake hung") > 0 {
		t.Errorf("events: %v", w.seen())
	}
	w.wantState("a.fake", load.StateOK)
}

// TestNumbersFollowTheOrderOfTheScan: scripts load in parallel, but the numbers of their
// generations follow the order of the scan, also for last good versions.
func TestNumbersFollowTheOrderOfTheScan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const scripts = 16
	for i := range scripts {
		w.save(fmt.Sprintf("%c.fake", 'a'+i), "tool v1")
	}
	w.start()
	numbers := func(first int) {
		t.Helper()
		for i, g := range w.engine.Scripts.Snapshot().Generations {
			if g.Number != first+i {
				t.Errorf("%s is generation %d, want %d", g.Name, g.Number, first+i)
			}
		}
	}
	numbers(1)
	w.shut()
	for i := range scripts {
		w.save(fmt.Sprintf("%c.fake", 'a'+i), "error broken")
	}
	w.restart()
	if n := len(w.engine.Scripts.Snapshot().Generations); n != scripts {
		t.Fatalf("%d are restored, want %d", n, scripts)
	}
	numbers(scripts + 1)
}
