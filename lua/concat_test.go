package lua

import "testing"

// TestConcat checks that the operator .. works as in Lua, even if it is compiled as a call.
func TestConcat(t *testing.T) {
	for body, want := range map[string]string{
		`local a, b = "x", 1 return a .. b .. 2.5 .. a`:                   "x12.5x",
		`local function f() return "a", "b" end return f() .. f()`:        "aa",
		`local function f(...) return ... .. ... end return f("a", "b")`:  "aa",
		`local function f() return "a", "b" end return "<" .. f() .. f()`: "<aa",
		`local m = setmetatable({}, { __concat = function(l, r) return (type(l) == "table" and ` +
			`"T" or l) .. "+" .. (type(r) == "table" and "T" or r) end }) local a = "a" return a ` +
			`.. m .. a .. m`: "aT+a+T",
		`local a = nil return select(2, pcall(function() local b = ` +
			`"x" return b .. a end))`: "cannot perform concat operation between string and nil",
		`local t = {} for i = 1, 3 do t[#t .. "k" .. i] = i .. i end return t["0k1"] .. t["0k2"] ` +
			`.. (t["0k3"] or "-")`: "112233",
		`local a = "a" local function f(x) return a .. x end return (f("b") .. f("c")):rep(2) .. ` +
			`(f)("d")`: "abacabacad",
		`local a = "a" if a .. a == "aa" and not (a .. a == "a") then repeat a = a .. a until ` +
			`#(a .. a) > 7 end return a .. -#(a .. a)`: "aaaa-8",
	} {
		v, err := eval(t, body)
		if s, _ := v.(string); err != nil || len(s) < len(want) || s[len(s)-len(want):] != want {
			t.Errorf("%s\ngot %v, %v, want %s", body, v, err, want)
		}
	}
}
