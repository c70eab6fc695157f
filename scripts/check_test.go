package scripts_test

import (
	"context"
	"io/fs"
	"os"
	"testing"

	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/lint"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// TestCheck checks that agent ext check finds no mistakes in the scripts, and that none of them
// refuses harmless calls.
func TestCheck(t *testing.T) {
	for _, pattern := range []string{"*.lua", "*.js"} {
		names, err := fs.Glob(os.DirFS("."), pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no scripts: %v", err)
		}
		for _, name := range names {
			src, err := fs.ReadFile(os.DirFS("."), name)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range lint.Source(name, src) {
				if f.Level == lint.Error || f.Rule == "grant" {
					t.Error(f)
				}
			}
			checked, err := trial.Canaries(context.Background(),
				trial.Options{Runtimes: []engine.Runtime{lua.New(), js.New()}}, name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if checked.Failed != nil {
				t.Errorf("%s: %v", name, checked.Failed)
			}
			for _, o := range checked.Objections {
				if o.Refused {
					t.Errorf("%s:%d: refuses %q: %s", name, o.Line, o.Canary, o.Reason)
				}
			}
		}
	}
}
