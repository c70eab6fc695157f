package hooks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign"
	"github.com/agentscripts/agent/engine/foreign/hooks"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// TestMistakes: an error names the place in the file, its line, and what to write.
func TestMistakes(t *testing.T) {
	t.Parallel()
	group := func(text string) string {
		return "{\n \"hooks\": {\n  \"PreToolUse\": [\n   " + text + "\n ]}}"
	}
	one := func(text string) string {
		return group("{\"matcher\": \"Bash\",\n    \"hooks\": [\n     {" + text + "}]}")
	}
	for _, test := range []struct{ text, want string }{
		{`{"hooks": `, "not a valid hooks.json"},
		{`{}`, `hooks: it is missing: write {"hooks"`},
		{"{\n\"hooks\": []}", "line 2: hooks: got list, want table"},
		{"{\"hooks\": {\n\"Stop\": {}}}", `line 2: hooks.Stop: got table, want list`},
		{group(`7`), `line 4: hooks.PreToolUse[0]: want an object`},
		{group(`{"hooks": []}, {"matcher": 7}`),
			"line 4: hooks.PreToolUse[1].matcher: got number, want string"},
		{group("{\n\n\"matcher\": \"mcp__(x\"}"),
			`line 6: hooks.PreToolUse[0].matcher: "mcp__(x" is not a regular expression`},
		{one(`"type": "command"`), "hooks.PreToolUse[0].hooks[0].command: want text"},
		{group(`{"matcher": "Bash", "type": "command", "command": "x"}`),
			"hooks.PreToolUse[0].hooks: want a list of hooks: nothing guards without it"},
		{one("\"type\": \"command\",\n\"command\": 7"),
			"line 7: hooks.PreToolUse[0].hooks[0].command: got number, want string"},
		{one(`"type": "comand", "command": "x"`), `"comand", want command, http, mcp_tool,`},
		{one(`"command": "x"`), `type: got "", want command`},
		{one(`"type": "command", "command": "x", "timeout": 0`),
			"timeout: want seconds, more than 0"},
		{one(`"type": "command", "command": "x", "timeout": "5"`), "timeout: got string"},
		{one(`"type": "command", "command": "x", "args": [1]`), "args: want a list of texts"},
		{one(`"type": "command", "command": "x\u0000"`), "command: want text, without NUL"},
		{one(`"type": "http", "url": "ftp://x"`), `url: want an address: http:// or https://`},
		{one(`"type": "prompt"`), "prompt: want text"},
	} {
		w := newRig(t).put("hooks.json", test.text, 0o644).begin()
		if got := w.told(); !strings.Contains(got, test.want) {
			t.Errorf("%s\ngot %s\nwant %s", test.text, got, test.want)
		}
		if w.bash("ls"); !strings.Contains(w.questions(), "x/hooks.json") {
			t.Errorf("%s: a call runs without its guards", test.text)
		}
	}
}

// TestNotices: a notice names what has no effect when the file is loaded.
func TestNotices(t *testing.T) {
	t.Parallel()
	w := newRig(t).put("hooks.json", `{"$schema": "x", "model": "opus", "hooks": {
		"PreTooluse": [], "TaskCreated": [{"hooks": [{"type": "command", "command": "x"}]}],
		"PreToolUse": [{"matcher": "bash|Write", "hooks": [
			{"type": "command", "command": "x", "shell": "fish"}]}],
		"Stop": [{"hooks": [{"type": "command", "command": "x",
			"shell": "powershell"}]}]}}`, 0o644).begin()
	for _, want := range []string{
		`hooks.PreTooluse is not an event; did you mean "PreToolUse"?`,
		"hooks.TaskCreated has no counterpart here, so its hooks never run",
		`hooks.PreToolUse[0].matcher: "bash" matches nothing: hooks know this tool as "Bash"`,
		"hooks.PreToolUse[0].hooks[0]: the shell fish is not supported, so you are asked",
		"hooks.Stop[0].hooks[0]: the shell powershell is not supported, so it never runs",
	} {
		if !strings.Contains(w.told(), want) {
			t.Errorf("%s is not told:\n%s", want, w.told())
		}
	}
}

// TestHeader: which calls a file guards, what it needs, and which files belong to it.
func TestHeader(t *testing.T) {
	t.Parallel()
	pre := func(matcher, fields string) string {
		return `{"description": "Guards", "hooks": {"PreToolUse": [{"matcher": "` + matcher +
			`", "hooks": [{` + fields + `}]}]}}`
	}
	run := `"type": "command", "command": `
	for _, test := range []struct {
		file, text            string
		guards, grants, files string
	}{
		{"", pre("Bash|MultiEdit|Edit", run+`"x"`), "bash edit", "exec:sh permission.allow", ""},
		{"", pre("mcp__x__y", run+`"x", "args": ["y"]`), "mcp__x__y", "exec:sh permission.allow",
			""},
		{"", pre("", run+`"x"`), "*", "exec:sh permission.allow", ""},
		{"", pre("Bash.*", run+`"x"`), "*", "exec:sh permission.allow", ""},
		{"", pre("Bash", `"type": "http", "url": "https://a.b:8/c"`), "bash",
			"net:a.b:8 permission.allow", ""},
		{"", pre("Bash", `"type": "prompt", "prompt": "x"`), "bash", "llm permission.allow", ""},
		{"", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./a.sh; b.sh",` +
			`"asyncRewake": true}]}]}}`, "", "agent exec:sh", ""},
		{"", pre("Bash", run+`"\"${CLAUDE_PLUGIN_ROOT}\"/gone.sh $CLAUDE_PLUGIN_ROOT/gone.py"`),
			"bash", "exec:sh permission.allow", "gone.sh"},
		{"", pre("Bash", run+`"python3 ${CLAUDE_PLUGIN_ROOT}/sub/a.py ../a.sh /a.sh"`), "bash",
			"exec:sh permission.allow", "sub/a.py"},
		{"settings.json", `{"permissions": {}}`, "", "", ""},
	} {
		f := hooks.New(test.file, foreign.Options{})
		h, err := f.Header([]byte(test.text))
		files, _ := filesOf(f, test.text, holding("a.sh", "sub/a.py"))
		if got := strings.Join(h.Guards, " "); err != nil || got != test.guards {
			t.Errorf("%s: guards %q, want %q; %v", test.text, got, test.guards, err)
		}
		if got := strings.Join(h.Grants, " "); got != test.grants {
			t.Errorf("%s: grants %q, want %q", test.text, got, test.grants)
		}
		if got := files; got != test.files {
			t.Errorf("%s: files %q, want %q", test.text, got, test.files)
		}
	}
	f := hooks.New("settings.json", foreign.Options{})
	h, _ := f.Header([]byte(`{"disableAllHooks": true, "hooks": {}}`))
	if !h.Off || f.Manifest() != "settings.json" {
		t.Errorf("got %+v of %s", h, f.Manifest())
	}
}

// TestExplain: what of a file is used, and what is not.
func TestExplain(t *testing.T) {
	t.Parallel()
	uses, lacks, err := foreign.Explain("x/hooks.json", []byte(`{"hooks": {"Stop": [{"hooks": [
		{"type": "command", "command": "say done"}, {"type": "command", "command": "x",
		"shell": "fish"}]}], "Setup": []}, "permissions": {"deny": ["Bash(curl *)"]}}`))
	if got := strings.Join(uses, "; "); err != nil || got != "the Stop hook say done" {
		t.Errorf("uses %q, %v", got, err)
	}
	if got := strings.Join(lacks, "; "); got != "hooks.Setup has no counterpart here, so its "+
		"hooks never run; hooks.Stop[0].hooks[1]: the shell fish is not supported, so it never "+
		"runs; permissions, whose rules go into [permissions] of config.toml" {
		t.Errorf("lacks %q", got)
	}
}

// TestReload: the change of a script that a hook names reloads the hooks, and a script that is gone
// leaves its guard in force.
func TestReload(t *testing.T) {
	t.Parallel()
	w := newRig(t).put("guard.sh", "#!/bin/sh\necho one >&2; exit 2\n", 0o755)
	w.hooked("PreToolUse", "Bash", "${CLAUDE_PLUGIN_ROOT}/guard.sh").begin()
	hash := func() string {
		g := w.engine.Scripts.Snapshot().Generations
		if len(g) == 0 {
			return ""
		}
		return g[0].Hash
	}
	first := hash()
	if got := w.bash("ls"); got != "refused by x/hooks.json: one" {
		t.Errorf("got %q; %s", got, w.told())
	}
	w.put("guard.sh", "#!/bin/sh\necho two >&2; exit 2\n", 0o755)
	w.eventually("the new hash", func() bool { return hash() != first && hash() != "" })
	w.put("hooks.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": 7}]}}`, 0o644)
	w.wantTold("script_error line 1: hooks.PreToolUse[0].hooks: got")
	if got := w.bash("ls"); got != "refused by x/hooks.json: two" {
		t.Errorf("got %q after a broken save", got)
	}
	if g := w.engine.Scripts.Snapshot().Generations[0]; g.Source != scriptfile.SourceUser {
		t.Errorf("the source is %v", g.Source)
	}
}

// TestOrder: hooks, a script in Lua and one in JavaScript decide about the same call, in the order
// of their paths; the log of decisions says who did what.
func TestOrder(t *testing.T) {
	t.Parallel()
	w := newRig(t).hooked("PreToolUse", "Bash",
		`sed 's/.*"command":"\([^"]*\)".*/{"hookSpecificOutput":{"updatedInput":`+
			`{"command":"\1 hooks"}}}/'`)
	write(t, w.folder, "a.lua", `ext.on("tool_call", {tool = "bash"}, function(ev)
		return {args = {command = ev.args.command .. " lua"}} end)`, 0o644)
	write(t, w.folder, "z.js", `ext.on("tool_call", {tool: "bash"}, (ev) =>
		({args: {command: ev.args.command + " js"}}));
		ext.guard({tool: "bash"}, (ev) => ev.args.command.includes("stop")
			? {block: true, reason: "js stops " + ev.args.command} : null)`, 0o644)
	w.begin()
	w.answers = true
	got := w.bash("ls")
	// the hooks are asked again about what z.js has changed, and would change it again
	if got != `ran {"command":"ls lua hooks js"}` {
		t.Errorf("got %q; %s", got, w.told())
	}
	if q := w.questions(); !strings.Contains(q, "x/hooks.json:6: the extension x/hooks.json would "+
		"run this call with other arguments") {
		t.Errorf("asked %q", q)
	}
	if got := w.bash("stop"); got != "refused by z.js: js stops stop lua hooks js" {
		t.Errorf("got %q", got)
	}
	var who []string
	d := w.engine.Decisions()
	for _, s := range d[len(d)-1].Trail {
		who = append(who, s.Script+" "+s.Event+" "+string(s.Outcome))
	}
	want := "a.lua tool_call rewrite, x/hooks.json tool_call rewrite, z.js tool_call rewrite, " +
		"x/hooks.json guard ask, z.js guard block"
	if got := strings.Join(who, ", "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestIf: a hook with if runs for the calls that the rule may be about.
func TestIf(t *testing.T) {
	t.Parallel()
	for rule, commands := range map[string]map[string]bool{
		"Bash(rm *)": {"ls": false, "rm x": true, "rm": true, "cd a && FOO=1 /bin/rm -r x": true,
			"echo rm x": false, "$X y": true, "git rm x": false, "echo $X": false,
			"rmdir x": false, "rm $X": true, "eval $X": true, "if": true},
		"Bash(git push:*)": {"git push": true, "git push -f": true, "git pull": false,
			"git $X": true, "ls $X": false},
	} {
		w := newRig(t).manifest("PreToolUse", "Bash", map[string]any{"type": "command",
			"if": rule, "command": "echo no >&2; exit 2"}).begin()
		w.answers = true
		for command, refused := range commands {
			if got := w.bash(command); strings.HasPrefix(got, "refused") != refused {
				t.Errorf("%s: %s: got %q", rule, command, got)
			}
		}
	}
}

// BenchmarkCall measures a call about which no hook is asked, with and without hooks.
func BenchmarkCall(b *testing.B) {
	for _, matcher := range []string{"", "Write", "mcp__.*"} {
		b.Run(matcher, func(b *testing.B) {
			w := newRig(b)
			w.answers = true
			if matcher != "" {
				w.hooked("PreToolUse", matcher, "exit 2")
			}
			w.begin()
			call := &engine.Call{ID: "1", Tool: "read", Args: map[string]any{"path": "x"},
				Origin: "model", Env: w.env}
			for b.Loop() {
				if r := w.engine.Dispatch(context.Background(), call); r.IsError {
					b.Fatal(r.Content)
				}
			}
		})
	}
}
