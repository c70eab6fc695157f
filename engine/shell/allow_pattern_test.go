package shell

import "testing"

// TestPattern checks that the pattern of a command covers the command itself, and no command that
// runs more.
func TestPattern(t *testing.T) {
	for command, want := range map[string]string{
		"git status -s": "git status *", "npm run build -- -x": "npm run build *",
		"git stash pop": "git stash pop *", "git stash": "git stash", "ls -la": "ls -la",
		"git checkout -b x": "git checkout -b x", "git push origin x": "git push origin x",
		"git branch -D x": "git branch -D x", "git stash drop": "git stash drop",
		"git stash list": "git stash list *", "kubectl delete pod x": "kubectl delete pod x",
		"kubectl get pods": "kubectl get *", "gh pr merge 1": "gh pr merge 1",
		"docker compose up -d": "docker compose up *", "docker rm x": "docker rm x",
		"npm install x": "npm install x", "npm test -- a": "npm test *",
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
