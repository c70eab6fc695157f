package lua

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// counted is an Object that counts reads.
type counted struct {
	object
	reads map[string]int
}

func (c counted) Get(key string) (any, bool) {
	c.reads[key]++
	return c.object.Get(key)
}

func sample() map[string]any {
	return map[string]any{
		"text": "hello", "n": 1.5, "int": 7, "yes": true, "null": nil,
		"list": []any{"a", "b", map[string]any{"deep": "x"}, nil},
		"strs": []string{"p", "q"},
		"map":  map[string]any{"b": 2.0, "a": 1.0},
		"lazy": value.NewLazy(func() any { return []any{"late"} }),
		"fn": &engine.Builtin{Bare: true, Row: &engine.APIRow{Name: "call.progress",
			Params: []value.Field{{Name: "text", Type: "string"}}},
			Func: func(c *engine.HostCall) (any, error) {
				return "did " + c.Args[0].(string),
					nil
			}},
	}
}

// TestViews checks that event data behaves like a table for everything that reads.
func TestViews(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`return ev.text .. ev.n .. ev.int .. tostring(ev.yes) .. tostring(ev.nothing)`,
			"hello1.57truenil"},
		{`return type(ev) .. type(ev.map) .. type(ev.list) .. type(ev.fn)`,
			"tabletabletablefunction"},
		{`return tostring(ev.null == ext.null) .. tostring(ev.list[4] == ext.null)`, "truetrue"},
		{`return tostring(ev.map == ev.map) .. tostring(ev.list[3] == ev.list[3]) .. ` +
			`tostring(ev.fn == ev.fn) .. tostring(ev.map == ev.list)`, "truetruetruefalse"},
		{`return #ev.list .. #ev.strs .. #ev.map .. rawlen(ev.list)`, "4204"},
		{`return ev.list[1] .. ev.list[3].deep .. tostring(ev.list[0]) .. tostring(ev.list[5]) ` +
			`.. tostring(ev.list[1.5]) .. tostring(ev.list.x)`, "axnilnilnilnil"},
		{`local s = ""; for k, v in pairs(ev.map) do s = s .. k .. v end; return s`, "a1b2"},
		{`local s = ""; for i, v in ipairs(ev.strs) do s = s .. i .. v end; return s`, "1p2q"},
		{`local s = ""; for i, v in pairs(ev.strs) do s = s .. i .. v end; return s`, "1p2q"},
		{`local k, v = next(ev.map); local k2, v2 = next(ev.map, k); return k .. v .. k2 .. v2 ` +
			`.. tostring(next(ev.map, k2))`, "a1b2nil"},
		{`return tostring(next(ev.strs, 2)) .. tostring(next(ev.strs))`, "nil1"},
		{`return table.concat(ev.strs, ",") .. table.concat({unpack(ev.strs)}) .. select("#", ` +
			`table.unpack(ev.list))`, "p,qpq4"},
		{`return rawget(ev.map, "a") .. tostring(rawequal(ev.map, ev.map)) .. ev.lazy[1]`,
			"1truelate"},
		{`return (("$a$b"):gsub("%$(%w)", ev.map))`, "12"},
		{`return ev.fn("it")`, "did it"},
		{`return tostring(ev):match("^table: ") and "ok"`, "ok"},
		{`return string.format("%.5s", ev.map)`, "table"},
		{`local t = ext.copy(ev.map); t.c = 3; return t.a + t.b + t.c .. type(t)`, "6table"},
		{`return select(2, pcall(function() ev.text = 1 end))`, "guard.lua:2: " + readOnly},
		{`return select(2, pcall(function() ev.list[1] = 1 end))`, "guard.lua:2: " + readOnly},
		{`return select(2, pcall(function() table.insert(ev.list, 1) end))`,
			"guard.lua:2: " + readOnly},
		{`return select(2, pcall(function() table.sort(ev.strs) end))`,
			"guard.lua:2: " + readOnly},
		{`return select(2, pcall(function() table.remove(ev.strs) end))`,
			"guard.lua:2: " + readOnly},
		{`return select(2, pcall(function() rawset(ev, "x", 1) end))`,
			"guard.lua:2: " + readOnly},
		{`return select(2, pcall(function() setmetatable(ev, {}) end))`,
			"guard.lua:2: " + readOnly},
		{`return tostring(getmetatable(ev))`, "false"},
		{`return select(2, pcall(next, ev.map, "zz"))`, "next: the table has no such key"},
	} {
		wantText(t, c.body, c.want, sample())
	}
}

func TestViewsAreLazy(t *testing.T) {
	o := counted{object(sample()), map[string]int{}}
	wantText(t, `return ev.map.a .. ev.map.b`, "12", o)
	if len(o.reads) != 1 || o.reads["map"] != 1 {
		t.Errorf("read %v, want map once", o.reads)
	}
}

func TestEventIsConvertedOncePerVM(t *testing.T) {
	h := newHost(t)
	g := h.load(`
local seen
ext.on("a", function(ev) seen = ev end)
ext.on("b", function(ev) return ev == seen end)`)
	ev := h.engine.Events.Named("guard", nil, map[string]any{"tool": "bash"})
	for _, c := range []struct {
		ev   *event.Event
		want bool
	}{{ev, true}, {h.engine.Events.Named("guard", nil, nil), false}} {
		if _, err := h.call(g, vm.KindTool, "a", ev); err != nil {
			t.Fatal(err)
		}
		if v, err := h.call(g, vm.KindTool, "b", c.ev); err != nil || v != c.want {
			t.Errorf("got %v, %v, want %v", v, err, c.want)
		}
	}
}

func TestEventKeys(t *testing.T) {
	h := newHost(t)
	g := h.load(`ext.on("x", function(ev) local k = {} for name in pairs(ev) do k[#k + 1] = name ` +
		`end return table.concat(k, " ") end)`)
	v, err := h.call(g, vm.KindTool, "x", h.engine.Events.Named("guard",
		&event.Envelope{Model: "m"}, map[string]any{"tool": "bash"}))
	if err != nil || !strings.Contains(v.(string), "event id time") ||
		!strings.HasSuffix(v.(string), "tool") {
		t.Errorf("got %v, %v", v, err)
	}
}
