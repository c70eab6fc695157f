// This file tests how values of scripts are read: arguments, filters, plain data.

package engine_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

func TestCheckArgs(t *testing.T) {
	t.Parallel()
	f := &fakeFunc{}
	opts := value.Field{Name: "options", Type: "table?",
		Fields: []value.Field{{Name: "priority", Type: "number?"},
			{Name: "on_error", Type: "string?", Values: []string{"ask", "block"}}}}
	on := []value.Field{{Name: "event", Type: "string"}, opts, {Name: "fn", Type: "function"}}
	tool := []value.Field{{Name: "tool", Type: "table",
		Fields: []value.Field{{Name: "name", Type: "string"}, {Name: "days", Type: "integer?"},
			{Name: "models", Type: "list?"}}}}
	tests := []struct {
		name   string
		params []value.Field
		args   []any
		want   string // the result, or the error
	}{
		{"ext.on", on, []any{"x", f}, "[x <nil> F]"},
		{"ext.on", on, []any{"x", nil, f}, "[x <nil> F]"},
		{"ext.on", on, []any{"x", map[string]any{"priority": 1}, f}, "[x map[priority:1] F]"},
		{"ext.on", on, []any{"x"}, "ext.on: fn: got nil, want function"},
		{"ext.on", on, []any{f}, "ext.on: event: got function, want string"},
		{"ext.on", on, []any{"x", "y", f}, "ext.on: options: got string, want table"},
		{"ext.on", on, []any{"x", nil, f, 1.0}, "ext.on: got 4 arguments, want at most 3"},
		{"ext.on", on, []any{"x", nil, f, nil}, "[x <nil> F]"},
		{"ext.on", on, []any{"x", map[string]any{"onError": "ask"}, f},
			`ext.on: options: unknown key "onError"; did you mean "on_error"?`},
		{"ext.on", on, []any{"x", map[string]any{"on_error": "aks"}, f},
			`ext.on: on_error: got "aks", want one of ask, block; did you mean "ask"?`},
		{"ext.tool", tool, []any{map[string]any{}}, "ext.tool: name: got nil, want string"},
		{"ext.tool", tool, []any{map[string]any{"name": "x", "days": 1.5}},
			"ext.tool: days: got number, want integer"},
		{"ext.tool", tool, []any{map[string]any{"name": "x", "days": math.NaN()}},
			"ext.tool: days: got NaN, want integer"},
		{"ext.tool", tool, []any{map[string]any{"name": "x", "models": map[string]any{}}},
			"[map[models:[] name:x]]"},
		{"ext.tool", tool, []any{map[string]any{"name": "x", "days": nil}}, "[map[name:x]]"},
		{"ext.tool", tool, nil, "ext.tool: tool: got nil, want table {name}"},
	}
	for _, tt := range tests {
		out, err := value.CheckArgs(tt.name, tt.params, tt.args)
		for i, v := range out {
			if v == any(f) {
				out[i] = "F"
			}
		}
		if got := sprint(out); err != nil && err.Error() != tt.want || err == nil &&
			got != tt.want {
			t.Errorf("%s%v: got %s, %v; want %s", tt.name, tt.args, got, err, tt.want)
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fired := func(name string, fields map[string]any) *event.Event {
		return w.Events.Named(name, &event.Envelope{Depth: 1}, fields)
	}
	bash := map[string]any{"tool": "bash", "kind": "execute",
		"args": map[string]any{"command": "rm -rf x"}}
	hidden := map[string]any{"tool": "write", "kind": "edit",
		"args": map[string]any{"command": "harmless", "path": "/home/.env"}}
	words := map[string]any{"tool": "bash", "kind": "execute",
		"args": map[string]any{"command": []any{"sudo", "rm"}}}
	none := map[string]any{"tool": "bash", "kind": "execute", "args": map[string]any{}}
	tests := []struct {
		event  string
		opts   map[string]any
		fields map[string]any
		want   string // "yes", "no", or part of the error
	}{
		{"guard", map[string]any{}, bash, "yes"},
		{"guard", map[string]any{"tool": "edit|bash"}, bash, "yes"},
		{"guard", map[string]any{"tool": "ba*"}, bash, "yes"},
		{"guard", map[string]any{"tool": "*"}, bash, "yes"},
		{"guard", map[string]any{"tool": "edit | write"}, bash, "no"},
		{"guard", map[string]any{"tool": "bas"}, bash, "no"},
		{"guard", map[string]any{"kind": "execute"}, bash, "yes"},
		{"guard", map[string]any{"kind": "edit"}, bash, "no"},
		{"guard", map[string]any{"depth": 1.0}, bash, "yes"},
		{"guard", map[string]any{"depth": 0}, bash, "no"},
		{"guard", map[string]any{"match": "rm .*x$"}, bash, "yes"},
		{"guard", map[string]any{"match": "^x"}, bash, "no"},
		{"guard", map[string]any{"match": `\.env$`}, hidden, "yes"},
		{"guard", map[string]any{"match": "sudo"}, words, "yes"},
		{"guard", map[string]any{"match": "^$"}, none, "yes"},
		{"guard", map[string]any{"match": "x"}, none, "no"},
		{"guard", map[string]any{"kind": "exec"}, bash,
			`kind: got "exec", want one of read, edit, execute, search, agent, other`},
		{"guard", map[string]any{"match": "("}, bash, "match: error parsing regexp"},
		{"guard", map[string]any{"tool": "a||b"}, bash, "empty alternative"},
		{"guard", map[string]any{"tool": "[a"}, bash, "syntax error in pattern"},
		{"guard", map[string]any{"tool": 1.0}, bash, "tool: got number, want a string"},
		{"guard", map[string]any{"tool": ""}, bash, "want a string that is not empty"},
		{"guard", map[string]any{"depth": 0.5}, bash, "depth: got 0.5, want a whole number"},
		{"notification", map[string]any{"level": "error"}, map[string]any{"level": "error"}, "yes"},
		{"notification", map[string]any{"level": "error"}, map[string]any{"level": "info"}, "no"},
		{"notification", map[string]any{"level": "loud"}, nil, `level: got "loud"`},
		{"notification", map[string]any{"match": "disk"}, map[string]any{"message": "disk full"},
			"yes"},
		{"message_delta", map[string]any{"kind": "reasoning"}, map[string]any{"kind": "text"},
			"no"},
	}
	for _, tt := range tests {
		f, err := event.NewFilter(w.Events.Row(tt.event), tt.opts)
		got := "no"
		if err != nil {
			got = err.Error()
		} else if f.Matches(fired(tt.event, tt.fields)) {
			got = "yes"
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%s %v on %v: got %s, want %s", tt.event, tt.opts, tt.fields, got, tt.want)
		}
	}
}

func TestFilterWithoutMatchAllocatesNothing(t *testing.T) {
	w := newWorld(t)
	ev := w.Events.Named("guard", nil, map[string]any{"tool": "look", "kind": "read",
		"args": map[string]any{"path": "x"}})
	for key, value := range map[string]any{"tool": "bash|edit|mcp__*", "kind": "edit", "depth": 3,
		"match": "sudo"} {
		f, err := event.NewFilter(w.Events.Row("guard"), map[string]any{key: value})
		if err != nil {
			t.Fatal(err)
		}
		if n := scripttest.Allocations(100, func() { f.Matches(ev) }); n != 0 {
			t.Errorf("%s: %v allocations", key, n)
		}
	}
}

// TestRecentTexts converts more texts than the cache holds, each twice in a row: each text gets its
// own value, and the second value comes from the cache.
func TestRecentTexts(t *testing.T) {
	t.Parallel()
	converted := 0
	var texts value.Recent[string]
	get := func(text string) string {
		return texts.Get(text, func(s string) string { converted++; return "<" + s + ">" })
	}
	for round := range 3 {
		for i := range 1000 {
			text := strings.Repeat("x", i%20) + fmt.Sprint(i)
			if got, again := get(text), get(text); got != "<"+text+">" || again != got {
				t.Fatalf("round %d: got %q and %q for %q", round, got, again, text)
			}
		}
	}
	converted = 0
	if get("bash"); get("bash") != "<bash>" || get("") != "<>" || converted != 2 {
		t.Errorf("%d conversions, want one of each text", converted)
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	names := []string{"block", "ask", "is_error", "for_user", "notify"}
	for got, want := range map[string]string{"blcok": "block", "isError": "is_error",
		"FOR_USER": "for_user", "aks": "ask", "zzzz": "",
		"": "", "notifyy": "notify", strings.Repeat("block", 50): ""} {
		if s := suggest.Nearest(got, names); s != want {
			t.Errorf("%q: got %q, want %q", got, s, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	src := []byte("one\n\ttwo\r\nthree\n" + strings.Repeat("x", 300))
	tests := []struct {
		line, column int
		want         string
	}{
		{1, 0, ">   1 | one\n    2 |  two"},
		{2, 3, "    1 | one\n>   2 |  two\n      |   ^\n    3 | three"},
		{0, 0, ""}, {5, 1, ""}, {-1, 0, ""},
	}
	for _, tt := range tests {
		if got := fault.Excerpt(src, tt.line, tt.column); got != tt.want {
			t.Errorf("%d:%d: got\n%s\nwant\n%s", tt.line, tt.column, got, tt.want)
		}
	}
	if got := fault.Excerpt(src, 4, 1000); len(got) > 250 || strings.Contains(got, "^") {
		t.Errorf("a long line is not cut: %q", got)
	}
	long := []byte("x = 1\n" + strings.Repeat("a", 400) + "!" + strings.Repeat("b", 400) + "\n}")
	for _, width := range []int{16, 30, 168, 1000} {
		got := fault.FitExcerpt("at 2:\n"+fault.Excerpt(long, 2, 401)+"\nhint", width)
		rows := strings.Split(got, "\n")
		if len(rows) != 6 || rows[0] != "at 2:" || rows[5] != "hint" {
			t.Fatalf("width %d: got\n%s", width, got)
		}
		for _, row := range rows[1:5] {
			if utf8.RuneCountInString(row) > width {
				t.Errorf("width %d: %q is too wide", width, row)
			}
		}
		if at := []rune(rows[2]); at[len(rows[3])-1] != '!' {
			t.Errorf("width %d: the caret is not below the fault:\n%s", width, got)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	nest := func(n int) any {
		var v any = 1
		for range n {
			v = []any{v}
		}
		return v
	}
	if _, err := value.Plain(nest(value.MaxDepth)); err != nil {
		t.Errorf("at the maximum depth: %v", err)
	}
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, v := range []any{nest(value.MaxDepth + 1), cycle, &fakeFunc{}, struct{}{},
		[]any{make(chan int)}} {
		if p, err := value.Plain(v); err == nil {
			t.Errorf("%T is plain: %v", v, p)
		}
	}
	lazy := value.NewLazy(func() any { return chat.MessageList{{ID: "m", Role: "user"}} })
	p, err := value.Plain(map[string]any{"a": lazy, "n": int64(3), "s": []string{"x"},
		"null": nil})
	want := map[string]any{"a": []any{map[string]any{"id": "m", "role": "user",
		"content": []any{}}}, "n": 3.0, "s": []any{"x"}, "null": nil}
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("got %v, %v", p, err)
	}
}

func TestLazyIsComputedOnce(t *testing.T) {
	t.Parallel()
	n := 0
	l := value.NewLazy(func() any { n++; panic("boom") })
	within(t, "reading", func() {
		for range 3 {
			func() {
				defer func() { recover() }()
				l.Value()
			}()
		}
	})
	if n != 1 {
		t.Errorf("computed %d times", n)
	}
}
