package hooks_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
)

// BenchmarkHook measures a call about which one hook is asked, and, as "bare", the start of the
// same command with the same input.
func BenchmarkHook(b *testing.B) {
	const command = "cat >/dev/null"
	b.Run("hook", func(b *testing.B) {
		w := newRig(b)
		w.answers = true
		w.hooked("PreToolUse", "Read", command).begin()
		call := &engine.Call{ID: "1", Tool: "read", Args: map[string]any{"path": "x"},
			Origin: "model", Env: w.env}
		for b.Loop() {
			if r := w.engine.Dispatch(context.Background(), call); r.IsError {
				b.Fatal(r.Content)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("sh", "-c", command)
			cmd.Stdin = strings.NewReader(`{"tool_name":"Read"}`)
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
