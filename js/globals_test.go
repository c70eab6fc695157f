package js

import (
	"testing"
)

// TestLazyGlobals checks that globals that are made late look and work as others do, whatever way a
// script names them.
func TestLazyGlobals(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`typeof globalThis["U" + "RL"]`:                  `"function"`,
		`globalThis["struct" + "uredClone"]({ a: [1] })`: `{"a":[1]}`,
		`[...new globalThis["Uint" + "8Array"]([1, 2])]`: `[1,2]`,
		`typeof globalThis["con" + "sole"]["lo" + "g"]`:  `"function"`,
		`Object["group" + "By"]([1, 2, 3], (x) => x ` +
			`% 2 ? "a" : "b")`: `{"a":[1,3],"b":[2]}`,
		`typeof Promise["with" + "Resolvers"]`:                                `"function"`,
		`[1, 2]["val" + "ues"]()["ma" + "p"]((x) => 2 * x)["to" + "Array"]()`: `[2,4]`,
		`globalThis["JS" + "ON"]["string" + "ify"]([1])`:                      `"[1]"`,
		`typeof globalThis["Ref" + "lect"]["ownK" + "eys"]`:                   `"function"`,
		`String(globalThis["Sym" + ` +
			`"bol"]["asyncIter" + "ator"])`: `"Symbol(Symbol.asyncIterator)"`,
		`["Uint8", "Float64"].map((n) => globalThis[n + "Array"].name)`: `["Uint8Array",` +
			`"Float64Array"]`,

		`[typeof URL, URL === globalThis.URL, new URL("http://a/b").pathname]`: `["function",` +
			`true,"/b"]`,
		`["URL" in globalThis, Object.hasOwn(globalThis, "URL")]`:           `[true,true]`,
		`["BigInt" in globalThis, typeof globalThis["Big" + "Int64Array"]]`: `[false,"undefined"]`,
		`Object.keys(globalThis)`:                                           `[]`,
		`["URL", "console", "Uint8Array", "Map", "Math", "fetch"].filter((n) =>
			!Object.getOwnPropertyNames(globalThis).includes(n))`: `[]`,
		`(void URL, Object.getOwnPropertyDescriptor(globalThis, "URL"))` +
			`.value === URL`: `true`,
		`["enumerable", "configurable"].map((k) => {
			const d = Object.getOwnPropertyDescriptor(globalThis, "fetch"); return d[k]; })`: `[false,true]`,
		`(URL = 5, [URL, globalThis.URL, typeof ` +
			`URLSearchParams, URL])`: `[5,5,"function",5]`,
		`(Uint8Array = 5, [Uint8Array, typeof ` +
			`ArrayBuffer, Uint8Array])`: `[5,"function",5]`,
		`(delete globalThis.URL, ["URL" in globalThis, typeof URL, typeof URLSearchParams, ` +
			`typeof URL])`: `[false,"undefined","function","undefined"]`,
		`(() => { let URL = 1, console = 2; return [URL,` +
			` console]; })()`: `[1,2]`,
		`(0, eval)("let URL = ` +
			`1; URL")`: `1`,
		`((0, eval)("var URL = 1; function fetch() { return 2; ` +
			`}"), [URL, fetch()])`: `[1,2]`,
		`(Object.freeze(globalThis), [typeof URL, URL === URL, typeof Uint8Array, console === ` +
			`console, JSON === JSON])`: `["function",true,"function",true,true]`,
		`[String(globalThis), Object.getPrototypeOf(globalThis) ` +
			`=== Object.prototype]`: `["[object global]",true]`,
		`[Reflect === Reflect, new Proxy({}, { get: () => 1 }).x, Number.parseFloat === parseFloat,
			Array.prototype.values === Array.prototype[Symbol.iterator]]`: `[true,1,true,true]`,
		`(() => { const get = Reflect.get; Reflect.get = () => 7;
			const p = new Proxy({ a: 1 }, {}); return [p.a, get({ a: 2 }, "a")]; })()`: `[1,2]`,
	} {
		got, err := newTestHost(t).eval("return " + src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
		} else if text := jsonText(got); text != want {
			t.Errorf("%s:\ngot  %s\nwant %s", src, text, want)
		}
	}
}

// TestBuffersAreGuarded checks that a buffer that one of our functions makes leads to the guarded
// constructors, even if the script has named none.
func TestBuffersAreGuarded(t *testing.T) {
	t.Parallel()
	got, err := newTestHost(t).eval(`const bytes = new TextEncoder().encode("a");
		const tried = [bytes.constructor, bytes.buffer.constructor, (await new Response("a").arrayBuffer()).constructor];
		return tried.map((c) => { try { return new c(2 ** 40).length; } catch (err) { return err.message; } });`)
	want := `["` + tooBig + `","` + tooBig + `","` + tooBig + `"]`
	if err != nil || jsonText(got) != want {
		t.Errorf("got %s, %v, want %s", jsonText(got), err, want)
	}
}

func TestOnlyComments(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"": true, " \n\t": true, "// a": true, "/* a */ // b\n": true, "#!x\n// y": true,
		"/* a": true,
		"a":    false, "// a\nb": false, "/* a */ b": false, "/a/.test(b)": false, "#!x\ny": false,
		"'// a'": false, ";": false, "`b\\": false,
	} {
		if got := onlyComments([]byte(src)); got != want {
			t.Errorf("%q: got %v, want %v", src, got, want)
		}
	}
}
