package permission

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/realpath"
)

// TestPathRules: rules about files hold for what calls touch, however they name it: d denied, k
// asked, a allowed, - nothing.
func TestPathRules(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("bash and links")
	}
	root, _ := realpath.Of(t.TempDir())
	project, home := filepath.Join(root, "p"), filepath.Join(root, "home")
	for _, name := range []string{"p/src/a.go", "p/.env", "p/secret/key", "p/sub/x",
		"home/.bashrc"} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"src/notes.txt": home + "/.ssh/authorized_keys",
		"src/one": "two", "src/two": "../three", "three": "../home/.ssh/new", "src/up": home,
		"src/back": "up/../home/.ssh/x",
		"src/in":   "a.go", "src/loop": ".", "keys": home + "/.ssh", "src/ring": "ring"} {
		if err := os.Symlink(to, filepath.Join(project, link)); err != nil {
			t.Fatal(err)
		}
	}
	r := New(Options{Home: filepath.Join(root, "agent"), User: home, Project: project,
		Deny: []string{"write(~/.ssh/**)", "read(**/.env)", "edit(./secret/**)", "bash(rm -r *)",
			"grep(./secret/**)"},
		Allow: []string{"write(./src/**)", "bash(echo *)", "bash(cat *)"}})
	tests := `
d write src/notes.txt
d write src/one
d edit src/two
d write three
d write src/up/.ssh/deep/er
d write src/back
d write src/../src/notes.txt
d write src/loop/loop/notes.txt
d write ~/.ssh/x
d write secret/key
d edit secret/new
d mcp__fs__write src/notes.txt
k write src/ring
a write src/a.go
a write src/in
a edit src/new/file
- write keysx
- write sub/x
- write src/up/.bashrc
d bash echo k > ~/.ssh/x
d bash echo k >> src/notes.txt
d bash echo a | tee -a ~/.ssh/authorized_keys
d bash cp sub/x ~/.ssh/x
d bash cp sub/x keys
d bash cd ~/.ssh && touch x
d bash sed -i s/a/b/ secret/key
d bash F=~/.ssh; echo > $F/x
d bash mv sub/x keys/
d bash sh -c 'echo k > ~/.ssh/x'
d bash rm -r ~/.ssh
d bash rm -fr x
d bash rm secret/key
k bash echo k > "$F"
k bash rm "$(ls)"
k bash tar xf a.tar
k bash python3 -c 'open("x")'
- bash make
- bash touch sub/x
a bash echo k
d bash cat .env
d bash cat sub/../.env
d bash cp .env x
d bash grep -r x .
a bash cat src/a.go
k bash cat "$X"
d read .env
d read sub/../.env
- read src/a.go
k grep .
- grep src
d grep secret
- ls .
- glob .
- read secret/key
- mcp__fs__write sub/x
`
	for line := range strings.Lines(strings.TrimPrefix(tests, "\n")) {
		want, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		tool, text, _ := strings.Cut(rest, " ")
		c := call(tool, text)
		if tool == "bash" {
			c = bash(text)
		}
		c.Env = &engine.Envelope{CWD: project, Project: project}
		got, rule := r.Decide(c, &engine.Tool{Name: tool, ReadOnly: want == "-" &&
			!strings.HasPrefix(tool, "mcp__") && tool != "write" && tool != "bash"})
		if letter := map[string]string{"deny": "d", "ask": "k", "allow": "a",
			"": "-"}[got]; letter != want {
			t.Errorf("%s: got %s by %q, want %s", rest, letter, rule, want)
		}
	}
}

// TestMisspelledRule: a rule about a tool that there is not, with something in parentheses, is
// meant for one that there is: what it was to hold up is not known, so that all is asked about.
func TestMisspelledRule(t *testing.T) {
	for rule, asks := range map[string]bool{"raed(**/.env)": true, "shell(rm *)": true,
		"Read(x": true, "deploy(prod)": false} {
		r := New(Options{Deny: []string{rule}})
		if got, _ := r.Decide(call("read", ".env"),
			&engine.Tool{Name: "read", ReadOnly: true}); (got == "ask") != asks {
			t.Errorf("%s: got %q, want asked %v", rule, got, asks)
		}
	}
}
