// This file calls every function of the API, in both languages, with wrong arguments.

package scripttest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

// badValue is a wrong argument. kinds are the types for which it is valid; "any" accepts every
// value of some kind. A value without kinds cannot be converted at all.
type badValue struct {
	name, lua, js string
	kinds         []string
}

func badValues() []badValue {
	return []badValue{
		{"null", "ext.null", "null", []string{"nil"}},
		{"boolean", "true", "true", []string{"boolean"}},
		{"negative", "-1", "-1", []string{"number", "integer"}},
		{"fraction", "0.001", "0.001", []string{"number"}},
		{"large", "1e308", "1e308", []string{"number", "integer"}},
		{"not a number", "0/0", "NaN", []string{"NaN"}},
		{"infinity", "-1/0", "-1/0", []string{"infinity"}},
		{"empty", `""`, `""`, []string{"string"}},
		{"text", `"zz"`, `"zz"`, []string{"string"}},
		{"zero byte", `"z\0z"`, `"z\0z"`, []string{"string"}},
		{"no UTF-8", `"\255\254z"`, `"\ud800z"`, []string{"string"}},
		{"huge text", `("z"):rep(270000)`, `"z".repeat(1000).repeat(270)`, []string{"string"}},
		{"opening brackets", `("[({"):rep(30000)`, `"[({".repeat(300).repeat(100)`,
			[]string{"string"}},
		{"empty table", "{}", "{}", []string{"table", "list"}},
		{"table", "{ zz_unknown = 1 }", "{ zz_unknown: 1 }", []string{"table"}},
		{"list", `{ 1, "zz", true }`, `[1, "zz", true]`, []string{"list"}},
		{"huge list", "many", "many", []string{"list"}},
		{"cycle", "cycle", "cycle", nil},
		{"list in a circle", "ring", "ring", nil},
		{"deep", "deep", "deep", nil},
		{"function", "function() end", "() => {}", []string{"function"}},
		{"no data", "coroutine.create(function() end)", "Symbol(\"z\")", nil},
	}
}

const luaProbe = `
local cycle, ring, deep, many, told = {}, {}, {}, {}, {}
cycle.zz = cycle
ring[1] = ring
for i = 1, 1000 do deep = { zz = deep } end
for i = 1, 5000 do many[i] = "zz" end
local function probe(id, f, ...)
  local r = table.pack(pcall(f, ...))
  local text = "fine"
  if not r[1] then
    text = tostring(type(r[2]) == "table" and r[2].message or r[2])
  elseif r[2] == nil and type(r[3]) == "table" then
    text = "world: " .. r[3].code .. ": " .. r[3].message
  end
  if #text > 5000 then text = #text .. " bytes" end
  told[#told + 1] = "#" .. id .. " " .. text:sub(1, 600):gsub("\n", " ")
end
`

const jsProbe = `
const cycle = {}, ring = [], many = Array(5000).fill("zz");
let deep = {};
cycle.zz = cycle;
ring[0] = ring;
for (let i = 0; i < 1000; i++) deep = { zz: deep };
let told = [];
const tell = (id, text) => told.push("#" + id + " " + String(text).slice(0, 600).split("\n").join(" "));
const brief = (text) => (text.length > 5000 ? text.length + " bytes" : text);
const failed = (id, err) => tell(id, brief((err?.code === undefined ? "" : "world: " + err.code + ": ") + (err?.message ?? err)));
const probe = async (id, f, ...args) => {
  try { await f(...args); tell(id, "fine"); } catch (err) { failed(id, err); }
};
const load = (id, f, ...args) => {
  try { f(...args); tell(id, "fine"); } catch (err) { failed(id, err); }
};
`

// badCall is one call. want lists parts of its error, in order; without want the call may succeed.
type badCall struct {
	lua, js string // arguments
	want    []string
}

// good returns a valid argument of a type.
func good(f value.Field) (lua, js string) {
	if len(f.Values) > 0 {
		return fmt.Sprintf("%q", f.Values[0]), fmt.Sprintf("%q", f.Values[0])
	}
	switch typ, _, _ := strings.Cut(strings.TrimSuffix(f.Type, "?"), "|"); typ {
	case "boolean":
		return "true", "true"
	case "number", "integer":
		return "1", "1"
	case "function":
		return "function() end", "() => {}"
	case "table":
		return "{}", "{}"
	case "list":
		return "{}", "[]"
	}
	return `"zz"`, `"zz"`
}

// fitting reports whether a value of these kinds is valid for typ.
func fitting(typ string, kinds []string) bool {
	want := strings.Split(strings.TrimSuffix(typ, "?"), "|")
	if strings.HasSuffix(typ, "?") {
		want = append(want, "nil")
	}
	return slices.ContainsFunc(want, func(w string) bool {
		return w == "any" && kinds != nil ||
			slices.Contains(kinds, w)
	})
}

// badCalls returns the calls of a function with v in each position.
func badCalls(row engine.APIRow, v badValue) (calls []badCall) {
	var lua, js []string
	for _, p := range row.Params {
		l, j := good(p)
		lua, js = append(lua, l), append(js, j)
	}
	at := func(i int, l, j string, want ...string) {
		ls, jss := slices.Clone(lua[:i+1]), slices.Clone(js[:i+1])
		ls[i], jss[i] = l, j
		calls = append(calls, badCall{strings.Join(ls, ", "), strings.Join(jss, ", "), want})
	}
	for i, p := range row.Params {
		var want []string
		// then it is read as the next argument
		leftOut := strings.HasSuffix(p.Type, "?") && i+1 < len(row.Params)
		if !fitting(p.Type, v.kinds) && !leftOut &&
			(i == 0 || !strings.HasSuffix(row.Params[i-1].Type, "?")) {
			want = []string{p.Name, "got ", "want "}
			if v.kinds == nil {
				want = []string{p.Name, "got "}
			}
		}
		if v.name == "table" && slices.Contains(v.kinds, "table") && len(p.Fields) > 0 {
			want = []string{`unknown key "zz_unknown"`}
		}
		at(i, v.lua, v.js, want...)
		for _, f := range p.Fields {
			want := []string{}
			if !fitting(f.Type, v.kinds) {
				want = []string{f.Name, "got "}
			}
			at(i, "{ "+f.Name+" = "+v.lua+" }", "{ "+f.Name+": "+v.js+" }", want...)
		}
	}
	return calls
}

// fewAndMany returns calls with too few and with too many arguments.
func fewAndMany(row engine.APIRow) (calls []badCall) {
	var lua, js []string
	for _, p := range row.Params {
		if !strings.HasSuffix(p.Type, "?") && p.Type != "any" && !p.Rest {
			calls = append(calls, badCall{strings.Join(lua, ", "), strings.Join(js, ", "),
				[]string{p.Name, "got nil, want " + p.Type}})
		}
		l, j := good(p)
		lua, js = append(lua, l), append(js, j)
	}
	if n := len(row.Params); n == 0 || !row.Params[n-1].Rest {
		more := strings.Join(append(slices.Clone(lua), "5", "6"), ", ")
		calls = append(calls, badCall{more, strings.Join(append(slices.Clone(js), "5", "6"), ", "),
			[]string{"got ", "want "}})
	}
	return calls
}

// leaks matches texts that no error may contain, because they reveal internals.
var leaks = regexp.MustCompile(
	`runtime error|internal error|interface conversion|reflect|goroutine|panic|nil ` +
		`pointer|%!|0x[0-9a-f]{8}|GoError`)

// toldOf matches the line in which a probe reports a result.
var toldOf = regexp.MustCompile(`^(?:log: info  |case says: )?#(\d+\.\d+) (.*)`)

// blamed matches the beginning of an error of a script.
var blamed = regexp.MustCompile(`^(world: )?case\.(lua|js)(:\d+)*: `)

// ended matches the error of an unanswered dialog: its call or its timeout has ended.
var ended = regexp.MustCompile(`^(fine$|world: (timeout|cancelled): )`)

// short matches arguments with a very short timeout.
var short = regexp.MustCompile(`timeout = 0\.0`)

// TestBadInput checks that every function reports wrong arguments with the names of the function
// and the argument, the value, and the expected type. It covers new rows too.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, row := range spec.API() {
		if row.Fact {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			groups := [][]badCall{fewAndMany(row)}
			for _, v := range badValues() {
				groups = append(groups, badCalls(row, v))
			}
			said := map[string]string{}
			for _, lang := range []string{"lua", "js"} {
				for id, text := range tryOut(t, lang, row, groups) {
					text = blamed.ReplaceAllString(text, "")
					var g, c int
					fmt.Sscanf(id, "%d.%d", &g, &c)
					judge(t, row, lang, groups[g][c], text)
					if other, ok := said[id]; ok && other != text && comparable(row, g) &&
						!(short.MatchString(groups[g][c].lua) && ended.MatchString(other) &&
							ended.MatchString(text)) {
						t.Errorf("ext.%s(%.60s): the languages differ:\n\t%.200s\n\t%.200s",
							row.Name, groups[g][c].lua, other, text)
					}
					said[id] = text
				}
			}
		})
	}
}

// comparable reports whether the errors of both languages must be equal for a group of calls. They
// differ for bytes, which JavaScript's strings cannot hold, and for values that cannot be
// converted.
func comparable(row engine.APIRow, group int) bool {
	if row.Name == "base64.decode" || group == 0 {
		return group == 0
	}
	v := badValues()[group-1]
	return v.kinds != nil && v.name != "no UTF-8"
}

// tryOut makes the calls in a language, and returns the result of each.
func tryOut(t *testing.T, lang string, row engine.APIRow, groups [][]badCall) map[string]string {
	t.Helper()
	var src, input []string
	for g, calls := range groups {
		var lines []string
		for c, call := range calls {
			switch args := ""; {
			case lang == "lua":
				if call.lua != "" {
					args = ", " + call.lua
				}
				lines = append(lines, fmt.Sprintf("probe(\"%d.%d\", ext.%s%s)", g, c, row.Name,
					args))
			default:
				if call.js != "" {
					args = ", " + call.js
				}
				word := "await probe"
				if row.Loading {
					word = "load"
				}
				lines = append(lines, fmt.Sprintf("%s(\"%d.%d\", ext.%s%s);", word, g, c, row.Name,
					args))
			}
		}
		body := strings.Join(lines, "\n")
		switch {
		case row.Loading:
			src = append(src, body+"\nfor _, s in ipairs(told) do ext.log.info(s) end")
			if lang == "js" {
				src[g] = body + "\nfor (const s of told) ext.log.info(s);"
			}
			continue
		case lang == "lua":
			body = fmt.Sprintf(
				"ext.command{ name = \"p%d\", run = function()\ntold = {}\n%s\nreturn { display "+
					"= table.concat(told, \"\\n\") }\nend }", g, body)
		default:
			body = fmt.Sprintf(
				"ext.command({ name: \"p%d\", run: async () => {\ntold = [];\n%s\nreturn { "+
					"display: told.join(\"\\n\") };\n} });", g, body)
		}
		src, input = append(src, body), append(input, fmt.Sprintf("command /p%d", g))
	}
	head := luaHeader + luaProbe
	if lang == "js" {
		head = jsHeader + jsProbe
	}
	sep := "\n"
	if row.Loading { // each value has its own script, because loading is limited to a second
		sep = "\n---\n" + head
	}
	out := one(t, lang)(head+strings.Join(src, sep)+"\n-- project/a.txt --\na",
		strings.Join(input, "\n"))
	got := map[string]string{}
	for _, line := range strings.Split(out, "\n") {
		if m := toldOf.FindStringSubmatch(line); m != nil {
			got[m[1]] = m[2]
		}
	}
	calls := 0
	for _, g := range groups {
		calls += len(g)
	}
	if len(got) != calls {
		t.Errorf("%s: %d of %d calls came back: %.2000s", lang, len(got), calls, out)
	}
	return got
}

// worldCode returns the code of an error that a call returned as a value; "" is any other error.
func worldCode(text string) string {
	rest, ok := strings.CutPrefix(text, "world: ")
	code, _, _ := strings.Cut(rest, ":")
	if !ok {
		return ""
	}
	return code
}

func judge(t *testing.T, row engine.APIRow, lang string, call badCall, text string) {
	t.Helper()
	shown := call.lua
	if lang == "js" {
		shown = call.js
	}
	fail := func(what string) {
		t.Helper()
		t.Errorf("%s: ext.%s(%.100s): %s: %.300s", lang, row.Name, shown, what, text)
	}
	switch {
	case leaks.MatchString(text):
		fail("the error reveals internals")
	case text == "fine" && len(call.want) > 0:
		fail("got no error")
	case worldCode(text) != "" && row.Codes != nil && !slices.Contains(row.Codes, worldCode(text)):
		fail("its row does not list the code")
	// ext.fail reports the text that it is given
	case text != "fine" && !strings.Contains(text, "ext."+row.Name) &&
		(row.Name != "fail" || len(call.want) > 0):
		fail("it does not name the function")
	}
	if text == "fine" {
		return
	}
	rest := text
	for _, w := range call.want {
		i := strings.Index(rest, w)
		if i < 0 {
			fail(fmt.Sprintf("want %q in order", call.want))
			return
		}
		rest = rest[i+len(w):]
	}
}
