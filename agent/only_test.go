package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// toolsOf returns which of the tools read, ls and bash a request to the model has.
func (w *world) toolsOf(request int) string {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if request >= len(w.requests) {
		w.t.Fatalf("there were %d requests", len(w.requests))
	}
	var names []string
	for _, t := range w.requests[request].Tools {
		if slices.Contains([]string{"read", "ls", "bash"}, t.Name) {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestToolsOnly checks that a request to the model has the tools that every script allows, that a
// call of another tool is refused, and that a script's restriction ends with the script.
func TestToolsOnly(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"only.lua": `ext.tools.only(function(tool) return ` +
		`tool.read_only end)`, "only.js": `ext.tools.only((tool) => tool.read_only);`} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			w := &world{t: t, ctx: ctx, home: t.TempDir(),
				runtimes: []engine.Runtime{lua.New(), js.New()}, host: host.New(host.Options{}),
				answers: []answer{use("bash", `{"command": "echo ran"}`),
					use("ls", `{"path": "."}`)}}
			t.Cleanup(w.host.Close)
			w.start(Options{}, cancel)
			load := func(name, src string) *engine.Generation {
				t.Helper()
				g, err := w.engine.Scripts.Load(ctx, &scriptfile.Script{Name: name, Bytes: []byte(
					src),
					Header: scriptfile.Header{Grants: scriptfile.Grants{"tools"}}})
				if err != nil {
					t.Fatal(err)
				}
				return g
			}
			first, second := load(name, src), load("z.lua",
				`ext.tools.only(function(tool) return tool.name ~= "ls" end)`)
			w.engine.Scripts.Swap([]*engine.Generation{first}, nil)
			if end := w.prompt("go"); end.Status != "completed" {
				t.Fatalf("got %+v", end)
			}
			for i := range 3 {
				if got := w.toolsOf(i); got != "ls read" {
					t.Errorf("request %d: got %q", i, got)
				}
			}
			last := talk(w.requests[2].Messages)
			if !strings.Contains(last, "tool>t-bash:refused: bash is not available now ("+name+
				")") || strings.Contains(last, "tool>t-ls:refused") {
				t.Errorf("got %s", last)
			}
			for _, tt := range []struct {
				generations []*engine.Generation
				want        string
			}{{[]*engine.Generation{first, second}, "read"},
				{[]*engine.Generation{second}, "bash read"}, {nil, "bash ls read"}} {
				w.engine.Scripts.Swap(tt.generations, nil)
				n := len(w.requests)
				w.prompt("again")
				if got := w.toolsOf(n); got != tt.want {
					t.Errorf("%d scripts: got %q, want %q", len(tt.generations), got, tt.want)
				}
			}
		})
	}
}
