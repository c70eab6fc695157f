package hooks_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
)

// says is a command that answers with a decision and a reason.
func says(decision, reason string) string {
	return `echo '{"hookSpecificOutput":{"permissionDecision":"` + decision +
		`","permissionDecisionReason":"` + reason + `"}}'`
}

// rewrites is a command that adds a word to the command of a call.
func rewrites(word string) string {
	return `sed 's/.*"command":"\([^"]*\)".*/{"hookSpecificOutput":{"updatedInput":` +
		`{"command":"\1 ` + word + `"}}}/'`
}

// TestSeveral: of several decisions the firmest counts, of equal ones the first of the file; and
// each rewrite gets the previous one.
func TestSeveral(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what     string
		commands []string
		result   string
		asked    string
	}{
		{"deny beats ask and allow", []string{says("allow", ""), says("ask", "sure?"),
			says("deny", "one"), says("deny", "two")}, "refused by x/hooks.json: one", ""},
		{"ask beats allow", []string{says("allow", ""), says("ask", "sure?")},
			`ran {"command":"ls"}`, "sure?"},
		{"deny beats a failure", []string{"exit 127", says("deny", "no")},
			"refused by x/hooks.json: no", ""},
		{"a failure beats allow", []string{"exit 127", says("allow", "")}, `ran {"command":"ls"}`,
			"exit code 127"},
		{"two failures", []string{"exit 126", "exit 127"}, `ran {"command":"ls"}`,
			"name its interpreter; x/hooks.json:10: the PreToolUse hook exit 127: it cannot be " +
				"started"},
		{"rewrites are chained", []string{rewrites("one"), "true", rewrites("two")},
			`ran {"command":"ls one two"}`, "routine"},
		{"what is rewritten is judged by those after it",
			[]string{rewrites("rm"), "grep -q 'ls rm' && { echo no rm >&2; exit 2; }; true"},
			"refused by x/hooks.json: no rm", ""},
		{"and by those before it",
			[]string{"grep -q 'ls rm' && { echo no rm >&2; exit 2; }; true", rewrites("rm")},
			"refused by x/hooks.json: no rm", ""},
		{"what one insists on is not undone", []string{`echo '{"hookSpecificOutput":` +
			`{"updatedInput":{"command":"ls"}}}'`, rewrites("--force")},
			`ran {"command":"ls"}`, "which a hook after it has replaced"},
		{"a refusal stays one", []string{"grep -q force && exit 127; " + says("deny", "no"),
			rewrites("--force")}, "refused by x/hooks.json: no", ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).hooked("PreToolUse", "Bash", test.commands...).begin()
			w.answers = true
			got, asked := w.bash("ls"), w.questions()
			if got != test.result {
				t.Errorf("got %q, want %q; %s", got, test.result, w.told())
			}
			if !strings.Contains(asked, test.asked) || test.asked == "" && asked != "" {
				t.Errorf("asked %q, want %q", asked, test.asked)
			}
		})
	}
}

// TestIdenticalOnce: identical hooks run once, all at the same time: each of two waits for the
// other here.
func TestIdenticalOnce(t *testing.T) {
	t.Parallel()
	meet := func(own, other string) any {
		return map[string]any{"type": "command", "timeout": 30, "command": "echo x >>ran; " +
			"mkfifo " + own + " 2>/dev/null; echo x >" + own + " & until cat " + other +
			" 2>/dev/null; do sleep 0.01; done; wait"}
	}
	w := newRig(t).manifest("PreToolUse", "Bash", meet("a", "b"), meet("b", "a"), meet("b", "a")).
		begin()
	w.answers = true
	if got := w.bash("ls"); got != `ran {"command":"ls"}` || w.heard("ran") != "x\nx\n" {
		t.Errorf("got %q; ran %q; %s", got, w.heard("ran"), w.told())
	}
}

// TestRewrittenInput: what a hook wants comes back into the arguments of the tool; what only this
// program has stays.
func TestRewrittenInput(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for _, test := range []struct {
		what, tool string
		args       m
		update     string
		result     string
	}{
		{"the whole object", "bash", m{"command": "ls", "timeout": 2.0, "cwd": "/x"},
			`{"command":"pwd"}`, `ran {"command":"pwd","cwd":"/x"}`},
		{"a unit", "bash", m{"command": "ls"}, `{"command":"ls","timeout":1500,` +
			`"description":"lists","run_in_background":true}`,
			`ran {"background":true,"command":"ls","timeout":1.5}`},
		{"a path", "write", m{"path": "a", "content": "x"},
			`{"file_path":"/tmp/b","content":"y"}`, `ran {"content":"y","path":"/tmp/b"}`},
		{"a path that stays", "write", m{"path": "a", "content": "x"},
			`{"file_path":"DIR/a","content":"y"}`, `ran {"content":"y","path":"a"}`},
		{"an edit", "edit", m{"path": "a", "edits": []any{m{"old": "a", "new": "b"}}},
			`{"file_path":"DIR/a","old_string":"a","new_string":"c","replace_all":true}`,
			`ran {"edits":[{"all":true,"new":"c","old":"a"}],"path":"a"}`},
		{"several edits", "edit", m{"path": "a", "edits": []any{m{"old": "a", "new": "b"},
			m{"old": "c", "new": "d"}}}, `{"file_path":"DIR/a","old_string":"a\nc",` +
			`"new_string":"b\nd","edits":[{"old_string":"a","new_string":"z"}]}`,
			`ran {"edits":[{"new":"z","old":"a"}],"path":"a"}`},
		{"another tool", "mine", m{"a": 1.0, "b": 2.0}, `{"a":3}`, `ran {"a":3}`},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			w := newRig(t)
			answer := `{"hookSpecificOutput":{"updatedInput":` + strings.ReplaceAll(test.update,
				"DIR", w.dir) + `}}`
			write(t, w.dir, "answer", answer, 0o644)
			w.hooked("PreToolUse", "*", "cat answer").begin()
			w.answers = true
			if got := w.calls(test.tool, test.args); got != test.result {
				t.Errorf("got %q, want %q; %s", got, test.result, w.told())
			}
			if asked := w.questions(); asked != "routine" && asked != "" {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

// TestPermissionRequest: a hook answers the question that the user is about to be asked.
func TestPermissionRequest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ what, command, result, asked string }{
		{"allow", `echo '{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}'`,
			`ran {"command":"ls"}`, ""},
		{"deny", `echo '{"hookSpecificOutput":{"decision":{"behavior":"deny",` +
			`"message":"no"}}}'`, "no", ""},
		{"exit code 2 is nothing", "exit 2", `ran {"command":"ls"}`, "routine"},
		{"nothing", keep, `ran {"command":"ls"}`, "routine"},
		{"a failure", "exit 127", `ran {"command":"ls"}`, "exit code 127"},
		{"other arguments are impossible", `echo '{"hookSpecificOutput":{"decision":{` +
			`"behavior":"allow","updatedInput":{"command":"pwd"}}}}'`, `ran {"command":"ls"}`,
			"only possible in PreToolUse"},
	} {
		w := newRig(t).hooked("PermissionRequest", "Bash", test.command).begin()
		w.answers = true
		if got := w.bash("ls"); !strings.Contains(got, test.result) {
			t.Errorf("%s: got %q, want %q; %s", test.what, got, test.result, w.told())
		}
		asked := w.questions()
		if !strings.Contains(asked, test.asked) || test.asked == "" && asked != "" {
			t.Errorf("%s: asked %q, want %q", test.what, asked, test.asked)
		}
		if test.command == keep && w.input()["tool_use_id"] != nil {
			t.Error("tool_use_id is there")
		}
	}
}

// TestEnvironment: a hook gets few variables, and places as variables.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	w := newRig(t).hooked("PreToolUse", "", "env >env; pwd >pwd").begin()
	w.bash("ls")
	env := w.heard("env")
	for _, want := range []string{"HOME=/somewhere\n", "CLAUDE_PROJECT_DIR=" + w.dir + "\n",
		"CLAUDE_PLUGIN_ROOT=" + filepath.Join(w.folder, "x") + "\n",
		"CLAUDE_PLUGIN_DATA=" + filepath.Join(w.home, "data", "x-")} {
		if !strings.Contains(env, want) {
			t.Errorf("%s is missing in %s", want, env)
		}
	}
	if strings.Contains(env, "SECRET_KEY") || w.heard("pwd") != w.dir+"\n" {
		t.Errorf("env %s in %s", env, w.heard("pwd"))
	}
}

// TestWithoutShell: with args, the command is a program, and names of folders are replaced in its
// words.
func TestWithoutShell(t *testing.T) {
	t.Parallel()
	w := newRig(t).put("x.sh", "#!/bin/sh\necho \"$1\" >arg\n", 0o755)
	w.manifest("PreToolUse", "", map[string]any{"type": "command",
		"command": "${CLAUDE_PLUGIN_ROOT}/x.sh", "args": []string{"${CLAUDE_PROJECT_DIR}; $HOME"}})
	w.begin()
	w.bash("ls")
	if got, want := w.heard("arg"), w.dir+"; $HOME\n"; got != want {
		t.Errorf("got %q, want %q; %s", got, want, w.told())
	}
}

// TestLarge: a hook that writes much, or does not read a large input, or leaves a process running
// that holds its output, answers all the same.
func TestLarge(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 10<<20)
	for _, test := range []struct{ what, command string }{
		{"10 MB of input that is not read", "exit 0"},
		{"10 MB of input that is read", "wc -c >size"},
		{"5 MB of output", "head -c 5000000 /dev/zero | tr '\\0' x"},
		{"5 MB on stderr", "head -c 5000000 /dev/zero | tr '\\0' x >&2"},
		{"a process that holds the output", "sleep 1000 & echo $! >pid; exit 0"},
		{"a process that holds the input", "sleep 1000 <&0 >/dev/null 2>&1 & exit 0"},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).hooked("PreToolUse", "", test.command).begin()
			w.answers = true
			args := map[string]any{"content": large}
			if got := w.calls("write", args); !strings.HasPrefix(got, "ran ") {
				t.Errorf("got %.100q; %.500s", got, w.told())
			}
			if pid := strings.TrimSpace(w.heard("pid")); pid != "" {
				if _, err := os.Stat("/proc/self"); err == nil {
					w.eventually("the process ends", func() bool {
						state, err := os.ReadFile("/proc/" + pid + "/stat")
						return err != nil || strings.Contains(string(state), ") Z ")
					})
				}
			}
		})
	}
}

// TestBeside: an asynchronous hook decides nothing, and what it says comes later.
func TestBeside(t *testing.T) {
	t.Parallel()
	w := newRig(t)
	sent := make(chan string, 1)
	w.services.Send = func(_ *event.Envelope, text, when, source string, _ int) error {
		sent <- text + " " + when + " " + source
		return nil
	}
	w.manifest("PreToolUse", "", map[string]any{"type": "command", "async": true,
		"command": `until test -e go; do sleep 0.01; done; echo '{"systemMessage":"later"}'`},
		map[string]any{"type": "command", "asyncRewake": true,
			"command": `until test -e go; do sleep 0.01; done; echo wake up >&2; exit 2`}).begin()
	w.answers = true
	if got := w.bash("ls"); got != `ran {"command":"ls"}` {
		t.Errorf("got %q", got)
	}
	write(t, w.dir, "go", "", 0o644)
	w.wantTold("notification later")
	if got := <-sent; got != "wake up next script:x/hooks.json" {
		t.Errorf("sent %q", got)
	}
}

// TestHTTP: a hook that is a server answers with JSON.
func TestHTTP(t *testing.T) {
	t.Parallel()
	var got http.Header
	var in map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		got = r.Header
		b, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(b, &in)
		if r.URL.Path == "/bad" {
			rw.WriteHeader(500)
		}
		_, _ = io.WriteString(rw, `{"decision":"block","reason":"the server says no"}`)
	}))
	t.Cleanup(s.Close)
	w := newRig(t).manifest("PreToolUse", "", map[string]any{"type": "http", "url": s.URL + "/x",
		"headers":        map[string]any{"Key": "Bearer $SECRET_KEY$HOME"},
		"allowedEnvVars": []string{"SECRET_KEY"}}).begin()
	if answer := w.bash("ls"); answer != "refused by x/hooks.json: the server says no" {
		t.Errorf("got %q; %s", answer, w.told())
	}
	if got.Get("Key") != "Bearer x" || in["tool_name"] != "Bash" {
		t.Errorf("got %v %v", got, in)
	}
	w = newRig(t).manifest("PreToolUse", "", map[string]any{"type": "http",
		"url": s.URL + "/bad"}).begin()
	w.answers = true
	if answer := w.bash("ls"); !strings.HasPrefix(answer, "ran") {
		t.Errorf("got %q from a server that fails", answer)
	}
	w.wantTold("the server answered with status 500")
	s.Close()
	if w.questions(); !strings.HasPrefix(w.bash("ls"), "ran") ||
		!strings.Contains(w.questions(), "the PreToolUse hook http://127.0.0.1") {
		t.Errorf("without a server: asked %v", w.told())
	}
}

// TestPrompt: a hook that is a question to a model.
func TestPrompt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		data   any
		err    error
		result string
		asked  string
	}{
		{map[string]any{"ok": true}, nil, `ran {"command":"ls"}`, "routine"},
		{map[string]any{"ok": false, "reason": "no"}, nil, "refused by x/hooks.json: no", ""},
		{nil, context.DeadlineExceeded, `ran {"command":"ls"}`, "the PreToolUse hook Is"},
	} {
		w := newRig(t).manifest("PreToolUse", "", map[string]any{"type": "prompt",
			"prompt": "Is this safe? $ARGUMENTS"}).begin()
		var asked string
		w.services.Complete = func(_ context.Context, _ *event.Envelope,
			c *service.ModelCall) (*service.ModelAnswer, error) {
			asked = c.Messages[0].MainText()
			return &service.ModelAnswer{Data: test.data}, test.err
		}
		w.answers = true
		if got := w.bash("ls"); got != test.result {
			t.Errorf("got %q, want %q; %s", got, test.result, w.told())
		}
		if q := w.questions(); !strings.Contains(q, test.asked) {
			t.Errorf("asked %q, want %q", q, test.asked)
		}
		if !strings.HasPrefix(asked, "Is this safe? {") || !strings.Contains(asked, `"ls"`) {
			t.Errorf("the model was asked %q", asked)
		}
	}
}

// TestRuleOfRewritten: a hook whose if is about what another hook has made of the call is asked.
func TestRuleOfRewritten(t *testing.T) {
	t.Parallel()
	command := func(text, rule string) any {
		return map[string]any{"type": "command", "command": text, "if": rule}
	}
	w := newRig(t).manifest("PreToolUse", "Bash", command(
		`echo '{"hookSpecificOutput":{"updatedInput":{"command":"rm x"}}}'`, ""),
		command(says("deny", "no rm"), "Bash(rm *)")).begin()
	if got := w.bash("ls"); got != "refused by x/hooks.json: no rm" {
		t.Errorf("got %q; %s", got, w.told())
	}
}

// TestChangedFile: a file that is not the one that was loaded does not run, not even in the moments
// until it is loaded again.
func TestChangedFile(t *testing.T) {
	t.Parallel()
	w := newRig(t).put("check.sh", "#!/bin/sh\necho no >&2; exit 2\n", 0o755).
		hooked("PreToolUse", "Bash", "${CLAUDE_PLUGIN_ROOT}/check.sh").begin()
	if got := w.bash("ls"); got != "refused by x/hooks.json: no" {
		t.Errorf("got %q; %s", got, w.told())
	}
	w.loader.Close() // nothing loads it again
	w.put("check.sh", "#!/bin/sh\n", 0o755)
	if got, asked := w.bash("ls"), w.questions(); strings.HasPrefix(got, "ran") ||
		!strings.Contains(asked, "check.sh has changed since it was loaded") {
		t.Errorf("got %q, asked %q", got, asked)
	}
}

// TestAwaitedGuards: only a command can run beside the agent.
func TestAwaitedGuards(t *testing.T) {
	t.Parallel()
	w := newRig(t).manifest("PreToolUse", "Bash", map[string]any{"type": "http",
		"url": "http://127.0.0.1:9/x", "async": true}).begin()
	if got := w.bash("ls"); strings.HasPrefix(got, "ran") || w.questions() == "" {
		t.Errorf("got %q; %s", got, w.told())
	}
}
