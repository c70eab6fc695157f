package lua

import (
	"encoding/json"
	"testing"

	"github.com/agentscripts/agent/engine"
)

// found is a result whose fields are converted late.
type found struct{ asked *string }

func (found) Constant() {}

func (found) Keys() []string { return []string{"name", "none", "list", "table", "absent", "n"} }

func (f found) Get(key string) (any, bool) {
	if f.asked != nil {
		*f.asked += key + " "
	}
	switch key {
	case "name":
		return "x", true
	case "none":
		return nil, true
	case "list":
		return []any{"a", map[string]any{"b": 1.0}}, true
	case "table":
		return map[string]any{"x": []any{}}, true
	case "n":
		return 1.0, true
	}
	return nil, false
}

// listed is a function that writes down the keys of a table in their order.
const listed = `local function listed(t) local out = {} for k, v in pairs(t) do out[#out + 1] = tostring(k) .. "=" .. type(v) end return table.concat(out, " ") end
`

// TestLate does things to a table that is converted late and to a copy that the script makes of it: it must not see which of them it has.
func TestLate(t *testing.T) {
	for _, body := range []string{
		`return o`,
		`return { o, o.list, listed(o) }`,
		`return { type(o), o.name, o.n, o.none == ext.null, o.absent == nil, o.nope == nil, o[1] == nil, #o, rawlen(o), next({}) == nil }`,
		`o.name = "y" o.extra = 2 o.none = nil return { o, listed(o), o.extra }`,
		`o[1] = "first" o[2] = "second" return { #o, o[1], rawget(o, 2), table.concat(o, ","), unpack(o) }`,
		`table.insert(o, "first") table.insert(o, 1, "zeroth") local gone = table.remove(o) return { #o, gone, o[1], table.unpack(o) }`,
		`o.list[#o.list + 1] = "c" o.table.y = 2 return { o, o.list == o.list, #o.list }`,
		`local l, m = o.list, o.table l[#l + 1] = "c" o.name = "z" return { l == o.list, m == o.table, #o.list, o }`,
		`local l = o.list o.list = { 0 } return { l, o.list }`,
		`local l = o.list o.list = nil return { l, o.list == nil }`,
		`local s = "" for k, v in next, o do s = s .. k end return s`,
		`local k = next(o) local k2, v2 = next(o, k) return { k, k2, v2 }`,
		`for k in pairs(o) do o[k] = nil end return { next(o) == nil, o }`,
		`for k, v in pairs(o) do o[k] = tostring(type(v)) end return o`,
		`local n = 0 for _ in ipairs(o) do n = n + 1 end return n`,
		`return { rawget(o, "name"), rawget(o, "nope") == nil, rawequal(o, o), o == o, o ~= {} }`,
		`rawset(o, "fresh", 1) return { o.fresh, rawget(o, "fresh"), listed(o) }`,
		`local t = { [o] = 1 } return { t[o], t[{}] == nil }`,
		`return { ext.copy(o), ext.copy({ o }) }`,
		`o.n = 7 return ext.copy(o)`,
		`o.self = o local ok, why = pcall(ext.copy, o) return why`,
		`o.self = o return o`,
		`o.f = function(self) return self.n + 1 end return { o:f(), o.f(o) }`,
		`o.f = function() end return o`,
		`return (("$name $n $nope"):gsub("%$(%w+)", o))`,
		`return (tostring(o):gsub("0x%x+", ""))`,
		`return (string.format("%s", o):gsub("0x%x+", ""))`,
		`return o .. "x"`,
		`return o + 1`,
		`return o < {}`,
		`local ok, why = pcall(function() return o() end) return why`,
		`local ok, why = pcall(function() return o.nope.x end) return why`,
		`local ok, why = pcall(function() o[nil] = 1 end) return why`,
		`local ok, why = pcall(function() o[0 / 0] = 1 end) return why`,
		`return o[nil] == nil`,
		`return pcall(error, o)`,
		`error(o)`,
		`o.message = "m" error(o)`,
		`table.sort(o, function(a, b) return a > b end) return table.pack(o).n`,
		`return table.move(o, 1, 0, 1) == o`,
		`return table.move({ 5, 6 }, 1, 2, 1, o)[2]`,
		`return os.time(o)`,
		`o.year, o.month, o.day = 2000, 1, 2 return os.date("%Y", os.time(o))`,
		// What a late table has no part in.
		`setmetatable(o, { __index = function(_, k) return k .. "!" end, __len = function() return 9 end }) return { o.nope, o.name, #o }`,
		`return { getmetatable(o) == nil, getmetatable(setmetatable(o, { x = 1 })).x }`,
		`local t = setmetatable({}, { __index = o, __newindex = o }) t.name = "y" return { t.name, o.name, rawget(t, "name") == nil }`,
		`local f = function() return name end setfenv(f, o) return f()`,
		`return load("return name", "x", "t", o)()`,
	} {
		t.Run(body, func(t *testing.T) {
			got, gotErr := lateResult(t, body, `local o = ext.shell.parse("")`)
			want, wantErr := lateResult(t, body, `local o = {} for k, v in pairs(ext.shell.parse("")) do o[k] = v end`)
			if got != want || gotErr != wantErr {
				t.Errorf("got %s %s, want %s %s", got, gotErr, want, wantErr)
			}
		})
	}
}

// lateResult runs a body, with nothing else in the source but what makes o.
func lateResult(t *testing.T, body, made string) (result, failure string) {
	h := newHost(t)
	h.parsed = found{}
	g := h.load("ext.on(\"x\", function()\n" + listed + made + "\n" + body + "\nend)")
	got, err := h.call(g, engine.KindTool, "x")
	if err != nil {
		failure = err.Error()
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), failure
}

// TestLateIsLate: what the script does not read is not converted.
func TestLateIsLate(t *testing.T) {
	h, asked := newHost(t), ""
	h.parsed = found{asked: &asked}
	g := h.load(`ext.on("x", function() local o = ext.shell.parse("") return o.name .. o.list[1] end)`)
	if got, err := h.call(g, engine.KindTool, "x"); err != nil || got != "xa" {
		t.Fatal(got, err)
	}
	if want := "name list "; asked != want {
		t.Errorf("the fields %q were asked for, want %q", asked, want)
	}
}
