package engine_test

import (
	"go/ast"
	"go/token"
	"reflect"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// TestFiredByType: the program fires its events by their types. Only tests and data use names in
// quotes.
func TestFiredByType(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		if s.test() || s.folder() == "engine/scripttest" {
			continue
		}
		for _, call := range firedByName(s.file) {
			t.Errorf("%s: fire it as a type of package event", s.at(call))
		}
	}
}

// firedByName returns the calls of (*event.Table).Named with a name in quotes.
func firedByName(f *ast.File) (calls []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 { // name, envelope and fields
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if name, quoted := call.Args[0].(*ast.BasicLit); ok && quoted &&
			method.Sel.Name == "Named" && name.Kind == token.STRING {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}

func TestFiredByName(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		`e.Events.Named("turn_end", nil, nil)`:         1,
		`t := e.Events; t.Named("turn_end", nil, nil)`: 1,
		`e.Events.Named(name, nil, nil)`:               0,
		`grants.Named("tools")`:                        0,
	} {
		s := mustParse(t, "x.go", "package x\nfunc f() {"+code+"}")
		if got := len(firedByName(s.file)); got != want {
			t.Errorf("%s: got %d, want %d", code, got, want)
		}
	}
}

// TestNew: an event that is made from its type equals the one that is made by name. Zero values of
// optional fields are absent.
func TestNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cost := 0.0
	tests := []struct {
		fired  event.Fired
		fields map[string]any
	}{
		{event.SessionEnd{Cause: "exit"}, map[string]any{"cause": "exit"}},
		{event.Interrupt{}, map[string]any{"kind": ""}},
		{event.MessageEnd{MessageID: "m", Text: "t"},
			map[string]any{"message_id": "m", "text": "t"}},
		{event.MessageEnd{Reasoning: "r", Hidden: "h", Rewritten: map[string]any{}},
			map[string]any{"message_id": "", "text": "", "reasoning": "r", "hidden": "h",
				"rewritten": map[string]any{}}},
		{event.LLMResponse{Model: "m"}, map[string]any{"purpose": "", "model": "m",
			"duration_ms": 0.0}},
		{event.LLMResponse{Text: "", Cost: &cost},
			map[string]any{"purpose": "", "model": "", "text": "", "cost": 0.0,
				"duration_ms": 0.0}},
		{event.LoopDetected{Tool: "work", Count: 3},
			map[string]any{"tool": "work", "count": 3, "args_hash": ""}},
	}
	for _, tt := range tests {
		got, want := w.Events.New(nil, tt.fired), w.Events.Named(tt.fired.Event(), nil, tt.fields)
		for _, f := range want.Row().Payload {
			a, ok := got.Get(f.Name)
			b, wanted := want.Get(f.Name)
			if ok != wanted || !same(a, b) {
				t.Errorf("%s: %s is %v, want %v", want.Name(), f.Name, a, b)
			}
		}
	}
}

func same(a, b any) bool {
	x, err := value.Plain(a)
	y, err2 := value.Plain(b)
	return err == nil && err2 == nil && reflect.DeepEqual(x, y)
}
