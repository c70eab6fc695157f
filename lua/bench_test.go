package lua

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/vm"
)

// typicalScript returns a script of about 50 lines.
func typicalScript() string {
	var b strings.Builder
	b.WriteString("local denied = { 'sudo', 'doas' }\n")
	for i := range 6 {
		fmt.Fprintf(&b, `
local function check%d(ev)
  local text = ev.args.command or ""
  for _, word in ipairs(denied) do
    if text:find(word, 1, true) then
      return { block = true, reason = "no " .. word }
    end
  end
end
`, i)
	}
	b.WriteString("ext.guard({ tool = 'bash' }, check0)\next.on('tool_end', function(ev) " +
		"ext.log.info(ev.tool) end)\n")
	return b.String()
}

func BenchmarkLoad(b *testing.B) {
	h := newHost(b)
	s := script("guard.lua", typicalScript())
	b.ReportAllocs()
	for b.Loop() {
		g, err := h.engine.Scripts.Load(context.Background(), s)
		if err != nil {
			b.Fatal(err)
		}
		h.engine.Scripts.Discard(g)
	}
}

const guardSource = `ext.guard({ tool = "bash" }, function(ev)
  if ev.tool == "bash" and ev.args.command == "rm" then return { block = true } end
end)`

// BenchmarkGuardCall measures a guard that reads two fields of a new event, including the turn and
// the conversion. bare is the same function on existing tables, called through gopher-lua alone.
func BenchmarkGuardCall(b *testing.B) {
	h := newHost(b)
	g := h.load(guardSource)
	fn := h.fns["guard"]
	fields := map[string]any{"tool": "bash", "args": map[string]any{"command": "ls -l"}}
	env := &event.Envelope{}
	b.Run("engine", func(b *testing.B) { // the cost of event, run and turn alone
		turn := fn.(*function).vm.turn
		b.ReportAllocs()
		for b.Loop() {
			_ = h.engine.Events.Named("guard", env, fields)
			run := engine.NewRun(context.Background(), g, vm.KindGuard, "guard", env, nil)
			if err := turn.Enter(&run.Run); err != nil {
				b.Fatal(err)
			}
			if err := turn.Leave(&run.Run); err != nil {
				b.Fatal(err)
			}
			run.End()
		}
	})
	b.Run("guard", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ev := h.engine.Events.Named("guard", env, fields)
			run := engine.NewRun(context.Background(), g, vm.KindGuard, "guard", env, nil)
			if _, err := fn.Call(run, ev); err != nil {
				b.Fatal(err)
			}
			run.End()
		}
	})
	b.Run("bare", func(b *testing.B) {
		L := glua.NewState()
		defer L.Close()
		if err := L.DoString(`function guard(ev)
  if ev.tool == "bash" and ev.args.command == "rm" then return { block = true } end
end
ev = { tool = "bash", args = { command = "ls -l" } }`); err != nil {
			b.Fatal(err)
		}
		fn, ev := L.GetGlobal("guard"), L.GetGlobal("ev")
		b.ReportAllocs()
		for b.Loop() {
			if err := L.CallByParam(glua.P{Fn: fn, NRet: 1, Protect: true}, ev); err != nil {
				b.Fatal(err)
			}
			L.Pop(1)
		}
	})
}

// BenchmarkGuardBlocks measures a guard that returns a table.
func BenchmarkGuardBlocks(b *testing.B) {
	h := newHost(b)
	g := h.load(guardSource)
	ev := h.engine.Events.Named("guard", nil, map[string]any{"tool": "bash",
		"args": map[string]any{"command": "rm"}})
	b.ReportAllocs()
	for b.Loop() {
		run := engine.NewRun(context.Background(), g, vm.KindGuard, "guard", nil, nil)
		if v, err := h.fns["guard"].Call(run, ev); err != nil || v == nil {
			b.Fatal(v, err)
		}
		run.End()
	}
}

func benchBody(b *testing.B, body string) {
	h := newHost(b)
	g := h.load("ext.on('x', function(ev)\n" + body + "\nend)")
	run := engine.NewRun(context.Background(), g, vm.Kind("bench"), "x", nil, nil)
	defer run.End()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.fns["x"].Call(run, map[string]any{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoop20k(b *testing.B) {
	benchBody(b, "local x = 0 for i = 1, 20000 do x = x + i * 2 end")
}
func BenchmarkPcall(b *testing.B)      { benchBody(b, "pcall(type, 1)") }
func BenchmarkPcallError(b *testing.B) { benchBody(b, "pcall(error, 'x')") }
func BenchmarkCoroutine(b *testing.B) {
	benchBody(b, "coroutine.wrap(function() coroutine.yield() end)()")
}
func BenchmarkHostCall(b *testing.B) { benchBody(b, "ext.log.info('x')") }
func BenchmarkPattern10KB(b *testing.B) {
	benchBody(b, "text = text or ('rm hello '):rep(1100) text:find('rm.*%-rf')")
}
func BenchmarkTrim1MB(b *testing.B) {
	benchBody(b, "text = text or ('x y '):rep(250000) text:match('^%s*(.-)%s*$')")
}

// heapOf returns the size of the heap after garbage collection.
func heapOf() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkHeapPerScript reports the memory of a loaded script of 50 lines, in bytes.
func BenchmarkHeapPerScript(b *testing.B) {
	h := newHost(b)
	const scripts = 50
	for b.Loop() {
		before := heapOf()
		for range scripts {
			h.load(typicalScript())
		}
		b.ReportMetric(float64(heapOf()-before)/scripts, "B/script")
		h.engine.Scripts.Swap(nil, nil)
		h.gens = nil
	}
}

// TestHeapPerScript checks that a loaded script of 50 lines, called once, uses at most 250 KB.
func TestHeapPerScript(t *testing.T) {
	h := newHost(t)
	const scripts, most = 20, 250 << 10
	before := heapOf()
	for range scripts {
		g := h.load(typicalScript())
		if _, err := h.call(g, vm.KindGuard, "guard",
			map[string]any{"args": map[string]any{"command": "ls"}}); err != nil {
			t.Fatal(err)
		}
	}
	per := int64(heapOf()-before) / scripts // negative if garbage of earlier tests was freed
	if per > most {
		t.Errorf("a script holds %d KB, want at most %d", per>>10, most>>10)
	}
	t.Logf("%d KB a script", per>>10)
	runtime.KeepAlive(h)
}

// TestReloadsLeaveNothing loads and unloads a script 1,000 times.
func TestReloadsLeaveNothing(t *testing.T) {
	h := newHost(t)
	cycle := func(n int) {
		for i := range n {
			src := typicalScript()
			if i%3 == 0 {
				src += "\nlocal co = coroutine.wrap(function() coroutine.yield() end) co() " +
					"pcall(error, 'x') ext.sleep(0)"
			}
			g := h.load(src)
			if _, err := h.call(g, vm.KindGuard, "guard",
				map[string]any{"args": map[string]any{"command": "ls"}}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.tryLoad(src + "\nerror('broken')"); err == nil {
				t.Fatal("the broken script loaded")
			}
			h.gens = nil
		}
		h.engine.Scripts.Swap(nil, nil)
		clear(h.fns)
	}
	cycle(50)
	heap, routines := heapOf(), runtime.NumGoroutine()
	cycle(1000)
	const slack = 1 << 20
	start := time.Now()
	for runtime.NumGoroutine() > routines || heapOf() > heap+slack {
		if time.Since(start) > deadline {
			t.Fatalf("heap %d KB, was %d; %d goroutines, were %d", heapOf()>>10, heap>>10,
				runtime.NumGoroutine(), routines)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
