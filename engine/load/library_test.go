package load_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// library writes a file of the folder lib.
func (w *world) library(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.scripts, "lib", name)
	mkdir(w.t, filepath.Dir(path))
	write(w.t, path, text)
}

// TestModuleReloadsItsUsers: a save of a module reloads the scripts that require it, also through
// another module, and no others.
func TestModuleReloadsItsUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", `require "lib/x"`)
	w.save("b.fake", "tool b")
	w.library("x.fake", "v1\n-- also 'lib/deep/y'")
	w.library("deep/y.fake", "y1")
	w.start()
	w.untilMark("v1")
	hash := w.info("a.fake").Hash
	w.forgetEvents()
	w.library("x.fake", "v2\n-- also 'lib/deep/y'")
	w.untilMark("v2")
	if now := w.info("a.fake").Hash; now == hash {
		t.Error("the hash of a script does not cover its module")
	}
	hash = w.info("a.fake").Hash
	w.library("deep/y.fake", "y2")
	w.until("y2", func() bool { return w.info("a.fake").Hash != hash })
	if w.count("script_load b.fake") > 0 {
		t.Errorf("b.fake was reloaded: %v", w.seen())
	}
	for _, i := range w.loader.Scripts() {
		if strings.Contains(i.Path, "lib") {
			t.Errorf("%s is listed as a script", i.Path)
		}
	}
}

// TestModulesOfTheLastGoodVersion: the last good version keeps its modules, also after a restart.
func TestModulesOfTheLastGoodVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", `require "lib/x"`)
	w.library("x.fake", "v1")
	w.start()
	w.untilMark("v1")
	must(t, os.Remove(filepath.Join(w.scripts, "lib", "x.fake")))
	w.untilSeen("script_error a.fake:1", "require: lib/x: there is no such file (lib/x.fake)",
		"kept=true")
	w.untilMark("v1")
	w.restart()
	w.untilMark("v1")
	w.wantState("a.fake", load.StateLastGood)
	w.library("x.fake", "")
	w.untilSeen("script_error a.fake:1", "require: lib/x: is empty")
	w.library("x.fake", "v3")
	w.untilMark("v3")
	w.wantState("a.fake", load.StateOK)
}

// TestModuleIsCreatedLater: a script that fails because a module is missing loads when the module
// exists.
func TestModuleIsCreatedLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", `require "lib/new"`)
	w.start()
	w.untilSeen("script_error a.fake:1", "there is no such file")
	w.library("new.fake", "v1")
	w.untilMark("v1")
}

// TestModulesStayInLib: links that lead out of lib, and files that are not regular, are refused.
func TestModulesStayInLib(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	write(t, filepath.Join(w.scripts, "outside.txt"), "v1")
	w.library("near.fake", "v1")
	must(t, os.Symlink(filepath.Join(w.scripts, "outside.txt"),
		filepath.Join(w.scripts, "lib", "out.fake")))
	must(t, os.Symlink("..", filepath.Join(w.scripts, "lib", "up")))
	must(t, os.Symlink("near.fake", filepath.Join(w.scripts, "lib", "link.fake")))
	must(t, os.Symlink("nowhere", filepath.Join(w.scripts, "lib", "dead.fake")))
	mkdir(t, filepath.Join(w.scripts, "lib", "folder.fake"))
	w.library("large.fake", strings.Repeat("x", 1<<20+1))
	rt := w.fake
	for name, want := range map[string]string{
		"lib/near": "", "lib/link": "", "lib/near.fake": "", "lib/out": "escapes",
		"lib/up/a": "there is no such file", "lib/dead": "leads nowhere",
		"lib/folder": "not a regular file",
		"lib/large":  "larger than", "lib/nea": `did you mean "lib/near"`,
		"lib/../near": `a name under lib/`, "/etc/passwd": `want "lib/NAME"`,
		"near":       `did you mean "lib/near"`,
		"./lib/near": `did you mean "lib/near"`, "lib.near": `did you mean "lib/near"`,
		"lib//near": "a name under lib/", "lib/": "a name under lib/", "": "want \"lib/NAME\"",
	} {
		lib := load.ReadLibrary(rt, w.scripts, []byte("require('"+name+"')"))
		m, err := lib.Module(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) ||
			err == nil && string(m.Bytes) != "v1" {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
	if _, err := load.ReadLibrary(rt, w.scripts,
		[]byte("require('lib/' + x)")).Module("lib/near"); err == nil ||
		!strings.Contains(err.Error(), "must stand in the text") {
		t.Errorf("a computed name: got %v", err)
	}
}

func TestModuleNames(t *testing.T) {
	t.Parallel()
	got := scriptfile.ModuleNames(
		[]byte("require('lib/b') require \"lib/a\" require [[lib/c/d]] import x from `lib/e.ts` " +
			"'lib/b' 'lib/../x' \"lib/\" 'glib/x' 'lib/x y' 'lib/.x'"))
	if want := []string{"lib/a", "lib/b", "lib/c/d", "lib/e.ts"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestManyModules: a script with too many modules is refused; the others load.
func TestManyModules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var src strings.Builder
	for i := range 151 {
		name := "m" + strings.Repeat("x", i)
		w.library(name+".fake", "v")
		src.WriteString("'lib/" + name + "'\n")
	}
	lib := load.ReadLibrary(w.fake, w.scripts, []byte(src.String()))
	refused := 0
	for _, m := range lib.Modules {
		if m.Err != nil && strings.Contains(m.Err.Error(), "more than 100 modules") {
			refused++
		}
	}
	if refused != 51 {
		t.Errorf("got %d refused, want 51", refused)
	}
	w.save("a.fake", src.String())
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	w.loader.Rescan(ctx)
	if ctx.Err() != nil {
		t.Error("the load hangs")
	}
}
