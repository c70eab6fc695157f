package js

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/vm"
)

// bombs are one-liners that would hang or end the process without their guard. want is a part of
// the error.
var bombs = []struct{ body, want string }{
	{"'x'.repeat(2**29)", tooLong},
	{"'x'.repeat(2**43)", tooLong},
	{"'é'.repeat(2**33)", tooLong},
	{"'x'.padStart(2**31)", tooLong},
	{"'x'.padEnd(2**40, 'ab')", tooLong},
	{"const b = 'x'.repeat(2**23); b.concat(b, b)", tooLong},
	{"let s = 'x'; while (true) s = s + s", tooLong},
	{"let s = 'x'; while (true) s += s", tooLong},
	{"let s = 'x'; while (true) s = s.concat(s)", tooLong},
	{"let s = 'x'; while (true) s = `${s}${s}`", tooLong},
	{"let s = 'x'; while (true) s = `${s},${s},${s}`", tooLong},
	{"let s = 'x'; while (true) s = [s, s].join('')", tooLong},
	{"let s = 'x'; while (true) s = s.repeat(2)", tooLong},
	{"let s = 'x'; while (true) s = s.padEnd(2 * s.length, s)", tooLong},
	{"let s = 'x'; while (true) s = s.replace('x', (x) => s + s)", tooLong},
	{"let s = 'x'; while (true) s = s.replace(/x$/, s + s)", tooLong},
	{"let s = 'é'; while (true) s += s", tooLong},
	{"const o = { s: 'x' }; while (true) o.s += o.s", tooLong},
	{"const o = { p: { s: ['x'] } }; while (true) o.p.s[0] += o.p.s[0]", tooLong},
	{"class A { #s = 'x'; f() { this.#s += this.#s } } const a = new A(); while (true) a.f()",
		tooLong},
	{"let a = 'x', b = 'y'; while (true) [a, b] = [b, a + b]", tooLong},
	{"const a = ['x'], f = () => 0; while (true) a[f()] += a[0]", tooLong},
	{"const a = ['x'], b = ['y']; let s = 0; s += 'x'; while (true) { a[0] += s; s += a[0] }",
		tooLong},
	{"const a = ['x'], f = (x) => { let s = 0; s += x; a[0] += s }; while (true) f(a[0])", tooLong},
	{"const f = (s) => f(s + s); f('x')", tooLong},
	{"const twice = (a, b) => a + b; let s = 'x'; while (true) s = twice(s, s)", tooLong},
	{"const o = { toString() { return 'x'.repeat(1e7) } }; o + '' + o", tooLong},
	{"encodeURIComponent('\\u20ac'.repeat(4e6))", tooLong},
	{"'\\ufdfa'.repeat(4e6).normalize('NFKD')", tooLong},
	{"'\\ufb03'.repeat(8e6).toUpperCase()", tooLong},
	{"new Uint8Array(1e6).join('x'.repeat(1e6))", tooLong},
	{"JSON.stringify('\\0'.repeat(8e6))", tooLong},
	{"JSON.stringify(['\\0'.repeat(8e6)])", "too large"},
	{"let a = []; for (let i = 0; i < 900; i++) a = [a, ...Array(20).fill(0)]; " +
		"JSON.stringify(a, null, 10)", "too large"},
	{"'x'.repeat(1e5).replace(/x/g, 'y'.repeat(1e6))", tooLong},
	{"'x'.repeat(1e4).replace(/(?=x)x/g, 'y'.repeat(1e6))", tooLong},
	{"'x'.repeat(1e3).replace(/x/g, () => 'y'.repeat(1e6))", tooLong},
	{"'x'.repeat(1e5).replace(/x/g, \"$`\")", tooLong},
	{"'x'.repeat(1e5).replaceAll('x', 'y'.repeat(1e6))", tooLong},
	{"'x'.repeat(1e5).replaceAll('', 'y'.repeat(1e6))", tooLong},
	{"'x'.repeat(1e4).replaceAll('x', () => 'y'.repeat(1e6))", tooLong},
	{"'x'.repeat(2e6).split('')", tooManyItems},
	{"[...'x'.repeat(2e6)]", "more than 1000000 characters"},
	{"String.raw({ raw: { length: 2**53 - 1 } })", tooManyItems},
	{"Array(1e8).fill(0)", tooManyItems},
	{"Array(2**32 - 1).fill(0)", tooManyItems},
	{"new Array(1e8).join('x')", tooManyItems},
	{"const a = Array(5); a.length = 1e8; String(a)", tooManyItems},
	{"const s = 'x'.repeat(1e6); Array(1000).fill(s).join('')", tooLong},
	{"const s = 'x'.repeat(1e6); String([Array(1000).fill(s)])", tooLong},
	{"Array.from({ length: 1e9 })", tooManyItems},
	{"Array.prototype.reverse.call({ length: 2**53 - 1 })", tooManyItems},
	{"Array.prototype.indexOf.call({ length: 2**53 - 1 }, 1)", tooManyItems},
	{"Array.prototype.forEach.call({ length: 2**53 - 1 }, () => {})", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; a.splice(0, 1)", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; [].concat(a)", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; a.sort()", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; [...a]", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; new Set(a)", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; JSON.stringify(a)", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; const [x, ...y] = a; return y", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; a.toSpliced(0, 1)", tooManyItems},
	{"const a = []; a.length = 2**32 - 1; ext.log.info(a)", "more than 1000000 values"},
	{"Math.max(...Array(3e7))", tooManyItems},
	{"Math.max.apply(null, { length: 1e8 })", "more than 100000 arguments"},
	{"Reflect.apply(Math.max, null, { length: 1e8 })", "more than 100000 arguments"},
	{"Reflect.construct(Date, { length: 1e8 })", "more than 100000 arguments"},
	{"new ArrayBuffer(2**46)", tooBig},
	{"new Uint8Array(1e13)", tooBig},
	{"new Float64Array(1e8)", tooBig},
	{"new Uint8Array({ length: 1e9 })", tooBig},
	{"Uint8Array.from({ length: 1e9 })", tooBig},
	{"new (class extends Uint8Array {})(1e13)", tooBig},
	{"let a = []; for (let i = 0; i < 1e4; i++) a = [a]; a.flat(Infinity)", tooDeep},
	{"let a = []; for (let i = 0; i < 1e4; i++) a = [a]; String(a)", tooDeep},
	{"let a = []; for (let i = 0; i < 1e4; i++) a = [a]; a.toLocaleString()", tooDeep},
	{"let a = []; for (let i = 0; i < 1e4; i++) a = [a]; JSON.stringify(a)", "nests deeper"},
	{"let a = []; for (let i = 0; i < 1e4; i++) a = { a }; structuredClone(a)",
		"maximum call stack"},
	{"let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; JSON.stringify(a)", "too large"},
	{"let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; a.flat(Infinity)", tooManyItems},
	{"const s = 'x'.repeat(1e6); JSON.stringify(Array(1000).fill(s))", "too large"},
	{"JSON.parse('['.repeat(1e7))", "nests deeper"},
	{"JSON.parse('{\"a\":'.repeat(1e6))", "nests deeper"},
	{"eval('['.repeat(1e6))", "nest deeper"},
	{"eval('!'.repeat(1e6) + '1')", "words and operators"},
	{"eval('0' + '+a'.repeat(5e5))", "words and operators"},
	{"eval('new '.repeat(2e5))", "words and operators"},
	{"eval('x'.repeat(2e6))", "more than 1048576"},
	{"Function('('.repeat(1e6))", "nest deeper"},
	{"new Function('a', '{'.repeat(1e6))", "nest deeper"},
	{"(() => {}).constructor('('.repeat(1e6))", "nest deeper"},
	{"(async () => {}).constructor('('.repeat(1e6))", "nest deeper"},
	{"(function* () {}).constructor('('.repeat(1e6))", "nest deeper"},
	{"new RegExp('('.repeat(3e4) + ')'.repeat(3e4))", "nest deeper"},
	{"RegExp('(?='.repeat(1e6))", "more than 65536 bytes"},
	{"'x'.match('('.repeat(3e4))", "nest deeper"},
	{"/x/.constructor('('.repeat(3e4))", "nest deeper"},
	{"new (class extends RegExp {})('('.repeat(3e4))", "nest deeper"},
	{"/x/.compile('('.repeat(3e4))", "nest deeper"},
	{"/^(?=(a+)+$)b|(a+)+\\1x/.test('a'.repeat(40))", "took too long"},
	{"/^(?=(a+)+$)b|(a+)+\\1x/.exec('a'.repeat(40))", "took too long"},
	{"'a'.repeat(40).match(/^(?=(a+)+$)b|(a+)+\\1x/)", "took too long"},
	{"'a'.repeat(40).match(/^(?=(a+)+$)b|(a+)+\\1x/g)", "took too long"},
	{"'a'.repeat(40).replace(/^(?=(a+)+$)b|(a+)+\\1x/, '')", "took too long"},
	{"'a'.repeat(40).replaceAll(/^(?=(a+)+$)b|(a+)+\\1x/g, '')", "took too long"},
	{"'a'.repeat(40).search(/^(?=(a+)+$)b|(a+)+\\1x/)", "took too long"},
	{"'a'.repeat(40).split(/^(?=(a+)+$)b|(a+)+\\1x/)", "took too long"},
	{"[...'a'.repeat(40).matchAll(/^(?=(a+)+$)b|(a+)+\\1x/g)]", "took too long"},
	{"let n = 0; new Float64Array({ get length() { return n++ ? 2**36 : 0 }, " +
		"[Symbol.iterator]: undefined })", tooBig},
	{"let n = 0; Array.from({ get length() { return n++ ? 2**31 : 0 } }); throw Error('once')",
		"once"},
	{"let n = 0; new Uint8Array({ get length() { return n++ ? 2**36 : 0 }, " +
		"get [Symbol.iterator]() { return n++ ? undefined : () => [].values() } })", tooBig},
	{"const o = {}; o.toString = ''.concat.bind('', o); String(o)", tooNested},
	{"const o = {}; o.valueOf = Math.max.bind(null, o); +o", tooNested},
	{"const o = {}; Object.defineProperty(o, 'x', { get: Reflect.get.bind(null, o, 'x') }); o.x",
		tooNested},
	{"const r = /x/; r.test({ toString() { r.compile('^(?=(a+)+$)b|(a+)+\\\\1x'); return " +
		"'a'.repeat(40) } })", "took too long"},
	{"const r = /x/; r[Symbol.match]({ toString() { r.compile('^(?=(a+)+$)b|(a+)+\\\\1x'); " +
		"return 'a'.repeat(40) } })", "took too long"},
	{"const r = /x/; r[Symbol.replace]({ toString() { r.compile('^(?=(a+)+$)b|(a+)+\\\\1x'); " +
		"return 'a'.repeat(40) } }, '')", "took too long"},
	{"const s = 'a'.repeat(5e5); s.replace(/a/g, '$&'.repeat(100))", tooLong},
	{"const s = 'a'.repeat(1<<20); s.replaceAll('a', 'b'.repeat(100))", tooLong},
	{"const o = {}; o.a = { toJSON: () => o }; JSON.stringify(o)", "circular structure"},
	{"const f = (n) => ({ toJSON: () => [f(n + 1)] }); JSON.stringify(f(0))", "nests deeper"},
	{"JSON.stringify(['\\0'.repeat(2e6), '\\0'.repeat(2e6)])", "too large"},
	{"const f = Math.max.bind(null, 3); throw Error(f.name + f.length + f(7))", "bound max17"},
	{"String.raw({ raw: Array(900).fill('x'.repeat(16<<20)) })", tooLong},
	{"String.raw({ raw: Array(900).fill('') }, ...Array(900).fill('x'.repeat(16<<20)))", tooLong},
	{"const s = 'a'.repeat(1<<20); s.replace(s, '$&'.repeat(4<<20))", tooLong},
	{"let n = 0; JSON.parse({ toString: () => n++ ? '['.repeat(1e7) : '1' }); " +
		"throw Error('once')", "once"},
	{"let n = 0; ''.repeat.call({ toString: () => n++ ? 'x'.repeat(1e6) : '' }, 1e5);" +
		"throw Error('once')", "once"},
	{"let n = 0; 'x'.repeat({ valueOf: () => n++ ? 2**40 : 1 }); throw Error('once')", "once"},
	{"let n = 0; 'x'.padStart({ valueOf: () => n++ ? 2**40 : 1 }); throw Error('once')", "once"},
	{"let n = 0; new ArrayBuffer({ valueOf: () => n++ ? 2**46 : 1 }); throw Error('once')", "once"},
	{"let n = 0; new Uint8Array({ get length() { return n++ ? 2**40 : 1 } }); " +
		"throw Error('once')", tooBig},
	{"let n = 0; Uint8Array.from({ get length() { return n++ ? 2**40 : 1 } }); " +
		"throw Error('once')", "once"},
	{"let n = 0; Math.max.apply(null, { get length() { return n++ ? 1e9 : 1 } }); " +
		"throw Error('once')", "once"},
	{"let n = 0; Reflect.apply(Math.max, null, { get length() { return n++ ? 1e9 : 1 } }); " +
		"throw Error('once')", "once"},
	{"let n = 0; String.raw({ raw: { get length() { return n++ ? 2**53 - 1 : 1 } } }); " +
		"throw Error('once')", "once"},
	{"let n = 0; Function({ toString: () => n++ ? '!'.repeat(1e6) + '1' : '1' }); " +
		"throw Error('once')", "once"},
	{"const s = '('.repeat(3e4); new RegExp({ toString: () => s })", "nest deeper"},
	{"const s = '('.repeat(3e4); new RegExp({ [Symbol.match]: 1, source: s })", "nest deeper"},
	{"const r = /x/; r[Symbol.match] = false; r.toString = () => '('.repeat(3e4); RegExp(r)",
		"nest deeper"},
	{"const s = '('.repeat(3e4); 'x'.match({ toString: () => s })", "nest deeper"},
	{"'x'.repeat(1e5).replaceAll({ toString: () => 'x' }, 'y'.repeat(1e6))", tooLong},
	{"'x'.repeat(2e6).split({ toString: () => '' })", tooManyItems},
	{"let n = 0; 'x'.repeat(1e5).replaceAll('x', { toString: () => n++ ? 'y'.repeat(1e6) : '' });" +
		"throw Error('once')", "once"},
	{"Object.keys('x'.repeat(2e6))", "more than 1000000 characters"},
	{"Object.entries(new String('x'.repeat(2e6)))", tooManyItems},
	{"Object.freeze(new String('x'.repeat(2e6)))", tooManyItems},
	{"Reflect.ownKeys(new Uint8Array(2e6))", tooManyItems},
	{"Object.assign({}, 'x'.repeat(2e6))", "more than 1000000 characters"},
	{"JSON.stringify(new Uint8Array(2e6))", tooManyItems},
	{"JSON.parse('[' + '1,'.repeat(1e6) + '1]')", "JSON of more than 1000000 values"},
	{"String.fromCharCode(...Array(2e5).fill(65))", tooManyArgs},
	{"require('lib/' + 'x'.repeat(1e7))", "at most 255 bytes"},
	{"const r = /(?:)(a+)+$/y; r.lastIndex = 1; r.test('x' + 'a'.repeat(40) + 'b')",
		"took too long"},
}

// TestBombs runs every bomb and calls the same VM again: the bomb must throw, and must not be
// stopped by the watchdog.
func TestBombs(t *testing.T) {
	for _, b := range bombs {
		t.Run(b.body, func(t *testing.T) { wantThrow(t, b.body, b.want) })
	}
}

// wantThrow runs body, which must throw an error that contains want before the watchdog stops it.
func wantThrow(t *testing.T, body, want string) {
	t.Helper()
	h := newTestHost(t)
	h.load("ext.command({ name: 'f', run: () => {" + body +
		"\n} }); ext.command({ name: 'ok', run: () => 1 });")
	f := h.fns["f"]
	r := engine.NewRun(context.Background(), f.gen, vm.KindTool, "test", h.env, nil)
	// a busy machine may be slow
	r.Limits.Script, r.Limits.Wall = testTimeout, testTimeout
	_, err := f.gen.Run(r, f.fn)
	var limit *vm.LimitError
	if err == nil || errors.As(err, &limit) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if got, err := h.run(vm.KindGuard, "ok"); got != 1.0 || err != nil {
		t.Errorf("afterwards: got %v, %v", got, err)
	}
}

// TestStopped runs loops of scripts that the watchdog must stop.
func TestStopped(t *testing.T) {
	for _, body := range []string{
		"while (true) {}",
		"for (;;) { try { while (true) {} } catch {} finally { continue } }",
		"const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)",
		"let s = 'x'; for (;;) { s += s; if (s.length > 1e6) s = 'x' }",
		"function* g() { for (;;) yield 1 }; [...g()]",
		"const f = () => Promise.resolve().then(f); return f()",
		"return (async () => { for (;;) await null })()",
		"Array(1e4).fill(0).sort(() => { for (;;) {} })",
		"Array(1e6).fill(0)",
		"const a = Array.from({ length: 2e4 }, (_, i) => 'x' + i * 7919 % 20011); for (;;) " +
			"a.toSorted()",
		"for (;;) 'x'.repeat(1e4).replace(/x/g, 'y')",
		"'x'.repeat(1e4).replace(/x/g, () => { for (;;) {} })",
		"for (;;) 'x'.repeat(1e4).replace(/(?=x)x/g, 'y')",
		"JSON.stringify([1], () => { for (;;) {} })",
		"JSON.stringify({ get a() { for (;;) {} } })",
		"JSON.stringify({ toJSON() { for (;;) {} } })",
		"const toJSON = ''.trim.bind('é'.repeat(8e6)); JSON.stringify(Array(1e5).fill({ toJSON }))",
		"Array.from({ [Symbol.iterator]: () => ({ next: Object }) })",
		"return { get a() { for (;;) {} } }",
		"ext.log.info({ get a() { for (;;) {} } })",
		"throw { get message() { for (;;) {} } }",
		"return { ...new Proxy({}, { ownKeys() { for (;;) {} } }) }",
		"JSON.parse('[' + '1,'.repeat(99999) + '1]', ''.repeat.bind('x', 16<<20))",
		"Array(1e6).fill('q').forEach(''.indexOf, 'x'.repeat(16e6))",
		"Array(1e6).fill(0).map(''.trim, 'x'.repeat(16e6) + 'é')",
		"Array(1e6).fill('1'.repeat(16e6)).forEach(isNaN)",
		"const a = Array(1e6).fill(0); a.forEach(Array.prototype.forEach.bind(a, Math.abs))",
		"const a = Array(1e6).fill(0).map(Math.random); for (;;) a.sort(Math.max)",
		"new Float64Array(8e6).forEach(Math.abs); for (;;) {}",
		"const s = new Set(Array(1e5).keys()); s.forEach(''.trimEnd, 'é'.repeat(8e6))",
		"const o = { length: 0 }; const it = [].values.call(o); o.length = 2**53 - 1; new " +
			"Set(it)",
		"const r = /x/g; r.exec = Object; 'xyz'.replace(r, 'y')",
		"const a = Array(900).fill(0).map((_, i) => 'x'.repeat(8e6) + i % 4); for (;;) " +
			"a.toSorted()",
		"Array(1e6).fill(''.indexOf).forEach(Function.prototype.call, 'x'.repeat.bind('x', " +
			"16e6))",
		"const it = 'xyz'.matchAll(/x/g); RegExp.prototype.exec = Object; [...it]",
		"Math.max.apply(null, Array(1e5).fill('1'.repeat(16e6)))",
		"new Float64Array(Array(1e6).fill('1'.repeat(16e6)))",
		"new Float64Array(1e6).set(Array(1e6).fill('1'.repeat(16e6)))",
		"String.fromCharCode.apply(null, Array(1e5).fill('1'.repeat(16e6)))",
		"Array.from(Array(1e6).fill(0), ''.trim, 'é'.repeat(16e6))",
	} {
		t.Run(body, func(t *testing.T) {
			// A stalled machine looks like an interpreter that does not stop: try again.
			for try := 1; !stops(t, body); try++ {
				if try == 5 {
					t.Fatal("not stopped")
				}
			}
		})
	}
}

// impatient is the factor for the budgets of scripts that must exceed them.
const impatient = 0.2

// stops reports whether the watchdog stops body and its VM can still be used.
func stops(t *testing.T, body string) bool {
	h := newTestHostWith(t, impatient)
	h.load("ext.command({ name: 'f', run: () => {" + body +
		"\n} }); ext.command({ name: 'ok', run: () => 1 });")
	_, err := h.run(vm.KindGuard, "f")
	var limit *vm.LimitError
	if !errors.As(err, &limit) {
		t.Fatalf("got %v, want a LimitError", err)
	}
	got, err := h.run(vm.KindTool, "ok")
	return got == 1.0 && err == nil
}
