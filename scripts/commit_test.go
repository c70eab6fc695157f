package scripts_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCommitIsMasked: what a redactor masks does not reach git through a script that takes the
// prompt as the message.
func TestCommitIsMasked(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t, "redact"+lang, "auto-commit"+lang)
			git := func(args ...string) string {
				cmd := exec.CommandContext(w.ctx, "git", args...)
				cmd.Dir = w.dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
				return strings.TrimSpace(string(out))
			}
			git("init", "-q")
			git("config", "user.email", "a@example.com")
			git("config", "user.name", "A")
			w.prompt("say use sk-0123456789abcdef012345 and password=hunter22", "write a.txt hello")
			w.engine.Emitter.Drain(w.ctx)
			if got, want := git("log", "--format=%B"),
				"say use [redacted:key] and password=[redacted:password]"; got != want {
				t.Errorf("got the message %q, want %q", got, want)
			}
		})
	}
}
