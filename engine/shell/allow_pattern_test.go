package shell

import "testing"

// TestPattern checks that the pattern of a command covers the command itself, and no command that
// runs more.
func TestPattern(t *testing.T) {
	for command, want := range map[string]string{
		"git status -s": "git status *", "npm run build -- -x": "npm run build *",
		"git stash pop": "git stash pop *", "git stash": "git stash", "ls -la": "ls -la",
		"rm -rf x": "", "sudo ls": "", "bash -c ls": "", "go run .": "", "ls; pwd": "",
		"ls > x": "", "A=1 ls": "", "ls $x": "", "echo 'a b'": "", "ls *.go": "", "ls '": "",
	} {
		s := Parse(command)
		got := s.Pattern()
		if got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
		if got == "" {
			continue
		}
		covering := []CommandPattern{ReadCommandPattern(got)}
		if _, ok := s.Allowed(covering); !ok {
			t.Errorf("%s: %q does not cover it", command, got)
		}
		if _, ok := Parse(command + "; rm x").Allowed(covering); ok {
			t.Errorf("%s: %q covers a second command", command, got)
		}
	}
}
