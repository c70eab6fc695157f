package js

import (
	"runtime/debug"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// loops are functions without built-ins.
var loops = map[string]string{
	"for":   "(n) => { let x = 0; for (let i = 1; i <= n; i++) x = x + i * 2; return x }",
	"while": "(n) => { let i = 0; while (i < n) i = i + 1; return i }",
	"calls": "(n) => { const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); let out; " +
		"for (let i = 0; i < n; i += 100) out = f(9); return out }",
}

// BenchmarkStoppable compares loops of a script with the same in goja alone.
func BenchmarkStoppable(b *testing.B) {
	for name, f := range loops {
		b.Run(name, func(b *testing.B) { benchOverBare(b, f) })
	}
}

// longEnough is how long a call takes at least: the entry into the VM, which costs a few
// microseconds, and some 40 if it wakes another processor, is then a small part of it.
const longEnough = 2 * time.Millisecond

// rareGC is a percentage of the heap that two calls together do not allocate.
const rareGC = 1000

// allMethods makes the methods of all built-ins. The interpreter makes each when it is first used,
// and finds it some 10 ns faster as long as there are at most eight of them.
const allMethods = `for (const name of Object.getOwnPropertyNames(globalThis)) {
	const obj = globalThis[name];
	if (obj) Object.keys(obj);
	if (obj?.prototype) Object.keys(obj.prototype);
}`

// benchOverBare runs a function, which gets n, in a script and in goja alone, in turns. It returns
// the quotient of the fastest calls, which is also the metric ratio. source makes the function.
func benchOverBare(b *testing.B, source string) (ratio float64) {
	// collections at the usual heap would fall on the same one of both again and again
	defer debug.SetGCPercent(debug.SetGCPercent(rareGC))
	h := newTestHost(b)
	h.load("ext.command({ name: 'f', run: " + source + "})")
	rt := goja.New()
	if _, err := rt.RunString(allMethods); err != nil {
		b.Fatal(err)
	}
	val, err := rt.RunString(source)
	if err != nil {
		b.Fatal(err)
	}
	f, _ := goja.AssertFunction(val)
	n := 100
	timed := func(f func() error) time.Duration {
		began := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	runBare := func() error { _, err := f(goja.Undefined(), rt.ToValue(n)); return err }
	runOwn := func() error { _, err := h.run("guard", "f", n); return err }
	for timed(runBare) < longEnough {
		n *= 2
	}
	own, bare := time.Hour, time.Hour
	for b.Loop() {
		own, bare = min(own, timed(runOwn)), min(bare, timed(runBare))
	}
	ratio = float64(own) / float64(bare)
	b.ReportMetric(ratio, "ratio")
	b.ReportMetric(float64(bare)/float64(n), "bare-ns")
	return ratio
}
