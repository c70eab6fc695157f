package lua

import (
	"context"
	"testing"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/vm"
)

// loops are bodies of functions without built-ins.
var loops = map[string]string{
	"for":   "local x = 0 for i = 1, 2000 do x = x + i * 2 end",
	"while": "local i = 0 while i < 2000 do i = i + 1 end",
	"calls": "local function f(n) if n < 2 then return n end return f(n-1) + f(n-2) end f(11)",
}

// builtins are bodies of functions that call built-ins with arguments of ordinary sizes.
var builtins = map[string]string{
	"find":    "for i = 1, 50 do local _ = ('rm -rf ./build --force'):find('%-rf') end",
	"plain":   "for i = 1, 50 do local _ = ('rm -rf ./build -f'):find('build', 1, true) end",
	"match":   "for i = 1, 50 do local _ = ('key = value'):match('^(%w+)%s*=%s*(%w+)$') end",
	"gsub":    "for i = 1, 50 do local _ = ('a b c d e'):gsub('%s+', '_') end",
	"gmatch":  "for i = 1, 20 do for w in ('the quick brown fox'):gmatch('%a+') do end end",
	"format":  "for i = 1, 50 do local _ = ('%s is %d of %5.2f'):format('x', i, i / 3) end",
	"rep":     "for i = 1, 50 do local _ = ('ab'):rep(100) end",
	"sub":     "for i = 1, 50 do local _ = ('some longer text'):sub(3, 7):upper():lower() end",
	"bytes":   "for i = 1, 50 do local _ = string.char(('some text'):byte(1, 5)) end",
	"insert":  "local t = {} for i = 1, 200 do table.insert(t, i) end",
	"remove":  "local t = {} for i = 1, 100 do t[i] = i end for i = 1, 99 do table.remove(t) end",
	"concat":  "local t = {1, 2, 3, 4, 5, 6} for i = 1, 50 do local _ = table.concat(t, ', ') end",
	"sort":    "local t = {} for i = 1, 100 do t[i] = i * 79 % 101 end table.sort(t)",
	"unpack":  "local t = {1, 2, 3, 4} for i = 1, 50 do local a, b, c, d = unpack(t) end",
	"ipairs":  "local t = {} for i = 1, 200 do t[i] = i end for _, x in ipairs(t) do end",
	"pairs":   "local t = {} for i = 1, 99 do t['k'..i] = i end for _, x in pairs(t) do end",
	"convert": "for i = 1, 50 do local _ = tonumber(tostring(i)) end",
	"math":    "for i = 1, 50 do local _ = math.max(math.floor(i / 3), math.abs(-i)) end",
	"type":    "for i = 1, 50 do local _ = type(i) == 'number' and select('#', i, i) end",
	"pcall":   "for i = 1, 50 do pcall(type, 1) end",
}

// BenchmarkStoppable compares loops of a script with the same in gopher-lua alone, where nothing
// can stop them.
func BenchmarkStoppable(b *testing.B) {
	for name, body := range loops {
		b.Run(name, func(b *testing.B) { benchOverBare(b, body, false) })
	}
}

// BenchmarkBuiltins compares built-ins with those of gopher-lua, in a loop that can be stopped.
func BenchmarkBuiltins(b *testing.B) {
	for name, body := range builtins {
		b.Run(name, func(b *testing.B) { benchOverBare(b, body, true) })
	}
}

// benchOverBare runs a function's body in a script and in gopher-lua alone, in turns. The metric
// ratio is the quotient of the fastest calls. stoppable: so that a context
// could end the latter as well.
func benchOverBare(b *testing.B, body string, stoppable bool) {
	h := newHost(b)
	g := h.load("ext.on('x', function() " + body + " end)")
	run := engine.NewRun(context.Background(), g, vm.Kind("bench"), "x", nil, nil)
	defer run.End()
	L := glua.NewState()
	defer L.Close()
	if stoppable {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		L.SetContext(ctx)
	}
	if err := L.DoString("function f() " + body + " end"); err != nil {
		b.Fatal(err)
	}
	p := glua.P{Fn: L.GetGlobal("f"), Protect: true}
	own, bare := time.Hour, time.Hour
	for b.Loop() {
		began := time.Now()
		if _, err := h.fns["x"].Call(run); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if err := L.CallByParam(p); err != nil {
			b.Fatal(err)
		}
		own, bare = min(own, between.Sub(began)), min(bare, time.Since(between))
	}
	b.ReportMetric(float64(own)/float64(bare), "ratio")
}
