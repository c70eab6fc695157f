package hooks_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign"
	"github.com/agentscripts/agent/engine/foreign/hooks"
)

// holding is the folder of a user's extension that holds some files.
func holding(files ...string) engine.ExtensionFolder {
	return engine.ExtensionFolder{Path: "/w", Exists: func(name string) bool {
		return slices.Contains(files, name)
	}}
}

// filesOf returns the files of a manifest, and those that must not be missing.
func filesOf(f *hooks.Format, manifest string, in engine.ExtensionFolder) (all, needed string) {
	var names, sure []string
	for _, file := range f.Files([]byte(manifest), in) {
		names = append(names, file.Name)
		if !file.Perhaps {
			sure = append(sure, file.Name)
		}
	}
	slices.Sort(names)
	slices.Sort(sure)
	return strings.Join(slices.Compact(names), " "), strings.Join(slices.Compact(sure), " ")
}

// TestNeededFiles: only the files that a line without conditions runs must be there, and only if
// their hook guards. Others are watched although they are missing.
func TestNeededFiles(t *testing.T) {
	t.Parallel()
	f := hooks.New(".claude/settings.json", foreign.Options{})
	for _, test := range []struct{ event, line, all, needed string }{
		{"PreToolUse", "python3 scripts/a.py .claude/data.txt", ".claude/data.txt scripts/a.py",
			"scripts/a.py"},
		{"PreToolUse", "cd scripts; ./x.sh", "scripts/x.sh x.sh", ""},
		{"PreToolUse", "[ -x a.sh ] && ./a.sh", "a.sh", ""},
		{"PostToolUse", "sh fmt.sh", "fmt.sh", ""},
	} {
		in := holding(".claude/data.txt")
		in.Project = true
		all, needed := filesOf(f, `{"hooks": {"`+test.event+`": [{"hooks": [{"type": "command",
			"command": "`+test.line+`"}]}]}}`, in)
		if all != test.all || needed != test.needed {
			t.Errorf("%s: got %q, needed %q", test.line, all, needed)
		}
	}
}

// TestFiles: the files of an extension are those that its commands run, wherever they are in the
// folder, and those beside the settings that their words name.
func TestFiles(t *testing.T) {
	t.Parallel()
	in := holding("a.sh", "sub/b.py", "s p/c.sh", "data.txt", ".claude/a.sh", ".claude/data.txt",
		".claude/s p/c.sh", "package.json")
	for _, test := range []struct{ where, line, want string }{
		{"plugin", `${CLAUDE_PLUGIN_ROOT}/a.sh data.txt $CLAUDE_PLUGIN_ROOT/data.txt`,
			"a.sh data.txt"},
		{"plugin", `./a.sh`, ""}, // it runs where the agent works
		{"project", `cd scripts; ./x.sh`, "scripts/x.sh x.sh"},
		{"project", `"${CLAUDE_PROJECT_DIR:-.}"/a.sh; sh ${CLAUDE_PROJECT_DIR%/}/b.sh; $PWD/c.sh`,
			"a.sh b.sh c.sh"},
		{"project", `scripts/*.sh`, ""},
		{"plugin", `cd "${CLAUDE_PLUGIN_ROOT}" && ./a.sh < data.txt`, "a.sh"},
		{"plugin", `"${CLAUDE_PLUGIN_ROOT}/s p/c.sh" 'x > y'`, "s p/c.sh"},
		{"plugin", `sh -c '"$CLAUDE_PLUGIN_ROOT"/gone.sh; python3 ${CLAUDE_PLUGIN_ROOT}/sub/b.py'`,
			"gone.sh sub/b.py"},
		{"plugin", `/w/a.sh /w/../x.sh /other/a.sh`, "a.sh"},
		{"plugin", `${CLAUDE_PLUGIN_ROOT}/../x.sh; ${CLAUDE_PROJECT_DIR}/y.sh; ~/z.sh`, ""},
		{"plugin", `echo '$1' "it's" & | `, ""},
		{"project", `./a.sh`, "a.sh"},
		{"project", `$CLAUDE_PROJECT_DIR/sub/b.py data.txt .claude/data.txt`,
			".claude/data.txt sub/b.py"},
		{"project", `python3 -u "$CLAUDE_PROJECT_DIR"/.claude/gone.py`, ".claude/gone.py"},
		{"project", `perl -w ./a.pl; python3 -X utf8 -Wignore -uB ./b.py; ruby -W0 ./c.rb`,
			"a.pl b.py c.rb"},
		{"project", `perl -we 1 ./d.pl; python3 -m e ./e.py; perl -Ilib ./f.pl; ruby -E u g`, "g"},
		{"project", `cd sub && uv run b.py && npm run lint`, "sub/b.py"},
		{"project", `test -x .claude/a.sh && env X=1 .claude/a.sh || true`, ".claude/a.sh"},
		{"project", `~/.claude/a.sh; $HOME/a.sh`, ""},
		{"project", `npx tsx "${CLAUDE_PROJECT_DIR}/new.ts"`, "new.ts"},
		{"user", `~/.claude/a.sh; $HOME/sub/b.py`, ".claude/a.sh sub/b.py"},
		{"user", `./a.sh; $CLAUDE_PROJECT_DIR/.claude/a.sh`, ""},
		{"user", `/w/.claude/s\ p/c.sh`, ".claude/s p/c.sh"},
		{"user", `bash /w/sub/b.py`, "sub/b.py"},
	} {
		f, in := hooks.New(".claude/settings.json", foreign.Options{}), in
		if in.Project = test.where == "project"; test.where == "plugin" {
			f = hooks.New("", foreign.Options{})
		}
		line, _ := json.Marshal(test.line)
		words, _ := json.Marshal([]string{"-c", test.line})
		for _, fields := range []string{`"command": ` + string(line),
			`"command": "bash", "args": ` + string(words)} {
			got, _ := filesOf(f, `{"hooks": {"PreToolUse": [{"hooks": [
				{"type": "command", `+fields+`}]}]}}`, in)
			if got != test.want {
				t.Errorf("%s: %s: got %q, want %q", test.where, fields, got, test.want)
			}
		}
	}
}
