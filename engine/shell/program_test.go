package shell_test

import (
	"testing"

	"github.com/agentscripts/agent/engine/shell"
)

// TestPathsProgram checks that programs that run code are distinguished from those that write only
// the files that they name.
func TestPathsProgram(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"sleep 5": "", "echo x > y": "", "cp a b && rm -r c": "", "ls -la | grep x | wc -l": "",
		"git status": "", "git log -3": "", "cd x; cat y": "", "sed -i s/a/b/ f": "",
		"timeout 5 cat x": "", "FOO=1 env BAR=2 ls": "", "for f in *; do cat $f; done": "",
		"sh ./t.sh": "sh", "bash -c 'ls'": "", "make": "make", "go test ./...": "go", "./x": "x",
		"python3 -c 'x'": "python3", "npm install": "npm", "git commit -m x": "git",
		"git checkout x": "git", ". ./env": ".", "source x": "source", "timeout 5 make": "make",
		"sudo ./x": "x", "nohup ./server &": "server", "ls; node x.js": "node",
		"echo $(make)": "make", "xargs make": "make", "x() { make; }; x": "make",
		"find . -exec ./x {} +": "x",
	} {
		if got := shell.Parse(line).Paths().Program; got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
