package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/vm"
)

// refusing are guards that refuse danger. %d makes each version different, so that it is loaded.
var refusing = map[string]string{
	"guard.lua": "-- %d\next.guard({ tool = \"danger\" }, function(ev) return { block = true, " +
		"reason = \"never\" } end)\n",
	"guard.js": "// %d\next.guard({ tool: \"danger\" }, (ev) => ({ block: true, reason: " +
		"\"never\" }));\n",
}

var neighbours = map[string]string{
	"other.lua": "-- %d\next.on(\"tool_call\", function(ev) end)\n",
	"other.js":  "// %d\next.on(\"tool_call\", (ev) => {});\n",
}

// TestNoUnguardedMoment polls a call that a guard refuses while the guard and its neighbours are
// swapped 1,000 times, half of them for broken versions, and 100 times by saving the file under the
// watcher. The tool must never run, and the decision log must not contain an allow.
func TestNoUnguardedMoment(t *testing.T) {
	t.Parallel()
	for guard, text := range refusing {
		t.Run(guard, func(t *testing.T) {
			texts := map[string]string{guard: text}
			maps.Copy(texts, neighbours)
			files := map[string]string{}
			for n, x := range texts {
				files[n] = fmt.Sprintf(x, 0)
			}
			w := newWorld(t, true, nil, files)
			stop := w.attack(t, 2)
			names := []string{guard, "other.lua", "other.js"}
			for i := 1; i <= 1000; i++ {
				name := names[i%len(names)]
				src := fmt.Sprintf(texts[name], i)
				if i%2 == 0 {
					src += "\n= broken ("
				}
				before := w.engine.Scripts.Snapshot().Number
				w.save(t, name, src)
				if i%10 != 9 {
					w.loader.Rescan(context.Background())
					continue
				}
				// 100 good versions go live through the watcher alone.
				eventually(t, "the save goes live",
					func() bool { return w.engine.Scripts.Snapshot().Number > before })
			}
			polls := stop()
			if w.ran.Load() != 0 {
				t.Errorf("the tool ran %d times", w.ran.Load())
			}
			for _, d := range w.engine.Decisions() {
				if d.Allowed {
					t.Fatalf("allowed by %s: %+v", d.By, d.Trail)
				}
			}
			if n := w.engine.Scripts.Snapshot().Number; n < 300 || polls < 10_000 {
				t.Errorf("only %d swaps and %d polls: nothing was tested", n, polls)
			}
		})
	}
}

// slowNeighbours are scripts that load before a guard and use their whole time budget for it. %d
// makes each version different.
func slowNeighbours() map[string]string {
	return map[string]string{
		"awaits.js":   "// %d\nexport default async (ext) => { await ext.sleep(600); };\n",
		"computes.js": "// %d\nfor (;;);\n",
		"loops.lua":   "-- %d\nwhile true do end\n",
		"asleep.lua":  "-- %d\next.sleep(600)\n",
		"asleep.js":   "// %d\next.sleep(600);\n",
	}
}

// TestSavedGuardWaitsForNoOtherScript saves a guard together with a script that loads slowly and
// has a budget of ten minutes. The guard must go live before that.
func TestSavedGuardWaitsForNoOtherScript(t *testing.T) {
	t.Parallel()
	for name, text := range slowNeighbours() {
		for guard, refuse := range refusing {
			t.Run(name+" "+guard, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, true, func(o *engine.Options) { o.Patience = 600 }, nil)
				w.save(t, name, fmt.Sprintf(text, 1))
				w.save(t, guard, fmt.Sprintf(refuse, 1))
				eventually(t, "the guard answers", func() bool { return w.call("x").Skipped != "" })
			})
		}
	}
}

// memoryOnly are options with budgets of time that are not exceeded on a machine on which fresh
// memory costs much time: only those of memory count.
func memoryOnly(emit func(*event.Event)) func(*engine.Options) {
	return func(o *engine.Options) { o.Emit, o.Patience = emit, 60 }
}

// hoarders store 8 MB more at each event, or every few milliseconds, in a variable.
var hoarders = map[string]string{
	"event.lua": "local kept = {}\next.on(\"tool_call\", function(ev) kept[#kept + 1] = " +
		"string.rep(tostring(#kept % 10), 8 * 1024 * 1024) end)\n",
	"event.js": "const kept = [];\next.on(\"tool_call\", (ev) => { kept.push(new Uint8Array(8 * " +
		"1024 * 1024)); });\n",
	"timer.lua": "local kept = {}\next.every(0.1, function() kept[#kept + 1] = " +
		"string.rep(tostring(#kept % 10), 8 * 1024 * 1024) end)\n",
	"timer.js": "const kept = [];\next.every(0.1, () => { kept.push(new Uint8Array(8 * 1024 * " +
		"1024)); });\n",
	"small.lua": "local kept = {}\next.on(\"tool_call\", function(ev) for i = 1, 20000 do " +
		"kept[#kept + 1] = { i } end end)\n",
	"small.js": "const kept = [];\next.on(\"tool_call\", (ev) => { for (let i = 0; i < 20000; " +
		"i++) kept.push({ i }); });\n",
}

// TestScriptThatKeepsTooMuchIsReplaced checks that the memory that a script keeps is limited over
// time, not only in one run. The script is named and reloaded, and meanwhile neither its own guard
// nor its neighbours let a call through. It runs alone, because scripts are weighed whenever the
// heap of the process grows, which other tests make it do.
func TestScriptThatKeepsTooMuchIsReplaced(t *testing.T) {
	for name, text := range hoarders {
		t.Run(name, func(t *testing.T) {
			own := refusing["guard"+filepath.Ext(name)]
			var named atomic.Bool
			emit := func(ev *event.Event) {
				if ev.Name() == "script_error" && ev.Text("script") == name {
					t.Log(ev.Text("message"))
					if strings.Contains(ev.Text("message"), "keeps more than 128 MB") {
						named.Store(true)
					}
				}
			}
			neighbour := "other" + filepath.Ext(name)
			w := newWorld(t, false, memoryOnly(emit),
				map[string]string{name: text + fmt.Sprintf(own, 1),
					neighbour: fmt.Sprintf(neighbours[neighbour], 1)})
			before := w.generations()
			eventually(t, "it is named and replaced", func() bool {
				if w.call("x").Skipped == "" {
					t.Error("the call was not refused")
				}
				return named.Load() && w.generations()[name] != before[name]
			})
			if now := w.generations(); now[neighbour] != before[neighbour] {
				t.Error("its neighbour was replaced")
			}
			if w.ran.Load() != 0 {
				t.Errorf("the tool ran %d times", w.ran.Load())
			}
		})
	}
}

// spenders are a guard that takes memory until it is stopped, and one that keeps 50 MB more at each
// other call.
var spenders = map[string][2]string{
	"lua": {
		"ext.guard({ tool = \"*\" }, function(ev) local all = {} " +
			"while ev.args.command == \"spend\" do " +
			"all[#all + 1] = string.rep(tostring(#all), 8 * 1024 * 1024) end end)\n",
		"local kept = {}\next.guard({ tool = \"*\" }, function(ev) " +
			"if ev.args.command == \"keep\" then for i = 1, 6 do " +
			"kept[#kept + 1] = string.rep(tostring(#kept % 10), 8 * 1024 * 1024) end end end)\n",
	},
	"js": {
		"ext.guard({ tool: \"*\" }, (ev) => { const all = []; " +
			"while (ev.args.command === \"spend\") all.push(new Uint8Array(30 * 1024 * 1024)); " +
			"});\n",
		"const kept = [];\next.guard({ tool: \"*\" }, (ev) => { " +
			"if (ev.args.command === \"keep\") kept.push(new Uint8Array(50 * 1024 * 1024)); });\n",
	},
}

// TestStoppedScriptKeepsNothing checks that a script that was stopped because of its memory is not
// treated as one that keeps it. Both scripts are weighed, the stopped one first. It runs alone,
// because the memory of other tests would count.
func TestStoppedScriptKeepsNothing(t *testing.T) {
	for lang, guards := range spenders {
		t.Run(lang, func(t *testing.T) {
			var stopped, found atomic.Bool
			emit := func(ev *event.Event) {
				if ev.Name() != "script_error" {
					return
				}
				heavy := strings.Contains(ev.Text("message"), "keeps more than 128 MB")
				switch first := ev.Text("script") == "a."+lang; {
				case first && heavy:
					t.Errorf("it keeps nothing: %s", ev.Text("message"))
				case first:
					stopped.Store(true)
				case heavy:
					found.Store(true)
				}
			}
			limited := func(o *engine.Options) {
				memoryOnly(emit)(o)
				o.Heap = vm.HeapBytes
			}
			w := newWorld(t, false, limited,
				map[string]string{"a." + lang: guards[0], "b." + lang: guards[1]})
			if w.call("spend"); !stopped.Load() {
				t.Fatal("it was not stopped")
			}
			eventually(t, "the other one is found", func() bool {
				w.call("keep")
				return found.Load()
			})
		})
	}
}

// greedy are guards that keep 30 MB more at each call.
var greedy = map[string]string{
	"greedy.lua": "local kept = {}\next.guard({ tool = \"*\" }, function(ev) for i = 1, 5 do " +
		"kept[#kept + 1] = string.rep(tostring(#kept % 10), 6 * 1024 * 1024) end end)\n",
	"greedy.js": "const kept = [];\next.guard({ tool: \"*\" }, (ev) => { kept.push(new " +
		"Uint8Array(30 * 1024 * 1024)); });\n",
}

// TestGreedyGuardIsFoundSoon checks that a guard that keeps much memory at each call, with many
// calls a second, is stopped before it has kept gigabytes.
func TestGreedyGuardIsFoundSoon(t *testing.T) {
	for name, text := range greedy {
		t.Run(name, func(t *testing.T) {
			var named atomic.Bool
			emit := func(ev *event.Event) {
				if ev.Name() == "script_error" &&
					strings.Contains(ev.Text("message"), "keeps more than 128 MB") {
					named.Store(true)
				}
			}
			w := newWorld(t, false, memoryOnly(emit), map[string]string{name: text})
			const most = 40 // calls, in which it keeps 1.2 GB
			calls := 0
			for ; calls < 200 && !named.Load(); calls++ {
				w.call("x")
				time.Sleep(3 * time.Millisecond)
			}
			if calls > most {
				t.Errorf("it was found after %d calls", calls)
			}
			t.Log(calls, "calls")
		})
	}
}

// generations returns the numbers of the versions in force, by script.
func (w *world) generations() map[string]int {
	numbers := map[string]int{}
	for _, g := range w.engine.Scripts.Snapshot().Generations {
		numbers[g.Name] = g.Number
	}
	return numbers
}

// attack calls danger from n goroutines until the returned function is called, which returns the
// number of calls.
func (w *world) attack(t *testing.T, n int) (stop func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	counts := make([]int, n)
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				if r := w.call("rm -rf /"); r.Skipped == "" {
					t.Errorf("not refused: %s", chat.PlainText(r.Content))
					return
				}
				if counts[i]++; counts[i]%20 == 0 {
					time.Sleep(500 * time.Microsecond) // leave time to the goroutines that swap
				}
			}
		}()
	}
	return func() (sum int) {
		cancel()
		wg.Wait()
		for _, c := range counts {
			sum += c
		}
		return sum
	}
}

// TestReloadsLeaveNothing reloads scripts of both languages 1,000 times and checks that heap and
// goroutines return to where they were.
func TestReloadsLeaveNothing(t *testing.T) {
	files := map[string]string{}
	for n, x := range refusing {
		files[n] = fmt.Sprintf(x, 0)
	}
	w := newWorld(t, false, nil, files)
	round := func(n int) {
		for range n {
			w.loader.Reload(context.Background())
			w.call("x")
		}
	}
	round(50)
	heap, goroutines := settled()
	round(1000)
	eventually(t, "goroutines return",
		func() bool { return runtime.NumGoroutine() <= goroutines+2 })
	// Two generations of two languages are about 0.5 MB; a leak of even 1 % of 2,000 would show.
	eventually(t, fmt.Sprintf("the heap is %d bytes again", heap), func() bool {
		after, _ := settled()
		return after <= heap+4<<20
	})
}

// settled returns the heap size and the number of goroutines after several garbage collections.
func settled() (heap uint64, goroutines int) {
	for range 5 {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, runtime.NumGoroutine()
}
