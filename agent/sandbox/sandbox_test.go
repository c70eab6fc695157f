package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/fence"
)

// tree creates files in a new folder, and folders for names that end in a slash. It returns the new
// folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			os.MkdirAll(path, 0o755)
			continue
		}
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func emptyEnv(string) string { return "" }

// TestWritable checks the paths that programs may write.
func TestWritable(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"home/p/": "", "home/.agent/": "", "home/notes/": ""})
	home := filepath.Join(dir, "home")
	env := map[string]string{"GOCACHE": dir + "/go", "XDG_CACHE_HOME": home, "PIP_CACHE_DIR": "/",
		"GOPATH": dir + "/x:relative", "GOMODCACHE": "relative"}
	for _, tt := range []struct {
		project  string
		want     []string // are writable
		unwanted []string // are not
	}{
		{home + "/p", []string{home + "/p", home + "/.cache", dir + "/go", dir + "/x/pkg",
			home + "/notes", home + "/p/out"},
			[]string{home, "/", dir, "relative", home + "/.agent"}},
		{home, []string{home + "/.cache"}, []string{home}},
		{dir, nil, []string{dir}},
		{"/", nil, []string{"/"}},
		{"", nil, []string{""}},
	} {
		s := New(Options{Home: home + "/.agent", User: home, Project: tt.project,
			Env:    func(name string) string { return env[name] },
			Config: config.Sandbox{Writable: []string{"~/notes", "out"}}})
		got := s.Policy("").Writable
		for _, path := range tt.want {
			if !slices.Contains(got, path) {
				t.Errorf("project %q: %s is not writable: %q", tt.project, path, got)
			}
		}
		for _, path := range tt.unwanted {
			if slices.Contains(got, path) {
				t.Errorf("project %q: %s is writable", tt.project, path)
			}
		}
	}
}

// TestExecutedCaches checks that programs cannot write what shells and editors run from caches, nor
// programs in PATH, and that folders of PATH in the project are reported.
func TestExecutedCaches(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"[h]/.cache/p10k-instant-prompt-me.zsh": "",
		"[h]/.cache/nvim/luac/x": "", "[h]/.cache/tool/bin/x": "", "[h]/.local/share/pnpm/x": "",
		"[h]/p/.venv/bin/python": ""})
	home := filepath.Join(dir, "[h]")
	s := New(Options{User: home, Project: home + "/p", Env: func(name string) string {
		if name != "PATH" {
			return ""
		}
		return strings.Join([]string{home + "/.cache/tool/bin", "/usr/bin", "relative",
			home + "/p/.venv/bin", home + "/.local/share/pnpm"}, ":")
	}})
	p := s.Policy("")
	for _, path := range []string{"/.cache/p10k-instant-prompt-me.zsh", "/.cache/nvim",
		"/.cache/tool/bin"} {
		if !slices.Contains(p.ReadOnly, home+path) {
			t.Errorf("%s can be written: %q", path, p.ReadOnly)
		}
	}
	if slices.Contains(p.ReadOnly, home+"/p/.venv/bin") {
		t.Error("programs of the project's own cannot be installed")
	}
	if slices.Contains(p.Writable, home+"/.local/share/pnpm") {
		t.Errorf("the programs of pnpm can be written: %q", p.Writable)
	}
	if m, err := s.Fence.Method(); m == fence.None {
		t.Skip(err)
	}
	if gaps := strings.Join(s.Gaps(), "\n"); strings.Contains(gaps, "tool/bin") ||
		!strings.Contains(gaps, home+"/p/.venv/bin, from which") {
		t.Errorf("gaps: %s", gaps)
	}
}

// TestHidden checks the paths that programs cannot open, and those that the settings open.
func TestHidden(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{".ssh/id": "", ".aws/x": "", "p/keys/a.pem": "", "p/b.pem": "",
		"p/[x]/c": "", "p/sub/.env": ""})
	s := New(Options{User: dir, Project: dir + "/p", Env: emptyEnv,
		Config: config.Sandbox{Readable: []string{"~/.aws"},
			Hidden: []string{"**/*.pem", "./keys", "~/p/b.pem"}},
		Rules: func() (writes, reads []string) {
			return []string{dir + "/p/sub/**"}, []string{"**/.env", dir + `/p/\[x\]/c`}
		}})
	p := s.Policy("")
	for _, path := range []string{"/.ssh", "/p/keys/a.pem", "/p/b.pem", "/p/keys", "/p/sub/.env",
		"/p/[x]/c"} {
		if !slices.Contains(p.Hidden, dir+path) {
			t.Errorf("%s is not hidden: %q", path, p.Hidden)
		}
	}
	if slices.Contains(p.Hidden, dir+"/.aws") {
		t.Error("the settings open ~/.aws")
	}
	if !slices.Contains(p.ReadOnly, dir+"/p/sub") {
		t.Errorf("a path that a rule names can be written: %q", p.ReadOnly)
	}
	// new files must be found in spite of the cache
	os.WriteFile(filepath.Join(dir, "p", "keys", "new.pem"), nil, 0o644)
	if p := s.Policy(""); !slices.Contains(p.Hidden, dir+"/p/keys/new.pem") {
		t.Errorf("a new file is not hidden: %q", p.Hidden)
	}
	// ~~ has no meaning without a home directory
	p = New(Options{Project: dir + "/p", Env: emptyEnv,
		Config: config.Sandbox{Hidden: []string{"~" + dir + "/p/b.pem"}}}).Policy("")
	if slices.Contains(p.Hidden, dir+"/p/b.pem") {
		t.Errorf("hidden without a home directory: %q", p.Hidden)
	}
}

// TestHolds checks which globs of rules the sandbox holds: a program can neither read, nor write,
// any file that matches.
func TestHolds(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"home/p/dist/out": "", "home/p/keys/a.key": "",
		"home/.bashrc": "", "home/notes/x": "", "big/a/b/": "", "big/c/": ""})
	home := dir + "/home"
	// these are in the project or in a temporary folder, and programs may write both
	writes := []string{home + "/p/dist/**", home + "/p/gone/**", home + "/p/src/*.go", "**/.env",
		"/etc/**", home + "/p/dist/out", "/**/.key"}
	reads := []string{"**/.env", home + "/p/keys/**", "**/*.pem"}
	make := func(o Options) *Sandbox {
		o.User, o.Home, o.Env = home, home+"/.agent", emptyEnv
		o.Rooted = func(pattern string) string {
			return strings.Replace(pattern, "**/.", "/**/.",
				1)
		}
		o.Rules = func() (w, r []string) { return writes, reads }
		return New(o)
	}
	s := make(Options{Project: home + "/p"})
	if m, _ := s.Fence.Method(); !s.Fence.Complete() {
		t.Skip(m, "does not hold rules")
	}
	for glob, want := range map[string]bool{
		"reads **/.env": true, "reads /**/.env": true, "reads **/*.pem": true,
		"reads " + home + "/p/keys/**": true, "reads **/.other": false, "reads /etc/**": false,
		"writes /etc/**": true, "writes " + home + "/p/dist/**": true,
		"writes " + home + "/p/dist/out": true,
		"writes " + home + "/p/gone/**":  false, // a program may make it
		"writes " + home + "/p/src/*.go": false,
		"writes **/.env":                 false,
		"writes /**/.key":                false,
	} {
		what, pattern, _ := strings.Cut(glob, " ")
		if got := s.Fence.Holds(what, pattern); got != want {
			t.Errorf("%s: got %v", glob, got)
		}
	}
	// the home as a project is not searched, and neither is more than a number of folders
	if make(Options{Project: home}).Fence.Holds("reads", "**/.env") {
		t.Error("what matches anywhere is held where the project is not searched")
	}
	big := make(Options{Project: dir + "/big"})
	big.scanner.most = 2
	if big.Fence.Holds("reads", "**/.env") {
		t.Error("a rule is held although not all files are found")
	}
	reads = append(reads, dir+"/**")
	if s.Fence.Holds("reads", "**/.env") {
		t.Error("a rule is held although the sandbox does not hold all rules")
	}
	off := make(Options{Project: home + "/p", Config: config.Sandbox{Mode: "off"}})
	if off.Fence.Holds("reads", "**/.env") {
		t.Error("a sandbox that is off holds a rule")
	}
}

// TestUnopened checks that a path in a hidden folder cannot be opened alone, and that the user is
// told.
func TestUnopened(t *testing.T) {
	t.Parallel()
	s := New(Options{User: "/home/u", Project: "/home/u/p", Env: emptyEnv, Config: config.Sandbox{
		Readable: []string{"~/.ssh/known_hosts", "~/.aws", "~/.aws/config", "~/.config", "x"}}})
	got := s.Unopened()
	if len(got) != 1 || !strings.Contains(got[0], "/home/u/.ssh/known_hosts stays hidden") ||
		!strings.Contains(got[0], "name /home/u/.ssh") {
		t.Errorf("got %q", got)
	}
}

// TestRepository checks that a git folder outside of the project is writable only if it lists the
// project as a work tree: the project's file .git is not sufficient.
func TestRepository(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"main/.git/config": "",
		"main/.git/worktrees/w/commondir": "../..\n",
		"w/.git":                          "gitdir: ../main/.git/worktrees/w\n",
		"victim/worktrees/w/commondir":    "../..\n",
		"evil/.git":                       "gitdir: ../victim/worktrees/w\n",
		"plain/.git/config":               "",
		"big/.git":                        "gitdir: " + strings.Repeat("x", 9000)})
	os.WriteFile(filepath.Join(dir, "main/.git/worktrees/w/gitdir"),
		[]byte(filepath.Join(dir, "w", ".git")+"\n"), 0o644)
	for project, want := range map[string]string{"w": dir + "/main/.git", "evil": "", "plain": "",
		"big": "", "none": ""} {
		got := strings.Join(repository(filepath.Join(dir, project)), " ")
		if got != want {
			t.Errorf("%s: got %q, want %q", project, got, want)
		}
	}
	p := New(Options{Project: dir + "/w", Env: emptyEnv}).Policy("")
	for _, name := range []string{"/main/.git/config", "/w/.git",
		"/main/.git/worktrees/w/commondir", "/main/.git/worktrees/w/gitdir"} {
		if !slices.Contains(p.ReadOnly, dir+name) {
			t.Errorf("%s can be written: %q", name, p.ReadOnly)
		}
	}
	p = New(Options{Project: dir + "/plain", Env: emptyEnv}).Policy("")
	inside := tree(t, map[string]string{".git/worktrees/a/gitdir": "/elsewhere/a/.git\n"})
	os.MkdirAll(inside+"/.git/worktrees/b", 0o755)
	os.WriteFile(inside+"/.git/worktrees/b/gitdir", []byte(inside+"/b/.git\n"), 0o644)
	got := New(Options{Project: inside, Env: emptyEnv}).Policy("").ReadOnly
	if !slices.Contains(got, inside+"/.git/worktrees/a/commondir") ||
		slices.Contains(got, inside+"/.git/worktrees/b/commondir") {
		t.Errorf("work trees: %q", got)
	}
	if slices.Contains(p.ReadOnly, dir+"/plain/.git") {
		t.Errorf("the repository cannot be written: %q", p.ReadOnly)
	}
}

// TestSubmodules checks submodules: git runs programs that their settings name when it computes the
// status of the project, so these are protected; and git can commit in a submodule.
func TestSubmodules(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"p/.git/config": "", "p/.git/modules/s/HEAD": "x",
		"p/.git/modules/s/config": "[core]\n\tworktree = ../../../s\n",
		"p/s/.git":                "gitdir: ../.git/modules/s\n"})
	module := dir + "/p/.git/modules/s"
	for _, project := range []string{"/p", "/p/s"} {
		p := New(Options{Project: dir + project, Env: emptyEnv}).Policy("")
		for _, name := range []string{"/config", "/hooks"} {
			if !slices.Contains(p.ReadOnly, module+name) {
				t.Errorf("%s: %s can be written: %q", project, name, p.ReadOnly)
			}
		}
		if in := func(dir string) bool { return within(dir, module+"/objects") }; !slices.
			ContainsFunc(p.Writable, in) {
			t.Errorf("%s: git cannot commit: %q", project, p.Writable)
		}
	}
}

// TestNested checks that programs cannot write files in the project from which programs outside of
// the sandbox run code: settings of repositories in the project, files .git of submodules, and
// folders that settings name.
func TestNested(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"p/.git/HEAD": "x", "p/.git/config": "[core]\n\thooksPath = .husky/_\n[include]\n" +
			"path=../more\n",
		"p/.git/modules/s/HEAD":   "x",
		"p/.git/modules/s/config": "[core]\n\tworktree = ../../../s\n",
		"p/s/.git":                "gitdir: ../.git/modules/s\n",
		"p/a/b/.git/HEAD":         "x",
		"p/a/b/.git/config":       "[core]\nhooksPath = .hooks\n",
		"p/other/.git":            "gitdir: /elsewhere",
		"p/bare/HEAD":             "x", "p/bare/objects/": "", "p/bare/refs/": "",
		"p/bare/config": "",
		"p/no/HEAD":     "x", "p/no/config": "", "p/node_modules/m/.git/config": "",
		"p/tree/.git":                     "gitdir: ../.git/worktrees/tree\n",
		"p/.git/worktrees/tree/HEAD":      "x",
		"p/.git/worktrees/tree/gitdir":    "../../../tree/.git\n",
		"p/.git/worktrees/tree/commondir": "../..\n"})
	p := New(Options{Project: dir + "/p", User: dir + "/home", Env: emptyEnv}).Policy("")
	for name, want := range map[string]bool{"s/.git": true, ".husky": true, "more": true,
		"a/b/.git/config": true, "a/b/.git/hooks": true, "a/b/.hooks": true, "other/.git": true,
		"bare/config": true, "bare/hooks": true, "no/config": false, "tree/.git": false,
		"node_modules/m/.git/config": false, "a/b/.git": false, "bare": false} {
		if got := slices.Contains(p.ReadOnly, dir+"/p/"+name); got != want {
			t.Errorf("%s: read-only is %v", name, got)
		}
	}
}

// TestCacheVariables checks that an environment variable does not make the user's home or folders
// of the system writable.
func TestCacheVariables(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"home/p/": "", "elsewhere/": ""})
	os.Symlink(dir+"/home", dir+"/alias")
	for _, name := range []string{"TMPDIR", "XDG_CACHE_HOME", "GOCACHE"} {
		for value, want := range map[string]bool{"/": false, "/etc": false, "/usr/lib": false,
			dir + "/home": false, dir + "/alias": false, dir: false, ".": false,
			dir + "/elsewhere": true, dir + "/home/p/tmp": true} {
			s := New(Options{User: dir + "/home", Project: dir + "/home/p",
				Env: func(n string) string {
					if n == name {
						return value
					}
					return ""
				}})
			if got := slices.Contains(s.Policy("").Writable, value); got != want {
				t.Errorf("%s=%s: writable %v", name, value, got)
			}
		}
	}
}

func TestSockets(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "unix")
	os.WriteFile(list, []byte(`Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 17 /run/docker.sock
0000000000000000: 00000002 00000000 00010000 0001 01 18 /p/dev.sock
0000000000000000: 00000002 00000000 00000000 0002 01 19 /run/systemd/journal/dev-log
0000000000000000: 00000003 00000000 00000000 0001 03 20 /run/client
0000000000000000: 00000002 00000000 00010000 0001 01 21 @abstract
0000000000000000: 00000002 00000000 00010000 0001 01 22 /tmp/old  socket
0000000000000000: 00000002 00000000 00010000 0001 01 23
`), 0o644)
	s := sockets{list: list}
	got := s.hidden("/p", []string{"/opened"}, false)
	if want := []string{"/run/docker.sock", "/tmp/old  socket"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	f, _ := os.OpenFile(list, os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString("0: 00000002 00000000 00010000 0001 01 24 /tmp/new\n" +
		"0: 00000002 00000000 00010000 0001 01 25 /opened/x\n" +
		"0: 00000002 00000000 00010000 0001 01 26 /run/new\n")
	f.Close()
	got = s.hidden("/p", []string{"/opened"}, false)
	// a program that the agent has started may serve a socket in a temporary folder
	want := []string{"/run/docker.sock", "/tmp/old  socket", "/run/new"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestSocketsOfResolvers: a program without a network does not reach a service that asks other
// machines for it.
func TestSocketsOfResolvers(t *testing.T) {
	t.Parallel()
	const line = "0: 00000002 00000000 00010000 0001 01 24 "
	list, path := filepath.Join(t.TempDir(), "unix"), "/run/systemd/resolve/io.systemd.Resolve"
	os.WriteFile(list, []byte(line+path+"\n"+line+"/var/lib/sss/pipes/nss\n"), 0o644)
	s := sockets{list: list}
	if got := s.hidden("/p", nil, false); len(got) != 0 {
		t.Errorf("with a network: %q", got)
	}
	if got := s.hidden("/p", nil, true); !slices.Equal(got, []string{path}) {
		t.Errorf("without a network: %q", got)
	}
}

// TestSocketOpenedByAnotherName checks that the settings may name a socket by a path with links.
func TestSocketOpenedByAnotherName(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"run/docker.sock": ""})
	os.Mkdir(dir+"/var", 0o755)
	os.Symlink("../run", dir+"/var/run")
	const line = "0: 00000002 00000000 00010000 0001 01 24 "
	for bound, named := range map[string]string{"/run": "/var/run", "/var/run": "/run"} {
		list := filepath.Join(t.TempDir(), "unix")
		os.WriteFile(list, []byte(line+dir+bound+"/docker.sock\n"), 0o644)
		s := sockets{list: list}
		if got := s.hidden("/p", nil, false); len(got) != 1 {
			t.Errorf("got %q", got)
		}
		if got := s.hidden("/p", []string{dir + named + "/docker.sock"}, false); len(got) != 0 {
			t.Errorf("bound as %s, opened as %s: %q", bound, named, got)
		}
	}
}

// TestTooManyFolders checks that folders beyond the limit are reported as a gap, and that the
// sandbox is not complete then.
func TestTooManyFolders(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"p/a/b/c/": "", "p/d/": ""})
	s := New(Options{Project: dir + "/p", Env: emptyEnv,
		Rules: func() (writes, reads []string) { return nil, []string{"**/.env"} }})
	s.scanner.most = 2
	if s.holds() || !strings.Contains(strings.Join(s.Gaps(), "\n"), "**/.env") {
		t.Errorf("gaps: %q", s.Gaps())
	}
	if s.scanner.most = 100; !s.holds() {
		t.Error("all folders were searched, and the sandbox is not complete")
	}
}

// BenchmarkPolicy computes the policy of one command, in a project of 2,000 folders with rules
// about paths.
func BenchmarkPolicy(b *testing.B) {
	dir := b.TempDir()
	for i := range 2000 {
		path := filepath.Join(dir, "p", string(rune('a'+i%20)), strings.Repeat("x", i/20+1))
		os.MkdirAll(path, 0o755)
		os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour))
	}
	for name, rules := range map[string][]string{"none": nil, "deep": {"**/.env"}} {
		b.Run(name, func(b *testing.B) {
			s := New(Options{Project: filepath.Join(dir, "p"), User: dir, Env: emptyEnv,
				Rules: func() (writes, reads []string) { return nil, rules }})
			for b.Loop() {
				s.Policy("")
			}
		})
	}
}

// TestRuleAboutEverything checks that a rule about all paths makes the project read-only. It does
// not hide the project, in which programs run: that is reported as a gap.
func TestRuleAboutEverything(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"home/p/": ""})
	project := dir + "/home/p"
	for _, pattern := range []string{"/**", dir + "/home/**", project + "/**", "**"} {
		s := New(Options{User: dir + "/home", Project: project, Env: emptyEnv,
			Rules: func() (writes, reads []string) { return []string{pattern}, []string{pattern} }})
		p := s.Policy("")
		if slices.ContainsFunc(p.Hidden, func(h string) bool { return within(h, project) }) {
			t.Errorf("%s: the project is hidden: %q", pattern, p.Hidden)
		}
		if !slices.ContainsFunc(p.ReadOnly, func(r string) bool { return within(r, project) }) {
			t.Errorf("%s: the project can be written: %q", pattern, p.ReadOnly)
		}
		if s.holds() || len(s.Gaps()) == 0 {
			t.Errorf("%s: the gap is not reported", pattern)
		}
	}
}
