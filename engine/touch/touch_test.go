package touch

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// world creates a project with a few files, a link to one of them, links out of the project, and a
// home directory. It returns the project's directory.
func world(t testing.TB) (f Finder, dir string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(root, "p")
	for _, p := range []string{"p/.env", "p/a.go", "p/sub/b.go", "p/sub/.env.local", "home/.bashrc",
		"out/x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, p)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, p), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"p/link": ".env", "p/away": "../out",
		"p/new": "../out/new"} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Skip("this system has no symbolic links")
		}
	}
	return Finder{Home: filepath.Join(root, "home")}, dir
}

// show returns paths relative to the folder above the project, sorted.
func show(dir string, paths []string) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = strings.TrimPrefix(filepath.ToSlash(p), filepath.ToSlash(filepath.Dir(dir))+"/")
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestCommands(t *testing.T) {
	f, dir := world(t)
	tests := []struct{ command, reads, writes string }{
		{"cat a.go", "p/a.go", ""},
		{"rm a.go sub/../.env", "", "p/.env p/a.go"},
		{"echo x > new.txt 2>&1 2>/dev/null", "", "p/new.txt"},
		{"echo x >> link", "", "p/.env p/link"},
		{"echo x > new", "", "out/new p/new"},
		{"tee away/y < a.go", "p/a.go", "out/y"},
		{"cp a.go sub", "p/a.go", "p/sub p/sub/a.go"},
		{"cp a.go b.go", "p/a.go", "p/b.go"},
		{"cp -vt sub a.go", "p/a.go", "p/sub p/sub/a.go"},
		{"cp -r sub x", "p/sub", "p/x p/x/.env.local p/x/b.go"},
		{"cp *.go sub", "p/*.go p/a.go", "p/sub p/sub/*.go p/sub/a.go"},
		{"touch away/../z", "", "p/z z"},
		{"F=x; echo > \"$F.txt\"", "", "p/x.txt"},
		{"for f in a b; do touch $f; done", "", "p/a p/b"},
		{"cd sub > log && touch x", "", "p/log p/sub/x"},
		{"sort a.go -uo b", "p/a.go", "p/b"},
		{"sed -i.o 1d a.go", "p/a.go", "p/a.go p/a.go.o"},
		{"cp -t sub a.go", "p/a.go", "p/sub p/sub/a.go"},
		{"mv .env x", "p/.env", "p/.env p/x"},
		{"ln -s .env y", "p/.env", "p/.env p/y p/y/.env"},
		{"rm .e*", "", "p/.e* p/.env"},
		{"rm *", "", "out p/* p/a.go p/away p/link p/.env p/new out/new p/sub"},
		{"sed -i 's/a/b/' a.go", "", "p/a.go"},
		{"sed 's/a/b/' a.go", "p/a.go", ""},
		{"grep -r x sub", "p/sub", ""},
		{"cd sub && rm b.go", "", "p/sub/b.go"},
		{"cd sub; rm b.go", "", "p/b.go p/sub/b.go"},
		{"(cd sub && rm b.go); rm a.go", "", "p/a.go p/sub/b.go"},
		{"cd ~ && rm .bashrc", "", "home/.bashrc"},
		{"rm ~/.bashrc", "", "home/.bashrc"},
		{"sudo bash -c 'cd sub && touch z'", "", "p/sub/z"},
		{"chmod 600 a.go", "", "p/a.go"},
		{"dd if=a.go of=b", "p/a.go", "p/b"},
		{"curl -sSLo out.bin https://x/y", "", "p/out.bin"},
		{"curl -O https://x/y/.env", "", "p/.env"},
		{"wget https://x/y/z", "", "p/z"}, {"wget -P sub https://x/y/z", "", "p/sub p/sub/z"},
		{"curl --remote-name-all https://x/.env https://x/y", "", "p/.env p/y"},
		{"curl --output-dir sub -O https://x/y", "", "p/sub p/sub/y"},
		{"curl -OJ https://x/y", "", "p/y ?"}, {"wget -i a.go", "p/a.go", "?"},
		{"sort -o b a.go", "p/a.go", "p/b"},
		{"v=b; sort --output=$v a.go", "p/a.go", "p/b"},
		{"v=b; sort -uo$v a.go", "p/a.go", "p/b"},
		{"find sub -name x", "p/sub", ""},
		{"find sub -delete", "", "p/sub"},
		{"tar czf x.tgz sub", "p/sub", "p/x.tgz"},
		{"git checkout -- .env", "", "p/.env"},
		{"git rm a.go", "", "p/a.go"}, {"git checkout .env", "", "p/.env"},
		{"git checkout main -- a.go", "", "p/a.go p/main"},
		{"git restore -s main a.go", "", "p/a.go"}, {"git checkout -b new", "", ""},
		{"git checkout main", "", "p/main ?"}, {"git checkout main --", "", "p/main ?"},
		{"git checkout -f -", "", "?"}, {"git checkout -- ':/'", "", "p/: ?"},
		{"git checkout -- '*.env'", "", "p/*.env ?"}, {"git checkout $X", "", "?"},
		{"git switch main", "", "?"}, {"git switch -c new", "", ""}, {"git pull --rebase", "", "?"},
		{"git stash", "", "?"}, {"git stash pop", "", "?"}, {"git stash list", "", ""},
		{"git reset --hard HEAD~1", "", "p ?"}, {"git reset a.go", "", ""},
		{"git merge x", "", "?"}, {"git rebase main", "", "?"}, {"git cherry-pick x", "", "?"},
		{"git fetch", "", ""}, {"git commit -am x", "", ""}, {"git push", "", ""},
		{"git status", "", ""}, {"git log -p", "", ""}, {"git merge-base a b", "", ""},
		{"git -C sub checkout -- b.go", "", "?"}, {"GIT_WORK_TREE=sub git checkout -- b.go", "",
			"?"}, {"git diff --output=.env", "", "p/.env"},
		{"git archive -o x.tar HEAD", "", "p/x.tar"},
		{"git clone --depth 1 https://h/o/r.git", "", "p/r"},
		{"git clone https://h/o/r sub/z", "", "p/sub/z"}, {"git worktree add ../w main", "", "w"},
		{"git worktree list", "", ""},
		{"go test ./...", "", ""}, {"make", "", ""}, {"./x", "", ""}, {"", "", ""},
		{"python -c exec", "", "?"}, {"sh x", "", ""}, {"echo y > x; sh x", "", "p/x ?"},
		{"rm $X", "", "?"}, {"echo x > $X", "", "?"}, {"eval $X", "", "?"},
		{"ls | xargs rm", "",
			"out out/new p p/.env p/a.go p/away p/link p/new p/sub p/sub/b.go"},
		{"ls -A | xargs rm", "", "?"}, {"tar xf x", "", "?"},
		{"cd $X && rm y", "", "p/y ?"}, {"patch -p1 < a.go", "p/a.go", "?"},
		{"ssh host rm x", "", ""},
		{"ssh localhost rm x", "", "?"}, {"(", "", "?"}, {"rm */*/*", "", "p/*/*/*"},
	}
	for _, tt := range tests {
		got := f.Command(tt.command, dir, dir)
		w := show(dir, got.Writes())
		if got.Unknown() {
			w = strings.TrimSpace(w + " ?")
		}
		want := strings.Fields(tt.writes)
		if slices.Contains(want, "?") {
			want = append(slices.DeleteFunc(want, func(s string) bool { return s == "?" }), "?")
			slices.Sort(want[:len(want)-1])
		} else {
			slices.Sort(want)
		}
		if r := show(dir, got.Reads()); r != tt.reads || w != strings.Join(want, " ") {
			t.Errorf("%s\n reads %s, want %s\nwrites %s, want %s", tt.command, r, tt.reads, w,
				strings.Join(want, " "))
		}
	}
}

// TestPerhaps: Perhaps describes which program may read or write a file that matches a pattern.
func TestPerhaps(t *testing.T) {
	f, dir := world(t)
	tests := []struct{ command, what, pattern, want string }{
		{"openssl rand -out .env 8", "writes", "**/.env*", "openssl may write .env"},
		{"openssl rand -out .env 8", "reads", "**/.env*", "openssl may read .env"},
		{"openssl rand -out new 8", "writes", "./**", "openssl may write new"},
		{"openssl rand -out new 8", "writes", "./new", "openssl may write new"},
		{"npm run new", "writes", "./**", ""}, {"npm run new", "writes", "./new",
			"npm may write new"},
		{"./tool a.go", "writes", "./**", "tool may write a.go"},
		{"./tool 'see the file .env'", "writes", "**/.env*", "tool may write .env"},
		{"tmux new -d 'cat sub/b.go'", "reads", "./sub/**", "tmux may read sub/b.go"},
		{"tmux new -d 'cat sub/b.*'", "reads", "./sub/**", "tmux may read " + dir + "/sub/b.go"},
		{"sqlite3 x.db \"select readfile('.env')\"", "reads", "**/.env*", "sqlite3 may read .env"},
		{"sqlite3 x.db 'select * from t'", "reads", "**/a.go", ""},
		{"xargs -a $X'.env' echo", "reads", "**/.env*", "xargs may read .env"},
		{"./tool \"cat $X/.env\"", "reads", "**/.env*", "tool may read X/.env"},
		{"./tool --run='cat .env'", "reads", "**/.env*", "tool may read .env"},
		{"./tool -m 'see the file .env'", "reads", "**/.env*", ""},
		{"./tool --message='see the file .env'", "reads", "**/.env*", ""},
		{"gh pr create -t 'see the file .env'", "reads", "**/.env*", ""},
		{"git commit -m 'see the file .env'", "reads", "**/.env*", ""},
		{"echo 'see the file .env'", "reads", "**/.env*", ""},
		{"./tool --out=.env", "writes", "**/.env*", "tool may write .env"},
		{"./tool -o.env", "writes", "**/.env*", "tool may write .env"},
		{"./tool @.env", "reads", "**/.env*", "tool may read .env"},
		{"./tool a,.env", "writes", "**/.env*", "tool may write .env"},
		{"./tool file://.env", "writes", "**/.env*", "tool may write .env"},
		{"./tool https://x/.env", "writes", "**/.env*", ""},
		{"./tool sub/$X", "writes", "./sub/**", "tool may write sub/"},
		{"./tool sub/$X", "writes", "./sub/*.go", ""},
		{"./tool sub/*", "writes", "./sub/b.go", "tool may write " + dir + "/sub/b.go"},
		{"./tool $PWD/.env", "writes", "**/.env*", "tool may write ./.env"},
		{"./tool \"$HOME/x\"", "writes", "~/x", "tool may write ~/x"},
		{"cd sub && ./tool ./x", "writes", "./sub/x", "tool may write sub/./x"},
		{"sudo ./tool .env", "writes", "**/.env*", "tool may write .env"},
		{"f() { echo; }; f .env", "writes", "**/.env*", "f may write .env"},
		{"ls .env", "writes", "**/.env*", ""}, {"echo .env", "writes", "**/.env*", ""},
		{"grep .env a.go", "writes", "**/.env*", ""}, {"test -f .env", "reads", "**/.env*", ""},
		{"pytest sub/b.go", "writes", "./sub/**", ""},
		{"pytest sub/b.go", "reads", "./sub/**", "pytest may read sub/b.go"},
		{"pytest --junitxml sub/b.go", "writes", "./sub/**", "pytest may write sub/b.go"},
		{"python3 -m pytest sub/b.go", "writes", "./sub/**", ""},
		{"ruff check --fix sub/b.go", "writes", "./sub/**", "ruff may write sub/b.go"},
		{"npx eslint sub/b.go", "writes", "./sub/**", ""},
		{"npx eslint --fix sub/b.go", "writes", "./sub/**", "eslint may write sub/b.go"},
		{"node sub/b.go x", "writes", "./sub/**", ""},
		{"node x.js sub/b.go", "writes", "./sub/**", "node may write sub/b.go"},
		{"bash x.sh sub/b.go", "writes", "./sub/**", "bash may write sub/b.go"},
		{"bash -c 'ls sub/b.go'", "writes", "./sub/**", ""},
		{"valgrind --log-file=.env ./x", "writes", "**/.env*", "valgrind may write .env"},
		{"cp a.go sub/$X", "writes", "./sub/**", "cp may write sub/"},
		{"cp a.go sub/b.$(ext)", "writes", "./sub/**", "cp may write sub/"},
		{"cat < a.go > sub/$X.go", "writes", "./sub/**", "a redirection may write sub/"},
		{"tar xf a.tar -C sub", "writes", "./sub/**", "tar may write sub"},
		{"cd sub && tar xf ../a.tar", "writes", "./sub/**", "tar may write sub"},
		{"unzip x.zip -d sub", "writes", "./sub/**", "unzip may write sub"},
		{"tar cf a.tar sub", "writes", "./sub/**", ""},
	}
	for _, tt := range tests {
		got := f.Command(tt.command, dir, dir)
		if who := got.Perhaps(tt.what, tt.pattern); who != tt.want {
			t.Errorf("%s: %s %s: got %q, want %q", tt.command, tt.what, tt.pattern, who, tt.want)
		}
		fits, sure := got.Fits(tt.what, tt.pattern)
		if fits || sure != (tt.want == "") {
			t.Errorf("%s: %s %s: fits %v, sure %v", tt.command, tt.what, tt.pattern, fits, sure)
		}
	}
}

func TestFits(t *testing.T) {
	f, dir := world(t)
	makeRepository(t, dir)
	tests := []struct {
		command, glob string
		fits, sure    bool
	}{
		{"rm .env", "**/.env*", true, true},
		{"rm ./sub/../.env", ".env", true, true},
		{"rm .env", "./.env", true, true},
		{"rm a.go", "**/.env*", false, true},
		{"rm link", "**/.env*", true, true},
		{"echo > link", "**/.env*", true, true},
		{"rm -rf sub", "**/.env*", true, true},
		{"rm -rf ../p", "**/.env*", true, true},
		{"mv sub x", "**/.env*", true, true},
		{"find . -delete", "**/.env*", true, true},
		{"git clean -fdx", "**/.env*", true, true},
		{"rm .e*", "**/.env*", true, true},
		{"rm .en?", "**/.env*", true, true},
		{"rm sub/b.go", "sub/**", true, true},
		{"cd sub && rm b.go", "sub/**", true, true},
		{"touch away/x", "away/**", true, true},
		{"touch away/x", dir + "/../out/**", true, true},
		{"rm ~/.bashrc", "~/.*", true, true},
		{"rm $X", "**/.env*", false, false},
		{"python -c exec", "**/.env*", false, false},
		{"go test ./...", "**/.env*", false, true},
		{"cat .env", "**/.env*", false, true},
		// git writes in its work tree only
		{"git pull", "~/.bashrc", false, true}, {"git pull", "sub/*", false, false},
		{"cd sub && git merge x", "./a.go", false, false},
		{"git stash pop", dir + "/../out/**", false, true},
		{"export GIT_WORK_TREE=../home; git checkout -f side", "~/.bashrc", false, false},
		{"env GIT_WORK_TREE=../home git checkout -f side", "~/.bashrc", false, false},
		{"git config core.worktree ~; git switch side", "~/.bashrc", false, false},
		{"patch --dry-run -o ~/.bashrc a.go x.diff", "~/.bashrc", false, false},
		{"tree -ao ~/.bashrc", "~/.bashrc", false, false},
		{"tar -g ~/.bashrc -cf y.tar a.go", "~/.bashrc", false, false},
		{"tar tvf x.tar --index-file ~/.bashrc", "~/.bashrc", false, false},
		{"git pull", "**/.env*", false, false}, {"git -C ~ pull", "~/.bashrc", false, false},
		{"unzip -l x.zip", "**/.env*", false, true}, {"unzip x.zip", "**/.env*", false, false},
		{"ssh host rm .env", "**/.env*", false, true},
		{"ssh host ls > .env", "**/.env*", true, true},
		{"ln -s ~/.bashrc y; echo k > y", "~/.*", true, true},
		{"ln -s ../home z; echo k > z/.bashrc", "~/.bashrc", true, true},
		{"ln -s ~ z; cp .bashrc z/", "~/.bashrc", true, true},
		{"ln -s ~/.ssh sub; touch sub/.ssh/x", "~/.ssh/x", true, true},
		{"ln -s ~ z; cd z && echo k > .bashrc", "~/.bashrc", true, true},
		{"ln -s ~ z; echo k > zz/.bashrc", "~/.bashrc", false, true},
		{"ln ~/.bashrc y", "~/.*", true, true},
		{"shopt -s dotglob; rm *", "**/.env.x", false, false},
	}
	for _, tt := range tests {
		if fits, sure := f.Command(tt.command, dir, dir).Fits("writes", tt.glob); fits != tt.fits ||
			sure != tt.sure {
			t.Errorf("%s, %s: got %v, %v", tt.command, tt.glob, fits, sure)
		}
	}
	for _, line := range []string{"cat sub/../.env", "git add -f .", "git diff --no-index . away"} {
		if fits, _ := f.Command(line, dir, dir).Fits("reads", "**/.env*"); !fits {
			t.Errorf("%s does not read .env", line)
		}
	}
}

func TestCalls(t *testing.T) {
	f, dir := world(t)
	call := func(tool string, args map[string]any) *engine.Call {
		return &engine.Call{Tool: tool, Args: args, Env: &event.Envelope{CWD: dir, Project: dir}}
	}
	tests := []struct {
		call          *engine.Call
		reads, writes string
		unknown       bool
	}{
		{call("read", map[string]any{"path": "link"}), "p/.env p/link", "", false},
		{call("write", map[string]any{"path": "x/../y"}), "", "p/y", false},
		{call("edit", map[string]any{"path": filepath.Join(dir, "a.go")}), "p/a.go", "p/a.go",
			false},
		{call("ls", nil), "p", "", false},
		{call("grep", map[string]any{"pattern": "x", "path": "sub"}), "p/sub", "", false},
		{call("glob", map[string]any{"pattern": "sub/*.go"}), "p/sub", "", false},
		{call("glob", map[string]any{"pattern": "link/../**", "path": "sub"}), "p/sub", "", false},
		{call("glob", map[string]any{"pattern": dir + "/../p/s*", "path": "sub"}), "p", "", false},
		{call("bash", map[string]any{"command": "rm b.go", "cwd": "sub"}), "", "p/sub/b.go", false},
		{call("bash", map[string]any{"command": "eval $x"}), "", "", true},
		{call("fetch", map[string]any{"url": "x", "path": "y"}), "", "", false},
		{call("mcp__fs__move", map[string]any{"source": "a.go", "destination": "b.go"}),
			"p/a.go p/b.go", "p/a.go p/b.go", false},
		{call("mcp__fs__many", map[string]any{"paths": []any{"a", 5.0, "b"}}), "p/a p/b", "p/a p/b",
			false},
		{call("other", map[string]any{"command": "rm a.go"}), "", "p/a.go", false},
		{call("other", nil), "", "", false},
	}
	for _, tt := range tests {
		got := f.Call(tt.call, builtin(tt.call.Tool))
		if r, w := show(dir, got.Reads()), show(dir, got.Writes()); r != tt.reads ||
			w != tt.writes || got.Unknown() != tt.unknown {
			t.Errorf("%s %v: got reads %s, writes %s, %v", tt.call.Tool, tt.call.Args, r, w,
				got.Unknown())
		}
	}
}

// TestArguments: a file that a guard names is found in any argument of a tool without a Subject.
func TestArguments(t *testing.T) {
	t.Parallel()
	f, dir := world(t)
	for _, args := range []map[string]any{
		{"filePath": ".env"}, {"fileName": ".env"}, {"uri": "file://" + dir + "/.env"},
		{"uri": "FILE://localhost" + dir + "/%2Eenv?x#y"}, {"path": "file:" + dir + "/.env"},
		{"opts": map[string]any{"path": ".env"}}, {"opts": map[string]any{"deep": []any{
			map[string]any{"x": "sub/../.env"}}}}, {"x": ".env"}, {"x": "  .env\n"},
		{"x": []any{[]any{"link"}}}, {"args": []any{"--config=.env"}}, {"args": []any{"-o.env"}},
		{"files": map[string]any{".env": "K=1"}}, {"files": []any{map[string]any{"name": ".env"}}},
		{"command": []any{"cat", ".env"}}, {"run": map[string]any{"command": "cat .e*"}},
		{"argv": []any{"cat", "@.env"}}, {"list": "a.go,.env"}, {"x": dir + "/sub/.././.env"},
		{"x": "~/../p/.env"}, {"x": dir + "/.env/"},
	} {
		c := &engine.Call{Tool: "mcp__x__y", Args: args,
			Env: &event.Envelope{CWD: dir, Project: dir}}
		fits, sure := f.Call(c, nil).Fits("reads", "**/.env")
		if !fits && sure {
			t.Errorf("%v: nothing asks", args)
		}
	}
	for _, args := range []map[string]any{
		{"text": "see the file .env"}, {"uri": "https://example.com/.env"}, {"n": 5.0, "b": true},
		{"opts": map[string]any{"path": "a.go", "query": "env"}}, {"text": "a\n.env\n"},
		{"list": []any{"a", "b"}}, {"command": []any{"cat", "a.go"}},
	} {
		c := &engine.Call{Tool: "mcp__x__y", Args: args,
			Env: &event.Envelope{CWD: dir, Project: dir}}
		if fits, sure := f.Call(c, nil).Fits("reads", "**/.env"); fits || !sure {
			t.Errorf("%v: got %v, %v", args, fits, sure)
		}
	}
}

// TestWritesFollowLinks: a write to a link creates a file at its target, also if the link is
// dangling.
func TestWritesFollowLinks(t *testing.T) {
	f, dir := world(t)
	for from, to := range map[string]string{"one": "two", "two": filepath.Join(dir, "sub", "three"),
		"sub/three": "../../home/.ssh/keys", "sub/up": "../away", "../out/back": "../home/made",
		"ring": "ring"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip("this system has no symbolic links")
		}
	}
	for path, want := range map[string]string{"one": "home/.ssh/keys", "sub/up/x": "out/x",
		"away/back": "home/made", "sub/up/../y": "y", "one/deeper": "home/.ssh/keys/deeper"} {
		for _, c := range []*engine.Call{{Tool: "write", Args: map[string]any{"path": path}},
			{Tool: "bash", Args: map[string]any{"command": "echo x > " + path}}} {
			c.Env = &event.Envelope{CWD: dir, Project: dir}
			said := f.Call(c, builtin(c.Tool))
			if want := filepath.Join(filepath.Dir(dir), want); !slices.Contains(said.Writes(),
				want) || said.Unknown() {
				t.Errorf("%s %s: got %q, %v, want %s", c.Tool, path, said.Writes(), said.Unknown(),
					want)
			}
		}
	}
	for _, path := range []string{"ring", strings.Repeat("away/../p/", 500) + "x",
		strings.Repeat("x/", 6000)} {
		c := &engine.Call{Tool: "read", Args: map[string]any{"path": path},
			Env: &event.Envelope{CWD: dir, Project: dir}}
		if fits, sure := f.Call(c, builtin(c.Tool)).Fits("reads", "/nosuch"); fits || sure {
			t.Errorf("%.40s: got %v, %v, want false, false", path, fits, sure)
		}
	}
}

// TestWorkIsBounded: the work for a command with thousands of patterns and paths is limited. Beyond
// the limit, the files of the command are unknown.
func TestWorkIsBounded(t *testing.T) {
	f, dir := world(t)
	var patterns, same, paths strings.Builder
	for i := range 3000 {
		patterns.WriteString(" a" + strconv.Itoa(i) + "*")
		same.WriteString(" *.go")
		paths.WriteString(" f" + strconv.Itoa(i))
	}
	// each link leads through 1,400 names to the next one
	for i := range 30 {
		to := strings.Repeat("x/../", 700) + "l" + strconv.Itoa(i+1)
		if err := os.Symlink(to, filepath.Join(dir, "l"+strconv.Itoa(i))); err != nil {
			t.Skip("this system has no symbolic links")
		}
	}
	// a folder with 40 ways into itself
	for i := range 40 {
		if err := os.MkdirAll(filepath.Join(dir, "many"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(".", filepath.Join(dir, "many", "m"+strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	numbered := func(n int, name string) (text string) {
		for i := range n {
			text += " " + strings.ReplaceAll(name, "N", strconv.Itoa(i))
		}
		return text
	}
	for name, tt := range map[string]struct {
		command string
		looks   int // at most
		unknown bool
	}{
		"patterns":    {"rm" + patterns.String(), 16_000, false},
		"one pattern": {"rm" + same.String(), 7000, false},
		"deep":        {"rm */a* */b* */c* */d* */e* */f*", 500, false},
		"usual":       {"rm */a* b* c*", 300, false},
		"paths":       {"touch" + paths.String(), 6100, false},
		"long":        {"rm " + strings.Repeat("x/", 3000) + "*", 100, true},
		"copied":      {"cp" + strings.Repeat(" *.go", 500) + " sub", 5000, false},
		"links":       {"cat " + strings.Repeat("away/../p/", 300) + "x > y", 800, false},
		"link chain":  {"touch" + numbered(500, "l0/N/x"), maxLooks, true},
		"self":        {"touch " + strings.Repeat("many/m0/../", 2000) + "x", 100, true},
		"ways":        {"rm many/*/*/*/x", maxLooks, true},
		"loops":       {"touch" + numbered(2000, "many/m1/m2/N/x"), 30_000, false},
		"made links": {numbered(100, "ln -s x zN;") + " touch" + numbered(300, "zN/y"), 3000,
			true},
		"copies": {"cp many/*/m* many/*/m* many/m0/", maxLooks, true},
	} {
		said := f.Command(tt.command, dir, dir)
		said.Fits("writes", "**/nothing")
		n := int(said.disk.looks.Load())
		// what exceeds the limit is counted, and not done
		over := n > tt.looks && (tt.looks < maxLooks || n > 2*maxLooks)
		if over || said.Unknown() != tt.unknown {
			t.Errorf("%s: got %d looks, unknown %v, want at most %d, %v", name, n, said.Unknown(),
				tt.looks, tt.unknown)
		}
		if name != "link chain" && name != "loops" && len(said.disk.folders) > 350 {
			t.Errorf("%s: %d folders were followed", name, len(said.disk.folders))
		}
	}
}

// TestEndedWork: when nobody waits for the result any more, the work stops, and the files of the
// call are unknown.
func TestEndedWork(t *testing.T) {
	t.Parallel()
	_, dir := world(t)
	var paths strings.Builder
	for i := range 1000 {
		paths.WriteString(" f" + strconv.Itoa(i) + "/x")
	}
	for _, after := range []int{0, 100} {
		asked := 0
		f := Finder{Home: dir, Ended: func() bool { asked++; return asked > after }}
		said := f.Command("touch"+paths.String(), dir, dir)
		if n := int(said.disk.looks.Load()); !said.Unknown() || n > 1500 {
			t.Errorf("ended after %d: got %d looks, unknown %v", after, n, said.Unknown())
		}
		if _, sure := said.Fits("writes", "**/.env"); sure {
			t.Errorf("ended after %d: it is certain", after)
		}
	}
}

// TestWildcardsInFolderNames: wildcards in the path of the project have no special meaning.
func TestWildcardsInFolderNames(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "[a] {b,c}")
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := &engine.Call{Tool: "write", Args: map[string]any{"path": "src/x"},
		Env: &event.Envelope{CWD: dir, Project: dir}}
	said := Finder{Home: dir}.Call(c, builtin(c.Tool)).(*Touched)
	for pattern, want := range map[string]bool{"src/**": true, "./src/x": true, "~/src/?": true,
		"**/x": true, "src": false, "other/**": false, ".": false, "~": false, "~/**": true} {
		if got, sure := said.Fits("writes", pattern); got != want || !sure ||
			said.Only("writes", pattern) != want {
			t.Errorf("%s: got %v, %v, want %v", pattern, got, sure, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "src/.env"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"rm src/.e*", "rm ~/s*/.en?", "cd src && rm .[!a]nv"} {
		said := Finder{Home: dir}.Command(line, dir, dir)
		if got, sure := said.Fits("writes", "**/.env"); !got || !sure {
			t.Errorf("%s: got %v, %v", line, got, sure)
		}
	}
}

// TestPatternsOfBash: what bash matches by a pattern is found, or is unknown.
func TestPatternsOfBash(t *testing.T) {
	t.Parallel()
	f, dir := world(t)
	if err := os.MkdirAll(filepath.Join(dir, "[s]"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "[s]/.env"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, lines := range map[string]string{
		"fits": "cat .[!.]*⏎cat .[!a]nv⏎cat .[^a]nv⏎cp .[!.]* /zz⏎cat .[e]nv⏎cat *",
		"no":   "cat .[!e]nv⏎cat [!a].go⏎cat \"sub\"/*.go",
		"unknown": "cat .[[:alpha:]]*⏎cat .[[.e.]]nv⏎cat .[[=e=]]nv⏎cat .[\"!\"e]nv⏎" +
			"cat .[\\!e]nv⏎cat <.['!'e]nv⏎for x in .['!'e]nv; do cat \"$x\"; done⏎cat .[e⏎" +
			"cat .[]e]nv⏎cat '[s]'/.e*⏎cd '[s]' && cat .e*⏎GLOBIGNORE=z; cat s*/*.local⏎" +
			"xargs -a ${x}.env echo⏎xargs -a \"$x/.env\" echo",
	} {
		for line := range strings.SplitSeq(lines, "⏎") {
			got := "no"
			switch fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env"); {
			case fits:
				got = "fits"
			case !sure:
				got = "unknown"
			}
			if got != want {
				t.Errorf("%s: got %s, want %s", line, got, want)
			}
		}
	}
}

// TestFindByName: find with one -name touches only the files that match it.
func TestFindByName(t *testing.T) {
	t.Parallel()
	f, dir := world(t)
	for want, lines := range map[string]string{ // whether it reads, and writes, a file named .env
		"no no": `find . -name '*.go' -exec grep -l foo {} +⏎` +
			`find . -type f -name '*.tmp' -delete⏎` +
			`find . -name '*.go' -exec sed -i s/a/b/ {} \;⏎` +
			`find . -name '[!.]*.go' -exec rm {} +⏎find . -name '*.go' -exec zork {} \;⏎` +
			`find . -name '*.go' -prune -delete⏎find . -name '*.go' -exec grep -r x {} +⏎` +
			`find . -name dist -type d -prune -exec rm -r {} +`,
		"fits no": `find . -name 'link' -exec cat {} \;⏎find . -name '*' -exec cat {} +⏎` +
			`find . -exec grep x {} +⏎find . -iname '*.go' -exec cat {} +⏎` +
			`find . -path ./a.go -exec cat {} +⏎find . ! -name a.go -exec cat {} +⏎` +
			`find . -name [[:alpha:]]* -exec cat {} +⏎find .. -name p -exec grep -r x {} +`,
		"no fits": `find . -name '*v' -delete⏎find . -delete -name '*.go'⏎` +
			`find . -name '*.go' -o -delete⏎find . -iname '*.go' -delete`,
		"fits fits":       `ln -s .env z.go; find . -name '*.go' -exec cat {} +`,
		"unknown unknown": `find . -name '*.go' -exec sed -i.env s/a/b/ {} \;`,
		"fits unknown": `find .. -name p -exec rm -r {} +⏎` +
			`find . -name '*.go' -execdir sed -i s/a/b/ {} \;`,
	} {
		for line := range strings.SplitSeq(lines, "⏎") {
			said, got := f.Command(line, dir, dir), ""
			for _, what := range []string{"reads", "writes"} {
				switch fits, sure := said.Fits(what, "**/.env"); {
				case fits:
					got += " fits"
				case !sure:
					got += " unknown"
				default:
					got += " no"
				}
			}
			if got != " "+want {
				t.Errorf("%s: got%s, want %s", line, got, want)
			}
		}
	}
}

// TestSearchWithGlob: a search with a glob reads only the files that match it, as the tool does.
func TestSearchWithGlob(t *testing.T) {
	f, dir := world(t)
	for _, name := range []string{"deep/in/.env", "deep/x.go"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		tool, glob string
		want       bool
	}{
		{"grep", "", true}, {"grep", "*", true}, {"grep", ".*", true}, {"grep", "!*.go", true},
		{"grep", "deep/**", true}, {"grep", "[", true},
		{"grep", "*.go", false}, {"grep", "*.{go,md}", false}, {"grep", "deep/*", false},
		{"grep", "!**/.env", false}, {"grep", "!.env", false},
		{"glob", "*.go", true}, // glob has no argument "glob"
	} {
		c := &engine.Call{Tool: x.tool, Args: map[string]any{"path": ".", "glob": x.glob},
			Env: &event.Envelope{CWD: dir, Project: dir}}
		if got, _ := f.Call(c, builtin(c.Tool)).Fits("reads", "deep/**/.env"); got != x.want {
			t.Errorf("%s of %q: got %v, want %v", x.tool, x.glob, got, x.want)
		}
	}
	c := &engine.Call{Tool: "grep", Args: map[string]any{"path": "deep/in/.env", "glob": "*.go"},
		Env: &event.Envelope{CWD: dir, Project: dir}}
	if got, _ := f.Call(c, builtin(c.Tool)).Fits("reads", "**/.env"); !got {
		t.Error("a search of a single file depends on the glob")
	}
}

// builtin returns the built-in tool with the given name, or nil.
func builtin(name string) *engine.Tool {
	for _, t := range tool.Declared() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// TestCanWrite: a program that runs code may write any file; other commands may write only the
// files that they name.
// TestCanWriteAfterTheCall checks that the answer is the same when the call has ended: otherwise
// each save of the user would seem to be the last call's.
func TestCanWriteAfterTheCall(t *testing.T) {
	f, dir := world(t)
	over := false
	f.Ended = func() bool { return over }
	got := f.Command("touch ran; cp a.go sub", dir, dir)
	over = true
	if got.CanWrite(filepath.Join(dir, "other")) || !got.CanWrite(filepath.Join(dir, "ran")) {
		t.Error("the answer has changed")
	}
}

func TestCanWrite(t *testing.T) {
	f, dir := world(t)
	for command, want := range map[string]bool{"sleep 1": false, "echo x > sub/b.go": true,
		"echo x > a.go": false, "make": true, "sh x.sh": true, "rm -r sub": true,
		"rm -r $X": true, "tar xf a.tar -C sub": true, "cat sub/b.go": false} {
		path := filepath.Join(dir, "sub", "b.go")
		if got := f.Command(command, dir, dir).CanWrite(path); got != want {
			t.Errorf("%s: got %v", command, got)
		}
	}
}

// TestSearchesBelow checks which searches read files that they do not name.
func TestSearchesBelow(t *testing.T) {
	f, dir := world(t)
	f = f.In([]string{"HOME=" + f.Home})
	for command, want := range map[string]bool{"rg --hidden x": true, "rg -uuu x": true,
		"rg x": false, "rg -. x": true, "ag --hidden x": true, "grep -d recurse x": true,
		"grep x a.go": false, "git grep --no-index x": true,
		"git grep --untracked x": true, "git grep x": false} {
		got, sure := f.Command(command, dir, dir).Fits("reads", "**/.env")
		if got != want || !sure {
			t.Errorf("%s: got %v, %v", command, got, sure)
		}
	}
}
