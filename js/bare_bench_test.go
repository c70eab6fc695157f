package js

import (
	"fmt"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// loops are bodies of functions without built-ins.
var loops = map[string]string{
	"for":   "let x = 0; for (let i = 1; i <= n; i++) x = x + i * 2; return x",
	"while": "let i = 0; while (i < n) i = i + 1; return i",
	"calls": "const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); let out; for (let i = 0; i < n; " +
		"i += 100) out = f(9); return out",
}

// builtins are calls of built-ins with arguments of ordinary sizes: a is a list of 100 numbers, o
// an object, and s a text of 200 characters.
var builtins = map[string]string{
	"test":      "/-rf/.test(s)",
	"match":     "'key = value'.match(/^(\\w+)\\s*=\\s*(\\w+)$/)",
	"replace":   "'a b c d e'.replace(/\\s+/g, '_')",
	"split":     "s.split(' ')",
	"includes":  "s.includes('build')",
	"slice":     "s.slice(3, 70).toUpperCase().trim()",
	"repeat":    "'ab'.repeat(100)",
	"padStart":  "'ab'.padStart(20).trim()",
	"template":  "`tool ${i} of ${s}`.length",
	"push":      "[].push(i)",
	"map":       "a.map((x) => x + 1).filter((x) => x > 3)",
	"join":      "a.join(', ')",
	"sort":      "[...a].sort((x, y) => x - y)",
	"indexOf":   "a.indexOf(88) + a.includes(77)",
	"keys":      "Object.keys(o).length",
	"entries":   "Object.entries(o).length",
	"stringify": "JSON.stringify(o)",
	"parse":     "JSON.parse('{\"a\": 1, \"b\": [2, 3]}')",
	"map_set":   "new Map([[1, 2], [3, 4]]).get(3)",
	"math":      "Math.max(Math.floor(i / 3), Math.abs(-i))",
	"number":    "Number(String(i)) + parseInt('12', 10)",
}

// calls is the body of a function that evaluates an expression n times.
const calls = `const a = [], o = { tool: "bash", args: { command: "ls -l", n: 5 }, list: [1, 2, 3] };
for (let i = 0; i < 100; i++) a.push((i * 7919) %% 101);
const s = "rm -rf ./build --force && make all ".repeat(6);
let out;
for (let i = 0; i < n; i++) out = %s;
return out`

// BenchmarkStoppable compares loops of a script with the same in goja alone.
func BenchmarkStoppable(b *testing.B) {
	for name, body := range loops {
		b.Run(name, func(b *testing.B) { benchOverBare(b, body) })
	}
}

// BenchmarkBuiltins compares built-ins with those of goja.
func BenchmarkBuiltins(b *testing.B) {
	for name, expression := range builtins {
		b.Run(name, func(b *testing.B) { benchOverBare(b, fmt.Sprintf(calls, expression)) })
	}
}

// longEnough is how long a call takes at least: the entry into the VM, which costs a few
// microseconds, is then a small part of it.
const longEnough = 2 * time.Millisecond

// benchOverBare runs a function's body, which gets n, in a script and in goja alone, in turns. The
// metric ratio is the quotient of the fastest calls.
func benchOverBare(b *testing.B, body string) {
	h := newTestHost(b)
	h.load("ext.command({ name: 'f', run: (n) => {" + body + "} })")
	rt := goja.New()
	if _, err := rt.RunString("function f(n) {" + body + "}"); err != nil {
		b.Fatal(err)
	}
	f, _ := goja.AssertFunction(rt.Get("f"))
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
	b.ReportMetric(float64(own)/float64(bare), "ratio")
}
