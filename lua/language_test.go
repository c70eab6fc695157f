package lua

import "testing"

// TestLanguage runs snippets and compares their results.
func TestLanguage(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		// pcall must not detach locals from their closures.
		{`local x = "old"; local f = function() return x end; pcall(error, "e"); x = "new"; ` +
			`return f()`, "new"},
		{`local blocked = "no"; local function check() blocked = "yes" end; pcall(error, "e"); ` +
			`check(); return blocked`, "yes"},
		{`local get; xpcall(function() local x = "kept"; get = function() return x end; error("e") end, function(e) return e end)
		  local a, b, c, d, e, f = 1, 2, 3, 4, 5, 6; return get()`, "kept"},
		{`local get; pcall(function() local x = "kept"; get = function() return x end; error("e") end)
		  pcall(function() local a, b, c = 1, 2, 3; return a end); return get()`, "kept"},
		{`local ok, a, b = pcall(function(...) return ... end, "a", "b"); return tostring(ok) .. ` +
			`a .. b`, "trueab"},
		{`local ok, e = pcall(error, {code = "x"}); return e.code`, "x"},
		{`local ok, e = pcall(error); return tostring(e)`, "nil"},
		{`local ok, e = pcall(nil); return e`, "attempt to call a non-function object"},
		{`local ok, e = pcall(function() error("at", 0) end); return e`, "at"},
		{`local ok, e = pcall(function() error("at") end); return e`, "guard.lua:2: at"},
		{`local ok, e = xpcall(function(a) error(a, 0) end, function(m) return m .. "!" end, ` +
			`"arg"); return e`, "arg!"},
		{`local ok, e = pcall(function() assert(nil, {message = "m"}) end); return e.message`, "m"},
		{`local ok, e = pcall(function() assert(false) end); return e`,
			"guard.lua:2: assertion failed!"},
		{`local ok, e = pcall(pcall, error, "x"); return tostring(ok) .. tostring(e)`, "truefalse"},
		{`local function f(n) local ok, e = pcall(f, n + 1); if ok then return e end return n ` +
			`end; return f(0) > 50 and "deep" or "shallow"`, "deep"},
		// coroutines
		{`local co = coroutine.wrap(function(a) local b = coroutine.yield(a .. 1); return b .. 2 ` +
			`end); return co("a") .. co("b")`, "a1b2"},
		{`local co = coroutine.wrap(function(a) return coroutine.yield(a) end); return co("x") ` +
			`.. co("y")`, "xy"},
		{`local yield = coroutine.yield; local co = coroutine.wrap(function(a) return yield(a) ` +
			`end); return co("x") .. co("y")`, "xy"},
		{`local co = coroutine.create(function() error("in") end); local ok, e = ` +
			`coroutine.resume(co); return e .. coroutine.status(co)`, "guard.lua:2: indead"},
		{`local co = coroutine.wrap(function() error({m = "t"}) end); local ok, e = pcall(co); ` +
			`local ok2, e2 = pcall(co); return e.m .. " " .. e2`,
			"t cannot resume a dead coroutine"},
		{`local co; co = coroutine.create(function() return coroutine.resume(co) end); local _, ` +
			`ok, e = coroutine.resume(co); return e`, "cannot resume a running coroutine"},
		{`return tostring(coroutine.running())`, "nil"},
		{`local co = coroutine.create(function() return type(coroutine.running()) end); local _, ` +
			`v = coroutine.resume(co); return v`, "thread"},
		{`local s = ""; for v in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) ` +
			`end end) do s = s .. v end; return s`, "123"},
		{`local co = coroutine.create(function() pcall(function() coroutine.yield(1) end) return ` +
			`"end" end); local _, v = coroutine.resume(co); return v`, "end"},
		{`local co = coroutine.create(function() table.sort({2, 1, 3}, function(a, b) ` +
			`coroutine.yield() end) end); local ok, e = coroutine.resume(co); return e`,
			"guard.lua:2: attempt to yield across a metamethod, an iterator " +
				"or a built-in function"},
		{`local t = setmetatable({}, {__index = function() coroutine.yield() end}); local co = ` +
			`coroutine.create(function() return t.x end); local ok, e = coroutine.resume(co); ` +
			`return e`,
			"guard.lua:2: attempt to yield across a metamethod, an iterator " +
				"or a built-in function"},
		{`local co = coroutine.create(function() local function f(n) if n == 0 then ` +
			`coroutine.yield("deep") else f(n - 1) end end f(50) end); local _, v = ` +
			`coroutine.resume(co); return v`, "deep"},
		// where gopher-lua differs
		{`return tostring(tonumber("1e5")) .. " " .. tostring(tonumber("0x1F")) .. " " .. ` +
			`tostring(tonumber("ff", 16)) .. " " .. tostring(tonumber("inf"))`,
			"100000 31 255 nil"},
		{`return tostring(math.huge) .. tostring(-math.huge) .. tostring(0/0)`, "inf-infnan"},
		{`local t = {1, 2, 3}; t[3] = nil; local v = table.remove(t); return v .. #t`, "21"},
		{`local t = {1}; table.remove(t, 0); return tostring(#t)`, "1"},
		{`local v = select("#", math.random(5)); local n = math.random(3, 3); return v .. n`, "13"},
		// functions of later versions
		{`return string.rep("a", 3, ",")`, "a,a,a"},
		{`local t = table.pack(1, nil, 3); return tostring(t.n) .. table.unpack({"x", "y"}, 2)`,
			"3y"},
		{`local t = table.move({1, 2, 3}, 1, 3, 2); return table.concat(t, ",")`, "1,1,2,3"},
		{`return math.type(1) .. math.type(1.5) .. tostring(math.type("1")) .. math.tointeger(3)`,
			"integerfloatnil3"},
		{`return utf8.char(228, 8364) .. utf8.len("äö") .. utf8.codepoint("ä")`, "ä€2228"},
		{`local s = ""; for p, c in utf8.codes("aä€") do s = s .. p .. ":" .. c .. " " end; ` +
			`return s`, "1:97 2:228 4:8364 "},
		{`return utf8.offset("aä€b", 3) .. "," .. utf8.offset("aä€b", -1) .. "," .. ` +
			`tostring(utf8.offset("a", 5))`, "4,7,nil"},
		{`local s = ""; for c in ("aä€"):gmatch(utf8.charpattern) do s = s .. "[" .. c .. "]" ` +
			`end; return s`, "[a][ä][€]"},
		{`return load("return 1 + 1")() .. loadstring("return ...")("x")`, "2x"},
		{`return load("return x", "n", "t", {x = "env"})()`, "env"},
		{`local f, e = load("x ="); return e`, "load:1:4: syntax error at the end of the file"},
		{`local n = 0; return load(function() n = n + 1; return ({"return ", "'r'"})[n] end)()`,
			"r"},
		{`local t = setmetatable({}, {__pairs = function() return function(_, k) if not k then ` +
			`return "k", "v" end end end}); for k, v in pairs(t) do return k .. v end`, "kv"},
		{`goto done; do return "skipped" end; ::done:: return "there"`, "there"},
		// string.format and friends
		{`return string.format("%5.1f|%-5d|%05d|%s|%10.2s|%q|%x|%c|%%|%g|%i", 3.14159, 42, 7, ` +
			`"x", "abc", 'a"b', 255, 65, 0.5, 3)`,
			`  3.1|42   |00007|x|        ab|"a\"b"|ff|A|%|0.5|3`},
		{`return string.format("%s %s %s", nil, true, setmetatable({}, {__tostring = function() ` +
			`return "T" end}))`, "nil true T"},
		{`return tostring(("abc"):byte()) .. tostring(select("#", ("abc"):byte(10))) .. ` +
			`select("#", ("abc"):byte(1, -1)) .. string.char(72, 105)`, "9703Hi"},
		{`return ("x"):rep(0) .. ("x"):rep(-1) .. ("ab"):rep(2)`, "abab"},
		{`return ("aÄ"):lower() .. ("aä"):upper() .. tostring(("a\255B"):upper() == "A\255B")`,
			"aäAÄtrue"},
		{`local ok, e = xpcall(function() error("m", 0) end, debug.traceback) return ` +
			`(e:gsub("\n.*", ""))`, "m"},
		{`local ok, e = xpcall(function() error("m", 0) end, debug.traceback) return ` +
			`e:match("guard.lua:2: in [%w ]+")`, "guard.lua:2: in the handler"},
		// tables
		{`local t = {3, 1, 2}; table.sort(t); local u = {"b", "a"}; table.sort(u, function(a, b) ` +
			`return a > b end); return table.concat(t) .. table.concat(u)`, "123ba"},
		{`local t = {1, 2}; table.insert(t, 1, 0); table.insert(t, 3); return table.concat(t, ",")`,
			"0,1,2,3"},
		{`return table.concat({1, 2, 3}, "-", 2, 3) .. table.concat({}) .. table.concat({"a"}, ` +
			`",", 2)`, "2-3"},
		// the sandbox
		{`local s = ""; for _, n in ipairs{"io", "package", "dofile", "loadfile", "module", ` +
			`"newproxy", "channel", "_printregs"} do s = s .. type(_G[n]) .. " " end; return s`,
			"nil nil nil nil nil nil nil nil "},
		{`local s = {}; for k in pairs(os) do s[#s + 1] = k end; table.sort(s); return ` +
			`table.concat(s, " ")`, "clock date difftime time"},
		{`local s = {}; for k in pairs(debug) do s[#s + 1] = k end; return table.concat(s, " ")`,
			"traceback"},
		{`return (debug.traceback("m"):gsub("\n.*", ""))`, "m"},
		{`return os.date("!%a %A %b %B %c|%d %e %j %H %I %p %x %X %y %Y %w %U %W %Z %%|%F ` +
			`%T|%q", 86400 * 40 + 3661)`,
			"Tue Tuesday Feb February Tue Feb 10 01:01:01 1970|10 10 041 01 01 AM 02/10/70 " +
				"01:01:01 70 1970 2 06 06 UTC %|1970-02-10 01:01:01|%q"},
		{`local d = os.date("!*t", 86400 * 40); return d.year .. "-" .. d.month .. "-" .. d.day ` +
			`.. " " .. d.hour .. " " .. d.wday .. " " .. d.yday .. tostring(d.isdst)`,
			"1970-2-10 0 3 41false"},
		{`local d = os.date("*t", 1e9); return tostring(os.time(d) == 1e9) .. ` +
			`os.difftime(os.time{year = 2001, month = 14, day = 1}, os.time{year = 2002, month = ` +
			`2, day = 1})`, "true0"},
		{`local ok, e = pcall(os.time, {year = 2001}); local ok, f = pcall(os.date, "%Y", ` +
			`1e300); return e .. "; " .. f`,
			"os.time: month: got nil, want a number; os.date: time: got 1e+300, want a time up " +
				"to the year 9999"},
		{`local ok, e = pcall(os.time, {year = 1e300, month = 1, day = 1}); return e`,
			"os.time: year: got 1e+300, want a time up to the year 9999"},
		{`return type(os.time()) .. type(os.date("*t").year) .. type(os.clock()) .. ` +
			`collectgarbage("count")`, "numbernumbernumber0"},
		{`local ok, e = pcall(setmetatable, "", {}); return e`,
			"bad argument #1 to ? (table expected, got string)"},
		{`local f = function() return x end; setfenv(f, {x = "fenv"}); return f()`, "fenv"},
	} {
		wantText(t, c.body, c.want)
	}
}
