package permission

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/realpath"
)

func bash(command string) *engine.Call {
	return &engine.Call{Tool: "bash", Args: map[string]any{"command": command},
		Env: &event.Envelope{CWD: "/p"}}
}

var bashTool = &engine.Tool{Name: "bash", Kind: "execute"}

// TestCommands checks that each command is decided as the letter before it says: d denied, k asked,
// a allowed, - nothing.
func TestCommands(t *testing.T) {
	r := New(Options{Project: "/p",
		Deny: []string{"bash(git push *)", "bash(rm -rf *)", "bash(shutdown)",
			"bash(* --no-verify *)"}, Ask: []string{"bash(npm publish *)"},
		Allow: []string{"bash(git *)", "bash(echo *)", "bash(ls)", "bash(npm run test *)",
			"bash(timeout * go test *)", "bash(python3 tools/gen.py *)", "bash(find *)",
			"bash(xargs wc *)",
			"bash(cat *)", "bash(sh build.sh)"}})
	tests := `
d git push
d git push origin main
d git  push   -f
d g'it' "pu"sh
d \git push
d $'\x67it' push
d /usr/bin/git push
d git -C /x push
d git --no-pager -c a=b push
d sudo git push
d sudo -u root -E git push
d env A=b git push
d nohup timeout 5 git push
d time git push
d bash -c 'git push'
d sh -lc "cd x && git push"
d bash <<< 'git push'
d eval git push
d echo a | xargs git push
d echo $(git push)
d cat <(git push)
d ls; git push
d ls && (cd x; git push) || true
d if true; then git push; fi
d f() { git push; }; f
d git push > /dev/null
d find . -exec git push \;
d A=1 git push
d {git,push}
d trap 'git push' EXIT
d ssh host git push
d rm -rf /
d rm -fr x
d rm -r -f x
d rm --recursive --force x
d sudo rm -fr x
d sh -c 'rm -fr x'
d find . -exec rm -fr {} +
k rm -r $x
d rm -rf "a b"
d r'm' -rf x
d {rm,-rf,x}
d shutdown
d git commit --no-verify -m x
k x=git; $x push
k $(echo git) push
d echo git push | sh
k "$CMD" git
k git push '
k python3 -c "import os; os.system('rm -rf /')"
k base64 -d <<< x | sh; shutdown_ git
k npm publish
k sudo npm publish
a git status
a git log --oneline
a git
a echo "a b" 'c'
a echo a; git status
a echo a | cat x
a (echo a; echo b) && git diff
a ls
a CI=1 git status
a LC_ALL=C git status
a echo a 2>&1
a echo a > /dev/null
a cat < file
a git add *.go
a npm run test
a npm run test -- -v
a timeout 5 go test ./...
a python3 tools/gen.py a
a sh build.sh
a find . -name '*.go'
a echo a | xargs wc -l
- ls -l
- ls; pwd
- npm run build
- npm run
- ./git status
- /tmp/git status
- "git status"
- gitx status
- PATH=/tmp:$PATH git status
- PATH=. git status
k LD_PRELOAD=x git status
- GIT_PAGER=x git log
- export PATH=.; git status
- echo a > file
- echo a >> file
- echo a &> file
- echo a | tee file
- > file
- echo $HOME
- echo "$x"
- echo $(pwd)
- echo $(date) ok
- sudo echo a
- env echo a
- nohup echo a
- timeout 5 echo a
- timeout 5 pwd
- command echo a
- bash -c 'echo a'
- find . -exec pwd \;
- find . -delete; pwd
- echo a | xargs pwd
- python3 tools/other.py
k python3
- awk 1
- source ./x
- . ./x
k git status &&
k alias git=pwd; git status
- git() { pwd; }; git status
- for PATH in /tmp; do git status; done
- ((PATH=1)); git status
- let PATH=1; git status
- [[ -n ${PATH:=x} ]]; git status
k [[ 'a[$(pwd)]' -eq 0 ]] && git status
- coproc PATH { git status; }
- cat < /dev/tcp/1.2.3.4/80
- cat < $F
- pwd
- 
`
	for line := range strings.Lines(strings.TrimPrefix(tests, "\n")) {
		want, command := line[:1], strings.TrimSuffix(line[2:], "\n")
		got, rule, _ := r.Decide(bash(command), bashTool, nil)
		letter := map[string]string{"deny": "d", "ask": "k", "allow": "a", "": "-"}[got]
		if letter != want {
			t.Errorf("%s\n got %s by %q, want %s", command, letter, rule, want)
		}
	}
}

// TestWaysAround checks that commands that may run rm are denied or ask, and that a few that look
// like rm do not.
func TestWaysAround(t *testing.T) {
	r := New(Options{Project: "/p", Deny: []string{"bash(rm *)", "fetch(https://evil.com/*)"},
		Allow: []string{"bash(git *)", "bash(docker *)"}})
	tests := `
d env - rm x
d env -iS'rm x'
d trap -- 'rm x' EXIT
d pkexec rm x
d taskset -c 0 rm x
d valgrind -q rm x
d /lib64/ld-linux-x86-64.so.2 /bin/rm x
d GIT_PAGER='rm x' git log
d export EDITOR='rm x'
d watch -n1 'ls; rm x'
d ssh -o A=b h -- rm x
d eval -- rm x
d flock /tmp/l --command 'rm x'
k git -c alias.x='!rm x' x
k git bisect run rm x
k git submodule foreach 'rm x'
k docker exec -it c rm x
k docker run c sh -c 'rm x'
k tar --to-command='rm x' -xf a
k go test -exec 'rm x' ./...
k /bin/r? x
k "$A" x
k $(echo r)m x
k ${a:-rm} x
k a=r; ${a}m x
k eval "$x"
k hash -p /bin/rm foo; foo x
k [[ 'a[$(rm x)]' -eq 0 ]]
k x='a[$(rm x)]'; ((x))
k echo "${x@P}"
k if true
a git commit -m 'rm x'
a docker rm x
a git status
- npm run build
- python3 x.py
- [ -f x ]
`
	for line := range strings.Lines(strings.TrimPrefix(tests, "\n")) {
		want, command := line[:1], strings.TrimSuffix(line[2:], "\n")
		got, rule, _ := r.Decide(bash(command), bashTool, nil)
		if letter := map[string]string{"deny": "d", "ask": "k", "allow": "a",
			"": "-"}[got]; letter != want {
			t.Errorf("%s\n got %s by %q, want %s", command, letter, rule, want)
		}
	}
	for url, want := range map[string]string{"https://evil.com:443/x": "deny",
		"https://EVIL.com./": "deny", "https://\uff45vil.com/": "ask", "https://evil.com:444/": "",
		"https://[::1]/": ""} {
		got, _, _ := r.Decide(call("fetch", url), &engine.Tool{Name: "fetch"}, nil)
		if got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

// call returns a call of a tool with the text that a rule matches.
func call(name, text string) *engine.Call {
	key := map[string]string{"fetch": "url", "skill": "name"}[name]
	if key == "" {
		key = "path"
	}
	return &engine.Call{Tool: name, Args: map[string]any{key: text}}
}

// TestInvalidUTF8 checks file names and rules that are not UTF-8.
func TestInvalidUTF8(t *testing.T) {
	r := New(Options{User: "/home/\xe8", Project: "/src/p\xe8\xe8",
		Deny: []string{"write(./secret/**)", "write(~/\xff*)"}, Allow: []string{"write(./**)"}})
	for path, want := range map[string]string{"/src/p\xe8\xe8/secret/x": "deny",
		"/src/p\xe8\xe8/x": "allow", "/src/pe/secret/x": "", "/home/\xe8/\xff1": "deny"} {
		got, _, _ := r.Decide(call("write", path), &engine.Tool{Name: "write"}, nil)
		if got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

func TestOtherTools(t *testing.T) {
	root, _ := realpath.Of(t.TempDir())
	project, home := filepath.Join(root, "p"), filepath.Join(root, "home")
	for _, d := range []string{project + "/src/deep", project + "/secret", home + "/.ssh"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" {
		for link, to := range map[string]string{"/src/out": root, "/src/s": project + "/secret",
			"/keys": home + "/.ssh"} {
			if err := os.Symlink(to, project+link); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := New(Options{Home: filepath.Join(root, "agent"), User: home, Project: project,
		Deny: []string{"read(~/.ssh/**)", "write(./secret/**)", "fetch(https://*.evil.com/*)",
			"mcp__bad__*", "skill(deploy*)", "skill(caf?)", "read(**/.env)"},
		Allow: []string{"write(./src/**)", "write(./*.md)", "fetch(https://example.com/*)",
			"mcp__docs__*"}})
	tests := []struct{ tool, text, want string }{
		{"write", "src/a.go", "allow"}, {"edit", project + "/src/deep/a.go", "allow"},
		{"write", "src/../main.go", ""}, {"write", "srcs/a", ""}, {"write", "src", "allow"},
		{"write", "a.md", "allow"}, {"write", "doc/a.md", ""}, {"write", "src/out/x", ""},
		{"write", "src/s/x", "deny"}, {"write", "secret/x", "deny"},
		{"write", project + "/src/../secret/deep/x", "deny"}, {"write", "./secret", "deny"},
		{"write", "secrets", ""}, {"read", "secret/x", ""},
		{"read", "~/.ssh/id", "deny"}, {"read", home + "/.ssh", "deny"}, {"grep", "keys", "deny"},
		{"ls", "keys/a", "deny"}, {"read", "x/.env", "deny"}, {"read", ".envrc", ""},
		{"read", "a\nb/.env", "deny"}, {"skill", "café", "deny"},
		{"fetch", "https://example.com/a?b", "allow"}, {"fetch", "HTTPS://EXAMPLE.com", "allow"},
		{"fetch", "https://example.com.evil.org/", ""}, {"fetch", "http://example.com/", ""},
		{"fetch", "https://example.com@evil.org/", ""}, {"fetch", "https://a.evil.com/x", "deny"},
		{"fetch", "https://x:y@a.EVIL.com/x", "deny"}, {"fetch", "::", "deny"},
		{"mcp__docs__find", "", "allow"}, {"mcp__docsx", "", ""}, {"mcp__bad__x", "", "deny"},
		{"skill", "deploy-all", "deny"}, {"skill", "review", ""},
	}
	for _, tt := range tests {
		if runtime.GOOS == "windows" && strings.ContainsAny(tt.text, "/~") {
			continue
		}
		if got, rule, _ := r.Decide(call(tt.tool, tt.text),
			&engine.Tool{Name: tt.tool}, nil); got != tt.want {
			t.Errorf("%s %s: got %q by %q, want %q", tt.tool, tt.text, got, rule, tt.want)
		}
	}
}

func TestPattern(t *testing.T) {
	project, _ := realpath.Of(t.TempDir())
	r := New(Options{Home: t.TempDir(), Project: project})
	for command, want := range map[string]string{
		"git status -s": "bash(git status *)", "git status": "bash(git status *)",
		"go test ./...": "bash(go test *)", "npm run build -- -x": "bash(npm run build *)",
		"git stash pop": "bash(git stash pop *)", "git stash": "bash(git stash)",
		"ls -la": "bash(ls -la)", "ls": "bash(ls)", "cat notes": "bash(cat notes)",
		"git -C x push": "bash(git -C x push)",
		"npm test":      "bash(npm test *)", "./build.sh": "bash(./build.sh)",
		"rm -rf x": "", "sudo ls": "", "python3 x.py": "", "bash -c ls": "", "go run .": "",
		"npx x": "", "ls; pwd": "", "ls | wc": "", "ls > x": "", "A=1 ls": "", "ls $x": "",
		"echo 'a b'": "", "ls *.go": "", "echo '*'": "", "find . -name x": "", "curl http://x": "",
		"": "", "ls '": "", "/bin/rm x": "", "docker run x": "", "git filter-branch x": "",
		"make test": "",
	} {
		if got := r.Pattern(bash(command), bashTool); got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	for _, tt := range []struct{ tool, text, want string }{
		{"write", "a.go", "write(./a.go)"}, {"edit", "a/b/c.go", "write(./a/b/c.go)"},
		{"write", ".git/hooks/x", ""}, {"write", "a/.agent/x", ""}, {"write", "../x", ""},
		{"write", "/etc/x", ""},
		{"fetch", "https://Example.com:8080/a/b", "fetch(https://example.com:8080/*)"},
		{"fetch", "http://a", "fetch(http://a/*)"}, {"fetch", "nonsense", ""},
		{"strange", "", ""},
	} {
		if got := r.Pattern(call(tt.tool, tt.text), &engine.Tool{Name: tt.tool}); got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.tool, tt.text, got, tt.want)
		}
	}
	// a tool of a server, and one of a script with such a name
	for server, want := range map[string]string{"docs": "mcp__docs__find", "": ""} {
		made := &engine.Tool{Name: "mcp__docs__find", Server: server}
		if got := r.Pattern(call(made.Name, ""), made); got != want {
			t.Errorf("a tool of server %q: got %q, want %q", server, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for rule, want := range map[string]string{
		"bash(git *)": "", "mcp__*": "", "bash": "", "write(/x/**)": "", "read(**/.env)": "",
		"*":              "",
		"":               "want the name of a tool",
		"bash(git":       "want a ) at the end",
		"bash()":         "the parentheses are empty",
		"bsh(git *)":     `did you mean "bash"?`,
		"write(src/**)":  "want a path that begins with",
		"write(./../x)":  "a path with .. in it",
		"fetch(example)": "want an address",
		"b ash(x)":       "want the name of a tool",
		"mcp__a__b(x)":   "write the name alone",
		"mcp__a":         `did you mean "mcp__a__*"?`,
		"mcp__.*":        `did you mean "mcp__*"?`,
		"Bash(rm *)":     `did you mean "bash"?`,
		"Bash":           `did you mean "bash"?`,
		"MultiEdit":      `did you mean "edit"?`,
		"Deploy":         "", // a script may define it
		"shell":          "",
	} {
		if err := Check(rule); (err == nil) != (want == "") || err != nil &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", rule, err, want)
		}
	}
}

// TestPlaces checks that a rule has the place of its own list, also an invalid one.
func TestPlaces(t *testing.T) {
	t.Parallel()
	r := New(Options{Deny: []string{"bash(ls)", "bash(x"}, Ask: []string{"bash(ls)"},
		Places: map[string]map[string]string{"deny": {"bash(ls)": "config.toml:2",
			"bash(x": "config.toml:3"}, "ask": {"bash(ls)": "config.toml:4"}}})
	var got []string
	for _, e := range r.List() {
		got = append(got, e.Decision+" "+e.From())
	}
	for _, one := range append(r.deny, r.ask...) {
		got = append(got, one.place)
	}
	want := []string{"deny config.toml:2", "deny config.toml:3", "ask config.toml:4",
		"config.toml:2", "config.toml:3", "config.toml:4"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestInvalidRuleAsks checks that a typing mistake does not disable a deny.
func TestInvalidRuleAsks(t *testing.T) {
	r := New(Options{Deny: []string{"bash(rm *"}})
	if got, _, _ := r.Decide(bash("ls"), bashTool, nil); got != "ask" {
		t.Errorf("got %q, want ask", got)
	}
	foreign := New(Options{Deny: []string{"Bash(rm *)"}}) // of no tool here
	if got, _, _ := foreign.Decide(bash("ls"), bashTool, nil); got != "ask" {
		t.Errorf("Bash(rm *): got %q, want ask", got)
	}
	if got, _, _ := r.Decide(call("write", "x"), &engine.Tool{}, nil); got != "" {
		t.Errorf("another tool: got %q, want nothing", got)
	}
	r = New(Options{Unread: "config.toml:3", Allow: []string{"write(**)", "bash(ls)"}})
	for _, c := range []*engine.Call{call("write", "x"), call("read", "x"), bash("ls")} {
		got, text, _ := r.Decide(c, &engine.Tool{ReadOnly: c.Tool == "read"}, nil)
		if got != "ask" ||
			!strings.Contains(text, "config.toml:3 cannot be parsed") {
			t.Errorf("%s with unreadable rules: got %q, %q, want ask", c.Tool, got, text)
		}
	}
}

// TestUnreadWhy: the reason for asking about every call is the true one.
func TestUnreadWhy(t *testing.T) {
	r := New(Options{Unread: "config.toml", UnreadWhy: "is a folder"})
	if got, text, _ := r.Decide(bash("ls"), bashTool, nil); got != "ask" ||
		!strings.Contains(text, "config.toml: is a folder") || strings.Contains(text, "parsed") {
		t.Errorf("got %q, %q", got, text)
	}
}

func TestAlwaysIsStored(t *testing.T) {
	home := t.TempDir()
	var warnings []string
	warn := func(text string) { warnings = append(warnings, text) }
	a := New(Options{Home: home, Project: "/p", Warn: warn})
	other, elsewhere := New(Options{Home: home, Project: "/p"}),
		New(Options{Home: home, Project: "/q"})
	decides := func(r *Rules, want string) {
		t.Helper()
		if got, _, _ := r.Decide(bash("git status -s"), bashTool, nil); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	decides(other, "")
	for range 2 { // storing a rule twice has no effect
		if err := a.Allow("bash(git status *)"); err != nil {
			t.Fatal(err)
		}
	}
	decides(a, "allow")
	decides(other, "allow")
	decides(elsewhere, "")
	if info, err := os.Stat(a.path()); err != nil || runtime.GOOS != "windows" &&
		info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want mode 600", info.Mode(), err)
	}
	if _, err := other.Remove(2); err == nil || len(other.List()) != 1 {
		t.Errorf("got %v, %v, want one rule", err, other.List())
	}
	if rule, err := other.Remove(1); err != nil || rule != "bash(git status *)" {
		t.Errorf("got %q, %v", rule, err)
	}
	decides(a, "")
	if err := os.WriteFile(a.path(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	decides(a, "")
	if len(warnings) != 1 || !strings.Contains(warnings[0], "no stored rule applies") {
		t.Errorf("got warnings %q", warnings)
	}
	if err := a.Allow("bash(ls)"); err == nil {
		t.Error("an unreadable file was overwritten")
	}
}

func TestConcurrentAllow(t *testing.T) {
	home := t.TempDir()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := New(Options{Home: home, Project: "/p"}).Allow("bash(git " +
				string(rune('a'+i)) + " *)"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := New(Options{Home: home, Project: "/p"}).List(); len(got) != 20 {
		t.Errorf("got %d rules, want 20", len(got))
	}
}

func FuzzRules(f *testing.F) {
	f.Add("bash(git * push)", "git a push; b")
	f.Add("write(./**/x?)", "a/b")
	f.Fuzz(func(t *testing.T, rule, text string) {
		r := New(Options{Project: "/p", User: "/u", Deny: []string{rule},
			Allow: []string{"bash(echo *)"}})
		for _, c := range []*engine.Call{bash(text), call("write", text), call("fetch", text)} {
			r.Decide(c, bashTool, nil)
			r.Pattern(c, bashTool)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	for name, o := range map[string]Options{"none": {},
		"ten": {Deny: []string{"bash(git push *)", "bash(rm *)", "bash(sudo *)", "read(~/.ssh/**)",
			"mcp__x__*"},
			Allow: []string{"bash(git *)", "bash(ls)", "bash(go *)", "write(./**)",
				"bash(npm *)"}}} {
		for kind, c := range map[string]*engine.Call{"bash": bash("go test ./... && git status"),
			"read": call("read", "/p/x")} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				r, tool := New(o), &engine.Tool{ReadOnly: kind == "read"}
				for b.Loop() {
					r.Decide(c, tool, nil)
				}
			})
		}
	}
}

// TestCheckAllow checks what is said about a rule that the user edited in a question.
func TestCheckAllow(t *testing.T) {
	r := New(Options{Home: t.TempDir(), Project: t.TempDir(), Allow: []string{"bash(echo *)"}})
	for _, tt := range []struct{ command, rule, want string }{
		{"touch a.txt", "bash(touch a.txt)", ""},
		{"touch a.txt", " bash(touch *) ", ""},
		{"touch a.txt", "bash", ""},
		{"echo x; touch a.txt", "bash(touch a.txt)", ""}, // the other part is allowed already
		{"touch a.txt", "bash(touch b.txt)", "would ask again"},
		{"touch a.txt", "write(./**)", "would ask again"},
		{"touch a.txt; touch b.txt", "bash(touch a.txt)", "would ask again"},
		{"touch a.txt > b.txt", "bash(touch *)", "would ask again"},
		{"touch a.txt", "", "want the name of a tool"},
		{"touch a.txt", "bash(touch", "want a ) at the end"},
		{"touch a.txt", "bash()", "parentheses are empty"},
		{"touch a.txt", "Bash(touch *)", "bash"},
		{"touch a.txt", "write(a.txt)", "want a path that begins with"},
	} {
		err := r.CheckAllow(tt.rule, bash(tt.command), bashTool)
		if tt.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s by %s: got %v, want %q", tt.command, tt.rule, err, tt.want)
		}
	}
}

// TestAllowForSession: such a rule allows calls without being stored, is listed, and deny rules are
// firmer.
func TestAllowForSession(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	r := New(Options{Home: home, Project: "/p", Deny: []string{"bash(touch x)"}})
	decide := func(command string) string {
		got, _, _ := r.Decide(bash(command), &engine.Tool{}, nil)
		return got
	}
	if got := decide("touch a"); got != "" {
		t.Errorf("before: got %q", got)
	}
	for _, rule := range []string{"bash(touch *)", "bash(touch *)", "bash("} {
		if err := r.AllowForSession(rule); (err == nil) != (rule != "bash(") {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if got := decide("touch a") + decide("touch x") + decide("rm a"); got != "allowdeny" {
		t.Errorf("got %q", got)
	}
	want := "1. deny `bash(touch x)` · config.toml\n" +
		"2. allow `bash(touch *)` · a hook, for this session\n"
	if got := r.Markdown(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := r.Remove(2); err == nil || !strings.HasSuffix(err.Error(), "with the session") {
		t.Errorf("removed: %v", err)
	}
	if list, _ := os.ReadDir(home); len(list) > 0 {
		t.Errorf("stored: %v", list)
	}
	for i := range mostBrief {
		if err := r.AllowForSession("bash(make " + strconv.Itoa(i) + ")"); (err == nil) !=
			(i < mostBrief-1) { // there is one already
			t.Errorf("rule %d: %v", i, err)
		}
	}
}
