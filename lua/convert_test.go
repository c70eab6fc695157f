package lua

import (
	"reflect"
	"testing"
)

// TestResults checks the Go values of handlers' return values.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		body string
		want any
	}{
		{`return`, nil},
		{`return nil, "second"`, nil},
		{`return "s"`, "s"},
		{`return 1`, 1.0},
		{`return false`, false},
		{`return ext.null`, nil},
		{`return {}`, map[string]any{}},
		{`return ext.list{}`, []any{}},
		{`return {1, "a", {}}`, []any{1.0, "a", map[string]any{}}},
		{`return {a = {b = {1, 2}}, c = ext.null}`,
			map[string]any{"a": map[string]any{"b": []any{1.0, 2.0}}, "c": nil}},
		{`return {ext.null, 1}`, []any{nil, 1.0}},
		{`return ev.map`, map[string]any{"a": 1.0, "b": 2.0}},
		{`return {x = ev.list, y = ev.int}`,
			map[string]any{"x": []any{"a", "b", map[string]any{"deep": "x"}, nil}, "y": 7.0}},
		{`local d = ext.json.decode("x"); return d`,
			map[string]any{"list": []any{1.0, "two", nil}, "empty": []any{}, "null": nil}},
		{`local d = ext.json.decode("x"); table.remove(d.list); table.remove(d.list); ` +
			`table.remove(d.list); return d.list`, []any{}},
		{`local t = {}; t.x = 1; t.x = nil; t[1] = 1; return t`, []any{1.0}},
		{`local t = {1, 2, 3}; t[3] = nil; return t`, []any{1.0, 2.0}},
		{`local shared = {1}; return {shared, shared}`, []any{[]any{1.0}, []any{1.0}}},
	} {
		got, err := eval(t, c.body, sample())
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\ngot  %#v, %v\nwant %#v", c.body, got, err, c.want)
		}
	}
}

// TestOnlyDataIsAccepted checks that values other than data are rejected, with their path.
func TestOnlyDataIsAccepted(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`return print`, "returned a function, want plain data"},
		{`return {a = {b = print}}`, "returned .a.b: got a function, want plain data"},
		{`return {1, coroutine.create(print)}`, "returned [2]: got a thread, want plain data"},
		{`local t = {}; t.t = t; return t`, "returned .t: got a table that contains itself"},
		{`local t = {}; for i = 1, 100 do t = {t} end; return t`, "nested deeper than 64 levels"},
		{`return {1, 2, x = 3}`, `returned a table with both list items and the key "x"`},
		{`local t = {x = 1}; t[5000000] = 1; return t`, `with both names and the key [5000000]`},
		{`return {1, nil, 3}`, "returned a list with a gap: it has the key [3], but not [2]"},
		{`return {[true] = 1}`, "returned a table with the key [a boolean]"},
		{`return {[0] = 1}`, "a list with a gap: it has the key [0], but not [1]"},
		{`return {[1.5] = 1}`, "it has the key [1.5]"},
		{`local t = {}; for i = 1, 40 do t = {t, t} end; return t`, "got more than 1000000 values"},
		{`ext.say(print)`, "guard.lua:2: ext.say: markdown: got function, want string"},
		{`ext.say({a = {[true] = 1}})`,
			"ext.say: markdown.a: got a table with the key [a boolean]"},
		{`ext.say(coroutine.create(print))`, "ext.say: markdown: got a thread, want plain data"},
		{`ext.say()`, "ext.say: markdown: got nil, want string"},
	} {
		se := wantError(t, c.body, []string{c.want}, sample())
		if se.Line == 0 {
			t.Errorf("%s: no line", c.body)
		}
	}
}

// TestViewsAsArguments checks that host functions get the Go values behind views.
func TestViewsAsArguments(t *testing.T) {
	for _, body := range []string{`return ext.copy(ev.map).b`, `return ext.copy({x = ev.map}).x.b`,
		`return ext.list(ev.list)[3].deep and 2`} {
		if v, err := eval(t, body, sample()); err != nil || v != 2.0 {
			t.Errorf("%s: got %v, %v", body, v, err)
		}
	}
}
