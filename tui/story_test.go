package tui

import (
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/event"
)

// playStory plays what a script does during a prompt: it refuses a call, the model finds another
// way, and the script is saved again while a program runs.
func playStory(s *stage) {
	s.status.info.Offline = false
	const prompt = "the build folder is stale: remove it, and make the tests pass"
	s.env = &event.Envelope{Model: "acme/large", Permission: event.PermissionDefault,
		Window: func() fields { return fields{"percent": 8.4} },
		Cost:   func() float64 { return 0.031 }}
	s.send("script_load", fields{"script": "guard.lua", "handlers": 2, "ms": 0.42,
		"cause": "start"})
	s.typeText(prompt)
	s.press("enter")
	s.input("prompt", prompt)
	s.send("agent_start", fields{"prompt": prompt})
	s.says("m1", "I remove the old output first, then I run the tests.")
	s.tool("tool_approval", "c1", "rm -rf build",
		fields{"decision": "deny", "source": "guard", "script": "guard.lua"})
	s.tool("tool_skipped", "c1", "rm -rf build", fields{"cause": "denied", "script": "guard.lua",
		"reason": "refused by guard.lua: rm -r cannot be undone: move it to the trash"})
	s.says("m2", "`rm -r` is refused here, so I move the folder to the trash.")
	s.ran("c2", "mv build ~/.trash/build", "", 4)
	s.ran("c3", "go test ./...", "ok  \tshop/api\t0.212s\n--- FAIL: TestTotal (0.00s)\n"+
		"    total_test.go:14: got 90, want 81\nFAIL\tshop/cart\t0.187s\n[exit code 1]", 1840)
	s.send("tool_result", fields{"call_id": "c4", "tool": "edit", "content": "ok",
		"args": fields{"path": "cart/total.go"}, "display": fields{"kind": "diff", "lang": "go",
			"text": "@@ -21 +21 @@\n-\treturn sum - sum*c.Discount\n" +
				"+\treturn sum * (1 - c.Discount) * (1 - c.Member)"}})
	s.send("tool_end", fields{"call_id": "c4", "tool": "edit", "duration_ms": 3.0})
	s.send("script_load", fields{"script": "guard.lua", "handlers": 3, "ms": 0.51,
		"cause": "save"})
	s.tool("tool_start", "c5", "go test ./...", nil)
	s.tool("tool_output", "c5", "go test ./...", fields{"chunk": "ok  \tshop/api\t0.208s\n"})
	s.advance(9 * time.Second)
	s.Update(tickMsg{})
}

// says shows a message of the model.
func (s *stage) says(id, text string) {
	s.send("message_delta", fields{"message_id": id, "kind": "text", "delta": text})
	s.send("message_end", fields{"message_id": id, "text": text})
}

// ran shows a command that has ended.
func (s *stage) ran(id, command, output string, ms float64) {
	s.tool("tool_start", id, command, nil)
	code := 0
	if strings.HasSuffix(output, "[exit code 1]") {
		code = 1
	}
	s.tool("tool_result", id, command, fields{"content": []any{fields{"type": "text",
		"text": output}}, "details": fields{"exit_code": code}})
	s.tool("tool_end", id, command, fields{"duration_ms": ms, "is_error": code != 0})
}
