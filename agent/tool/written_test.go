package tool_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// TestRunOfAWrittenFile: a command that runs a file that an earlier call has written is compared
// with the rules as if the file was part of it, also if both calls are decided about at the same
// time.
func TestRunOfAWrittenFile(t *testing.T) {
	t.Parallel()
	for _, together := range []bool{false, true} {
		for _, x := range []struct{ file, text, line, want string }{
			{"x.sh", "cat secret/f\n", "bash x.sh", "rule read(./secret/**)"},
			{"x", "#!/bin/sh\ngit push origin\n", "chmod +x x && ./x", "rule bash(git push *)"},
			{"x.sh", "echo a\n", "bash x.sh", ""},
			{"x.py", "print(1)\n", "echo x.py; python3 ./x.py", "no one can approve"},
			{"makefile", "all:\n\techo a\n", "make", "no one can approve"},
		} {
			dir := raceWorld(t)
			e := raceEngine(t, dir, "read(./secret/**)", "bash(git push *)")
			dispatch := func(tool string, args map[string]any, other func(_, _ bool)) string {
				env := &event.Envelope{CWD: dir, Project: dir, Permission: event.PermissionYolo}
				r := e.Dispatch(t.Context(), &engine.Call{ID: tool, Tool: tool, Args: args,
					Origin: "model", Env: env, Together: other})
				return chat.PlainText(r.Content)
			}
			write := func(_, _ bool) {
				dispatch("write", map[string]any{"path": x.file, "content": x.text}, nil)
			}
			if !together {
				write(true, false)
				write = nil
			}
			got := dispatch("bash", map[string]any{"command": x.line}, write)
			if x.want == "" && !strings.HasPrefix(got, "a\n") || !strings.Contains(got, x.want) {
				t.Errorf("%s, together %v: got %s, want %s", x.line, together, got, x.want)
			}
		}
	}
}
