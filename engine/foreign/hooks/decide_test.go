package hooks_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

// TestDecisions: what a command does at PreToolUse decides about the call.
func TestDecisions(t *testing.T) {
	t.Parallel()
	tests := []struct{ what, command, result, asked string }{
		{"nothing", "true", `ran {"command":"ls"}`, "routine"},
		{"exit code 2", "echo never >&2; exit 2", "refused by x/hooks.json: never", ""},
		{"exit code 2 and a reason on stdout", `echo '{"decision":"block","reason":"because"}'
			echo never >&2; exit 2`, "refused by x/hooks.json: because", ""},
		{"exit code 2 beats allow", `echo '{"decision":"approve"}'; echo never >&2; exit 2`,
			"refused by x/hooks.json: never", ""},
		{"exit code 2 and half JSON", `printf '{"deci'; echo never >&2; exit 2`,
			"refused by x/hooks.json: never", ""},
		{"another exit code", "echo oops >&2; exit 1", `ran {"command":"ls"}`, "routine"},
		{"JSON with exit code 1", `echo '{"decision":"block","reason":"no"}'; exit 1`,
			"refused by x/hooks.json: no", ""},
		{"text", "echo hello", `ran {"command":"ls"}`, "routine"},
		{"deny", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
			`"permissionDecision":"deny","permissionDecisionReason":"no"}}'`,
			"refused by x/hooks.json: no", ""},
		{"deny in the other spelling", `echo '{"hook_specific_output":{` +
			`"permission_decision":"deny","permission_decision_reason":"no"}}'`,
			"refused by x/hooks.json: no", ""},
		{"deny with a message to the user only", `echo '{"systemMessage":"careful",` +
			`"hookSpecificOutput":{"permissionDecision":"deny"}}'`,
			"refused by x/hooks.json: careful", ""},
		{"deny with text on stderr only", `echo why >&2
			echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'`,
			"refused by x/hooks.json: why", ""},
		{"ask", `echo '{"hookSpecificOutput":{"permissionDecision":"ask",` +
			`"permissionDecisionReason":"really?"}}'`, `ran {"command":"ls"}`, "really?"},
		{"defer", `echo '{"hookSpecificOutput":{"permissionDecision":"defer"}}'`,
			`ran {"command":"ls"}`, "a hook of x/hooks.json asks"},
		{"allow", `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`,
			`ran {"command":"ls"}`, ""},
		{"approve", `echo '{"decision":"approve"}'`, `ran {"command":"ls"}`, ""},
		{"the stricter of two decisions", `echo '{"decision":"block","reason":"top",` +
			`"hookSpecificOutput":{"permissionDecision":"allow"}}'`,
			"refused by x/hooks.json: top", ""},
		{"continue is false", `echo '{"continue":false,"stopReason":"enough"}'`, "enough", ""},
		{"a rewrite", `echo '{"hookSpecificOutput":{"updatedInput":{"command":"ls -l"}}}'`,
			`ran {"command":"ls -l"}`, "routine"},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).hooked("PreToolUse", "Bash", test.command).begin()
			w.answers = true
			got, asked := w.bash("ls"), w.questions()
			if !strings.Contains(got, test.result) {
				t.Errorf("got %q, want %q; %s", got, test.result, w.told())
			}
			if !strings.Contains(asked, test.asked) || test.asked == "" && asked != "" {
				t.Errorf("asked %q, want %q", asked, test.asked)
			}
			if strings.Contains(got, "ran") != !strings.Contains(test.result, "refused") &&
				test.result != "enough" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestBrokenGuards: a hook that guards and does not answer is a failure, about which the user is
// asked, with the place of the hook and what to do.
func TestBrokenGuards(t *testing.T) {
	t.Parallel()
	type hook map[string]any
	tests := []struct {
		what string
		hook hook
		want string
	}{
		{"no such command", hook{"command": "nosuchcommand12"}, "exit code 127)"},
		{"a missing interpreter", hook{"command": "./bad.py"}, "cannot be started (exit code 12"},
		{"not executable", hook{"command": "./data.txt"}, "exit code 126)"},
		{"not executable, without a shell", hook{"command": "./data.txt", "args": []string{}},
			"chmod +x"},
		{"no such program, without a shell", hook{"command": "nosuchcommand12",
			"args": []string{"a"}}, "install it, or correct the command"},
		{"half JSON", hook{"command": `printf '{"decision":'`}, "not a JSON object"},
		{"JSON and more", hook{"command": `echo '{} {}'`}, "not a JSON object"},
		{"a decision that does not exist", hook{"command": `echo '{"decision":"maybe"}'`},
			`decision: got "maybe", want block`},
		{"a permission that does not exist", hook{
			"command": `echo '{"hookSpecificOutput":{"permissionDecision":"Deny"}}'`},
			`permissionDecision: got "Deny", want allow, ask or deny`},
		{"a field of another type", hook{"command": `echo '{"continue":"false"}'`},
			"continue: got string, want boolean"},
		{"an object of another type", hook{"command": `echo '{"hookSpecificOutput":"deny"}'`},
			"hookSpecificOutput: got string, want"},
		{"sleeps for ever", hook{"command": "sleep 1000", "timeout": 0.1},
			"it has not ended within 100ms, and was killed"},
		{"sleeps for ever, with a child", hook{"command": "sleep 1000 & sleep 1001",
			"timeout": 0.1}, "it has not ended within 100ms, and was killed"},
		{"killed", hook{"command": "kill -9 $$"}, "it was ended by the signal 9"},
		{"5 MB of JSON", hook{"command": `printf '{"a":"'; head -c 5000000 /dev/zero |
			tr '\0' x; printf '"}'`}, "its answer is too long"},
		{"another shell", hook{"command": "exit 0", "shell": "powershell"},
			"the shell powershell is not supported"},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			if test.hook["type"] == nil {
				test.hook["type"] = "command"
			}
			w := newRig(t)
			w.manifest("PreToolUse", "Bash", map[string]any(test.hook)).begin()
			write(t, w.dir, "bad.py", "#!/no/such/interpreter\n", 0o755)
			write(t, w.dir, "data.txt", "data\n", 0o644)
			if got := w.bash("ls"); strings.HasPrefix(got, "ran") {
				t.Errorf("it ran without an answer")
			}
			asked := w.questions()
			if !strings.Contains(asked, test.want) || !strings.Contains(asked,
				"x/hooks.json:") {
				t.Errorf("asked %q, want %q", asked, test.want)
			}
		})
	}
}

// TestTold: what a hook fails with that guards nothing is told, with the place of the hook. What
// begins like JSON is text for the model where text is, and told as well.
func TestTold(t *testing.T) {
	t.Parallel()
	input, end := event.Input{Kind: "prompt", Text: "hello"}, event.AgentBeforeEnd{Response: "x"}
	for _, test := range []struct {
		name, command string
		fired         event.Fired
		told, context string
	}{
		{"UserPromptSubmit", `printf '{"additionalContext": "half'`, input,
			`the JSON ends too early: {"additionalContext": "half; the model gets it as text`,
			`{"additionalContext": "half`},
		{"UserPromptSubmit", `echo '{"continue": "yes"}'`, input,
			"continue: got string, want boolean; the model gets it as text",
			`{"continue": "yes"}`},
		{"SessionStart", `printf '{"a":'`, event.SessionStart{Cause: "startup"},
			"its answer is not a JSON object", `{"a":`},
		{"Stop", `printf '{"a":'`, end, "its answer is not a JSON object", ""},
		{"Stop", "echo oops >&2; exit 3", end, "it failed with exit code 3: oops", ""},
	} {
		t.Run(test.name+" "+test.command, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).hooked(test.name, "", "true", test.command).begin()
			_, v := w.fires(test.fired)
			context := ""
			if len(v.Contexts) > 0 {
				context = v.Contexts[0].Text
			}
			if context != test.context {
				t.Errorf("the model gets %q, want %q", context, test.context)
			}
			w.wantTold("x/hooks.json:10: the " + test.name + " hook")
			w.wantTold(test.told)
		})
	}
}
