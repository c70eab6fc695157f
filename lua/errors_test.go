package lua

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/fault"
)

// TestRuntimeErrors checks message, line and hint of errors in a handler. The body begins at line
// 2.
func TestRuntimeErrors(t *testing.T) {
	for _, c := range []struct {
		body    string
		line    int
		message string
		hint    string
	}{
		{"error('boom')", 2, "boom", ""},
		{"\nerror('boom')", 3, "boom", ""},
		{"local function f() error('caller', 2) end\nf()", 3, "caller", ""},
		{"error({message = 'table', code = 'x'})", 2, "table", ""},
		{"error()", 2, "threw nil", ""},
		{"error(42)", 2, "threw 42", ""},
		{"assert(nil, {message = 'not found'})", 2, "not found", ""},
		{"assert(false, 'plain')", 2, "plain", ""},
		{"return arg.missing.key", 2, `attempt to index arg (a nil value) with key "missing"`,
			"arg is nil here"},
		{"return ev.args.command", 2, `attempt to index ev.args (a nil value) with key "command"`,
			"ev.args is nil here"},
		{"return ev.args:find('x')", 2, `attempt to index ev.args (a nil value) with key "find"`,
			"ev.args"},
		{"return io.open('x')", 2, `attempt to index io (a nil value) with key "open"`,
			"no io library"},
		{"return os.execute('x')", 2, "attempt to call os.execute, which is no function",
			"cannot run programs"},
		{"chek(ev)", 2, "attempt to call chek, which is no function", "spelling"},
		{"ext.log('x')", 2, "attempt to call ext.log, which is no function", "ext.log.info"},
		{"ext.json.decode('x').foo()", 2, "foo", "spelling"},
		{"return ext.tol{}", 2, `ext has no "tol"; did you mean "tool"?`, ""},
		{"return ext.ui.confrim('x')", 2, `ext.ui has no "confrim"; did you mean "confirm"?`, ""},
		{"ext.tool = 1", 2, "ext is read-only", ""},
		{"ext.ui.x = 1", 2, "ext.ui is read-only", ""},
		{"return 'a' .. nil", 2, "cannot perform concat operation between string and nil",
			"tostring"},
		{"return 'a' .. ext.null", 2, "cannot perform concat operation between string and table",
			"one of its fields"},
		{"return ext.null < ext.null", 2, "attempt to compare table with table",
			"one of its fields"},
		{"return 1 + {}", 2, "cannot perform add operation", ""},
		{"local function f() return 1 + f() end\nreturn f()", 2, "stack overflow", "without end"},
		{"ext.notify('x', 'infoo')", 2, `ext.notify: level: got "infoo"`, ""},
		{"ext.tool{}", 2, "registration is over", ""},
		{"require('lib/x')", 2, `require: lib/x: the script has no folder lib`, ""},
		{"ext.json.decode('panic')", 2, "ext.json.decode: internal error: host panic", ""},
		{"local co = coroutine.wrap(function()\nerror('in co') end)\nco()", 3, "in co", ""},
		{"for _, f in ipairs{function()\nerror('deep') end} do f() end", 3, "deep", ""},
		{"table.sort({2, 1, 3}, function()\nerror('in sort') end)", 3, "in sort", ""},
		{"return ('x'):gsub('x', function()\nerror('in gsub') end)", 3, "in gsub", ""},
		{"local t = setmetatable({}, {__index = function()\nerror('in index') end})\nreturn t.x", 3,
			"in index", ""},
	} {
		se := wantError(t, c.body, []string{c.message, c.hint}, map[string]any{})
		if se.Line != c.line || se.File != "guard.lua" {
			t.Errorf("%s\ngot %s, want line %d", c.body, se.Error(), c.line)
		}
		if strings.Contains(se.Message, "guard.lua:") {
			t.Errorf("%s\nthe message has a position: %s", c.body, se.Message)
		}
		if !strings.Contains(se.Stack, "guard.lua:") && !strings.Contains(c.message, "overflow") {
			t.Errorf("%s\nno stack: %q", c.body, se.Stack)
		}
		if se.Excerpt == "" {
			t.Errorf("%s\nno excerpt", c.body)
		}
	}
}

// TestSyntaxErrors checks position and hint of syntax errors.
func TestSyntaxErrors(t *testing.T) {
	h := newHost(t)
	for _, c := range []struct {
		src          string
		line, column int
		message      string
		hint         string
	}{
		{"x = = 1", 1, 5, "syntax error near '='", ""},
		{"local a\nlocal f\u0430 = 1", 2, 8, "\u0430 (U+0430) outside of a text",
			"names are made of"},
		{"local a\nx = )", 2, 5, "syntax error near ')'", ""},
		{"x = 'abc", 1, 9, "unterminated string", ""},
		{"ext.on('x', function(ev)\n  if ev then\nend)", 3, 4, "syntax error near ')'",
			`function at line 1 is not closed: want "end"`},
		{"function f()\n  x = 1\n", 2, 8, "syntax error at the end of the file",
			`function at line 1 is not closed: want "end"`},
		{"f({1, 2)", 1, 8, "syntax error", `{ at line 1 is not closed: want "}"`},
		{"f(function()\n  return nil nil\nend)", 2, 14, "syntax error near 'nil'", ""},
		{"x = 1\nf(2\nwhere.x = 3", 3, 1, "syntax error near 'where'", ""},
		{"goto nowhere", 0, 0, "no visible label", ""},
		{"break", 1, 0, "no loop to break", ""},
		{"local x = 7 // 2", 1, 13, "there is no // in Lua 5.1", "math.floor"},
		{"local x = 7 & 2", 1, 13, "no bit operators", ""},
		{"local x = 7 | 2", 1, 13, "no bit operators", ""},
		{"local x = ~7", 1, 11, "no bit operators", ""},
		{"local x = 1 << 2", 1, 13, "no bit operators", "2 ^ n"},
		{"local x <const> = 1", 1, 9, "<const> is not of Lua 5.1", "leave it out"},
		{"local x <close> = 1", 1, 9, "<close> is not of Lua 5.1", "leave it out"},
		{`local s = "\x41"`, 1, 12, `the escape \x`, `\065`},
		{`local s = "\u{20AC}"`, 1, 12, `the escape \u`, "utf8.char"},
		{`local s = "a\z  b"`, 1, 13, `the escape \z`, ""},
		{"if x != 1 then end", 1, 6, "!= is not Lua", "~="},
		{"x += 1", 1, 3, "+= is not Lua", "a = a + b"},
		{"if a && b then end", 1, 6, "&& is not Lua", "write and"},
		{"x = 'a\x00b'", 1, 7, "NUL byte", ""},
		{"x = 'a\xffb'", 1, 7, "not valid UTF-8", ""},
		{strings.Repeat("x = 1\n", 200000), 0, 0, "too large", ""},
		{"x = " + strings.Repeat("(", 300), 1, 205, "nested deeper than 200", ""},
		{strings.Repeat("do ", 300), 1, 601, "nested deeper than 200", ""},
		{"x = a" + strings.Repeat("..a", 100000), 1, 6006, "more than 2000 operators", ""},
		{"x = a" + strings.Repeat(".a", 100000), 1, 4006, "more than 2000 operators", ""},
		{"x = a" + strings.Repeat("()", 100000), 0, 0, "more than 2000 operators", ""},
		{"if x then " + strings.Repeat("elseif x then ", 50000) + "end", 0, 0,
			"more than 1000 branches", ""},
		{strings.Repeat("function f() end ", 50000), 0, 0, "more than 4000 functions", ""},
		{manyNames(80000), 0, 0, "too many different names", ""},
		{"x = " + strings.Repeat("not ", 100000) + "a", 0, 0, "more than 2000 operators", ""},
		{"x = " + strings.Repeat("- ", 100000) + "a", 0, 0, "more than 2000 operators", ""},
	} {
		_, err := h.tryLoad(c.src)
		name := c.src[:min(len(c.src), 60)]
		var se *fault.ScriptError
		if !errors.As(err, &se) {
			t.Errorf("%s\ngot %v, want a script error", name, err)
			continue
		}
		if c.line != 0 && (se.Line != c.line || se.Column != c.column) {
			t.Errorf("%s\ngot %d:%d, want %d:%d", name, se.Line, se.Column, c.line, c.column)
		}
		if !strings.Contains(se.Message, c.message) || !strings.Contains(se.Hint, c.hint) ||
			c.hint == "" && strings.Contains(se.Hint, "not closed") {
			t.Errorf("%s\ngot  %s (hint: %s)\nwant %s (%s)", name, se.Message, se.Hint, c.message,
				c.hint)
		}
	}
}

// manyNames returns source that sets n globals with different names.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d=%d ", i, i%100)
	}
	return b.String()
}

// TestValidSources checks that valid source loads that resembles mistakes.
func TestValidSources(t *testing.T) {
	h := newHost(t)
	for _, src := range []string{
		"",
		"#!/usr/bin/lua\nlocal x = 1",
		"\xef\xbb\xbflocal x = 1",
		`local s = "a // b & c | d != e <const> \\x41"`,
		"local s = [[ a // b \\x & ]] .. [==[ ]] ]==] -- // &\n--[[ && \n|| ]]\n--[==[ ]] & " +
			"]==]\nlocal t = 1",
		"local a, b = 1, 2; local c = a ~= b and a <= b or a >= b and a == b",
		"local t = {[1] = 2, ['a'] = 3; x = -1}; local n = #t + t.x ^ 2 % 3",
		"local function f(...) local a, b = ... return select('#', ...) end f{} f'' f[[x]]",
		"for i = 1, 10 do if i > 5 then break end end",
		"local x = 0x10 + 1e5 + .5 + 3.0e-2",
		strings.Repeat("f = f or print\nlocal _ = (f)\n", 50),
		strings.Repeat("print('x')\n", 5000),
		strings.Repeat("x = {a = {b = 1}}\nx.a.b = x.a.b + 1\n", 3000),
		manyNames(2000),
		"local s = ''" + strings.Repeat(" .. 'x'", 150),
		"if x then " + strings.Repeat("elseif x then y = 1 ", 900) + "end",
	} {
		// this error comes after the script has run
		if _, err := h.tryLoad(src); err != nil &&
			!strings.Contains(err.Error(), "nothing is registered") {
			t.Errorf("%.80s\n%v", src, err)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, c := range []struct {
		src  string
		line int
		want string
	}{
		{"local x = nil\nx.y = 1", 2, "attempt to index x"},
		{"error('top')", 1, "top"},
		{"\n\next.on('x')", 3, "ext.on: fn: got nil, want function"},
		{"while true do end", 1, "stopped: used up its script time of 1s"},
		{"ext.sleep(30)", 1, "wall time"},
	} {
		_, err := h.tryLoad(c.src)
		var se *fault.ScriptError
		if !errors.As(err, &se) || !strings.Contains(se.Message, c.want) || se.Line != c.line {
			t.Errorf("%s\ngot %v, want line %d: %s", c.src, err, c.line, c.want)
		}
	}
}

func TestWorldErrorsAreReturned(t *testing.T) {
	wantText(t, `local v, err = ext.json.decode("bad"); return tostring(v) .. err.code .. `+
		`err.message .. tostring(err)`, "nilinvalidno JSONno JSON")
	wantError(t, `local v = assert(ext.json.decode("bad"))`, []string{"guard.lua:2: no JSON"})
}

func TestFailures(t *testing.T) {
	wantText(t, `local ok, err = pcall(ext.fail, { message = "busy", status = 429 }); return `+
		`tostring(ok) .. err.message .. err.status .. tostring(err)`, "falsebusy429busy")
	for _, body := range []string{
		`ext.fail{ message = "busy", status = 429 }`,
		`local ok, e = pcall(ext.fail, { message = "busy", status = 429 }); pcall(ext.fail, { ` +
			`message = "other" }); error(e)`,
		`ext.all{ function() ext.fail{ message = "busy", status = 429 } end }`,
		`coroutine.wrap(function() ext.fail{ message = "busy", status = 429 } end)()`,
	} {
		se := wantError(t, body, []string{"busy"})
		var fail *fault.FailError
		if !errors.As(se, &fail) || fail.Status != 429 {
			t.Errorf("%s: got %#v, want the FailError", body, se.Err)
		}
		if se.Line != 2 {
			t.Errorf("%s: line %d, want 2", body, se.Line)
		}
	}
}

func TestMessagesAreBounded(t *testing.T) {
	se := wantError(t, `error(("x"):rep(1000000))`, nil)
	if len(se.Message) > 4096+10 {
		t.Errorf("message of %d bytes", len(se.Message))
	}
}

func TestPrintGoesToTheLog(t *testing.T) {
	h := newHost(t)
	h.load(`print("a", 1, nil, {} ~= nil)`)
	if len(h.log) != 1 || h.log[0] != "a\t1\tnil\ttrue" {
		t.Errorf("got %q", h.log)
	}
}

func TestFacts(t *testing.T) {
	wantText(t, `return ext.version .. ext.script.name .. tostring(ext.null) .. type(ext) .. `+
		`type(ext.ui)`, "fact versionguard.luanulltabletable")
	wantText(t, `local s = ""; for k in pairs(ext.log) do s = s .. k .. " " end; return s`,
		"debug info warn error ")
}
