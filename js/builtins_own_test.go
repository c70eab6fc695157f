package js

import (
	"testing"

	"github.com/dop251/goja"
)

// comparison compares a VM with guards and the bare interpreter.
type comparison struct{ *testHost }

func newComparison(t *testing.T) comparison {
	h := newTestHost(t)
	h.load(`ext.command({ name: "f", run: (src) => String(eval(src)) });`)
	return comparison{h}
}

// agree checks that an expression has the same value, as a text, in both.
func (c comparison) agree(src string) {
	c.tb.Helper()
	rt := goja.New()
	_ = rt.Set("src", src)
	want, err := rt.RunString("String(eval(src))")
	if err != nil {
		c.tb.Fatal(src, err)
	}
	if got, err := c.run("tool", "f", src); got != want.String() || err != nil {
		c.tb.Errorf("%s\n got %v, %v\nwant %v", src, got, err, want)
	}
}

// TestBuiltinsMatchInterpreter compares functions of ours with those of the interpreter.
func TestBuiltinsMatchInterpreter(t *testing.T) {
	h := newComparison(t)
	for _, src := range []string{
		`'abcabc'.replace('b', '$')`, `'abcabc'.replaceAll('bc', '')`, `'abc'.replace('', 'x')`,
		`'abc'.replaceAll('', 'x')`, `'abc'.replaceAll('z', 'x')`, `'aéa'.replaceAll('a', 'ö')`,
		`'aaa'.replaceAll('aa', 'ä')`, "'abc'.replace('b', '[$&$`$\\'$$$1]')",
		`'a.b'.replace('.', (...a) => JSON.stringify(a))`, `'1'.replace(1, 2)`,
		`'abc'.replace({ toString: () => 'b' }, { toString: () => 'x' })`,
		`'xay'.replace(/(?<n>a)|(b)/, '<$<n>$<m>$2$3$10$<>')`,
		`'ab'.replace(/(a)|(b)/g, '[$1$2]')`, `'ab'.replace(/a/, '$<n>')`,
		`'ab'.replace(/(a)/, '$01$10$001')`, `'ab'.search(/b/)`,
		`(() => { const r = /b/; r.lastIndex = 5; return ['ab'.match(r), 'ab'.search(r), ` +
			`'ab'.replace(r, 'x'), r.test('ab'), r.lastIndex] })()`,
		`(() => { const r = /b/g; r.lastIndex = 1; return ['ab'.search(r), r.test('ab'), ` +
			`r.lastIndex, r.test('ab'), r.lastIndex, 'bb'.match(r), r.lastIndex] })()`,
		`(() => { const r = /a/; r.exec = () => null; return ['a'.match(r), ` +
			`'a'.replace(r, 'b'), 'a'.search(r)] })()`,
		"String.raw`a\\n${1}b${{ toString: () => 'o' }}`", `String.raw({ raw: 'abc' }, 1, 2, 3)`,
		`String.raw({ raw: { length: 2, 0: 'x' } }, 1)`, `String.raw({ raw: [] }, 1)`,
		`JSON.stringify(Array.from([1, , 3]))`, `JSON.stringify(Array.from('aé😀'))`,
		`JSON.stringify(Array.from(new Set([1, 2]), (x, i) => x + i))`,
		`JSON.stringify(Array.from({ length: 3, 1: 'b' }, function (x) { return [this.y, x] }, ` +
			`{ y: 1 }))`, `JSON.stringify(Array.from(new Map([[1, 2]])))`,
		`(() => { const a = [1, 2]; return Array.from(a, (x) => a.length < 5 ? a.push(x) : x) })()`,
		`(() => { let s = ''; try { Array.from({ [Symbol.iterator]: () => ({ next: () => ({ ` +
			`value: 1 }), return: () => { s += 'closed'; return {} } }) }, () => { throw ` +
			`Error('e') }) } catch (e) { s += e.message } return s })()`,
		`Array.from(5).length`, `(class A extends Array {}).from([1]).constructor.name`,
		`try { Array.from([1], 5) } catch (e) { e.name }`,
		`try { Array.from(null) } catch (e) { e.name }`,
		`[1, [2, [3, null]], undefined, , 'x', true].join()`, `[, 1].join('-')`,
		`[[[]], [[1]]].join()`, `(() => { const a = [1, 2]; a.push(a); return a.join() })()`,
		`[1, 2, 3].join({ toString: () => 'é' })`, `Array(3).join('ab')`,
		`(() => { const a = [1, 2]; return a.join({ toString() { a.push(3); return '-' } }) })()`,
		`(() => { const a = [{ toString() { a.length = 1; return 'o' } }, 2]; ` +
			`return a.join() })()`,
		`(() => { const a = [1, 2, 3]; Object.defineProperty(a, 1, { get: () => 'g' }); ` +
			`return a.join() + Array.from(a) })()`,
	} {
		h.agree(src)
	}
}

// TestReplaceNothing checks the replacement of the empty text in a text that is not ASCII, which
// does not end in the interpreter.
func TestReplaceNothing(t *testing.T) {
	h := newComparison(t)
	for src, want := range map[string]string{
		`'éa'.replaceAll('', 'b')`:                         "bébab",
		`'é'.replaceAll('', '[$&$$]')`:                     "[$]é[$]",
		`'éa'.replaceAll('', (m, at, s) => m + at + s)`:    "0éaé1éaa2éa",
		`'é'.replaceAll([], () => undefined)`:              "undefinedéundefined",
		`JSON.stringify('😀'.replaceAll('', '-'))`:          `"-\ud83d-\ude00-"`,
		`'é'.replaceAll('', { toString: () => 'x' })`:      "xéx",
		`['é'.replace('', 'x'), 'é'.replaceAll('é', 'x')]`: "xé,x",
	} {
		if got, err := h.run("tool", "f", src); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", src, got, err, want)
		}
	}
}
