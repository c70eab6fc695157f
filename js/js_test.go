package js

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/fault"
)

// TestEval runs function bodies and compares their results, as JSON.
func TestEval(t *testing.T) {
	ev := map[string]any{"command": "ls", "n": 1.0, "list": []any{"a", map[string]any{"b": 2.0}},
		"nil": nil, "z": map[string]any{"y": map[string]any{"x": true}}}
	for _, c := range []struct{ body, want string }{
		{"return 1 + 1", "2"},
		{"return undefined", "null"},
		{"return { a: undefined, b: null, c: [undefined] }", `{"b":null,"c":[null]}`},
		{"return new Date(0)", `"1970-01-01T00:00:00.000Z"`},
		{"return ev.command + ev.n", `"ls1"`},
		{"return ev.list[1].b", "2"},
		{"return ev.list", `["a",{"b":2}]`},
		{"return Object.keys(ev)", `["command","list","n","nil","z"]`},
		{"return { ...ev.z, q: 1 }", `{"q":1,"y":{"x":true}}`},
		{"return JSON.stringify(ev.list)", `"[\"a\",{\"b\":2}]"`},
		{"return Array.isArray(ev.list)", "true"},
		{"return JSON.stringify({ a: 1, b: { a: 1, b: 2, c: 3 }, 1: 3 }, ['b', 1, 'a', true, {}])",
			`"{\"b\":{\"b\":2,\"a\":1},\"1\":3,\"a\":1}"`},
		{"return JSON.stringify({ x: { toJSON: () => ({ d: 1, c: [{ d: 2, c: 3 }] }) }, c: 1, " +
			"e: 1 }, ['c', 'x', 'd'], '-')", `"{\n-\"c\": 1,\n-\"x\": {\n--\"c\": [\n---{\n` +
			`----\"c\": 3,\n----\"d\": 2\n---}\n--],\n--\"d\": 1\n-}\n}"`},
		{"return [JSON.stringify({ a: 1 }, {}), JSON.stringify({ true: 1, a: 2 }, " +
			"[true, 'a', 'a']), JSON.stringify([{ a: 1, b: 1 }, { b: 2, a: 2 }], ['a', " +
			"new String('b')]), JSON.stringify(() => 1, ['a'], 2)]",
			`["{\"a\":1}","{\"a\":2}","[{\"a\":1,\"b\":1},{\"a\":2,\"b\":2}]",null]`},
		{"const a = [].concat({ length: 3, 1: 'z', [Symbol.isConcatSpreadable]: true }, 4); " +
			"return [a.length, Object.keys(a), a[1], a[3]]", `[4,["1","3"],"z",4]`},
		{"return [...Float32Array.from({ length: 2, 1: 5 })].map(String)", `["NaN","5"]`},
		{"return ev.list.map((x) => typeof x)", `["string","object"]`},
		{"const out = []; for (const x of ev.list) out.push(typeof x); return out",
			`["string","object"]`},
		{"const { command, z: { y } } = ev; return [command, y.x]", `["ls",true]`},
		{"return ['command' in ev, 'nope' in ev, ev.nope === undefined, ev.nil === null]",
			`[true,false,true,true]`},
		{"return ev.z === ev.z", "true"},
		{"return [...ev.list].length", "2"},
		{"return ev.list.includes('a') && ev.list.length === 2 && ev.list[5] === undefined",
			"true"},
		{"return Object.entries(ev.z)", `[["y",{"x":true}]]`},
		{"const c = ext.copy(ev); c.command = 'x'; c.list.push(3); return [c.command, " +
			"ev.command, c.list.length]", `["x","ls",3]`},
		{"return structuredClone(ev).z.y.x", "true"},
		{"return ext.json.encode(ev.z)", `"{\"y\":{\"x\":true}}"`},
		{"return ext.json.decode('{\"a\":[1,null]}')", `{"a":[1,null]}`},
		{"return Object.keys(ext.json.decode('{\"b\":1,\"a\":2}'))", `["a","b"]`},
		{"return [ext.null, ext.version, ext.script.name]", `[null,"1.2","t.js"]`},
		{"return 'guard' in ext && typeof ext.ui.confirm", `"function"`},
		{"return await ext.all([() => 1, async () => { await ext.sleep(0.001); return 2; }])",
			"[1,2]"},
		{"return await Promise.all([ext.sleep(0.001), 2])", "[null,2]"},
		{"const a = ext.sleep(0.001).then(() => 3); return await a", "3"},
		{"try { ext.json.decode('{') } catch (e) { return [e.code, e instanceof Error] }",
			`["invalid",true]`},
		{"try { await ext.ui.confirm('x') } catch (e) { return e.code }", `"headless"`},
		{"try { ext.fail({ message: 'busy', status: 429, retryable: true }) } catch (e) { return " +
			"[e.message, e.status, e.retryable] }", `["busy",429,true]`},
		{"let n = 0; queueMicrotask(() => { n++ }); await null; return n", "1"},
		{"return typeof BigInt", `"undefined"`},
		{"return new globalThis['Uint8' + 'Array'](2).length", "2"},
		{"return new Error('x')", `"x"`},
		{"return [true, 1, null, , { toString: () => 'o' }, [2, [3]]].join('-')",
			`"true-1---o-2,3"`},
		{"const a = [1]; a.push(a); return String(a)", `"1,"`},
		{"return 'a1b22c'.split(/\\d/).concat('a1b'.split(/(\\d)/), 'ab'.split(/(?:)/), " +
			"''.split(/x/), ''.split(/(?:)/), 'a,b,c'.split(/,/, 2))",
			`["a","b","","c","a","1","b","a","b","","a","b"]`},
		{"return 'aXbX'.split(/x/i).concat('ab'.split(/b$/), 'xay'.split(/(?<=x)|(?=y)/))",
			`["a","b","","a","","x","a","y"]`},
		{"return ['a-b-c'.replace(/-/g, '+'), 'a-b-c'.replace(/-/, '+'), 'ab'.replace(/(a)(b)/, " +
			"'$2$1$$$&'), 'ab'.replace(/b/g, (m, at, s) => m + at + s), 'ab'.replace(/(?<x>a)/, " +
			"'[$<x>]')]", `["a+b+c","a+b-c","ba$ab","ab1ab","[a]b"]`},
		{"return ['abab'.match(/b/g), 'abab'.match(/(b)/).index, 'x'.match(/b/g), " +
			"'abab'.search(/b/), [...'abab'.matchAll(/(b)/g)].map((m) => m.index)]",
			`[["b","b"],1,null,1,[1,3]]`},
		{"const r = /a/g; r.lastIndex = 1; const out = ['aXa'.replace(r, 'b'), r.lastIndex, " +
			"r.test('aXa'), r.lastIndex, r.test('aXa'), r.test('aXa'), r.lastIndex]; return out",
			`["bXb",0,true,1,true,false,0]`},
		{"return ['x'.repeat(3), 'x'.padStart(3, 'ab'), 'a'.concat(1, null), " +
			"'aa'.replaceAll('a', '$&b'), String.raw`a\\n${1}`]",
			`["xxx","abx","a1null","abab","a\\n1"]`},
		{"return [[1, [2, [3, [4]]]].flat(), [1, [2, [3]]].flat(Infinity), [3, 1, 2].sort(), " +
			"[[1, 2], [3]].flatMap((x) => x), Array.from({ length: 2 }, (_, i) => i)]",
			`[[1,2,[3,[4]]],[1,2,3],[1,2,3],[1,2,3],[0,1]]`},
		{"class A extends Array {}; class R extends RegExp {}; class U extends Uint8Array {}; " +
			"return [new A(1, 2).map((x) => x) instanceof A, new R('a', 'g').test('a'), new " +
			"R('a') instanceof RegExp, new U(2).length, new Uint8Array([1, 2]) instanceof " +
			"Uint8Array, (() => 1) instanceof Function, /x/ instanceof RegExp, new Function('a', " +
			"'return a + 1')(1), eval('1 + 1'), /a/.constructor === RegExp]",
			`[true,true,true,2,true,true,true,2,2,true]`},
		{"return [JSON.stringify({ a: [1, 'x', null, undefined], b: undefined, c: { toJSON: () " +
			"=> 'j' } }), JSON.stringify({ a: 1, b: { a: 2, c: 3 } }, ['a', 'b']), " +
			"JSON.stringify([1, { a: 2 }], (k, v) => typeof v === 'number' ? v + 1 : v), " +
			"JSON.stringify([1], null, 1), JSON.parse('[1,\"[[\"]', (k, v) => v)]",
			`["{\"a\":[1,\"x\",null,null],\"c\":\"j\"}","{\"a\":1,\"b\":{\"a\":2}}","[2,{\"a\":3}` +
				`]","[\n 1\n]",[1,"[["]]`},
		{"return Array.prototype.concat.call('é😀', ['é']).map(String)", `["é😀","é"]`},
		{"const r = /a/g; let n = 0; r.exec = () => n++ ? null : { 0: 'a', length: 1, groups: 5 " +
			"}; return 'abc'.replace(r, '[$<x>]')", `"[]bc"`},
		{"const r = /b/; r.exec = undefined; return 'abc'.replace(r, 'x')", `"axc"`},
		{"return String(ext) + typeof ext.then", `"[object Object]undefined"`},
	} {
		t.Run(c.body, func(t *testing.T) {
			h := newTestHost(t)
			got, err := h.eval(c.body, ev)
			if err != nil {
				t.Fatal(err)
			}
			if s := jsonText(got); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}

// TestErrors runs failing bodies and checks message and line. Line 1 is the line where the body
// begins.
func TestErrors(t *testing.T) {
	ev := map[string]any{"a": 1.0, "l": []any{1.0}}
	for _, c := range []struct {
		body, want string
		line       int
		hint       string
	}{
		{"\nev.x.command", "TypeError: Cannot read property 'command' of undefined", 2, ""},
		{"throw new Error('boom')", "boom", 1, ""},
		// a thrown value that is not an Error has no stack once an async function has caught it
		{"\n\nthrow 'text'", "text", 0, ""},
		{"throw { code: 1 }", `threw {"code":1}`, 0, ""},
		{"ev.a = 2", readOnly, 1, ""},
		{"ev.b = 2", readOnly, 1, ""},
		{"delete ev.a", readOnly, 1, ""},
		{"ev.l.push(2)", readOnly, 1, ""},
		{"ev.l[0] = 2", readOnly, 1, ""},
		{"delete ev.l[0]", readOnly, 1, ""},
		{"ev.l.length = 0", readOnly, 1, ""},
		{"Object.assign(ev, { a: 2 })", readOnly, 1, ""},
		{"ext.tol({})", `ext has no "tol"; did you mean "tool"?`, 1, ""},
		{"ext.ui.confrim('x')", `ext.ui has no "confrim"; did you mean "confirm"?`, 1, ""},
		{"ext.json = 1", "ext is read-only", 1, ""},
		{"\next.notify(1)", "ext.notify: text: got number, want string", 2, ""},
		{"ext.notify(1n)", "", 0, ""},
		{"ext.log.info(Symbol('x'))", "ext.log.info: values: got a symbol", 1, ""},
		{"const a = {}; a.a = a; ext.log.info(a)", "contains itself", 1, ""},
		{"let a = 1; for (let i = 0; i < 70; i++) a = [a]; ext.log.info(a)",
			"nested deeper than 64 levels", 1, ""},
		{"let a = 1; for (let i = 0; i < 40; i++) a = [a, a]; ext.log.info(a)",
			"more than 1000000 values", 1, ""},
		{"ext.log.info(new Map())", "Object.fromEntries", 1, ""},
		{"ext.log.info(new (class Foo {})())", "an instance of Foo", 1, ""},
		{"ext.log.info(ext.sleep(0))", "a promise, want plain data: await it", 1, ""},
		{"ext.log.info({ get a() { throw new TypeError('in getter') } })", "TypeError: in getter",
			1, ""},
		{"return () => 1", "returned a function, want plain data", 0, ""},
		{"return /x/", "RE2", 0, ""},
		{"require('fs')", `require: got "fs", want "lib/NAME"`, 1, "use ext.fs"},
		{"setImmediate(() => {})", "ReferenceError: setImmediate is not defined", 1,
			"queueMicrotask"},
		{"guard({}, () => {})", "ReferenceError: guard is not defined", 1, "ext.guard"},
		{"ext.log('x')", "TypeError: this is no function", 1, "ext.log.info"},
		{"function f() { f() }; f()", "maximum call stack", 1, ""},
		{"\next.say('panic')", "internal error", 2, ""},
		{"\nReflect.ownKeys(new Proxy({}, { ownKeys: () => ({ length: 1 }) }))",
			"TypeError: undefined is not a valid property name", 2, ""},
		{"await null\nfor (const k in new Proxy({}, { ownKeys: () => [,] })) k", "TypeError", 2,
			""},
		{"\nawait ext.ui.confirm(1)", "ext.ui.confirm: text: got number, want string", 2, ""},
		{"\nawait ext.ui.confirm('x')", "no user is available", 2, ""},
		{"ext.guard({}, () => {})", "registration is over", 1, ""},
		{"\next.sleep(0.01)", "ext.sleep returns a promise that was neither awaited nor returned",
			2, "await"},
		{"\next.sleep(0.01).then(() => 1)", "ext.sleep was still waiting", 2, "await"},
		{"\next.sleep(0.001); await ext.sleep(0.05)", "neither awaited nor returned", 2, "await"},
		{"\nif (ext.ui.confirm('ok?')) return; return { block: true }", "neither awaited", 2,
			"await"},
		{"\nif (!ext.ui.confirm('ok?')) return", "neither awaited", 2, "await"},
		{"(async () => { throw new Error('lost') })()", "unhandled rejection: lost", 1, "await"},
		{"Promise.reject(new Error('lost')); await null", "unhandled rejection: lost", 1, "await"},
		{"new Promise((_, no) => no('x')); return 1", "unhandled rejection: x", 0, "await"},
		{"return { [Symbol('block')]: true }", "keys are symbols or not enumerable", 0, ""},
		{"return Object.defineProperty({}, 'block', { value: true })",
			"keys are symbols or not enumerable", 0, ""},
		{"return new Proxy({}, { get: () => true })", "returned a Proxy, want plain data", 0, ""},
		{"return { a: [1, { b: () => 1 }] }", "returned .a[2].b: got a function, want plain data",
			0, ""},
		{"\nObject.prototype.then = (resolve) => resolve(null)", "TypeError", 2, ""},
		{"Object.defineProperty(Object.prototype, 'block', { get() {}, set() {} })", "TypeError", 1,
			""},
		{"\ntry { /^(?=(a+)+$)/.test('a'.repeat(60) + 'b') } catch {}", "took too long", 2, ""},
		{"return Promise.resolve().then(() => /^(?=(a+)+$)/.test('a'.repeat(60) + 'b')).catch(() " +
			"=> false)", "took too long", 1, ""},
		{"\nRegExp.prototype[Symbol.replace].call({}, 'a', 'b')",
			"TypeError: exec of the object is no function", 2, ""},
		{"\nRegExp.prototype[Symbol.split].call(() => 1, 'a')", "SyntaxError", 2, ""},
		{"\nconst r = /a/g; let n = 0; r.exec = () => n++ ? null : { 0: 'a', length: 1, groups: " +
			"null }\n'abc'.replace(r, '$<x>')", "TypeError: Cannot convert undefined or null to " +
			"object", 3, ""},
		{"throw { toString() { throw new Error('inner') } }", "an error without a message", 0, ""},
		{"\nthrow new Error('x'.repeat(1e5))", "xxx…", 2, ""},
	} {
		t.Run(c.body, func(t *testing.T) {
			h := newTestHost(t)
			if c.want == "" {
				se := h.loadError("ext.command({ name: 'f', run: async (ev, x) => {" + c.body +
					"\n} });")
				if !strings.Contains(se.Message, "BigInt") || se.Line != 1 {
					t.Errorf("got %v", se)
				}
				return
			}
			_, err := h.eval(c.body, ev)
			se, ok := err.(*fault.ScriptError)
			if !ok {
				t.Fatalf("got %T %v, want *ScriptError", err, err)
			}
			if !strings.Contains(se.Message, c.want) {
				t.Errorf("got %q, want %q", se.Message, c.want)
			}
			if se.Line != c.line || se.File != "t.js" || strings.Contains(se.Message, "t.js:") {
				t.Errorf("got %s (%q), want line %d", se.Position, se.Message, c.line)
			}
			if !strings.Contains(se.Hint, c.hint) {
				t.Errorf("got hint %q, want %q", se.Hint, c.hint)
			}
			if strings.Contains(se.Stack, "github.com/") || strings.Contains(se.Stack, "(0)") {
				t.Errorf("stack: %s", se.Stack)
			}
		})
	}
}
