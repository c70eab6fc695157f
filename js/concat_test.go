package js

import (
	"fmt"
	"testing"
)

// TestConcat checks that + and templates work as in JavaScript, even if they are compiled as calls.
func TestConcat(t *testing.T) {
	for body, want := range map[string]string{
		"const a = 'x', b = 1; return a + " +
			"b + 2.5 + a": "x12.5x",
		"const f = (x) => x; return f(1) + f(2) + f('x') + f(1) + f(2)": "3x12",
		"const f = (x) => x; return f(1) + f(2.5)":                      "3.5",
		"const f = (x) => x; return f(2 ** 53 - 1) + " +
			"f(2 ** 53 - 1)": "1.8014398509481982e+16",
		"const f = (x) => x; return 1 / (f(-0) + f(-0))":              "-Inf",
		"const f = (x) => x; return f(true) + f(null) + f(undefined)": "NaN",
		"const f = (x) => x; return f('a') + f(true) + " +
			"f(null) + f(undefined)": "atruenullundefined",
		"const f = (x) => x; return f([1, 2]) + " +
			"f({}) + f('!')": "1,2[object Object]!",
		"const f = (x) => x; return f(1) + f({ valueOf: () => 2 })": "3",
		"const f = (x) => x; return f('a') + f({ valueOf: " +
			"() => 2 }) + f({})": "a2[object Object]",
		"const o = { valueOf: () => 1, toString: () => 's' }; return `${o}${o}` + o": "ss1",
		"let s = 'é'; s += s; s += s + '€'; " +
			"return s + s.length": "éééé€5",
		"const o = { a: { b: ['x'] } }, i = 0; o.a.b[i] += " +
			"o.a.b[0]; return [o]": `[{"a":{"b":["xx"]}}]`,
		"let n = 0; const f = () => (n++, { s: 'x' }); f().s += f().s; return n": "2",
		"const a = ['x']; let i = 0; a[i++] += a[0]; return a[0] + i":            "xx1",
		"let n = 0, t = 'a'; n += t; n += n; return n":                           "0a0a",
		"const f = (x, y) => `${x}-${y}${x}`; return f('a', 1) + " +
			"f(null, undefined)": "a-1anull-undefinednull",
		"class A { #s = 'x'; f(t) { this.#s += t; return this.#s } } return new A().f('y')": "xy",
		"const f = async (x) => (await x) + (await x); return f('ab')":                      "abab",
		"function* g() { const x = (yield 1) + (yield 2); return x } " +
			"const i = g(); i.next(); i.next('a'); return i.next('b').value": "ab",
		"try { const f = (x) => x; return f(Symbol()) + f('a') } catch " +
			"(e) { return e.name }": "TypeError",
		"try { const f = (x) => x; return `${f(Symbol())}${f('a')}` } " +
			"catch (e) { return e.name }": "TypeError",
		"return Object.getOwnPropertyNames(globalThis).filter((n) => " +
			"/concat|template/.test(n))": "[]",
		"const concat = (...a) => a, template = concat; const s = 'x'; " +
			"return s + s + concat(1)": "xx1",
	} {
		t.Run(body, func(t *testing.T) {
			h := newTestHost(t)
			h.load("ext.command({ name: 'f', run: () => {" + body + "} })")
			got, err := h.run("guard", "f")
			text := fmt.Sprint(got)
			if _, is := got.([]any); is {
				text = jsonText(got)
			}
			if err != nil || text != want {
				t.Errorf("got %v, %v, want %v", text, err, want)
			}
		})
	}
}
