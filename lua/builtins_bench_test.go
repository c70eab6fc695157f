package lua

import (
	"fmt"
	"testing"
)

// builtins are calls of built-in functions, every guarded one that gopher-lua has too among them,
// with arguments of ordinary sizes; calls makes the variables.
var builtins = []struct{ name, call string }{
	{"nothing", "x = i"},
	{"find", "x = s:find('%-rf')"},
	{"plain", "x = s:find('build', 1, true)"},
	{"match", "x = ('key = value'):match('^(%w+)%s*=%s*(%w+)$')"},
	{"gsub", "x = ('a b c d e'):gsub('%s+', '_')"},
	{"gsub function", "x = ('a b c'):gsub('%a', f)"},
	{"gmatch", "for w in ('the quick brown fox'):gmatch('%a+') do x = w end"},
	{"format", "x = ('%s is %d of %5.2f'):format('x', i, i / 3)"},
	{"rep", "x = ('ab'):rep(100)"},
	{"rep short", "x = (' '):rep(4)"},
	{"sub", "x = s:sub(3, 7)"},
	{"upper", "x = s:upper()"},
	{"lower", "x = s:lower()"},
	{"len", "x = s:len()"},
	{"reverse", "x = s:reverse()"},
	{"bytes", "x = string.char(s:byte(1, 5))"},
	{"byte", "x = s:byte(3)"},
	{"dots", "x = s .. i .. s"},
	{"insert", "local l = {} for k = 1, 20 do table.insert(l, k) end"},
	{"insert at", "local l = {1, 2, 3} table.insert(l, 2, i)"},
	{"remove", "local l = {1, 2, 3} table.remove(l) table.remove(l)"},
	{"concat", "x = table.concat(t, ', ')"},
	{"concat short", "x = table.concat(pair, ' ')"},
	{"sort", "local l = {} for k = 1, 20 do l[k] = k * 79 % 101 end table.sort(l)"},
	{"sort function", "local l = {3, 1, 2, 5, 4} table.sort(l, less)"},
	{"unpack", "local a, b, c, d = unpack(t)"},
	{"getn", "x = table.getn(t)"},
	{"ipairs", "for _, v in ipairs(t) do x = v end"},
	{"pairs", "for _, v in pairs(o) do x = v end"},
	{"next", "x = next(o)"},
	{"rawget", "x = rawget(o, 'tool')"},
	{"rawset", "rawset(o, 'tool', i)"},
	{"setmetatable", "x = setmetatable({}, mt)"},
	{"tonumber", "x = tonumber(i)"},
	{"tonumber text", "x = tonumber('12.5')"},
	{"tostring", "x = tostring(i)"},
	{"convert", "x = tonumber(tostring(i))"},
	{"type", "x = type(i)"},
	{"select", "x = select('#', i, i)"},
	{"math", "x = math.max(math.floor(i / 3), math.abs(-i))"},
	{"random", "x = math.random(10)"},
	{"pcall", "x = pcall(type, 1)"},
	{"pcall function", "x = pcall(f, 1)"},
	{"pcall error", "x = pcall(error, 'x')"},
	{"pcall raise", "x = pcall(raise)"},
	{"xpcall", "x = xpcall(f, f)"},
	{"assert", "x = assert(i)"},
	{"coroutine", "x = coroutine.wrap(f)(1)"},
	{"yield", "x = co()"},
	{"loadstring", "x = loadstring('return 1')"},
	{"time", "x = os.time()"},
	{"clock", "x = os.clock()"},
	{"date", "x = os.date('%Y')"},
}

// calls is the body of a function that makes a function, which makes a call 2000 times.
const calls = `
local x
local s = ("rm -rf ./build --force && make all "):rep(6)
local t, pair, o = {1, 2, 3, 4, 5, 6, 7, 8}, {"a", "b"}, {tool = "bash", n = 5, list = {1, 2, 3}}
local mt = {__index = o}
local function f(a) return a end
local function less(a, b) return a < b end
local function raise() error({code = 1}) end
local co = coroutine.wrap(function() while true do coroutine.yield(1) end end)
return function() for i = 1, 2000 do %s end end`

// slower is the ratio from which a built-in function is reported as slow.
const slower = 1.1

// BenchmarkBuiltins compares built-in functions with those of gopher-lua, in a loop that can be
// stopped. It lists the slow ones at the end.
func BenchmarkBuiltins(b *testing.B) {
	slow := ""
	for _, f := range builtins {
		b.Run(f.name, func(b *testing.B) {
			if ratio := benchOverBare(b, fmt.Sprintf(calls, f.call), true); ratio > slower {
				slow += fmt.Sprintf("\n%.2f %s", ratio, f.call)
			}
		})
	}
	b.Logf("more than %v times the time of gopher-lua:%s", slower, slow)
}
