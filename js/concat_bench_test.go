package js

import "testing"

// BenchmarkConcat measures ordinary additions, some of which are compiled as calls of concat.
func BenchmarkConcat(b *testing.B) {
	for name, body := range map[string]string{
		"sum": "const a = []; for (let i = 0; i < 1000; i++) a.push(i); let s = 0; for (let " +
			"i = 0; i < 1000; i++) s += a[i]; return s",
		"index": "let n = 0; for (let i = 0; i < 1000; i++) n = n + i + 1; return n",
		"fields": "const p = { x: 1, y: 2 }; let n = 0; for (let i = 0; i < 1000; i++) n += " +
			"p.x + p.y; return n",
		"fib": "const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); return f(12)",
		"text": "let s = ''; const x = 'ab'; for (let i = 0; i < 1000; i++) s += x; return " +
			"s.length",
		"lines": "let s = ''; for (let i = 0; i < 100; i++) s = s + 'line ' + i + ': ' + " +
			"s.length + '\\n'; return s.length",
		"message": "let n = 0; const e = { tool: 'bash', cmd: 'ls' }; for (let i = 0; i < 100; " +
			"i++) n += ('the tool ' + e.tool + ' runs ' + e.cmd + '.').length; return n",
		"template": "let n = 0; const e = { tool: 'bash', cmd: 'ls' }; for (let i = 0; i < 100; " +
			"i++) n += `the tool ${e.tool} runs ${e.cmd}.`.length; return n",
	} {
		b.Run(name, func(b *testing.B) {
			h := newTestHost(b)
			h.load("ext.command({ name: 'f', run: () => {" + body + "} })")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.run("guard", "f"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
