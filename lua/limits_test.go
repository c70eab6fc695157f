package lua

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// TestGuardedBuiltins checks that calls that would use all memory or time fail at once.
func TestGuardedBuiltins(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`return ("x"):rep(1e11)`, "string.rep: the result is too large (at most 16 MB)"},
		{`return ("x"):rep(1e15)`, "string.rep"},
		{`return ("x"):rep(math.huge)`, "string.rep"},
		{`return ("x"):rep(1e7, ("y"):rep(1000))`, "string.rep"},
		{`return string.format("%99999d", 1)`, "invalid format (width or precision too long)"},
		{`return string.format("%.100f", 1)`, "invalid format (width or precision too long)"},
		{`return string.format("%y", 1)`, `invalid option "%y" to 'format'`},
		{`return string.format("%d")`, "no value"},
		{`return string.format("%")`, "invalid format string"},
		{`return string.format("%d", "x")`, "number expected, got string"},
		{`local s = ("x"):rep(1e6) return string.format(("%s"):rep(50), unpack((function() local ` +
			`t = {} for i = 1, 50 do t[i] = s end return t end)()))`,
			"string.format: the result is too large"},
		{`local s = ("x"):rep(1e6) local t = {} for i = 1, 50 do t[i] = s end return ` +
			`table.concat(t)`, "table.concat: the result is too large"},
		{`local s = "x" while true do s = s .. s end`,
			"..: the result is too large (at most 16 MB)"},
		{`local s = "x" while true do s = s .. s .. 1 .. s .. s end`,
			"..: the result is too large (at most 16 MB)"},
		{`return ("x"):rep(1e7) .. ("x"):rep(1e7)`, "..: the result is too large (at most 16 MB)"},
		{`return table.concat({}, ",", 1, 1e9)`, "invalid value (a nil) at index 1"},
		{`return unpack({}, 1, 1e8)`, "too many results to unpack"},
		{`return table.unpack({}, 1, 1e15)`, "too many results to unpack"},
		{`return ("x"):rep(1e6):byte(1, -1)`, "string.byte: too many results"},
		{`return utf8.codepoint(("x"):rep(1e6), 1, -1)`, "too many results"},
		{`return string.char(256)`, "invalid value"},
		{`table.insert({}, 67108863, 1)`, "position out of bounds"},
		{`table.insert({}, 1, 2, 3)`, "wrong number of arguments"},
		{`table.move({1}, 1, 1e15, 2)`, "out of bounds"},
		{`table.move({1}, 1, 1, 1e9)`, "out of bounds"},
		{`assert(load(("("):rep(1e5)))`, "nested deeper than 200 levels"},
		{`assert(load(("{"):rep(1e5)))`, "nested deeper than 200 levels"},
		{`assert(load("x = a" .. ("..a"):rep(3e4)))`, "more than 2000 operators"},
		{`assert(load(("x = 1 "):rep(1e6)))`, "too large"},
		{`assert(load(function() return ("x = 1 "):rep(5e4) end))`, "too large"},
		{`local function f() return coroutine.wrap(f)() end f()`,
			"stack overflow (pcall and coroutines nest deeper than 100)"},
		{`local function f() local ok, e = pcall(f) if not ok then error(e, 0) end end f()`,
			"stack overflow"},
		{`local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] ` +
			`end return t.x`, "stack overflow"},
		{`local function f() return (("x"):gsub("x", f)) end f()`, "stack overflow"},
		{`return tostring(setmetatable({}, {__tostring = function(t) return tostring(t) end}))`,
			"stack overflow"},
		{`return require("lib/" .. ("x"):rep(1e7))`, "want a name of at most 255 bytes"},
		{`return math.random(0)`, "interval is empty"},
		{`return math.random(2, 1)`, "interval is empty"},
	} {
		wantError(t, c.body, []string{c.want}) // and not the end of the budget
	}
}

// TestBombs runs code that only the watchdog stops. Each case ends with an error, and the process
// survives.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, body := range []string{
		`local t = {} while true do t[#t + 1] = ("x"):rep(1e6) .. #t end`,
		`local t = {} while true do t[#t + 1] = {} end`,
		`local t = {} local i = 0 while true do i = i + 1 t["k" .. i] = i end`,
		`local t = {} for i = 1, 200 do t[i] = {} t[i][262143] = 1 end while true do end`,
		`local t = {} for i = 1, 3e6 do t[i] = math.random() end table.sort(t) while true do end`,
		`while true do local s = ("x"):rep(16e6) end`,
		`local a, t = ("x"):rep(8e6), {} for i = 1, 4 do t[i] = a .. i end for i = 5, 1e5 do ` +
			`t[i] = t[i - 4] end table.sort(t)`,
		`local a, t = ("x"):rep(8e6), {} for i = 1, 1e5 do t[i] = a end ` +
			`table.sort(t, string.upper)`,
		`while true do local s = (("x"):rep(1e6)):gsub("x", "yy") end`,
	} {
		h := newHost(t)
		g := h.load("ext.on('x', function(ev)\n" + body + "\nend)")
		start := time.Now()
		_, err := h.call(g, vm.KindGuard, "x")
		var limit *vm.LimitError
		if !errors.As(err, &limit) || strings.Contains(limit.Note, "did not stop") {
			t.Errorf("%s\ngot %v, want a limit error of a run that stopped", body, err)
		}
		t.Logf("%-80s %v %v", body, time.Since(start).Round(time.Millisecond), err)
		runtime.GC()
	}
}

// TestNothingPanics calls every function of the sandbox with unusual arguments.
func TestNothingPanics(t *testing.T) {
	v, err := eval(t, `
local values = { 0, -1, 1, 1.5, 1e308, -1e308, 0/0, math.huge, "", "x", "%", "[", {}, {1, 2}, ev, ev.list, ext, ext.null, print,
  function() return 1 end, coroutine.create(print), true }
local bad, calls = {}, 0
local function try(name, f)
  if name:find("coroutine.yield") or name == "load" or name == "loadstring" then return end
  for i = 1, #values do
    for j = 0, #values do
      local ok, e = pcall(f, values[i], values[j], values[(i + j) % #values + 1])
      calls = calls + 1
      if not ok and tostring(e):find("internal error") then bad[#bad + 1] = name .. "(" .. tostring(values[i]) .. ", " .. tostring(values[j]) .. "): " .. e end
    end
  end
end
for name, f in pairs(_G) do
  if type(f) == "function" and name ~= "try" and name ~= "print" then try(name, f) end
  if type(f) == "table" and name ~= "_G" and name ~= "ext" then
    for n, g in pairs(f) do if type(g) == "function" then try(name .. "." .. n, g) end end
  end
end
return calls > 10000 and table.concat(bad, "\n") or "too few"`, sample())
	if err != nil || v != "" {
		t.Errorf("got %v, %v", v, err)
	}
}

// TestDeepResultFromGo checks that results of Go functions are limited too.
func TestDeepResultFromGo(t *testing.T) {
	var deep any = "end"
	for range value.MaxDepth + 2 {
		deep = []any{deep}
	}
	se := wantError(t, `return ext.copy(ev)`, nil, map[string]any{"deep": deep})
	if !strings.Contains(se.Message, "nested deeper") {
		t.Errorf("got %s", se.Message)
	}
}
