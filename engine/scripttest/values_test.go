package scripttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// echoes is a tool in each language that returns its arguments twice: as the view that it received,
// and as a copy that was converted twice more.
var echoes = map[string]string{
	"t.lua": `ext.tool{ name = "echo", description = "e", schema = { type = "object" }, run = function(args)
	return { content = "", details = { view = args.v, copy = ext.copy(args.v) } }
end }`,
	"t.js": `ext.tool({ name: "echo", description: "e", schema: { type: "object" }, run: (args) =>
	({ content: "", details: { view: args.v, copy: ext.copy(args.v) } }) });`,
}

// FuzzValues checks that plain data is unchanged after conversion to a script's value and back, in
// both languages.
func FuzzValues(f *testing.F) {
	for _, text := range []string{`{"a":[1,2,{"b":null}],"":{},"c":[]}`, `[[],[[]],{"1":1,"2":2}]`,
		`"\u0000\ud83d\ude00\ufffd"`, `-0.0`, `1e308`, `9007199254740993`,
		`{"__proto__":{"x":1},"constructor":2,"then":3,"length":-1,"toJSON":1}`, `[null,null]`,
		`{"a b":true,"é":false}`, strings.Repeat("[", 70) + strings.Repeat("]", 70), `{"n":null}`,
		`[null]`} {
		f.Add(text)
	}
	s := newStage(f)
	tools := map[string]*engine.Tool{}
	var gens []*engine.Generation
	for name, src := range echoes {
		g, err := s.load(name, src)
		if err != nil {
			f.Fatal(err)
		}
		tools[name] = g.Registry.Tools[0]
		gens = append(gens, g)
	}
	// the other script has the same tool, so it is called without being active
	s.eng.Scripts.Swap(gens[:1], nil)
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if len(text) > 100_000 || json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		plain, err := value.Plain(v)
		deep := err != nil
		for name, tool := range tools {
			r, err := tool.Run(context.Background(),
				&engine.Use{Args: map[string]any{"v": v}, Env: &event.Envelope{},
					Heard: func(string, bool) {}})
			if err != nil {
				// the result nests the value two levels deeper
				if notOurs(err.Error()) || !deep && !strings.Contains(err.Error(), "deeper") {
					t.Errorf("%s: %s: %v", name, text, err)
				}
				continue
			}
			details, _ := value.Plain(r.Details)
			m, _ := details.(map[string]any)
			if plain == nil { // a key without a value
				if m["view"] != nil || m["copy"] != nil {
					t.Errorf("%s: %s: got %v", name, text, m)
				}
				continue
			}
			for _, way := range []string{"view", "copy"} {
				if !reflect.DeepEqual(m[way], plain) {
					t.Errorf("%s: %s: %s is %#v, want %#v", name, text, way, m[way], plain)
				}
			}
		}
	})
}

// notOurs reports whether an error comes from the Go runtime or from a crashed interpreter.
func notOurs(text string) bool {
	return strings.Contains(text, "internal error") || strings.Contains(text, "runtime error") ||
		strings.Contains(text, "goroutine")
}

// hostile writes values that scripts can create, whether they are plain data or not, in both
// languages.
type hostile struct {
	r         *rand.Rand
	lua, js   strings.Builder
	remaining int
}

// atoms are values in the syntax of Lua and of JavaScript.
var atoms = [][2]string{
	{"nil", "undefined"}, {"ext.null", "null"}, {"0/0", "NaN"}, {"-1/0", "-Infinity"},
	{"1e300", "1e300"}, {`"\255\254"`, `"\ud800"`}, {`("x"):rep(1000)`, `"x".repeat(1000)`},
	{"print", "console.log"}, {"self", "self"}, {"ext", "ext"},
	{"setmetatable({}, { __index = function() error('i') end, __pairs = function() error('p') " +
		"end })", "new Proxy({}, { get() { throw new Error('g') }," +
		" ownKeys() { throw new Error('k') } })"},
	{"coroutine.create(print)", "(function* () { yield 1 })()"}, {"{ 1, nil, 3 }", "[1, , 3]"},
	{"{ [1.5] = 1 }", "({ [Symbol('s')]: 1 })"}, {"{ [true] = 1, a = 2 }", "new Map([[1, 2]])"},
	{"{ [1] = 1, x = 2 }", "Object.assign([1], { x: 2 })"}, {"{ [1e9] = 1 }", "({ length: 1e9 })"},
	{"ext.list{}", "new Date(NaN)"}, {"{}", "({})"},
	{"setmetatable({}, { __tostring = 5, __len = print })",
		"({ toJSON() { throw new Error('j') }, valueOf: 5 })"},
	{"ext.list{ 1, { self } }", "({ get a() { throw new Error('a') } })"},
	{"string", "Promise.resolve(1)"}, {"7", "/x/g"}, {"'s'", "class A {}"},
	{"2", "new Uint8Array(4)"}, {"3", "Object.create(null)"},
}

func (h *hostile) both(lua, js string) { h.lua.WriteString(lua); h.js.WriteString(js) }

func (h *hostile) value(depth int) {
	h.remaining--
	switch n := h.r.Intn(4); {
	case depth > 8 || h.remaining < 0 || n == 0:
		a := atoms[h.r.Intn(len(atoms))]
		h.both(a[0], "("+a[1]+")")
	case n == 1:
		h.both("{ ", "[")
		for range h.r.Intn(4) {
			h.value(depth + 1)
			h.both(", ", ", ")
		}
		h.both("}", "]")
	default:
		h.both("{ ", "({ ")
		for i := range h.r.Intn(4) {
			h.both(fmt.Sprintf("k%d = ", i), fmt.Sprintf("k%d: ", i))
			h.value(depth + 1)
			h.both(", ", ", ")
		}
		h.both("}", "})")
	}
}

// FuzzHostileValues checks that any value of a script is converted, or is reported with one of our
// errors.
func FuzzHostileValues(f *testing.F) {
	for seed := range int64(60) {
		f.Add(seed)
	}
	s := newStage(f)
	f.Fuzz(func(t *testing.T, seed int64) {
		h := &hostile{r: rand.New(rand.NewSource(seed)), remaining: 30}
		h.value(0)
		scripts := map[string]string{
			"t.lua": "local self = {} self.self = self\next.tool{ name = 'echo', description = " +
				"'e', run = function() local ok, why = pcall(ext.copy, " + h.lua.String() +
				")\nlocal ok2, why2 = pcall(ext.emit, 'custom:x', " + h.lua.String() +
				")\next.log.info(tostring(why)) return { content = tostring(why) .. " +
				"tostring(why2), details = " + h.lua.String() + " } end }",
			"t.js": "const self = {}; self.self = self;\nconst tried = (f) => { try { f(); " +
				"return 'fine'; } catch (e) { return String(e && e.message); } };\n" +
				"ext.tool({ name: 'echo', description: 'e', run: () => { const a = tried(() => " +
				"ext.copy(" + h.js.String() + ")), b = tried(() => ext.emit('custom:x', " +
				h.js.String() + "));\nreturn { content: a + b, details: " + h.js.String() +
				" } } });",
		}
		for name, src := range scripts {
			g, err := s.load(name, src)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, src)
			}
			r, err := g.Registry.Tools[0].Run(context.Background(),
				&engine.Use{Env: &event.Envelope{}, Heard: func(string, bool) {}})
			text := ""
			if err != nil {
				text = err.Error()
			} else {
				text = fmt.Sprint(r.Content)
			}
			if notOurs(text) || err != nil && text == "" {
				t.Errorf("%s: %s\n%s", name, text, src)
			}
			s.eng.Scripts.Discard(g)
		}
	})
}

// BenchmarkCross measures the conversion of an argument of 100 KB from a script to Go and back. For
// comparison, json measures encoding/json writing and reading the same data.
func BenchmarkCross(b *testing.B) {
	const of = 100 << 10
	b.Run("json", func(b *testing.B) {
		var v []any
		for n := 0; n < of; n += 70 {
			v = append(v, map[string]any{"id": float64(len(v)),
				"name": "item number " + strconv.Itoa(len(v)), "tags": []any{"one", "two"},
				"ok": true})
		}
		for b.Loop() {
			var back []any
			if text, err := json.Marshal(v); err != nil || json.Unmarshal(text, &back) != nil ||
				len(back) != len(v) {
				b.Fatal("less")
			}
		}
	})
	for name, src := range map[string]string{
		"t.lua": `local v, n = {}, 0
while n < 102400 do v[#v + 1] = { id = #v, name = "item number " .. #v, tags = { "one", "two" }, ok = true } n = n + 70 end
ext.command{ name = "x", run = function() if #ext.copy(v) ~= #v then error("less") end end }`,
		"t.js": `const v = [];
for (let n = 0; n < 102400; n += 70) v.push({ id: v.length, name: "item number " + v.length, tags: ["one", "two"], ok: true });
ext.command({ name: "x", run: () => { if (ext.copy(v).length !== v.length) throw new Error("less"); } });`,
	} {
		b.Run(name, func(b *testing.B) {
			s := newStage(b)
			g, err := s.load(name, src)
			if err != nil {
				b.Fatal(err)
			}
			s.eng.Scripts.Swap([]*engine.Generation{g}, nil)
			b.SetBytes(of)
			for b.Loop() {
				if _, err := s.eng.Commands.Run(context.Background(), &event.Envelope{}, "x",
					""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
