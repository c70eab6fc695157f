package hooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

// TestEnvironmentFile: what hooks of SessionStart write into the file that CLAUDE_ENV_FILE names is
// kept for the commands of that session, in the order of the hooks, and nothing else is.
func TestEnvironmentFile(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	for _, test := range []struct{ what, command, want, told string }{
		{"appended", `echo 'export A=1' >>"$CLAUDE_ENV_FILE"`, "export A=1\n", ""},
		{"replaced", `echo 'export A=2' >x && mv x "$CLAUDE_ENV_FILE"`, "export A=2\n", ""},
		{"removed", `rm "$CLAUDE_ENV_FILE"`, "", ""},
		{"with another exit code", `echo 'B=(1 2)' >"$CLAUDE_ENV_FILE"; exit 1`, "B=(1 2)\n",
			"failed with exit code 1"},
		{"broken", `echo 'export A="' >>"$CLAUDE_ENV_FILE"`, "",
			"CLAUDE_ENV_FILE is not used: bash: line 1: unexpected EOF"},
		{"a folder", `rm "$CLAUDE_ENV_FILE"; mkdir "$CLAUDE_ENV_FILE"; sleep 0.1`, "",
			"CLAUDE_ENV_FILE is not used: "},
		{"too long", `head -c 40000 /dev/zero | tr '\0' '#' >"$CLAUDE_ENV_FILE"`, "",
			"at most 32 KB"},
		{"NUL", `head -c 4 /dev/zero >"$CLAUDE_ENV_FILE"`, "", "at most 32 KB of text"},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).hooked("SessionStart", "", test.command,
				`echo 'export LAST=1' >>"$CLAUDE_ENV_FILE"`).begin()
			w.fires(event.SessionStart{Cause: "startup"})
			if got := w.format.ShellSetup("s1"); got != test.want+"export LAST=1\n" {
				t.Errorf("got %q, want %q and the last", got, test.want)
			}
			if told := w.told(); !strings.Contains(told, test.told) || test.told == "" &&
				told != "" {
				t.Errorf("told %q, want %q", told, test.told)
			}
			if got := w.format.ShellSetup("s2"); got != "" {
				t.Errorf("another session has %q", got)
			}
			left, _ := filepath.Glob(filepath.Join(w.home, "data", "*", "env-*"))
			if len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestEnvironmentEnds: another session begins without it, other events do not get the file, and an
// extension that is removed takes its part along.
func TestEnvironmentEnds(t *testing.T) {
	t.Parallel()
	w := newRig(t).hooked("SessionStart", "startup", `echo 'export A=1' >>"$CLAUDE_ENV_FILE"`)
	w.put("../y/hooks.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command",
		"command": "echo ${CLAUDE_ENV_FILE-none} >in"}]}],
		"SessionStart": [{"hooks": [{"type": "command",
		"command": "echo export B=2 >>$CLAUDE_ENV_FILE"}]}]}}`, 0o644)
	w.begin()
	w.fires(event.SessionStart{Cause: "startup"})
	if got := w.format.ShellSetup("s1"); got != "export A=1\nexport B=2\n" {
		t.Errorf("got %q; told %s", got, w.told())
	}
	if w.bash("ls"); w.heard("in") != "none\n" {
		t.Errorf("PreToolUse has %q", w.heard("in"))
	}
	if err := os.RemoveAll(filepath.Join(w.folder, "x")); err != nil {
		t.Fatal(err)
	}
	w.eventually("its part ends", func() bool {
		return w.format.ShellSetup("s1") == "export B=2\n"
	})
	w.env.SessionID = "s2"
	w.fires(event.SessionStart{Cause: "new"})
	if got := w.format.ShellSetup("s2") + w.format.ShellSetup("s1"); got != "export B=2\n" {
		t.Errorf("got %q", got)
	}
}
