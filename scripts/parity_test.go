package scripts_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

var update = flag.Bool("update", false, "write the want files of the cases anew")

// TestParity runs the scripts through testdata/NAME.txtar, where there is one: both languages do
// the same.
func TestParity(t *testing.T) {
	kit := &scripttest.Kit{Runtimes: []engine.Runtime{lua.New(), js.New()}, Header: header,
		Update: *update}
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			kit.RunScript(t, file, map[string]string{"lua": name + ".lua", "js": name + ".js"})
		})
	}
}

func header(name string, src []byte) (scriptfile.Header, error) {
	h, errs := load.ParseHeader(name, src)
	if len(errs) > 0 {
		return h, errs[0]
	}
	return h, nil
}

// TestHeaders: every script here says what it is, in a header without mistakes.
func TestHeaders(t *testing.T) {
	for _, pattern := range []string{"*.lua", "*.js", "*.ts"} {
		files, _ := fs.Glob(os.DirFS("."), pattern)
		for _, f := range files {
			src, err := fs.ReadFile(os.DirFS("."), f)
			if err != nil {
				t.Fatal(err)
			}
			h, err := header(f, src)
			if err != nil || h.Summary == "" || h.Name != strings.TrimSuffix(f, filepath.Ext(f)) {
				t.Errorf("%s: got header %+v, %v; want its name and a summary", f, h, err)
			}
		}
	}
}
