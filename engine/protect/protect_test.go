package protect

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/touch"
)

// TestProtected: the protection of files that a call would change, by any of their names: ! asks in
// every mode, e asks under accept-edits, - is an edit in the project.
func TestProtected(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("bash and links")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(root, name) }
	for _, name := range []string{"agent/config.toml", "agent/trust.json", "agent/scripts/a.lua",
		"dot/guard.lua", "dot/lib/m.lua", "p/guard.js", "p/src/a.go", "p/.git/hooks/pre-commit",
		"p/.git/config", "p/.agent/scripts/x.lua", "home/.bashrc", "home/.ssh/authorized_keys",
		"home/.local/state/agent/guards.json",
		"p/extra/one.lua", "other/x", "p/bare/HEAD", "p/bare/refs/x", "p/bare/objects/x",
		"p/.githooks/own"} {
		if err := os.MkdirAll(filepath.Dir(in(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in(name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(in("p/.git/config"), []byte("[core]\n\thooksPath = .githooks\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"agent/scripts/guard.lua": "../../dot/guard.lua",
		"p/rc": "../home/.bashrc", "p/new": "../home/.zshrc", "p/sub": ".git", "p/out": "../other",
		"p/home": "../home", "p/in": "src", "p/self": "self"} {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, of := range map[string]string{"p/hard.lua": "dot/guard.lua",
		"p/hardrc": "home/.bashrc", "p/hardhook": "p/.git/hooks/pre-commit",
		"p/hardkeys": "home/.ssh/authorized_keys", "p/hardtrust": "agent/trust.json",
		"p/hardjs": "p/guard.js", "p/hardown": "p/.githooks/own"} {
		if err := os.Link(in(of), in(name)); err != nil {
			t.Fatal(err)
		}
	}
	places := Places{Home: in("agent"), User: in("home"), Project: in("p"),
		Scripts: []string{in("p/extra")}, Own: []string{"",
			in("home/.local/state/agent/guards.json")}}
	scripts := []string{in("agent/scripts/guard.lua"), in("dot/lib/m.lua"), in("p/guard.js")}
	tests := `
! write ../agent/config.toml
! bash openssl rand -out ../agent/config.toml 8
! bash ./tool --output=../agent/scripts/new.lua
! bash ssh-keygen -f ../home/.ssh/new
! write ../agent/new/file
! edit ../agent/scripts/guard.lua
! edit ../dot/guard.lua
! write ../dot/lib/m.lua
! write guard.js
! write ./src/../guard.js
! write hardjs
! write hard.lua
! write rc
! write new
! write hardrc
! write hardkeys
! write hardtrust
! write home/.profile
! write ../home/.local/state/agent/guards.json
! bash rm -r ../home/.local
! write home/.ssh/config
! write home/.config/fish/config.fish
! write .agent/scripts/new.lua
! write .agent/extensions/new/run
! write ../agent/extensions/new/run
! write extra/two.lua
! bash echo x > guard.js
! bash cp src/a.go ../dot/guard.lua
! bash sed -i 1d ~/.bashrc
! bash rm -r extra
! bash rm -rf ..
! bash mv ../agent ../away
! bash cd ~ && touch .zshenv
! bash find ../agent -delete
! bash python3 -c 'open("permissions.json")'
! bash perl -e 'open(F,">","../agent/scripts/new.lua")'
! bash perl -e 'open(F,">../agent/scripts/new.lua")'
! bash ruby -e 'File.write("../agent/scripts/new.lua", 1)'
! bash php -r 'file_put_contents("../home/.bashrc", "x");'
! bash python3 -c 'import shutil; shutil.copy("x", "../agent/config.toml")'
! bash a=..; sort -o $a/agent/config.toml x
! bash a=..; dd if=x of=$a/agent/config.toml
! bash awk 'BEGIN{print "x" > "../home/.bashrc"}'
! bash awk -v f=../home/.bashrc '{print > f}' src/a.go
! bash awk '{print > f}' f=../home/.bashrc src/a.go
! bash awk '{print | "tee ../home/.bashrc"}' src/a.go
! bash echo 'BEGIN{print 1 > "../home/.bashrc"}' > p.awk; awk -f p.awk
! bash ls | xargs awk '{print >> "../home/.bashrc"}'
! bash sed -n 'w ../home/.bashrc' src/a.go
! bash sed -n 's/a/b/w ../home/.bashrc' src/a.go
! bash sed -n '1e cp x ../home/.bashrc' src/a.go
! bash sed -n "w $HOME/.bashrc" src/a.go
! bash sed -n -f - src/a.go <<< 'w ../home/.bashrc'
! bash sort $x-o../home/.bashrc src/a.go
! bash echo -o | xargs -I{} sort src/a.go {} ../home/.bashrc
! bash tree -o ../home/.bashrc
! bash wget -e logfile=../home/.bashrc http://x
! bash vim -c 'w ../home/.bashrc' src/a.go
! bash vim -es src/a.go <<< 'w ../home/.bashrc'
! bash for f in src/a.go ../home/.bashrc; do dd of=$f; done
! bash for f in ~/.bash*; do echo x >> $f; done
! bash cd ../agent/scripts; for f in *; do rm $f; done
! bash f=(../agent/scripts/*); rm ${f[0]}
! bash set -- ../agent/trust.json; echo x >> $1
! bash f=$(ls -d ../agent/c*); echo x >> $f
! bash find ../agent/scripts -type f | while read f; do echo x >> $f; done
e bash for f in src/*; do echo x >> $f; done
e bash for f in $(git diff --name-only); do sort -o $f $f; done
e bash cat ../home/.bashrc; for f in *.md; do cat $f; done; make
e bash awk '{print > "../other/x"}' src/a.go
e bash sed -n 'w ../other/x' src/a.go
e bash awk '/root/ {print $1}' ../home/.bashrc
e bash sed -n 's/a/b/p' ../home/.bashrc
e bash perl -e 'open(F,">","../other/x")'
! write .git/hooks/pre-push
! write .git/config
! write .git
! write sub/hooks/x
! write hardhook
! write .git/modules/a/b/config
! write .git/modules/hooks/hooks/x
! write .git/worktrees/w/config.worktree
! write .git/info/attributes
! write nested/.GIT/config
! bash echo x > .git/hooks/post-checkout
! bash cp src/a.go .git/hooks
! bash tar -xf a.tar -C .git/hooks
! bash ln -s /bin/true .git/hooks/post-commit
! bash chmod +x .git/hooks/pre-commit
! bash mv src .git
! bash ./tool --out=.git/config
e bash git config user.name me
e bash git commit -am x
e bash git worktree add ../w
e bash git submodule update --init
e bash make
e bash npm ci
e bash go build ./...
e bash git init
- bash git init fresh
- bash git clone https://x/y y
e bash ./tool .
e bash python3 x.py .
! write bare/config
! bash echo x > bare/hooks/post-update
! write .githooks/pre-commit
! bash cp src/a.go .githooks
! write hardown
- write bare/README
! bash rm -rf .git
e write .git/info/exclude
e write .git/HEAD
e write deep/.GIT/x
e write .envrc
e write a/.husky/pre-commit
e write .vscode/tasks.json
e write .agent/config.toml
e write ../other/x
e write out/x
e write /etc/passwd
e write home/notes
e write self
- write src/a.go
- edit src/new/deep.go
- write in/a.go
- write .gitignore
- write .github/x
- bash touch src/x
- bash rm -r src
- bash mkdir -p src/hooks/config
- bash cp src/a.go .
`
	for line := range strings.Lines(strings.TrimPrefix(tests, "\n")) {
		want, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		tool, text, _ := strings.Cut(rest, " ")
		c := &engine.Call{Tool: tool, Args: map[string]any{"path": text},
			Env: &event.Envelope{CWD: in("p"), Project: in("p")}}
		if tool == "bash" {
			c.Args = map[string]any{"command": text}
		}
		got := places.Call(c, touch.Finder{Home: in("home")}.Call(c, builtin(c.Tool)), scripts)
		is := "-"
		if got.Asks != "" {
			is = "!"
		} else if got.Edits != "" {
			is = "e"
		}
		if is != want || got.Asks != "" && got.Edits == "" {
			t.Errorf("%s: got %s (%+v), want %s", rest, is, got, want)
		}
		unsure := is == "!" && slices.ContainsFunc(strings.Split("openssl|./tool|ssh-keygen|tar|"+
			"python3|perl|ruby|php|awk|echo 'BEGIN|echo -o|ls|sed -n|sort $|tree|wget|vim|"+
			"for f in ~|cd ../agent|f=|set|find ../agent/scripts", "|"),
			func(begin string) bool { return strings.HasPrefix(text, begin) })
		if unsure != (len(got.Perhaps) > 0) {
			t.Errorf("%s: it may change %q", rest, got.Perhaps)
		}
	}
}

// TestRepositoryFileIsProtected: by its name, and by another name of the same file.
func TestRepositoryFileIsProtected(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	head := filepath.Join(dir, ".git", "HEAD")
	if err := os.WriteFile(head, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(head, filepath.Join(dir, "same")); err != nil {
		t.Skip("no links here")
	}
	tree := filepath.Join(dir, "tree") // a linked work tree
	if err := os.MkdirAll(tree, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"tree/.git": "gitdir: ../.git/worktrees/tree",
		".git/worktrees/tree/commondir": "../.."} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(head, filepath.Join(tree, "same")); err != nil {
		t.Fatal(err)
	}
	const name = "is a file of the repository itself, by another name"
	for _, test := range []struct{ project, path, want string }{
		{dir, ".git/HEAD", "what is in .git may make programs run something"},
		{dir, "same", name}, {tree, "same", name},
	} {
		c := &engine.Call{Tool: "write", Args: map[string]any{"path": test.path},
			Env: &event.Envelope{CWD: test.project, Project: test.project}}
		got := (Places{Project: test.project}).Call(c,
			touch.Finder{}.Call(c, builtin(c.Tool)), nil)
		if !strings.HasSuffix(got.Edits, test.want) {
			t.Errorf("%s in %s: got %q, want %q", test.path, test.project, got.Edits, test.want)
		}
	}
}

// TestNothingIsKnown: with no places and no files, nothing is protected, and no edit counts as one
// in a project.
func TestNothingIsKnown(t *testing.T) {
	c := &engine.Call{Tool: "write", Args: map[string]any{"path": "/x"}}
	if got := (Places{}).Call(c, touch.Finder{}.Call(c, builtin(c.Tool)), nil); got.Asks != "" ||
		got.Edits == "" {
		t.Errorf("got %+v", got)
	}
	c = &engine.Call{Tool: "rename", Args: map[string]any{"symbol": "x"}}
	if got := (Places{Project: "/p"}).Call(c, touch.Finder{}.Call(c, builtin(c.Tool)),
		nil); got.Edits != "it cannot be known which files it changes" {
		t.Errorf("got %+v", got)
	}
}

func BenchmarkCall(b *testing.B) {
	home := b.TempDir()
	c := &engine.Call{Tool: "write", Args: map[string]any{"path": "src/x"},
		Env: &event.Envelope{CWD: home, Project: home}}
	for b.Loop() {
		Places{Home: home + "/.agent", User: home, Project: home}.Call(c,
			touch.Finder{Home: home}.Call(c, builtin(c.Tool)), nil)
	}
}

// builtin returns the built-in tool of a name; nil = there is none.
func builtin(name string) *engine.Tool {
	for _, t := range tool.Declared() {
		if t.Name == name {
			return t
		}
	}
	return nil
}
