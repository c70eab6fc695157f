package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// TestFiredByType: the program fires its events by their types. Only tests and data use names in
// quotes.
func TestFiredByType(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`\bEvents\.Named\("`)
	for _, folder := range []string{"engine", "agent", "cmd", "tui", "lua", "js"} {
		err := filepath.WalkDir(filepath.Join("..", folder),
			func(path string, d fs.DirEntry, err error) error {
				testing := strings.HasSuffix(path, "_test.go") ||
					strings.Contains(filepath.ToSlash(path), "/engine/scripttest/")
				if err != nil || d.IsDir() || testing || filepath.Ext(path) != ".go" {
					return err
				}
				text, err := os.ReadFile(path)
				if at := named.FindIndex(text); at != nil {
					t.Errorf("%s:%d: fire it as a type of package event", path,
						1+strings.Count(string(text[:at[0]]), "\n"))
				}
				return err
			})
		if err != nil {
			t.Fatal(err)
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
