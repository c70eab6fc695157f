package scripts_test

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// TestOwnTests runs what the scripts bring with them: it passes, and is the same in both languages.
// An idea has tests of its own, or a case in testdata.
func TestOwnTests(t *testing.T) {
	names, err := fs.Glob(os.DirFS("."), "*.lua")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range names {
		base := strings.TrimSuffix(file, path.Ext(file))
		if base == "offline" {
			continue // the program itself
		}
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			inLua, inJS := own(t, base+".lua"), own(t, base+".js")
			if !slices.Equal(inLua, inJS) {
				t.Errorf("tests: %q in Lua, %q in JavaScript", inLua, inJS)
			}
			if _, err := fs.Stat(os.DirFS("."), base+".ts"); err == nil {
				if inTS := own(t, base+".ts"); !slices.Equal(inTS, inJS) {
					t.Errorf("tests: %q in TypeScript, %q in JavaScript", inTS, inJS)
				}
			}
			if _, err := os.Stat(path.Join("testdata", base+".txtar")); err != nil &&
				len(inLua) == 0 {
				t.Error("nobody tests it")
			}
		})
	}
}

// own runs the tests of a script and returns their names.
func own(t *testing.T, file string) (names []string) {
	results, err := trial.Test(context.Background(),
		trial.Options{Runtimes: []engine.Runtime{lua.New(), js.New()}}, file)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, r := range results {
		if r.Err != nil {
			t.Errorf("%s: %s: %v", file, r.Name, r.Err)
		}
		names = append(names, r.Name)
	}
	return names
}
