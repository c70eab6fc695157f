package hooks_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
)

// TestTerminalSequence: a hook can ring the bell, notify and set the title of the window; of what
// else it wants to send nothing reaches the front end.
func TestTerminalSequence(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	shown := ""
	show := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		shown += text + "\n"
	}
	w := newRig(t)
	*w.engine.Screen.Surface() = ui.Surface{
		Desktop: func(script, title, body string) { show(script + "|" + title + "|" + body) },
		Show: func(p ui.Piece) {
			if p.Kind == ui.PieceTitle && len(p.Lines) > 0 {
				show("window " + p.Lines[0].Text())
			} else {
				show(p.Kind + " away")
			}
		}}
	w.hooked("UserPromptSubmit", "", `cat answer`).begin()
	for _, test := range []struct{ sequence, want, refused string }{
		{`\u0007`, "x/hooks.json||", ""},
		{`\u001b]9;All done\u0007`, "x/hooks.json|All done|", ""},
		{`\u001b]777;notify;Tests;all; passed\u001b\\`, "x/hooks.json|Tests|all; passed", ""},
		{`\u001b]99;i=1:d=0;Tests\u001b\\\u001b]99;i=1:p=body:e=1;cGFzc2Vk\u0007`,
			"x/hooks.json|Tests|\nx/hooks.json||passed", ""},
		{`\u001b]0;My \u0001ti\ntle\u0007`, "window My ti tle", ""},
		{`\u001b]2;\u0007`, "title away", ""},
		{`\u0007\u001b[2J\u0007`, "x/hooks.json||", "␛[2J"},
		{`\u001b]52;c;ZXZpbA==\u0007`, "", "␛]52;c;ZXZpbA=="},
		{`\u001b]9;4;1;50\u0007`, "", "␛]9;4;1;50"},
		{`\u001b]8;;http://x\u0007`, "", "␛]8;;http://x"},
		{`\u001b]99;p=icon;x\u0007`, "", "␛]99;p=icon"},
		{`\u001b]99;e=1;!\u0007`, "", "␛]99;e=1;!"},
		{`\u001b]0;no end`, "", "␛]0;no end"},
		{`\u001b]0;a\u001bPtmux;x\u001b\\`, "", "␛]0;a␛Ptmux;x"},
		{`hello`, "", "not sent: hello"},
	} {
		shown, w.events = "", nil
		w.write("answer", `{"terminalSequence": "`+test.sequence+`"}`)
		w.fires(event.Input{Kind: "prompt", Text: test.sequence})
		if got := strings.TrimSpace(shown); got != test.want {
			t.Errorf("%s: shown %q, want %q; told %s", test.sequence, got, test.want, w.told())
		}
		if got := w.told(); (got == "") != (test.refused == "") ||
			!strings.Contains(got, test.refused) {
			t.Errorf("%s: told %q, want %q", test.sequence, got, test.refused)
		}
	}
}

// TestWishes: a hook names the session, sends a prompt, and adds rules for the session; what has no
// counterpart is told, once.
func TestWishes(t *testing.T) {
	t.Parallel()
	w := newRig(t)
	done := ""
	w.services.Name = func(_ *event.Envelope, name string) (string, error) {
		done += "name " + name + "\n"
		return name, nil
	}
	w.services.Send = func(_ *event.Envelope, text, when, _ string, _ int) error {
		done += "send " + text + " " + when + "\n"
		return errors.New("the queue is full")
	}
	w.write("answer", `{"hookSpecificOutput":{"sessionTitle":"Night\nshift",`+
		`"initialUserMessage":"begin","watchPaths":["a"]}}`)
	w.hooked("SessionStart", "", `cat answer`).begin()
	for range 2 {
		w.fires(event.SessionStart{Cause: "startup"})
	}
	if want := strings.Repeat("name Night shift\nsend begin next\n", 2); done != want {
		t.Errorf("got %q", done)
	}
	for text, want := range map[string]int{"watchPaths has no effect, as FileChanged": 1,
		"initialUserMessage: ": 2} {
		if got := strings.Count(w.told(), text); got != want {
			t.Errorf("%s: told %d times:\n%s", text, got, w.told())
		}
	}
}

// TestUpdatedPermissions: the rules that hooks of PermissionRequest add.
func TestUpdatedPermissions(t *testing.T) {
	t.Parallel()
	add := func(rule string) string { return `{"type":"addRules","behavior":"allow",` + rule + `}` }
	rule := func(tool, content string) string {
		return `"rules":[{"toolName":"` + tool + `","ruleContent":"` + content + `"}]`
	}
	for _, test := range []struct{ update, rule, told string }{
		{add(rule("Bash", "npm test:*")), "bash(npm test *)", ""},
		{add(rule("Bash", "ls -l")), "bash(ls -l)", ""},
		{add(`"rules":[{"toolName":"Edit"}]`), "edit", ""},
		{add(rule("Edit", "/src/**")), "edit(./src/**)", ""},
		{add(rule("Write", "src/*")), "write(./src/*)", ""},
		{add(rule("Read", "//etc/**")), "read(/etc/**)", ""},
		{add(rule("Read", "~/x")), "read(~/x)", ""},
		{add(rule("WebFetch", "domain:a.b")), "fetch(https://a.b/*)", ""},
		{add(rule("WebFetch", "a.b")), "", "WebFetch(a.b) is not understood: want domain:NAME"},
		{add(rule("mcp__x__y", "")), "mcp__x__y", ""},
		{add(`"destination":"userSettings",` + rule("Bash", "ls")), "bash(ls)",
			"rules for userSettings hold for this session only"},
		{`{"type":"addRules","behavior":"deny",` + rule("Bash", "ls") + `}`, "",
			"addRules deny has no counterpart here"},
		{`{"type":"setMode","mode":"bypassPermissions"}`, "", "setMode has no counterpart here"},
	} {
		t.Run(test.update, func(t *testing.T) {
			t.Parallel()
			w := newRig(t)
			w.env.Permission = event.PermissionDefault
			w.hooked("PermissionRequest", "", `echo '{"hookSpecificOutput":{"decision":{`+
				`"behavior":"allow","updatedPermissions":[`+test.update+`]}}}'`).begin()
			if got := w.bash("touch a"); !strings.HasPrefix(got, "ran") {
				t.Errorf("got %q; %s", got, w.told())
			}
			if got := strings.Join(w.rules, " "); got != test.rule {
				t.Errorf("got %q, want %q", got, test.rule)
			}
			if told := w.told(); (told == "") != (test.told == "") ||
				!strings.Contains(told, test.told) {
				t.Errorf("told %q, want %q", told, test.told)
			}
		})
	}
}

// TestGoesOnIsTold: why a hook of Stop lets the agent go on is told, but not its context.
func TestGoesOnIsTold(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"echo 'run the tests' >&2; exit 2": "the agent goes on: run the tests",
		"cat answer":                       "",
	} {
		w := newRig(t).hooked("Stop", "", command)
		w.write("answer", `{"hookSpecificOutput":{"additionalContext":"run the tests"}}`)
		w.begin()
		w.fires(event.AgentBeforeEnd{Response: "done"})
		if want != "" {
			w.wantTold(want)
		} else if got := w.told(); got != "" {
			t.Errorf("told %s", got)
		}
	}
}
