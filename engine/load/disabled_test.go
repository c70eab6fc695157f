package load_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/load"
)

func (w *world) enable(name string, on bool) {
	w.t.Helper()
	must(w.t, w.loader.Enable(context.Background(), w.path(name), on))
}

// TestDisabledStaysDisabled: a disabled script is unloaded at once, stays so after a restart and a
// reload, is listed, and loads again when it is enabled.
func TestDisabledStaysDisabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.save("b.fake", "tool other")
	w.start()
	w.enable("a.fake", false)
	w.untilSeen("script_unload a.fake disabled")
	w.untilSeen("notification disabled, so what it guards is NOT GUARDED: a.fake",
		"agent ext enable")
	if w.has("v1") || !w.has("other") {
		t.Error("not exactly the disabled script was unloaded")
	}
	for _, again := range []func(){func() {}, w.restart,
		func() { w.loader.Reload(context.Background()) },
		func() { w.save("a.fake", "guard bash\ntool v2"); w.loader.Rescan(context.Background()) }} {
		again()
		if i := w.wantState("a.fake", load.StateDisabled); !i.Guards || i.Generation != 0 {
			t.Errorf("got %+v, want a guard that is not in force", i)
		}
		w.wantOutcome("bash", "run")
	}
	if n := w.count("NOT GUARDED"); n != 1 {
		t.Errorf("the restart says %d times that a guard is disabled, want once", n)
	}
	w.enable("a.fake", true)
	w.wantState("a.fake", load.StateOK)
	w.wantOutcome("bash", "block")
	if !w.has("v2") {
		t.Error("the file as it is now is not in force")
	}
	w.restart()
	w.wantState("a.fake", load.StateOK)
}

// TestDisabledByBadList: a list that cannot be read disables nothing at the start, is reported, and
// is not overwritten; while the program runs, it changes nothing.
func TestDisabledByBadList(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"corrupt": "{", "from the future": `{"version":2}`,
		"of another shape": `{"version":1,"items":[7]}`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.save("a.fake", "guard bash")
			w.save("b.fake", "guard read")
			w.start()
			w.enable("a.fake", false)
			file := filepath.Join(w.home, "state", "disabled.json")
			write(t, file, text)
			w.loader.Reload(context.Background())
			w.wantState("a.fake", load.StateDisabled)
			w.restart()
			w.wantState("a.fake", load.StateOK)
			w.wantOutcome("bash", "block")
			w.untilSeen("notification the list of disabled scripts cannot be read")
			err := w.loader.Enable(context.Background(), w.path("b.fake"), false)
			if err == nil {
				t.Error("the broken list was overwritten")
			}
			w.wantState("b.fake", load.StateOK)
			if b, _ := os.ReadFile(file); string(b) != text {
				t.Errorf("the list was changed to %q", b)
			}
		})
	}
}

// TestDisabledWithStrangeNames: the name of a script may hold a line break and an escape sequence.
// One that is not valid UTF-8 cannot be stored, and is refused.
func TestDisabledWithStrangeNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	strange, invalid := "a\n\x1b[31mb.fake", "a\xff.fake"
	w.save(strange, "tool v1")
	w.save(invalid, "tool v2")
	w.start()
	if err := w.loader.Enable(context.Background(), w.path(invalid), false); err == nil ||
		!strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("got %v, want that the name is not valid", err)
	}
	w.enable(strange, false)
	w.restart()
	w.wantState(strange, load.StateDisabled)
	w.wantState(invalid, load.StateOK)
}

// TestWhoCanBeDisabled: a script that the command line names is loaded although it is disabled, and
// neither it nor a file that does not exist can be disabled.
func TestWhoCanBeDisabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, o *load.Options) {
		o.Extra = []string{filepath.Join(w.scripts, "a.fake")}
	})
	w.save("a.fake", "guard bash")
	must(t, load.SetEnabled(w.home, nil, false, load.Place{Name: "a.fake",
		Path: w.path("a.fake")}))
	w.start()
	w.wantState("a.fake", load.StateOK)
	for _, path := range []string{w.path("a.fake"), w.path("none.fake")} {
		if err := w.loader.Enable(context.Background(), path, false); err == nil {
			t.Errorf("%s was disabled", path)
		}
	}
	if err := load.SetEnabled(w.home, nil, false,
		load.Place{Path: w.path("none.fake")}); err == nil {
		t.Error("a missing file was disabled")
	}
}

// TestDisabledIsNotMissing: a disabled guard whose file is deleted is not reported as missing, and
// its last version does not come back.
func TestDisabledIsNotMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash")
	w.start()
	w.enable("a.fake", false)
	must(t, os.Remove(w.path("a.fake")))
	w.restart()
	w.wantOutcome("bash", "run")
	if n := w.count("gone"); n != 0 {
		t.Errorf("got %v, want nothing about a missing file", w.seen())
	}
}

// TestDisabledByToolWaits: a version that a tool wrote while the script was disabled waits for the
// user when it is enabled.
func TestDisabledByToolWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	w.enable("a.fake", false)
	w.run(func() { w.save("a.fake", "tool v2"); w.loader.Rescan(context.Background()) })
	w.restart()
	w.enable("a.fake", true)
	if w.has("v2") {
		t.Error("the tool's version is in force")
	}
	w.wantWaiting("a.fake", "", "was changed while the tool work was running")
}
