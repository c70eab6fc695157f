package picoclaw_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/foreigntest"
	"github.com/agentscripts/agent/engine/foreign/picoclaw"
)

// TestHeader: what a file needs and guards is known without running anything.
func TestHeader(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:               "[] [ui] off",
		`{"enabled":true}`: "[] [ui] off",
		`{"enabled":false,"processes":{"a":{"command":["x"]}}}`:        "[] [ui] off",
		`{"processes":{"a":{"enabled":false}}}`:                        "[] [ui] off",
		`{"processes":{"a":{"command":["./x/../y"],"observe":["*"]}}}`: "[] [exec:y ui]",
		`{"processes":{"a":{"command":["sh"],"intercept":["after_tool"]},` +
			`"b":{"command":["sh"],"intercept":["approve_tool"]}}}`: "[*] [exec:sh ui]",
		`{"processes":{"a":{"command":["sh"],"intercept":["after_llm"]}}}`: "[] [exec:sh ui]",
	} {
		h, err := picoclaw.New("picoclaw.json", extapi.Options{}).Header(
			[]byte(`{"agents":{"defaults":{}},"hooks":` + text + `}`))
		got := fmt.Sprint(h.Guards, " ", h.Grants)
		if h.Off {
			got += " off"
		}
		if name := map[bool]string{true: "picoclaw", false: "a"}[h.Off]; h.Name != name {
			t.Errorf("%s: the name is %s, want %s", text, h.Name, name)
		}
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestFiles: the files that belong to an extension.
func TestFiles(t *testing.T) {
	t.Parallel()
	f := picoclaw.New("config.json", extapi.Options{})
	if f.Manifest() != "config.json" {
		t.Errorf("the manifest is %s", f.Manifest())
	}
	got := f.Files([]byte(`{"hooks":{"processes":{
		"a":{"command":["python3","-u","a.py"]},
		"b":{"command":["./b","data.txt"],"dir":"sub"},
		"c":{"command":["sh","c.sh"],"dir":"/elsewhere"},
		"f":{"command":["sh","-c","exec ./f.sh \"$@\""]},
		"g":{"command":["node","/w/g.js"]},
		"d":{"command":["/usr/bin/d"]},
		"e":{"enabled":false,"command":["./e"]}}}}`),
		engine.ExtensionFolder{Path: "/w", Exists: func(name string) bool {
			return slices.Contains([]string{"a.py", "sub/data.txt", "f.sh", "g.js"}, name)
		}})
	var names []string
	for _, file := range got {
		names = append(names, file.Name)
	}
	slices.Sort(names)
	if fmt.Sprint(slices.Compact(names)) != "[a.py f.sh g.js sub/b sub/data.txt]" {
		t.Errorf("got %v", got)
	}
}

// TestExplain: what a file has is told before it is used.
func TestExplain(t *testing.T) {
	t.Parallel()
	uses, lacks := picoclaw.New("picoclaw.json", extapi.Options{}).Explain([]byte(`{"hooks":{` +
		`"builtins":{"log":{}},"processes":{"a":{"command":["sh","a.sh"],"observe":["turn_end",` +
		`"gateway.ready","agent.subturn.end"],"intercept":["before_tool"]}}}}`))
	if got := fmt.Sprintf("%q %q", uses, lacks); got != `["a: runs sh a.sh, asked at before_tool, `+
		`told of turn_end, gateway.ready, agent.subturn.end"] ["a: observe: gateway.ready does `+
		`not happen here" "hooks.builtins: they are part of picoclaw"]` {
		t.Errorf("got %s", got)
	}
}

// TestSettingsThatFail: what is wrong in a file is named with its place.
func TestSettingsThatFail(t *testing.T) {
	t.Parallel()
	const some = `"command":["x"],`
	for process, want := range map[string]string{
		`"command":[]`: `picoclaw.json: hooks.processes.a.command is missing`,
		`"command":"x"`: "not a valid picoclaw.json: " +
			"hooks.processes.command: got string, want a list",
		some + `"transport":"http"`:            `a.transport: got "http", want stdio`,
		some + `"intercept":["before_tools"]`:  `did you mean "before_tool"`,
		some + `"env":{"A=B":"c"}`:             `a.env: "A=B" cannot be set`,
		`"command":["no-such-program-at-all"]`: "no-such-program-at-all cannot be started",
		`"command":["./picoclaw.json"]`:        "permission denied",
		`"command":["./gone"]`:                 "its file gone: cannot be read",
		`"command":["sh"],"dir":"nowhere"`:     "dir: there is no folder",
		// it greets, and waits
		`"observes":[],"command":["sh","-c",` +
			`"read a; echo '{\"id\":1,\"result\":{}}'; read b"]`: `unknown field "observes"`,
	} {
		w := newWorld(t, 2)
		w.Write("x/picoclaw.json", `{"hooks":{"processes":{"a":{`+process+`}}}}`)
		w.start().WantEvents(want)
	}
}

// TestSwitchedOff: a file switches its processes off and on.
func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("gate", "before_tool").start()
	on, err := os.ReadFile(w.Path("x/picoclaw.json"))
	if err != nil {
		t.Fatal(err)
	}
	loaded := func(want int) func() bool {
		return func() bool { return len(w.Engine.Scripts.Snapshot().Generations) == want }
	}
	w.Write("x/picoclaw.json", strings.Replace(string(on), "true", "false", 1))
	w.Until("it is off", loaded(0))
	w.Write("x/picoclaw.json", string(on))
	w.Until("it is on", loaded(1))
}

// TestOrder: the processes of a file are asked by priority, then by name; the first refusal counts.
func TestOrder(t *testing.T) {
	t.Parallel()
	foreigntest.HaveProgram(t, "sh")
	w := newWorld(t, 20)
	var processes []string
	for name, priority := range map[string]int{"a": 5, "b": -1, "c": -1} {
		processes = append(processes, fmt.Sprintf(`"%s":{"priority":%d,"dir":"%s",`+
			`"command":["sh","../hook.sh"],"intercept":["before_tool"]}`, name, priority, name))
		w.Write("x/"+name+"/name", name)
	}
	w.Write("x/hook.sh", shellHook)
	w.Write("x/picoclaw.json", file(processes...))
	w.start()
	if got := w.Bash("rm"); !strings.Contains(got, "refused by b") {
		t.Errorf("got %q; %s", got, w.Recorded())
	}
}

// shellHook is a hook in sh, written after the founding document. It refuses what has rm in it.
const shellHook = `name=$(cat name)
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\),.*/\1/p')
  [ -n "$id" ] || continue
  case $line in
  *'"method":"hook.hello"'*) result='{"ok":true,"name":"sh"}' ;;
  *'"method":"hook.before_tool"'*'"command":"rm'*)
    result='{"action":"deny_tool","reason":"refused by '$name'"}' ;;
  *) result='{"action":"continue"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
`
