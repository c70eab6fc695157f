package lint_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/lint"
)

func findings(name, src string) string {
	var lines []string
	for _, f := range lint.Source(name, []byte(src)) {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// TestSource: the names that a script reads are found with their positions, in both languages; text
// that only looks like one is not.
func TestSource(t *testing.T) {
	tests := []struct{ what, name, src, want string }{
		{"nothing", "a.lua", `ext.log.info("x")`, ""},
		{"an unknown function", "a.lua", "\n  ext.tol{}",
			`a.lua:2:7: ext has no "tol"; did you mean "tool"?`},
		{"of a group", "a.js", "ext.log.inf('x')",
			`a.js:1:9: ext.log has no "inf"; did you mean "info"?`},
		{"a group that is called", "a.lua", `ext.log("x")`,
			"a.lua:1:1: ext.log is no function (it holds functions: debug, info, warn, error)"},
		{"by another name, and called", "a.js", "const l = ext.log; l('x'); (l)",
			"a.js:1:20: ext.log is no function (it holds functions: debug, info, warn, error)"},
		{"methods named like a group", "a.js", "const { log } = ext; log.info(1);\n" +
			"const o = { log(x) { return x } }; class C { log(x) { } }", ""},
		{"in a template", "a.js", "const a = `${ext.log.inf(`${ext.tol}`)} ext.none`",
			"a.js:1:22: ext.log has no \"inf\"; did you mean \"info\"?\na.js:1:33: ext has no " +
				"\"tol\"; did you mean \"tool\"?"},
		{"behind a question mark", "a.js", "ext?.tol?.()",
			`a.js:1:6: ext has no "tol"; did you mean "tool"?`},
		{"by a written name", "a.lua", `ext["tol"]()`,
			`a.lua:1:5: ext has no "tol"; did you mean "tool"?`},
		{"by another name", "a.lua", "local l = ext.log\nl.inf('x')",
			`a.lua:2:3: ext.log has no "inf"; did you mean "info"?`},
		{"taken apart", "a.js", "const { log: l, tol } = ext;\nl.inf('x')",
			"a.js:1:17: ext has no \"tol\"; did you mean \"tool\"?\na.js:2:3: ext.log has no " +
				"\"inf\"; did you mean \"info\"?"},
		{"as a parameter of another name", "a.ts",
			"export default async (pi: typeof ext) => { pi.tol(); pi.on('tool_end', (ev) => " +
				"ev.tol) }", "a.ts:1:47: ext has no \"tol\"; did you mean \"tool\"?\na.ts:1:83: " +
				"event tool_end has no field \"tol\"; did you mean \"tool\"?"},
		{"of a function", "a.js", "export default function (pi) { pi.guard(f) }",
			`a.js:1:32: note: without @guards in the header, every tool asks while the file has ` +
				`no working version`},
		{"as a parameter", "a.js", "export default (ext) => { ext.tol() }",
			`a.js:1:31: ext has no "tol"; did you mean "tool"?`},
		{"comments, texts, patterns", "a.js",
			"// ext.tol\n/* ext.tol */ 'ext.tol'; const p = /ext.tol[/\"]/; a / ext.log / 2", ""},
		{"comments and texts", "a.lua",
			"-- ext.tol\n--[[ ext.tol\n]] local a, b = 'ext.tol', [==[ ext.tol ]] ]==]", ""},
		{"fields of others", "a.lua", "local a = { ext = 1 } a.ext.tol()", ""},
		{"another parameter of the name", "a.lua",
			"local l = ext.log\nlocal function f(l) l.inf() end", ""},
		{"facts have fields of their own", "a.js", "ext.script.name.length", ""},
		{"an unknown event", "a.js", `ext.on("tool_cal", () => {})`,
			`a.js:1:8: unknown event "tool_cal"; did you mean "tool_call"?`},
		{"events of scripts, computed ones", "a.js",
			`ext.on("custom:x", f); ext.on(name, f); ext.on("tool_" + name, f)`, ""},
		{"a field that there is not", "a.js",
			`ext.on("tool_call", { tool: "bash" }, async (event) => { if (event.toolName) ` +
				`return; })`, `a.js:1:68: event tool_call has no field "toolName"; did you mean ` +
				`"tool"?`},
		{"of another host, in Lua", "a.lua",
			"ext.guard(function(ev)\n  if ev.tol == 'bash' and ev['arg'] then return { block = " +
				"true } end\nend)",
			"a.lua:1:1: note: without @guards in the header, every tool asks while the file has " +
				"no working version\na.lua:2:9: event guard has no field \"tol\"; did you mean " +
				"\"tool\"?\na.lua:2:30: event guard has no field \"arg\"; did you mean \"args\"?"},
		{"taken apart in the parameters", "a.js",
			`ext.on("tool_end", ({ tool, arg: { command }, ...rest }) => {})`,
			`a.js:1:29: event tool_end has no field "arg"; did you mean "args"?`},
		{"fields that there are", "a.js",
			`ext.on("tool_end", (ev) => { ext.log.info(ev.tool, ev.cwd, ev.args.anything, ` +
				`ev.toString(), other.ev.nope); for (const ev of []) ev.nope; [].map((ev) => ` +
				`ev.nope) })`, ""},
		{"what may not be returned", "a.lua",
			"ext.on('tool_call', function(ev)\n  local f = function() return { other = 1 } end\n " +
				" return { block = true, reason = f(), cancel = { deny = 1 } }\nend)",
			`a.lua:3:40: handlers of tool_call may not return "cancel"; did you mean "block"?`},
		{"as a value", "a.js",
			`ext.on("tool_call", (ev) => ({ reasn: "x", block: true, ...ev.args }))`,
			`a.js:1:32: handlers of tool_call may not return "reasn"; did you mean "reason"?`},
		{"an answer of who only observes", "a.js",
			`ext.on("agent_end", (ev) => { const f = () => { return { a: 1 }; }; return { text: ` +
				`f() }; })`, `a.js:1:76: agent_end can only be observed: what its handlers ` +
				`return does nothing (take it out, or hear another event)`},
		{"nothing from who only observes", "a.js",
			`ext.on("agent_end", async function (ev) { if (ev.error) return; return null; })`, ""},
		{"events of scripts have a value", "a.lua",
			`ext.on("custom:x", function(ev) print(ev.value, ev.valu) end)`,
			`a.lua:1:52: event custom:NAME has no field "valu"; did you mean "value"?`},
		{"a context, as other hosts give", "a.js",
			`ext.on("agent_end", async (ev, ctx) => { ctx.ui.notify("x"); }); ` +
				`ext.on("agent_end", (ev, o = {}) => o.x); ext.on("agent_end", ({ cost, agent }, ` +
				`all) => { for (const all of []) all.x; })`,
			`a.js:1:46: a handler is called with the event alone: there is no "ui", the second ` +
				`argument is undefined; ext.ui has it (needs @grant ui) (ext is there everywhere)`},
		{"a context in Lua", "a.lua",
			"ext.on('input', function(ev, ctx)\n  if ctx.hasUI then return end\nend)",
			`a.lua:2:10: a handler is called with the event alone: there is no "hasUI", the ` +
				`second argument is nil (ext is there everywhere)`},
		{"a call without a field", "a.lua",
			"ext.command{ name = 'x', complete = function(p, call) return call.nope end, run = " +
				"function(args, ctx)\n  ctx.ui.notify(args.run)\nend }",
			`a.lua:2:7: call has no field "ui"; ext.ui has it (needs @grant ui)`},
		{"a call of a method", "a.js",
			`ext.tool({ name: "x", async run(args, call) { call.progress("a"); return ` +
				`call.hasUi; } }); ext.tool({ run: async (a, c) => c.cwd + c?.dir }); ` +
				`ext.every(1, (c) => c.time)`,
			"a.js:1:79: call has no field \"hasUi\"\na.js:1:135: call has no field " +
				"\"dir\"\na.js:1:165: call has no field \"time\""},
		{"a result of another host", "a.js",
			`ext.tool({ name: "x", run: async (args) => { const m = () => { return { other: 1 }; ` +
				`}; if (args.a) return { content: m(), isError: true }; return { ...args, ` +
				`details: {} }; } }); ext.tool({ run() { return "a"; } }); ext.tool({ run: () => ` +
				`({ text: "b" }) })`,
			"a.js:1:123: a tool result has no key \"isError\"; did you mean " +
				"\"is_error\"?\na.js:1:241: a tool result has no key \"text\"; did you mean " +
				"\"content\"?"},
		{"a result in Lua", "a.lua",
			"ext.tool{ name = 'x', run = function(args)\n  return { content = args.x, output = " +
				"'y' }\nend }", `a.lua:2:30: a tool result has no key "output"; did you mean ` +
				`"content"?`},
		{"a text with values in it", "a.js",
			"ext.tool({ run(args) { if (args) return `${args.a} b`; return `a ${args}`; } }); " +
				"ext.tool({ run: (a) => (`${a}`) })", ""},
		{"what methods in it return", "a.js",
			`ext.tool({ run(args) { const o = { get() { return { a: 1 }; } }; class A { b() { ` +
				`return { c: 1 }; } } if (args.x) { return { d: 1 }; } return o.get(); } })`,
			`a.js:1:126: a tool result has no key "d"`},
		{"other functions named so", "a.js",
			`ext.tool({ schema: { run: (a, c) => c.x }, run }); ext.command({ run: go, then(a, ` +
				`c) { c.x } }); ext.after(1, () => 2)`, ""},
		{"the rest of an event", "a.js",
			`ext.on("tool_end", ({ tool, ...r }) => r.toolName); ext.on("tool_end", (ev) => { ` +
				`const { tool, ...r } = ev; return r.tool + r.isError + r.args; })`,
			"a.js:1:42: event tool_end has no field \"toolName\"; did you mean " +
				"\"tool\"?\na.js:1:127: event tool_end has no field \"isError\"; did you mean " +
				"\"is_error\"?"},
		{"copies of an event", "a.js",
			`ext.on("tool_end", (ev) => { const a = { ...ev }; let b = ext.copy(ev); b.own = 1; ` +
				`a.toolName; b.own; b.tol; structuredClone(ev).toolName; Object.assign({}, ` +
				`ev).toolName; JSON.parse(JSON.stringify(ev)).toolName; ext.copy(ev).tool; { ` +
				`const a = {}; a.x; } })`,
			"a.js:1:86: event tool_end has no field \"toolName\"; did you mean " +
				"\"tool\"?\na.js:1:105: event tool_end has no field \"tol\"; did you mean " +
				"\"tool\"?\na.js:1:130: event tool_end has no field \"toolName\"; did you mean " +
				"\"tool\"?\na.js:1:162: event tool_end has no field \"toolName\"; did you mean " +
				"\"tool\"?\na.js:1:203: event tool_end has no field \"toolName\"; did you mean " +
				"\"tool\"?"},
		{"copies in Lua", "a.lua",
			"ext.on('tool_call', function(ev)\n  local e, a = ext.copy(ev), 1\n  local b = " +
				"ext.copy(ev.args)\n  b.query = 1\n  return e.toolName, b.cmd, b.query, b.own, " +
				"ext.copy(ev.args).cmd\nend)",
			"a.lua:5:24: note: built-in tools have no argument \"cmd\"; did you mean " +
				"\"command\"?\na.lua:5:63: note: built-in tools have no argument \"cmd\"; did " +
				"you mean \"command\"?"},
		{"a guard as an event", "a.js", `ext.on("guard", f)`,
			`a.js:1:8: guards are registered with ext.guard`},
		{"no grant", "a.lua", `ext.ui.confirm("x")`,
			`a.lua:1:1: ext.ui.confirm needs "@grant ui" in the script's header`},
		{"a grant of another name", "a.lua",
			"-- ==Agent==\n-- @grant exec:git tools:read\n-- ==/Agent==\next.exec{ 'rm' } " +
				"ext.exec{ 'git' } ext.exec(argv) ext.tools.call('bash') ext.tools.call('read')",
			"a.lua:4:1: ext.exec needs \"@grant exec:rm\" in the script's header\na.lua:4:51: " +
				"ext.tools.call needs \"@grant tools:bash\" in the script's header"},
		{"a shell", "a.js", "// ==Agent==\n// @grant exec:git\n// ==/Agent==\next.sh('ls')",
			`a.js:4:1: ext.sh needs "@grant exec:sh" in the script's header`},
		{"a command line for exec", "a.js",
			"// ==Agent==\n// @grant exec:git\n// ==/Agent==\nawait ext.exec('git status')",
			`a.js:4:16: ext.exec: argv is a list, got text (a program and its arguments, one ` +
				`text each; a command line is for ext.sh)`},
		{"a grant too many", "a.js",
			"// ==Agent==\n// @grant llm ui\n// ==/Agent==\next.ui.confirm('x')",
			`a.js:2:11: note: @grant llm is not used (take it out)`},
		{"grants without a function of their own", "a.lua",
			"-- ==Agent==\n-- @grant provider net:option.at ui\n-- ==/Agent==\next.provider{ " +
				"base_url = at }\next.command{ run = function() return { panel = p } end }", ""},
		{"ext is handed on", "a.js", "// ==Agent==\n// @grant llm\n// ==/Agent==\nhelp(ext)", ""},
		{"no @guards", "a.js", "ext.guard(f)",
			`a.js:1:1: note: without @guards in the header, every tool asks while the file has ` +
				`no working version`},
		{"@guards of nothing", "a.js", "// ==Agent==\n// @guards bash\n// ==/Agent==\n",
			`a.js:2:4: note: @guards is given, and nothing guards (take it out)`},
		{"a header", "a.lua", "-- ==Agent==\n-- @grnt ui\n-- ==/Agent==\n",
			`a.lua:2:4: unknown header key @grnt; did you mean "grant"? (known keys: @name ` +
				`@version @api @summary @guards @grant @priority)`},
		{"directions", "a.lua", "local a = 1 --\u202e x",
			`a.lua:1:15: U+202E turns the direction of writing: what is read here is not what ` +
				`runs (take it out, or write it as an escape)`},
		{"no width", "a.js", "let a\u200bb = 1",
			`a.js:1:6: U+200B cannot be seen (take it out, or write it as an escape)`},
		{"tags", "a.js", "'\U000e0041'",
			`a.js:1:2: U+E0041 cannot be seen (take it out, or write it as an escape)`},
		{"tags of variants", "a.js", "'a\U000e0101'",
			`a.js:1:3: U+E0101 cannot be seen (take it out, or write it as an escape)`},
		{"a hidden line", "a.js", "// a\u2028evil()",
			`a.js:1:5: U+2028 ends a line, which is not seen: what follows a comment there runs ` +
				`(write a plain line end)`},
		{"half a line end", "a.lua", "-- a\revil()\r\n",
			`a.lua:1:5: U+000D ends a line, which is not seen: what follows a comment there runs ` +
				`(write a plain line end)`},
		{"a sequence for terminals", "a.lua", "local a = '\x1b[8m'",
			`a.lua:1:12: U+001B is a control character: a terminal may hide what stands there ` +
				`(take it out, or write it as an escape)`},
		{"a grant outside a header", "a.js", "// greets\n// @grant exec:echo\nf();\n",
			`a.js:2:4: note: @grant is not read here: it stands in a header (above all code, ` +
				`between the lines // ==Agent== and // ==/Agent==)`},
		{"guards outside a header", "a.lua", "f()\n--   @guards bash\n",
			`a.lua:2:6: note: @guards is not read here: it stands in a header (above all code, ` +
				`between the lines -- ==Agent== and -- ==/Agent==)`},
		{"a word of a documentation comment", "a.js",
			"/**\n * @grant nothing\n */\n// @grant\nf();\n", ``},
		{"a header below code", "a.js", "f();\n// ==Agent==\n// @grant ui\n// ==/Agent==\n",
			`a.js:2:4: note: a header is not read here: it stands above all code`},
		{"emoji, a byte order mark, umlauts", "a.js", "\ufeff'\U0001F469\u200d\U0001F4BB ä'", ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			if got := findings(tt.name, tt.src); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestMany: for a file with many mistakes, only some are reported, quickly.
func TestMany(t *testing.T) {
	got := lint.Source("a.lua", []byte(strings.Repeat("ext.tol()\u200b\n", 50_000)))
	if len(got) != 200 {
		t.Errorf("got %d findings, want 200", len(got))
	}
}

// TestNames: aliases of names are resolved in their scope, and not outside.
func TestNames(t *testing.T) {
	const asks = "-- ==Agent==\n-- @grant fs.read:./**\n-- ==/Agent==\n"
	tests := []struct{ name, src, want string }{
		{"a.lua", "local fs, ui = ext.fs, ext.ui fs.inf() ui.inf()",
			"a.lua:4:34: ext.fs has no \"inf\"\na.lua:4:43: ext.ui has no \"inf\""},
		{"a.lua", "local ui = ext.ui do local ui = {} ui.inf() end ui.inf()",
			"a.lua:4:52: ext.ui has no \"inf\""},
		{"a.lua", "for _, ext in ipairs{} do ext.inf() end ext.inf()",
			"a.lua:4:45: ext has no \"inf\""},
		{"a.lua", "local l = ext.log local function f(l) l.inf() end l.inf()",
			"a.lua:4:53: ext.log has no \"inf\"; did you mean \"info\"?"},
		{"a.lua", "local e = ext local w = e.fs w.write('a', 'b')",
			`a.lua:4:30: ext.fs.write needs "@grant fs.write:GLOB" in the script's header`},
		{"a.lua", "local e e = ext.fs e.write('a', 'b')", ""},
		{"a.js", "let ui; ui = ext.ui; ui.inf()", `a.js:4:25: ext.ui has no "inf"`},
		{"a.js", "const { log: { inf }, fs: { write: w } } = ext",
			"a.js:4:16: ext.log has no \"inf\"; did you mean \"info\"?\na.js:4:29: ext.fs.write " +
				"needs \"@grant fs.write:GLOB\" in the script's header"},
		{"a.js", "const { log, ...rest } = ext; rest.inf(); { const log = {}; log.inf(); } " +
			"log.inf()", "a.js:4:78: ext.log has no \"inf\"; did you mean \"info\"?"},
		{"a.js", "for (const ext of []) { ext.inf(); } ext.inf()", "a.js:4:42: ext has no \"inf\""},
		{"a.js", "const f = ({ log }) => log.inf(); const g = (log) => { log.inf(); };", ""},
		{"a.js", `ext?.["log"]?.inf(); class A { get ext() { return 1; } m() { return ` +
			`this.ext.inf; } }`, "a.js:4:15: ext.log has no \"inf\"; did you mean \"info\"?"},
		{"a.js", "fetch('https://a.example')",
			`a.js:4:1: fetch needs "@grant net:HOST" in the script's header`},
		{"a.js", "function fetch() {} fetch()", ""},
		{"a.js", "const fetch = () => 1; fetch(); ext.fs.read('x')", ""},
	}
	for _, tt := range tests {
		header := asks
		if tt.name == "a.js" {
			header = strings.ReplaceAll(asks, "-- ", "// ")
		}
		var lines []string
		for _, f := range lint.Source(tt.name, []byte(header+tt.src)) {
			if f.Level == lint.Error {
				lines = append(lines, f.String())
			}
		}
		if got := strings.Join(lines, "\n"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.src, got, tt.want)
		}
	}
}

// TestNasty: files that are made to be slow to parse are parsed.
func TestNasty(t *testing.T) {
	for _, piece := range []string{"local a = a\n", "function(", "const {a:{", "let a, ",
		"(a) => {", "for a in ", "((((((((", "a => ", "do ", "local a, b = ext.ui, ", "}", "end ",
		"`${"} {
		src := []byte(strings.Repeat(piece, (1<<18)/len(piece)))
		for _, name := range []string{"a.lua", "a.js"} {
			lint.Source(name, src)
		}
	}
}

// FuzzSource: parsing any file ends.
func FuzzSource(f *testing.F) {
	for _, s := range []string{"", "ext", "ext.", "ext[", "`${`${", "--[[", "[==[",
		"const {a:b} = ext", "\"\\", "/[", "ext.on(", "#!", "local = ext", "} = ext", "function(",
		"=>", "`\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range []string{"a.lua", "a.js"} {
			for _, x := range lint.Source(name, []byte(s)) {
				if x.Line < 0 || x.Column < 0 || x.Message == "" {
					t.Errorf("got %+v", x)
				}
			}
		}
	})
}
