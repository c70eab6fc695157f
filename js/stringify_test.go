package js

import (
	"fmt"
	"testing"
)

// TestStringifyMatchesInterpreter compares our JSON.stringify with that of the interpreter.
func TestStringifyMatchesInterpreter(t *testing.T) {
	values := []string{`undefined`, `null`, `true`, `-0`, `1.5e21`, `1e-7`, `NaN`, `-Infinity`,
		`'é😀\ud83d \udc00x\n\t\b\f\r\x01\x7f"\\\\/'`, `'\ud83d'`, `'a\u2028'`, `Symbol('a')`,
		`() => 1`, `class A {}`, `[]`, `{}`, `[1, [2, [3, {}]]]`, `[undefined, () => 1, Symbol()]`,
		`[, 1, , 2, ,]`, `Object.assign([1], { x: 2 })`, `{ a: undefined, b: 1, c: () => 1 }`,
		`{ 2: 'b', a: 1, 1: 'a', [Symbol('s')]: 1, 'é"': { '': 0 } }`,
		`Object.defineProperty({ a: 1 }, 'hidden', { value: 2 })`,
		`{ get a() { return [1] }, b: { get c() { return undefined } } }`,
		`Object.defineProperty([1, 2], 1, { get: () => 'got' })`,
		`Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true } })`,
		`new Date(0)`, `[new Date(NaN)]`, `/x/g`, `new Error('e')`, `new Map([[1, 2]])`,
		`new Set([1])`, `new Uint8Array([1, 2])`, `new ArrayBuffer(2)`, `arguments`, `Math`,
		`[new Number(3), new String('s'), new Boolean(false), Object(true)]`,
		`Object.assign(new Number(1), { valueOf: () => 7, toString: () => 'n' })`,
		`Object.assign(new String('s'), { toString: () => 'other' })`,
		`{ a: { toJSON(k) { return [k, this === L.a] } } }`,
		`[{ toJSON: (k) => typeof k + k }, { toJSON: 1 }, { toJSON: () => undefined }]`,
		`Object.assign(() => 1, { toJSON: () => 'f' })`,
		`new Proxy({ a: 1, b: [2] }, {})`, `new Proxy([1, 2], {})`, `new Proxy(() => 1, {})`,
		`new Proxy({}, { ownKeys: () => ['z'], getOwnPropertyDescriptor: () => ({ value: 1, ` +
			`enumerable: true, configurable: true }), get: (o, k) => k + '!' })`,
		`JSON.rawJSON('12345678901234567890')`, `[JSON.rawJSON('"x"')]`,
		`(() => { const o = {}; o.o = o; return o })()`,
		`(() => { const a = [1]; a.push([a]); return a })()`,
		`(() => { const s = { x: 1 }; return [s, s, { s }] })()`,
		`(() => { const o = { a: 1, b: 2, get c() { delete o.d; o.e = 1; return 3 }, d: 4 }; ` +
			`return o })()`,
		`(() => { const a = [0, 1, 2]; Object.defineProperty(a, 0, { get() { a.length = 2; ` +
			`return 0 } }); return a })()`}
	more := []string{``, `, null`, `, null, 2`, `, null, '--'`, `, undefined, 'a long gap of text'`,
		`, null, new Number(1)`, `, null, new String('é')`, `, null, -1`, `, null, ''`,
		`, ['a', 'b', 2, 'c', 'a', new String('own'), {}]`, `, []`, `, ['c', 'a'], 1`,
		`, (k, v) => v`, `, (k, v) => k === 'a' ? undefined : v, 3`,
		`, function (k, v) { return Array.isArray(this) ? k + typeof k : v }`,
		`, (k, v) => typeof v === 'number' ? [v] && String(v) : v`, `, {}`, `, 'a'`, `, () => {}`}
	h := newComparison(t)
	for _, v := range values {
		for _, m := range more {
			src := fmt.Sprintf("(function () { let L; try { L = (%s); return JSON.stringify("+
				"L%s) } catch (e) { return e.name + e.message } })(1, 'x')", v, m)
			h.agree(src)
		}
	}
}

// TestStringifyIndentsEmptyArrays checks a case in which the interpreter indents too far.
func TestStringifyIndentsEmptyArrays(t *testing.T) {
	h := newTestHost(t)
	h.load(`ext.command({ name: "f", run: () =>
		JSON.stringify({ a: [], b: { c: [{}] } }, null, 1) })`)
	const want = `{
 "a": [],
 "b": {
  "c": [
   {}
  ]
 }
}`
	if got, err := h.run("tool", "f"); got != want || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}
