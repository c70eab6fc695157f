package lua

import (
	"context"
	"runtime/debug"
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

// BenchmarkStoppable compares loops of a script with the same in gopher-lua alone, where nothing
// can stop them.
func BenchmarkStoppable(b *testing.B) {
	for name, body := range loops {
		b.Run(name, func(b *testing.B) {
			benchOverBare(b, "return function() "+body+" end", false)
		})
	}
}

// rareGC is a percentage of the heap that two calls together do not allocate.
const rareGC = 1000

// benchOverBare runs a function in a script and in gopher-lua alone, in turns. It returns the
// quotient of the fastest calls, which is also the metric ratio. body returns the function.
// stoppable: so that a context could end the latter as well.
func benchOverBare(b *testing.B, body string, stoppable bool) (ratio float64) {
	// collections at the usual heap would fall on the same one of both again and again
	defer debug.SetGCPercent(debug.SetGCPercent(rareGC))
	h := newHost(b)
	source := "(function() " + body + " end)()"
	g := h.load("ext.on('x', " + source + ")")
	run := engine.NewRun(context.Background(), g, vm.Kind("bench"), "x", nil, nil)
	defer run.End()
	L := glua.NewState()
	defer L.Close()
	if stoppable {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		L.SetContext(ctx)
	}
	if err := L.DoString("f = " + source); err != nil {
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
	ratio = float64(own) / float64(bare)
	b.ReportMetric(ratio, "ratio")
	return ratio
}
