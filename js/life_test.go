package js

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/vm"
)

// typicalScript returns a script of typical size.
func typicalScript() string {
	var b strings.Builder
	b.WriteString("// ==Agent==\n// @name guard\n// ==/Agent==\nconst seen = new Map();\n")
	for i := range 9 {
		fmt.Fprintf(&b, "ext.guard({ tool: \"bash\" }, (ev) => {\n\tconst command = "+
			"ev.args.command;\n\tif (/rm\\s+-rf %d/.test(command)) {\n\t\treturn { block: true, "+
			"reason: `no ${command}` };\n\t}\n});\n", i)
	}
	return b.String()
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestNothingLeaks loads, uses and closes a thousand VMs, half of them with a pending operation.
func TestNothingLeaks(t *testing.T) {
	h := newTestHost(t)
	src := typicalScript() +
		"ext.command({ name: 'wait', run: () => ext.sleep(3600) }); ext.command({ name: 'f', " +
		"run: async () => { await ext.sleep(0); return 1 } });"
	round := func(i int) {
		h.load(src)
		if got, err := h.run(vm.KindTool, "f"); got != 1.0 || err != nil {
			t.Fatalf("got %v, %v", got, err)
		}
		if i%2 == 0 {
			f := h.fns["wait"]
			go func() {
				_, _ = f.gen.Run(engine.NewRun(context.Background(), f.gen, vm.KindTool, "wait",
					h.env, nil), f.fn)
			}()
		}
	}
	goroutines := runtime.NumGoroutine() // goroutines that belong to no script
	rounds := func(n int) {
		for i := range n {
			round(i)
		}
		h.engine.Scripts.Swap(nil, nil)
		h.fns = map[string]*testFunc{}
		for end := time.Now().Add(testTimeout); runtime.NumGoroutine() > goroutines; time.Sleep(
			time.Millisecond) {
			if time.Now().After(end) {
				buf := make([]byte, 1<<16)
				t.Fatalf("%d goroutines, want %d\n%s", runtime.NumGoroutine(), goroutines,
					buf[:runtime.Stack(buf, true)])
			}
		}
	}
	rounds(20)
	before := heap()
	rounds(1000)
	end := time.Now().Add(testTimeout) // closed VMs may still be reachable for a moment
	for after := heap(); after > before+2<<20; after = heap() {
		if time.Now().After(end) {
			t.Fatalf("heap grew from %d to %d KB", before>>10, after>>10)
		}
	}
}

// maxHeapPerScript is the limit of the design for a loaded script of 50 lines.
const maxHeapPerScript = 250 << 10

func TestHeapPerScript(t *testing.T) {
	h := newTestHost(t)
	const n = 50
	src := typicalScript()
	h.load(src)
	before := heap()
	gens := make([]*engine.Generation, n)
	for i := range gens {
		g, err := h.engine.Scripts.Load(context.Background(), h.script(src))
		if err != nil {
			t.Fatal(err)
		}
		gens[i] = g
	}
	per := int64(heap()-before) / n // negative if garbage of earlier tests was freed
	t.Logf("%d bytes per script", per)
	if per > maxHeapPerScript {
		t.Errorf("%d KB per script, want at most %d", per>>10, maxHeapPerScript>>10)
	}
	for _, g := range gens {
		h.engine.Scripts.Discard(g)
	}
}

func BenchmarkLoad(b *testing.B) {
	h := newTestHost(b)
	s := h.script(typicalScript())
	b.ReportAllocs()
	for b.Loop() {
		g, err := h.engine.Scripts.Load(context.Background(), s)
		if err != nil {
			b.Fatal(err)
		}
		h.engine.Scripts.Discard(g)
	}
}

const guardSource = `(ev) => { if (ev.args.command === "rm" && ev.tool === "bash") return { ` +
	`block: true } }`

// BenchmarkGuardCall calls a guard that reads two fields of a new event. It compares this with a
// bare call of the interpreter of the same function with plain objects.
func BenchmarkGuardCall(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		rt := goja.New()
		fn, err := rt.RunString("(" + guardSource + ")")
		if err != nil {
			b.Fatal(err)
		}
		ev, _ := rt.RunString(`({ tool: "bash", args: { command: "ls" } })`)
		call, _ := goja.AssertFunction(fn)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := call(goja.Undefined(), ev); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("guard", func(b *testing.B) {
		h := newTestHost(b)
		g := h.load("ext.guard({}, " + guardSource + ");")
		args := map[string]any{"command": "ls"}
		events := [2]*event.Event{h.call(args), h.call(args)}
		run := engine.NewRun(context.Background(), g, vm.KindGuard, "guard", h.env, nil)
		run.Limits.Script = 0
		fn := g.Registry.Handlers[0].Fn
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := fn.Call(run, events[i%2]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("async", func(b *testing.B) {
		h := newTestHost(b)
		g := h.load("ext.guard({}, async " + guardSource + ");")
		args := map[string]any{"command": "ls"}
		events := [2]*event.Event{h.call(args), h.call(args)}
		run := engine.NewRun(context.Background(), g, vm.KindGuard, "guard", h.env, nil)
		run.Limits.Script = 0
		fn := g.Registry.Handlers[0].Fn
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := fn.Call(run, events[i%2]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
