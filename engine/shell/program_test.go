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

// TestProgramsThatAsk checks which programs in other languages are known only to read, and that
// what looks like them is not.
func TestProgramsThatAsk(t *testing.T) {
	t.Parallel()
	for line, asks := range map[string]bool{
		`mongosh --eval 'db.users.find({"a": 1}).limit(5)'`:       false,
		`mongosh --eval 'require("child_process").execSync("x")'`: true,
		`mongosh --eval 'db.constructor.constructor("x")()'`:      true,
		`mongosh --eval 'db.users.find({a: run("x")})'`:           true,
		`mongosh --eval 'db.users.find()' --eval 'run("x")'`:      true,
		"mongosh --eval 'db.users.find({a: `${run(\"x\")}`})'":    true,
		`mongosh --eval="db.users.find()"`:                        true,
		`mongosh --eval "$X"`:                                     true,
		`other --eval 'db.users.find()'`:                          true,
		`perl -ne 'print if /error/i' app.log`:                    false,
		`perl -ne 'print unless /^#/' app.log`:                    false,
		`perl -ne 'print if !/x/ix' app.log`:                      false,
		`perl -ne 'print if /(?{system "x"})/i' app.log`:          true,
		`perl -ne 'print if /@{[system "x"]}/i' app.log`:          true,
		`perl -ne 'print if /x/i; system "x"' app.log`:            true,
		`perl -ne 'print if /x/ie' app.log`:                       true,
		`perl -ce 'BEGIN { system "x" }'`:                         true,
		`perl -c app.pl`:                                          false,
		`ruby -wc lib/app.rb`:                                     false,
		`ruby -c -e 'system "x"'`:                                 true,
		`ruby -c -`:                                               true,
	} {
		v := shell.Parse(line).Check(&shell.Rules{Deny: []shell.Rule{{Cmd: []string{"rm"}}}})
		if (v.Decision == "ask") != asks {
			t.Errorf("%s: got %q %s", line, v.Decision, v.Why)
		}
	}
}
