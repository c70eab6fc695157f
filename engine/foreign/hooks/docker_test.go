package hooks_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign"
	"github.com/agentscripts/agent/engine/foreign/hooks"
	"github.com/agentscripts/agent/engine/service"
)

// own returns a command that answers with fields of hook_specific_output.
func own(fields string) string {
	return `echo '{"hook_specific_output":{` + fields + `}}'`
}

// TestDockerDecisions: what a command does at an event of a call decides about the call.
func TestDockerDecisions(t *testing.T) {
	t.Parallel()
	const ran, asks = `ran {"command":"ls"}`, "x/agent.yaml:4: on tool_call failed"
	verdict := func(d string) string {
		return own(`"permission_decision":"` + d + `","permission_decision_reason":"because"`)
	}
	tests := []struct{ what, event, command, result, asked string }{
		{"nothing", "pre_tool_use", "true", ran, "routine"},
		{"{}", "pre_tool_use", "echo '{}'", ran, "routine"},
		{"text", "pre_tool_use", "echo hello", ran, "routine"},
		{"exit code 2", "pre_tool_use", "echo never >&2; exit 2",
			"refused by x/agent.yaml: never", ""},
		{"exit code 2 does not look at stdout", "pre_tool_use", `echo '{"reason":"x"}'
			echo never >&2; exit 2`, "refused by x/agent.yaml: never", ""},
		{"another exit code", "pre_tool_use", "echo oops >&2; exit 1", ran, asks},
		{"JSON with another exit code", "pre_tool_use", verdict("deny") + "; exit 3", ran, asks},
		{"not JSON", "pre_tool_use", `echo '{"decision"'`, ran, asks},
		{"more than JSON", "pre_tool_use", `echo '{} x'`, ran, asks},
		{"an unknown decision", "pre_tool_use", `echo '{"decision":"approve"}'`, ran, asks},
		{"an unknown permission", "pre_tool_use", verdict("defer"), ran, asks},
		{"deny", "pre_tool_use", verdict("deny"), "refused by x/agent.yaml: because", ""},
		{"deny in the spelling of Claude Code", "pre_tool_use", says("deny", "because"),
			"refused by x/agent.yaml: because", ""},
		{"ask", "pre_tool_use", verdict("ask"), ran, "because"},
		{"allow", "pre_tool_use", verdict("allow"), ran, ""},
		{"block", "pre_tool_use", `echo '{"decision":"block","reason":"because"}'`,
			"refused by x/agent.yaml: because", ""},
		{"continue is false", "pre_tool_use", `echo '{"continue":false,"stop_reason":"because"}'`,
			"refused by x/agent.yaml: because", ""},
		{"other arguments", "pre_tool_use", own(`"updated_input":{"cmd":"ls -l","cwd":"/"}`),
			`ran {"command":"ls -l","cwd":"/"}`, "routine"},
		{"one more argument", "tool_input_transform", own(`"updated_input":{"cwd":"/"}`),
			`ran {"command":"ls","cwd":"/"}`, "routine"},
		{"a transform that refuses", "tool_input_transform", "echo never >&2; exit 2",
			"refused by x/agent.yaml: never", ""},
		{"a transform that fails", "tool_input_transform", "exit 1", ran, "routine"},
		{"a guard that refuses", "tool_guard", verdict("deny"), "refused by x/agent.yaml: because",
			""},
		{"a guard that asks", "tool_guard", verdict("ask"), ran, "because"},
		{"the allow of a guard is advice", "tool_guard", verdict("allow"), ran, "routine"},
		{"a guard changes nothing", "tool_guard", own(`"updated_input":{"cmd":"rm"}`), ran,
			"routine"},
		{"a guard that fails", "tool_guard", "exit 1", ran, asks},
		{"permission", "permission_request", verdict("allow"), ran, ""},
		{"no permission", "permission_request", verdict("deny"), "because", ""},
		{"permission that fails", "permission_request", "exit 1", ran, "routine"},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).docker(test.event, "shell", test.command).begin()
			w.answers = true
			got, asked := w.bash("ls"), w.questions()
			if !strings.Contains(got, test.result) {
				t.Errorf("got %q, want %q; %s", got, test.result, w.told())
			}
			if !strings.Contains(asked, test.asked) || test.asked == "" && asked != "" {
				t.Errorf("asked %q, want %q", asked, test.asked)
			}
		})
	}
}

// TestDockerFailures: what a hook says about its failure, for events that guard, that can refuse,
// and that cannot.
func TestDockerFailures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ event, onError, command, result, told string }{
		{"pre_tool_use", "warn", "exit 1", "refused", "exit code 1"},
		{"pre_tool_use", "ignore", "exit 1", "refused", "exit code 1"},
		{"pre_tool_use", "block", "exit 1", "refused by x/agent.yaml: the pre_tool_use hook", ""},
		{"pre_tool_use", "warn", "sleep 60", "refused", "not ended within 1s"},
		{"tool_input_transform", "warn", "exit 1", "ran", "it failed with exit code 1"},
		{"tool_input_transform", "ignore", "exit 1", "ran", ""},
		{"tool_input_transform", "block", "nosuch12",
			"refused by x/agent.yaml: the tool_input", ""},
		{"tool_response_transform", "block", "exit 1", "ran", "it failed with exit code 1"},
		{"tool_response_transform", "ignore", "exit 1", "ran", ""},
	} {
		t.Run(test.event+" "+test.onError, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).docker(test.event, "", "{type: command, command: "+test.command+
				", timeout: 1, on_error: "+test.onError+"}").begin()
			w.env.Permission = event.PermissionYolo
			if got := w.bash("ls"); !strings.HasPrefix(got, test.result) {
				t.Errorf("got %q, want %q", got, test.result)
			}
			if told := w.told(); !strings.Contains(told, test.told) || test.told == "" &&
				told != "" {
				t.Errorf("told %q, want %q", told, test.told)
			}
		})
	}
}

// TestDockerStrict: strict_output takes no answer that has more than the event supports.
func TestDockerStrict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ event, command, want string }{
		{"pre_tool_use", "true", ""},
		{"pre_tool_use", `echo '{"system_message":"hi"}'`, ""},
		{"pre_tool_use", own(`"permission_decision":"allow"`), ""},
		{"pre_tool_use", "echo text", "not a JSON object, which strict_output wants"},
		{"pre_tool_use", `echo '{"suppress_output":true}'`,
			"suppress_output: it has no effect on pre_tool_use (strict_output)"},
		{"pre_tool_use", own(`"permission_decison":"deny"`),
			"permission_decison: it has no effect on"},
		{"pre_tool_use", own(`"summary":"x"`), "summary: it has no effect on"},
		{"tool_guard", own(`"updated_input":{}`), "it has no effect on tool_guard"},
	} {
		t.Run(test.command, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).docker(test.event, "*", `{type: command, strict_output: true, `+
				`command: "`+
				strings.ReplaceAll(test.command, `"`, `\"`)+`"}`).begin()
			w.bash("ls")
			if got := w.told(); !strings.Contains(got, test.want) ||
				test.want == "" && strings.Contains(got, "strict_output") {
				t.Errorf("told %q, want %q", got, test.want)
			}
		})
	}
}

// TestDockerStages: the stages of a call are asked in their order, each about what the previous
// ones have made of the call.
func TestDockerStages(t *testing.T) {
	t.Parallel()
	w := newRig(t).put("agent.yaml", `
hooks:
  pre_tool_use:
    - matcher: shell
      hooks: [{type: command, command: "cat >pre; grep -q 'ls -l /' pre || exit 2"}]
  tool_guard:
    - hooks: [{type: command, command: "cat >guard"}]
  tool_input_transform:
    - hooks:
      - {type: command, command: "echo x >>first"}
      - type: command
        command: |
          echo '{"hook_specific_output":{"updated_input":{"cmd":"ls -l"}}}'
      - type: command
        command: |
          if grep -q '"ls -l"'; then
            echo '{"hook_specific_output":{"updated_input":{"cmd":"ls -l /"}}}'
          fi
`, 0o644).begin()
	w.answers = true
	if got := w.bash("ls"); got != `ran {"command":"ls -l /"}` {
		t.Errorf("got %q; %s", got, w.told())
	}
	if got := w.heard("first"); got != "x\n" {
		t.Errorf("a transform was asked again about the final call: %q", got)
	}
	for name, event := range map[string]string{"pre": "pre_tool_use", "guard": "tool_guard"} {
		if in := w.heard(name); !strings.Contains(in, `"ls -l /"`) ||
			!strings.Contains(in, `"hook_event_name":"`+event+`"`) {
			t.Errorf("%s has read %s", name, in)
		}
	}
}

// TestDockerSurroundings: where commands run, and with which variables.
func TestDockerSurroundings(t *testing.T) {
	t.Parallel()
	w := newRig(t).docker("pre_tool_use", "", `{type: command, working_dir: "${env.SUB}/b",
		env: {A: "<${env.SECRET_KEY}>", B: "$A ${A}"}, command: "echo $PWD $A $B >out"}`)
	w.variables["SUB"] = "a"
	w.mkdir("a/b").begin()
	w.bash("ls")
	if got := w.heard("a/b/out"); got != w.dir+"/a/b <x> $A ${A}\n" {
		t.Errorf("got %q; %s", got, w.told())
	}
	w = newRig(t).docker("pre_tool_use", "", `{type: command, working_dir: ~/b,
		command: "echo here >out"}`)
	w.variables["HOME"] = filepath.Join(w.dir, "a")
	w.mkdir("a/b").begin()
	if w.bash("ls"); w.heard("a/b/out") != "here\n" {
		t.Errorf("in the user's own folder: %s", w.told())
	}
}

// TestDockerModels: models that decide, and models that add something.
func TestDockerModels(t *testing.T) {
	t.Parallel()
	judge := `{type: model, model: p/m, schema: pre_tool_use_decision,
		prompt: "Safe? {{.ToolName}} {{.ToolInput.cmd}} {{truncate 5 .Cwd}} {{toJSON .ToolInput}}"}`
	for _, test := range []struct {
		answer        map[string]any
		result, asked string
	}{
		{map[string]any{"decision": "deny", "reason": "no"}, "refused by x/agent.yaml: no", ""},
		{map[string]any{"decision": "ask", "reason": "well"}, "ran", "well"},
		{map[string]any{"decision": "allow"}, "ran", ""},
		{map[string]any{"decision": "perhaps"}, "ran", "on tool_call failed"},
		{nil, "ran", "on tool_call failed"},
	} {
		w := newRig(t).docker("pre_tool_use", "shell", judge).begin()
		var asked, model string
		w.services.Complete = func(_ context.Context, _ *event.Envelope,
			c *service.ModelCall) (*service.ModelAnswer, error) {
			asked, model = c.Messages[0].MainText(), c.Model
			return &service.ModelAnswer{Data: test.answer}, nil
		}
		w.answers = true
		got, q := w.bash("ls"), w.questions()
		if !strings.HasPrefix(got, test.result) || !strings.Contains(q, test.asked) ||
			test.asked == "" && q != "" {
			t.Errorf("%v: got %q, asked %q; %s", test.answer, got, q, w.told())
		}
		want := "Safe? shell ls " + w.dir[:5] + ` {"cmd":"ls"}`
		if asked != want || model != "p/m" {
			t.Errorf("%s was asked %q, want %q", model, asked, want)
		}
	}
	w := newRig(t).docker("turn_start", "-", `{type: model, prompt: "A fact?"}`).begin()
	w.services.Complete = func(context.Context, *event.Envelope,
		*service.ModelCall) (*service.ModelAnswer, error) {
		return &service.ModelAnswer{Text: "The sky is blue."}, nil
	}
	if got := verdict(w.fires(event.TurnStart{Turn: 1})); got != "context The sky is blue." {
		t.Errorf("got %q; %s", got, w.told())
	}
}

// TestDockerMistakes: a mistake in a file is an error with the line, and the file may guard
// anything if it names an event that guards, or one that there is not.
func TestDockerMistakes(t *testing.T) {
	t.Parallel()
	f := hooks.New("agent.yaml", foreign.Options{})
	pre := func(fields string) string {
		return "hooks:\n  pre_tool_use:\n  - hooks:\n    - " + fields
	}
	for _, test := range [][2]string{
		{pre("{type: command}"),
			"line 4: hooks.pre_tool_use[0].hooks[0].command: want"},
		{pre("{type: comand, command: x}"),
			`line 4: hooks.pre_tool_use[0].hooks[0].type: got "comand"`},
		{pre("{type: builtin, command: add_dates}"),
			`"add_dates" is not known; did you mean "add_date"?`},
		{pre("{type: command, command: x, timeout: -1}"),
			"timeout: want seconds"},
		{pre("{type: command, command: x, on_error: stop}"),
			`on_error: got "stop", want warn, ignore, block`},
		{pre("{type: command, command: x, env: {A: 1}}"),
			`env.A: got number, want string`},
		{pre("{type: model, prompt: '{{range .X}}'}"),
			"{{range .X}}: want {{.Field}}"},
		{pre("{type: model, prompt: '{{.Nope}}'}"),
			"{{.Nope}}: no event has this"},
		{pre("{type: model, prompt: '{{.ToolNam}}'}"),
			"{{.ToolNam}}: no event has this"},
		{pre("{type: model, prompt: '{{.Cwd'}"),
			"{{.Cwd: want {{.Field}}"},
		{pre("{type: model, prompt: x, schema: other}"),
			`schema: got "other", want pre_tool_use`},
		{"hooks:\n  pre_tool_use:\n  - matcher: a(b\n    hooks: []",
			`line 3: hooks.pre_tool_use[0].matcher: "a(b"`},
		{"hooks:\n  pre_tool_use:\n  - {matcher: x}",
			"line 3: hooks.pre_tool_use[0].hooks: want"},
		{"hooks:\n  pre_tol_use: []",
			`line 2: hooks.pre_tol_use: "pre_tol_use" is not known; did`},
		{"hooks:\n  pre_tool_use: x",
			"line 2: hooks.pre_tool_use: got string, want list"},
		{"agents:\n  root:\n    hooks: {pre_tool_use: [1]}",
			"line 3: agents.root.hooks.pre_tool_use[0]: want"},
		{"pre_tool_use: [",
			`not a valid agent.yaml: line 1: want`},
		{"- pre_tool_use",
			"it is not a table"},
	} {
		text, want := test[0], test[1]
		h, err := f.Header([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
		if len(h.Guards) != 1 || h.Guards[0] != "*" {
			t.Errorf("%s guards %v", text, h.Guards)
		}
	}
	for _, text := range []string{"hooks: {stop: {type: model, prompt: '{{if}}'}}",
		"hooks: {turn_start: [{type: builtin, command: add_prompt_files}]}",
		"hooks: {before_llm_call: [{type: builtin, command: max_iterations, args: [0]}]}",
		"hooks: {on_agent_switch: [{type: builtin, command: unload, args: [x]}]}",
		"hooks: {on_agent_switch: [{type: builtin, command: unload, args: ['']}]}",
		"hooks: {stop: [{type: builtin, command: http_post, args: [x]}]}"} {
		if h, err := f.Header([]byte(text)); err == nil || len(h.Guards) > 0 {
			t.Errorf("%s: %v, guards %v", text, err, h.Guards)
		}
	}
}

// TestBrokenDockerFile: a file of a folder of files is named as one of them.
func TestBrokenDockerFile(t *testing.T) {
	t.Parallel()
	f := hooks.New(".config/cagent/hooks.d/*.yaml", foreign.Options{})
	_, err := f.Header([]byte("turn_start: ["))
	if err == nil || !strings.HasPrefix(err.Error(), "not a valid file of hooks.d: line 1: want") {
		t.Errorf("got %v", err)
	}
}

// TestDockerHeader: what files guard, need and have no counterpart for.
func TestDockerHeader(t *testing.T) {
	t.Parallel()
	run := "hooks: [{type: command, command: x, env: {A: '${env.KEY}'}}]"
	for _, test := range []struct{ file, text, guards, grants, lacks string }{
		{"agent.yaml", "hooks: {pre_tool_use: [{matcher: shell|edit_file, " + run + "}]}",
			"bash edit", "env:KEY exec:sh permission.allow", ""},
		{"agent.yaml", "hooks: {tool_guard: [{matcher: 'mcp.*', " + run + "}]}", "*",
			"env:KEY exec:sh permission.allow", ""},
		{"agent.yaml", "agents: {a: {hooks: {stop: [{type: model, prompt: x}]}}, root: {hooks: " +
			"{stop: {type: builtin, command: http_post, args: ['http://a:1/']}}}}", "", "net:a:1",
			"agents.a.hooks are not used: those of the agent root are"},
		{"cagent.yaml", "agents:\n  b: {hooks: {stop: {type: model, prompt: x}}}\n  a: {}", "",
			"llm", ""},
		{"agent.yaml", "hooks: {pre_tool_use: [{matcher: bash, " + run + "}]}", "bash",
			"env:KEY exec:sh permission.allow", `matcher: "bash" matches nothing: hooks know ` +
				`this tool as "shell"`},
		{"agent.yaml", "agents: {root: {model: x}}", "off", "", "it has no hooks that run here"},
		{"agent.yaml", "", "off", "", "it has no hooks that run here"},
		{"agent.yaml", "agents: {root: {redact_secrets: true, add_date: true, " +
			"add_prompt_files: [A.md]}}", "", "exec:sh", ""},
		{".config/cagent/config.yaml", "settings: {hooks: {stop: [{type: model, prompt: x}]}}\n" +
			"hooks: {pre_tool_use: 7}", "", "llm", ""},
		{"agent.yaml", "hooks: {worktree_create: [{type: command, command: x}]}", "off", "",
			"hooks.worktree_create has no counterpart here"},
		{"agent.yaml", "hooks: {on_agent_switch: [{type: builtin, command: unload}]}", "",
			"net:127.0.0.1 net:[::1] net:localhost", ""},
		{"agent.yaml", "hooks: {on_agent_switch: [{type: builtin, command: unload, args: " +
			"['http://gpu:1/x']}]}", "", "net:127.0.0.1 net:[::1] net:gpu:1 net:localhost", ""},
		{"agent.yaml", "hooks: {turn_end: [{type: builtin, command: snapshot}]}", "", "exec:sh",
			""},
		{"agent.yaml", "hooks: {session_end: [{type: builtin, command: " +
			"limit_large_tool_results}]}", "off", "", ""},
	} {
		f := hooks.New(test.file, foreign.Options{})
		h, err := f.Header([]byte(test.text))
		guards := strings.Join(h.Guards, " ")
		if h.Off {
			guards = "off"
		}
		if grants := strings.Join(h.Grants, " "); err != nil || guards != test.guards ||
			grants != test.grants {
			t.Errorf("%s: guards %s, grants %s, %v", test.text, guards, grants, err)
		}
		if _, lacks := f.Explain([]byte(test.text)); !strings.Contains(strings.Join(lacks, "\n"),
			test.lacks) || test.lacks == "" && lacks != nil {
			t.Errorf("%s: lacks %v, want %s", test.text, lacks, test.lacks)
		}
	}
}
