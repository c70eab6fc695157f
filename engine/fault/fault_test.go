package fault

import (
	"errors"
	"fmt"
	"testing"
)

// TestOf: a script's error stays as it is, and one that wraps it keeps its hint.
func TestOf(t *testing.T) {
	t.Parallel()
	se := &ScriptError{Message: "x cannot be started", Hint: "make it executable"}
	if Of(se) != se {
		t.Error("a script's error is another one")
	}
	if got := Of(fmt.Errorf("processes.a: %w", se)); got.Hint != se.Hint ||
		got.Message != "processes.a: x cannot be started" {
		t.Errorf("got %q, hint %q", got.Message, got.Hint)
	}
	if got := Of(errors.New("plain")); got.Message != "plain" || got.Hint != "" {
		t.Errorf("got %q, hint %q", got.Message, got.Hint)
	}
}
