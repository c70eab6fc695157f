package load_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
)

// section is a format whose extension is the key toy of a file.
type section struct {
	toy
	file string
}

func (s section) Manifest() string { return filepath.Base(s.file) + ":toy" }
func (s section) File() string     { return s.file }

func (s section) Part(file []byte) ([]byte, error) {
	var m map[string]json.RawMessage
	err := json.Unmarshal(file, &m)
	return m["toy"], err
}

// withSection makes a world with settings, which have an extension.
func withSection(t *testing.T) (w *world, path string) {
	t.Helper()
	w = newWorld(t, func(w *world, o *load.Options) {
		path = filepath.Join(w.home, "settings")
		o.Extensions = []string{path}
	})
	w.addSection(path)
	return w, path
}

func (w *world) addSection(path string) {
	w.t.Helper()
	install(w.t, w.engine, engine.Plugin{Name: "section", Runtimes: []engine.Runtime{
		section{toy{loads: &w.loads}, path}}})
}

// TestSection: of a file with an extension, a change of the other parts loads nothing again, and
// what is broken keeps the last good version. The part may come and go.
func TestSection(t *testing.T) {
	t.Parallel()
	w, path := withSection(t)
	write(t, path, `{"other": 1}`)
	w.start()
	w.wantSays("done")
	if i := w.info("settings:toy"); i.Name != "" {
		t.Errorf("got %+v, want no extension", i)
	}
	write(t, path, `{"other": 1, "toy": {"says": "one"}}`)
	w.until("the part", func() bool { return w.info("settings:toy").State == load.StateOK })
	w.wantSays("one")
	for _, text := range []string{`{"toy": {"says": "one"}, "other": 2}`,
		`{"toy": {"says": "one"}}`} {
		write(t, path, text)
		w.loader.Rescan(context.Background())
	}
	w.wantSays("one")
	if n := w.loads.Load(); n != 1 {
		t.Errorf("it was loaded %d times, want once", n)
	}
	write(t, path, `{"toy": {"says": "two"}}`)
	w.until("the change", func() bool { return w.says() == "refused by settings:toy: two" })
	write(t, path, `{"toy": {"says": "thr`)
	w.until("the mistake", func() bool { return w.info("settings:toy").Error != nil })
	w.wantSays("two")
	w.shut()
	w.forgetEvents()
	w.open()
	w.addSection(path)
	w.start()
	w.wantSays("two")
	write(t, path, `{"other": 1}`)
	w.until("its end", func() bool { return w.info("settings:toy").Name == "" })
	w.wantSays("done")
}

// TestSectionGone: a part that guarded and is gone at the next start stays until the user unloads
// it, as a file does.
func TestSectionGone(t *testing.T) {
	t.Parallel()
	w, path := withSection(t)
	write(t, path, `{"toy": {"says": "one"}}`)
	w.start()
	w.wantSays("one")
	for _, text := range []string{`{"other": 1}`, ""} {
		w.shut()
		if write(t, path, text); text == "" {
			must(t, os.Remove(path))
		}
		w.open()
		w.addSection(path)
		w.start()
		w.wantSays("one")
		w.untilSeen("notification settings:toy: the file is gone since the last run", "stays")
	}
	w.loader.Reload(context.Background())
	w.wantSays("done")
}
