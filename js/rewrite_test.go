package js

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/vm"
)

// loadNamed loads src as a file with another name.
func (h *testHost) loadNamed(name, src string) (*engine.Generation, error) {
	h.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	s := h.script(src)
	s.Name = name
	g, err := h.engine.Scripts.Load(ctx, s)
	if err == nil {
		h.engine.Scripts.Swap([]*engine.Generation{g}, nil)
	}
	return g, err
}

// TestSyntax checks the results of syntax that the interpreter cannot parse, and the positions of
// errors in it. A script that ends with a throw checks both.
func TestSyntax(t *testing.T) {
	for _, c := range []struct {
		name, src, want, hint string
	}{
		{"t.ts", "interface A { x: number }\nlet a: A = { x: 1 };\n  throw new Error('n' + a.x)",
			"t.ts:3:9: n1", ""},
		{"t.ts", "enum E { A, B }\nnamespace N { export const x = 1 }\nclass P { " +
			"constructor(private y: string) {} get z() { return this.y } }\n" +
			"throw new Error(E[1] + N.x + new P('q').z + (<T,>(v: T) => v)(5 satisfies number))",
			"t.ts:4:7: B1q5", ""},
		{"t.ts", "#!/usr/bin/env x\nlet x: number = 1;throw new Error('x')", "t.ts:2:25: x", ""},
		{"a b.ts", "let x: number = 1\n\n   throw new Error('x')", "a b.ts:3:10: x", ""},
		{"t.ts", "const f = <T>(x) => x;\nthrow new Error(f<number>(3))", "t.ts:2:7: 3", ""},
		{"t.ts", "let f = <number>(x) => x\nf(1) as",
			"t.ts:2:8: SyntaxError: Unexpected end of file", ""},
		{"t.ts", "let n: number = 'wrong';\nthrow new Error(n)", "t.ts:2:7: wrong", ""},
		{"t.ts", "export default async (ext: any) => {\n  await ext.sleep(0.001);\n  throw new " +
			"Error('late')\n}", "t.ts:3:9: late", ""},
		{"t.ts", "const a: number = 1; await ext.sleep(0.001); throw new Error('x' + a)",
			"t.ts:1:52: x1", ""},
		{"t.js", "await ext.sleep(0.001);\nthrow new Error('x')", "t.js:2:7: x", ""},
		{"t.mts", "export default (e: any) => { throw new Error('same ' + (e === ext)) }",
			"t.mts:1:36: same true", ""},
		{"t.cts", "const n: number = 1; undefined.x",
			"t.cts:1:32: TypeError: Cannot read property 'x' of undefined", ""},
		{"t.cjs", "undefined.x", "t.cjs:1:11: TypeError: Cannot read property 'x' of undefined",
			""},
		{"t.mjs", "export const a = 1;\nexport default (e) => { throw new Error('same ' + (e === " +
			"ext)) }", "t.mjs:2:31: same true", ""},
		{"t.js", "import x from './y';\nawait 1",
			"t.js:2:1: SyntaxError: await at the top level does not go together with import and " +
				"export", "export default async"},
		{"t.js", "async function* g() { yield 1; yield 2 }\nlet s = 0; for await (const x of " +
			"g()) s += x;\n throw new Error('x' + s)", "t.js:3:8: x3", ""},
		{"t.js", "let d; { using x = { [Symbol.dispose]() { d = 'disposed' } } }\nthrow new " +
			"Error(d)", "t.js:2:7: disposed", ""},
		{"t.js", "@dec class A {}\nfunction dec(c) { throw new Error('in dec') }",
			"t.js:2:25: in dec", ""},
		{"t.js", "class A { x = 1; #y = 2; static z = 3; static { this.q = 4 } has(o) { return " +
			"#y in o } }\nthrow new Error('' + new A().x + A.z + A.q + new A().has(new A()))",
			"t.js:2:7: 134true", ""},
		{"t.js", "await import('fs')",
			"t.js:1:7: require: got \"fs\", want \"lib/NAME\": a module in the folder lib beside " +
				"the script", "use ext.fs"},
		{"t.js", "console.log(import.meta.url)",
			"t.js:1:13: SyntaxError: import.meta is not available", "ext.script"},
		{"t.js", "\n const x: number = 1", "t.js:2:9: SyntaxError: Expected \";\" but found \":\"",
			"save it with the ending .ts"},
		{"t.js", "\n  let a = 1;\n  let a = 2;",
			"t.js:3:7: SyntaxError: The symbol \"a\" has already been declared", ""},
		{"t.js", "const r = /a/v;",
			"t.js:1:11: SyntaxError: Invalid flags supplied to RegExp constructor 'v'", ""},
		{"t.ts", "let r: any =\n  /(?i:a)b/;", "t.ts:2:3: SyntaxError: Invalid group", ""},
		{"t.ts", "module.exports = (e: any) => {}",
			"t.ts: module.exports: got a function, which only modules of lib/ can have: export " +
				"default (ext) => { ... }", ""},
		{"t.ts", "export default { a: 1 }",
			"t.ts: export default: got an object, want a function: export default (ext) => { ... }",
			""},
		{"t.ts", "let x: number = 2n", "t.ts:1:17: SyntaxError: BigInt literals are not available",
			"use a number"},
		{"t.ts", "\xff\xfelet x", "t.ts:1:1: SyntaxError: the file is not valid UTF-8",
			"save it as UTF-8"},
		{"t.js", "let x;\n  'ü\xff'", "t.js:2:6: SyntaxError: the file is not valid UTF-8",
			"save it as UTF-8"},
		{"t.ts", "//# sourceMappingURL=/etc/passwd\n\n(ext.model_id as any).x",
			"t.ts:3:23: TypeError: Cannot read property 'x' of undefined", ""},
	} {
		t.Run(c.src[:min(len(c.src), 40)], func(t *testing.T) {
			_, err := newTestHost(t).loadNamed(c.name, c.src)
			var se *fault.ScriptError
			if !errors.As(err, &se) {
				t.Fatalf("got %v, want a *ScriptError", err)
			}
			if se.Error() != c.want || !strings.Contains(se.Hint, c.hint) || c.hint == "" &&
				se.Hint != "" {
				t.Errorf("got %q (hint %q)\nwant %q (hint %q)", se.Error(), se.Hint, c.want, c.hint)
			}
			if se.Line > 0 && se.Excerpt == "" {
				t.Error("no excerpt")
			}
		})
	}
}

// TestEntry checks that an entry function can register until its promise settles, and not after
// that.
func TestEntry(t *testing.T) {
	h := newTestHost(t)
	g, err := h.loadNamed("t.ts", `
const reason: string = "no";
export default async (e: typeof ext) => {
	await e.sleep(0.001);

	e.guard({ tool: "bash" }, (ev: any) => { if (ev.args.command === "rm") return { block: true, reason } });
	ext.command({ name: "later", run: () => { ext.on("tool_end", () => {}) } });
};`)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Registry.Handlers) != 1 || g.Registry.Handlers[0].Line != 6 {
		t.Fatalf("got %+v, want one handler of line 6", g.Registry.Handlers)
	}
	if v := h.guard(map[string]any{"command": "rm"}); v.Reason != "no" {
		t.Errorf("got %+v", v)
	}
	if _, err := h.run(vm.KindCommand, "later"); err == nil ||
		!strings.Contains(err.Error(), "t.ts:7:48: ext.on: registration is over") {
		t.Errorf("got %v", err)
	}
}

// TestHostileSource checks that source that would overflow the stack or compile forever is rejected
// or stopped.
func TestHostileSource(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, (maxRewrite-100)/len(s)) }
	// source that does not nest only takes time
	flat := func(s string) string { return many(s)[:maxRewrite/8/len(s)*len(s)] }
	for name, src := range map[string]string{
		"brackets": many("["), "generics": "let x: " + many("A<"),
		"generics with commas": "let x: " + many("A<B,"), "else if": many("if(a);else "),
		"conditional types": "type T = " + many("A extends B?C:"),
		"unions":            "type T = " + many("a|"), "arrows": "let f = " + many("a=>"),
		"labels": many("a:"), "keyof": "type T = " + many("keyof "), "decorators": many("@a "),
		"types of functions": "type T = " + many("(a)=>"),
		"statements":         flat("a;"), "async": many("async "), "tagged": "x" + many("``"),
		"optional": "x" + many("?.a"), "new": many("new "), "imports": flat("import 'a';"),
		"loops": many("for(;;)"), "assignments": "x" + many("={}"),
		"conditions": "x" + many("?{}:a"), "types of lists": "let x: a" + many("[]"),
		"object types": "let x: " + many("A<{},"), "commas": flat("a,"),
		"maps": "let x = {" + flat("a:1,") + "}", "exports": "export {" + flat("a,") + "}",
		"namespaces": "namespace a" + many(".a") + "{}",
		"too large":  strings.Repeat(" ", maxRewrite+1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// it takes seconds, without a race detector and other load
			ctx, cancel := context.WithTimeout(context.Background(), 4*testTimeout)
			defer cancel()
			if _, err := compile(ctx, "t.ts", []byte(src), false); err != nil &&
				len(err.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if ctx.Err() != nil {
				t.Error("takes too long")
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := compile(ctx, "t.ts", []byte(many("let a: number = 1 + 2;\n")),
		false); err == nil || !strings.Contains(err.Error(), "takes too long") &&
		!strings.Contains(err.Error(), "declared") {
		t.Errorf("cancelled: got %v", err)
	}
}

// TestGalleryNeedsNoRewrite checks that scripts that the interpreter can parse are not rewritten by
// esbuild.
func TestGalleryNeedsNoRewrite(t *testing.T) {
	files, err := filepath.Glob("../scripts/*.js")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := compile(context.Background(), "t.js", src, false); err != nil || u.module {
			t.Errorf("%s: %v, want it compiled without esbuild", f, err)
		}
	}
}

// BenchmarkLoadSource measures loading a small script, with and without esbuild.
func BenchmarkLoadSource(b *testing.B) {
	const body = "ext.guard({ tool: 'bash' }, (ev) => { if (ev.args.command.includes('rm -rf')) " +
		"return { block: true, reason: 'no' } });\n"
	for name, c := range map[string]struct{ file, src string }{
		"plain": {"t.js", strings.Repeat(body, 20)}, "types": {"t.ts", strings.Repeat(body, 20)},
		"export": {"t.js", "export default () => {" + strings.Repeat(body, 20) + "}"},
		"await":  {"t.js", "await null;\n" + strings.Repeat(body, 20)},
	} {
		b.Run(name, func(b *testing.B) {
			h := newTestHost(b)
			s := h.script(c.src)
			s.Name = c.file
			for b.Loop() {
				g, err := h.engine.Scripts.Load(context.Background(), s)
				if err != nil {
					b.Fatal(err)
				}
				h.engine.Scripts.Discard(g)
			}
		})
	}
}
