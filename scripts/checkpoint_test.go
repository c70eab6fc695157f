package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent"
)

// TestCheckpoint breaks a file in a repository, and takes that back.
func TestCheckpoint(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t, "git-checkpoint"+lang)
			file := filepath.Join(w.dir, "a.txt")
			put := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			git := func(args ...string) {
				cmd := exec.CommandContext(w.ctx, "git", args...)
				cmd.Dir = w.dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			put("one")
			git("init", "-q")
			git("config", "user.email", "a@example.com")
			git("config", "user.name", "A")
			git("add", ".")
			git("commit", "-qm", "one")
			put("two, not committed")
			for name, text := range map[string]string{".gitignore": "out\n", "out": "built",
				"mine.txt": "never added", "staged.txt": "staged"} {
				if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text),
					0o644); err != nil {
					t.Fatal(err)
				}
			}
			git("add", "staged.txt")
			w.prompt("write a.txt broken")
			w.prompt("write a.txt worse", "write new/b.txt new", "write mine.txt broken",
				"run rm staged.txt", "write out rebuilt")
			for _, tt := range []struct{ command, want string }{{"/rewind", "broken"},
				{"/rewind 1", "two, not committed"}} {
				end := w.prompt(tt.command)
				if b, err := os.ReadFile(file); err != nil || string(b) != tt.want ||
					end.Status != agent.Handled {
					t.Errorf("%s: got %q, %v, %+v", tt.command, b, err, end)
				}
			}
			for name, want := range map[string]string{"mine.txt": "never added",
				"staged.txt": "staged", "out": "rebuilt", "new/b.txt": ""} {
				if b, err := os.ReadFile(filepath.Join(w.dir, name)); string(b) != want ||
					(err == nil) != (want != "") {
					t.Errorf("%s: got %q, %v, want %q", name, b, err, want)
				}
			}
			cmd := exec.CommandContext(w.ctx, "git", "diff", "--cached", "--name-only")
			cmd.Dir = w.dir
			if out, err := cmd.Output(); err != nil || string(out) != "staged.txt\n" {
				t.Errorf("staged: got %q, %v", out, err)
			}
			if end := w.prompt("/rewind 9"); !strings.Contains(end.Error,
				"there are 2 checkpoints") {
				t.Errorf("got %+v", end)
			}
		})
	}
}
