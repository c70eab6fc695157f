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
		for i := range rows {
			a := rows[i].answerOf(output{code: code, stdout: stdout, stderr: stderr})
			if code == 2 && rows[i].blocks && (a.decision != "deny" || a.err != nil) {
				t.Errorf("%s: exit code 2 gives %+v", rows[i].name, a)
			}
			if firm(a.decision) < 0 {
				t.Errorf("the decision %q", a.decision)
			}
			if (a.decision == "allow" || a.decision == "ask") && !rows[i].decides {
				t.Errorf("%s: %s", rows[i].name, a.decision)
			}
			begins := strings.HasPrefix(strings.TrimSpace(stdout), "{")
			if begins && !json.Valid([]byte(stdout)) && code == 0 && a.err == nil &&
				!rows[i].text {
				t.Errorf("%s: %q is taken for an answer: %+v", rows[i].name, stdout, a)
			}
			if len(a.context) > 5*mostText || len(a.reason) > 5*mostText {
				t.Errorf("%d bytes", len(a.context))
			}
		}
	})
}

// FuzzSettings reads any bytes as a file.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{
		`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}`,
		`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://x/"}]}],"Foo":[]}}`,
		`{"permissions":{},"model":"x"}`, `{"hooks":[]}`, `[]`, `{"PreToolUse":[]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, name := range []string{"", "settings.json"} {
			format := New(name, extapi.Options{})
			h, err := format.Header(src)
			s, again := readSettings(format.Manifest(), src)
			if (err == nil) != (again == nil) {
				t.Errorf("%v and %v", err, again)
			}
			for _, x := range s.hooks {
				if err == nil && (x.line < 1 || x.matcher == nil || x.row.ours == "") {
					t.Errorf("%q: %+v", src, x)
				}
				if err == nil && x.wrong == nil && len(h.Grants) == 0 {
					t.Errorf("%q needs no grants", src)
				}
			}
			for _, file := range format.Files(src, engine.ExtensionFolder{Path: "/w",
				Project: len(src)%2 == 0, Exists: func(string) bool { return true }}) {
				if err != nil || file == "" || file[0] == '/' || strings.HasPrefix(file, "..") {
					t.Errorf("%q: the file %q", src, file)
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
		for i := range shapes {
			tool := shapes[i].ours
			in := toolInput(tool, args, "/dir")
			if ambiguous(&shapes[i], args) {
				continue
			}
			back, err := ownArgs(tool, args, in, in)
			if err != nil || !reflect.DeepEqual(back, args) {
				t.Errorf("%s: %s became %v, and then %v, %v", tool, text, in, back, err)
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
