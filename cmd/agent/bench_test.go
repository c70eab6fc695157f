package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/tui"
)

// These benchmarks measure figures of the program, through the whole program. The bare
// calls of the interpreters to compare them with are benchmarks of packages lua and js.

const guardLua = `ext.guard({ tool = "danger" }, function(ev)
  if ev.tool == "danger" and ev.args.command == "rm -rf /" then return { block = true, reason = "no" } end
end)
`

const guardJS = `ext.guard({ tool: "danger" }, (ev) => {
  if (ev.tool === "danger" && ev.args.command === "rm -rf /") return { block: true, reason: "no" };
});
`

func guards(ext, text string, n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("guard%d%s", i, ext)] = text
	}
	return files
}

// BenchmarkDispatch measures the whole dispatch of a read-only tool through guards that read two
// fields, as the agent dispatches the calls of a model.
func BenchmarkDispatch(b *testing.B) {
	for _, c := range []struct {
		name  string
		files map[string]string
	}{
		{"none", nil},
		{"listened-none", nil}, {"listened-lua10", guards(".lua", guardLua, 10)},
		{"listened-js10", guards(".js", guardJS, 10)},
		{"lua1", guards(".lua", guardLua, 1)}, {"lua10", guards(".lua", guardLua, 10)},
		{"js1", guards(".js", guardJS, 1)}, {"js10", guards(".js", guardJS, 10)},
		{"miss10", guards(".lua", strings.Replace(guardLua, `"danger"`, `"bash"`, 1), 10)},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorld(b, false, listenerOptions(c.name), c.files)
			done := func(r *engine.Result) {
				if r.Skipped != "" {
					b.Fatal(r.Content)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				w.engine.DispatchTo(context.Background(), w.danger("ls"), done)
			}
		})
	}
}

// listenerOptions returns the options of a case whose name says that there is a listener, as the
// screen is one; nil for the others.
func listenerOptions(name string) func(*engine.Options) {
	if !strings.HasPrefix(name, "listened-") {
		return nil
	}
	return func(o *engine.Options) {
		o.Emit, o.EmitWants = func(*event.Event) {}, tui.Shown()
	}
}

// TestDispatchAllocations counts the allocations of BenchmarkDispatch for one call, besides the
// call itself. Each call has a different command, so that no guard has seen it before.
func TestDispatchAllocations(t *testing.T) {
	if underRace() {
		t.Skip("the race detector allocates")
	}
	const runs = 1000
	for _, c := range []struct {
		name  string
		files map[string]string
		most  float64
	}{
		{"none", nil, 4},
		{"lua1", guards(".lua", guardLua, 1), 9}, {"lua10", guards(".lua", guardLua, 10), 29},
		{"js1", guards(".js", guardJS, 1), 14}, {"js10", guards(".js", guardJS, 10), 79},
		// with a listener like the screen, the events of the call are built, and no others
		{"listened-none", nil, 32}, {"listened-lua10", guards(".lua", guardLua, 10), 57},
		{"listened-js10", guards(".js", guardJS, 10), 107},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, false, listenerOptions(c.name), c.files)
			done := func(r *engine.Result) {
				if r.Skipped != "" {
					t.Error(r.Content)
				}
			}
			// three averages, and the runs that are not counted
			calls := make([]*engine.Call, 0, 4*runs)
			for i := range cap(calls) {
				calls = append(calls, &engine.Call{ID: fmt.Sprint("call ", i), Tool: "danger",
					Origin: "model", Env: w.env, Args: map[string]any{
						"command": fmt.Sprint("go test ./engine -count ", i)}})
			}
			n := scripttest.Allocations(runs, func() {
				call := calls[0]
				calls = calls[1:]
				w.engine.DispatchTo(context.Background(), call, done)
			})
			if t.Logf("%v allocations", n); n > c.most {
				t.Errorf("a call makes %v allocations, want at most %v", n, c.most)
			}
		})
	}
}

// fiftyLines returns a script of typical size.
func fiftyLines(ext string) string {
	if ext == ".lua" {
		return strings.Repeat(
			"local function f(a, b)\n  if a > b then return a end\n  return b + 1\nend\nlocal t "+
				"= { f(1, 2) }\ndo local x = t[1] end\n", 8) + guardLua
	}
	s := ""
	for i := range 8 {
		s += fmt.Sprintf(
			"function f%d(a, b) {\n  if (a > b) return a;\n  return b + 1;\n}\nconst t%d = "+
				"[f%d(1, 2)];\n{ const x = t%d[0]; }\n", i, i, i, i)
	}
	return s + guardJS
}

// BenchmarkReload loads a changed 50-line script, swaps it in and stores it as the last good
// version; the save is not timed. load-ns is the part of it before the script is live; the rest is
// file operations.
func BenchmarkReload(b *testing.B) {
	for _, ext := range []string{".lua", ".js"} {
		b.Run(ext[1:], func(b *testing.B) {
			w := newWorld(b, false, nil, map[string]string{"a" + ext: fiftyLines(ext)})
			i := 0
			var load time.Duration
			for b.Loop() {
				b.StopTimer()
				i++
				w.save(b, "a"+ext, fiftyLines(ext)+strings.Repeat("\n", 1+i%100))
				b.StartTimer()
				w.loader.Rescan(context.Background())
				load += w.engine.Scripts.Snapshot().Generations[0].LoadTime
			}
			b.ReportMetric(float64(load.Nanoseconds())/float64(i), "load-ns")
		})
	}
}

// BenchmarkSaveToLive measures the time from a save to the first call that the new version answers:
// alone, and beside a script whose load uses its whole time budget.
func BenchmarkSaveToLive(b *testing.B) {
	b.Run("alone", func(b *testing.B) { saveToLive(b, "", "") })
	for name, text := range slowNeighbours() {
		b.Run("beside_"+name, func(b *testing.B) { saveToLive(b, name, text) })
	}
}

func saveToLive(b *testing.B, neighbour, text string) {
	w := newWorld(b, true, nil, map[string]string{"guard.lua": guardLua})
	i := 0
	for b.Loop() {
		i++
		reason := fmt.Sprintf("reason %d", i)
		if neighbour != "" {
			w.save(b, neighbour, fmt.Sprintf(text, i))
		}
		w.save(b, "guard.lua", strings.Replace(guardLua, `"no"`, `"`+reason+`"`, 1))
		for r := w.call("rm -rf /"); r.Skipped == "" ||
			!strings.Contains(r.Content[0].Text, reason); r = w.call("rm -rf /") {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// BenchmarkHeapPerScript reports the heap of one loaded 50-line script.
func BenchmarkHeapPerScript(b *testing.B) {
	for _, ext := range []string{".lua", ".js"} {
		b.Run(ext[1:], func(b *testing.B) {
			const n = 50
			for b.Loop() {
				runtime.GC()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				w := newWorld(b, false, nil, guards(ext, fiftyLines(ext), n))
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n/1e3, "KB/script")
				runtime.KeepAlive(w)
			}
		})
	}
}

// BenchmarkStart runs the program as a process: --version, and -p offline with 0 and with 50
// scripts.
func BenchmarkStart(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "agent")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		name    string
		scripts int
		args    []string
	}{{"version", 0, []string{"--version"}}, {"print0", 0, []string{"-p", "say hi"}},
		{"print50", 50, []string{"-p", "say hi"}}} {
		b.Run(c.name, func(b *testing.B) {
			home := b.TempDir()
			for i := range c.scripts {
				ext := []string{".lua", ".js"}[i%2]
				path := filepath.Join(home, "scripts", fmt.Sprintf("s%d%s", i, ext))
				os.MkdirAll(filepath.Dir(path), 0o755)
				if err := os.WriteFile(path, []byte(fiftyLines(ext)), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				cmd := exec.Command(bin, c.args...)
				cmd.Env = append(os.Environ(), "AGENT_HOME="+home)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
}
