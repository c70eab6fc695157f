package hooks

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/value"
)

// FuzzOutput reads any output of a hook, for each event. Exit code 2 refuses whatever is written,
// and only a decision that is known lets a call through.
func FuzzOutput(f *testing.F) {
	for _, text := range []string{`{"decision":"block","reason":"x"}`, `{"continue":false}`,
		`{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"x"}}}`,
		`{"hook_specific_output":{"permission_decision":"deny"}}`, `{"systemMessage":7}`, "text",
		`{"hookSpecificOutput":{"decision":{"behavior":"deny","interrupt":true}}}`, `{`, ` {} x`,
	} {
		f.Add(text, "stderr", 0)
		f.Add(text, "", 2)
	}
	f.Fuzz(func(t *testing.T, stdout, stderr string, code int) {
		for _, d := range []*dialect{&claude, &docker} {
			for i := range d.rows {
				r := &d.rows[i]
				a := d.answerOf(&hook{row: r, handler: handler{strict: len(stderr) == 1}},
					output{code: code, stdout: stdout, stderr: stderr})
				checkAnswer(t, d, r, a, stdout, code)
			}
		}
	})
}

// checkAnswer checks the answer of a hook that has written stdout and ended with an exit code.
func checkAnswer(t *testing.T, d *dialect, r *row, a *answer, stdout string, code int) {
	t.Helper()
	if code == 2 && r.blocks && (a.decision != "deny" || a.err != nil) {
		t.Errorf("%s: exit code 2 gives %+v", r.name, a)
	}
	if firm(a.decision) < 0 {
		t.Errorf("the decision %q", a.decision)
	}
	if (a.decision == "allow" || a.decision == "ask") && !r.decides {
		t.Errorf("%s: %s", r.name, a.decision)
	}
	begins := strings.HasPrefix(strings.TrimSpace(stdout), "{")
	if begins && !json.Valid([]byte(stdout)) && code == 0 && a.err == nil &&
		(!r.text || d.strict) {
		t.Errorf("%s: %q is taken for an answer: %+v", r.name, stdout, a)
	}
	if d.strict && code != 0 && code != 2 && a.err == nil {
		t.Errorf("%s: exit code %d is no failure", r.name, code)
	}
	if d.strict && a.decision == "deny" && !r.blocks {
		t.Errorf("%s refuses", r.name)
	}
	if len(a.context) > 5*mostText || len(a.reason) > 5*mostText {
		t.Errorf("%d bytes", len(a.context))
	}
}

// FuzzSettings reads any bytes as a file.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{
		`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}`,
		`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://x/"}]}],"Foo":[]}}`,
		`{"permissions":{},"model":"x"}`, `{"hooks":[]}`, `[]`, `{"PreToolUse":[]}`,
		"hooks:\n  pre_tool_use:\n  - matcher: shell\n    hooks: [{type: command, command: x}]\n",
		"agents:\n  root:\n    add_date: true\n    hooks:\n      stop: {type: model, prompt: " +
			"'{{.Cwd}}'}\n      turn_start: [{type: builtin, command: add_git_diff, args: [1]}]\n",
		"settings: {hooks: {on_error: [{type: command, command: x, env: {A: '${env.B}'}}]}}",
		"a: &a {x: *a}\nhooks: *a\n", "hooks: {<<: {stop: []}}", "hooks: 1\n---\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, format := range []*Format{New("", extapi.Options{}),
			New("settings.json", extapi.Options{}), New("agent.yaml", extapi.Options{}),
			New(".config/cagent/config.yaml", extapi.Options{})} {
			h, err := format.Header(src)
			s, again := format.read(format.dialect, format.Manifest(), src)
			if (err == nil) != (again == nil) {
				t.Errorf("%v and %v", err, again)
			}
			for _, x := range s.hooks {
				if err == nil && (x.line < 1 || x.matcher == nil || x.row.ours == "") {
					t.Errorf("%q: %+v", src, x)
				}
				if err == nil && x.wrong == nil && x.kind != "builtin" && len(h.Grants) == 0 {
					t.Errorf("%q needs no grants", src)
				}
			}
			for _, file := range format.Files(src, engine.ExtensionFolder{Path: "/w",
				Project: len(src)%2 == 0, Exists: func(string) bool { return true }}) {
				if err != nil || file.Name == "" || file.Name[0] == '/' ||
					strings.HasPrefix(file.Name, "..") {
					t.Errorf("%q: the file %q", src, file.Name)
				}
			}
		}
	})
}

// FuzzArguments converts the arguments of each tool there and back: they are the same again.
func FuzzArguments(f *testing.F) {
	f.Add(`{"command":"ls","timeout":1,"cwd":"x"}`)
	f.Add(`{"path":"a","edits":[{"old":"a","new":"b"},{"old":"c","new":"d","all":true}]}`)
	f.Add(`{"path":"a","edits":[{"old":"a","new":"b"}]}`)
	f.Add(`{"path":"a","edits":[7],"old_string":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		var args map[string]any
		if json.Unmarshal([]byte(text), &args) != nil || args == nil {
			return
		}
		for _, set := range []*toolset{&claudeTools, &dockerTools} {
			for i := range set.shapes {
				tool := set.shapes[i].ours
				in := set.toolInput(tool, args, "/dir")
				if ambiguous(&set.shapes[i], args) {
					continue
				}
				back, err := set.ownArgs(tool, args, in, in)
				if err != nil || !reflect.DeepEqual(back, args) {
					t.Errorf("%s: %s became %v, and then %v, %v", tool, text, in, back, err)
				}
			}
		}
	})
}

// ambiguous reports whether arguments that no tool has could be those of Claude Code.
func ambiguous(s *shape, args map[string]any) bool {
	for _, a := range s.args {
		if _, has := args[a.theirs]; has && a.theirs != a.ours {
			return true
		}
	}
	for _, name := range s.idle {
		if _, has := args[name]; has {
			return true
		}
	}
	list, _ := args["edits"].([]any)
	for _, e := range list { // with fields that no edit has
		m, ok := e.(map[string]any)
		for key := range m {
			ok = ok && (key == "old" || key == "new" || key == "all")
		}
		if !ok {
			return true
		}
	}
	_, had := args["edits"]
	return s.ours == "edit" && (!had || len(list) == 0 || value.Text(args, "old_string") != "" ||
		args["old_string"] != nil || args["new_string"] != nil || args["replace_all"] != nil)
}
