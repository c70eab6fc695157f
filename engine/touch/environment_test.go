package touch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/shell"
)

// verdict says whether a call touches a file that matches a glob: fits, no, or unknown.
func verdict(got *Touched, what, pattern string) string {
	switch fits, sure := got.Fits(what, pattern); {
	case fits:
		return "fits"
	case !sure:
		return "unknown"
	}
	return "no"
}

// TestValuesOfVariables checks lines whose words depend on the environment, on expansions, and on
// what programs print.
func TestValuesOfVariables(t *testing.T) {
	f, dir := world(t)
	f = f.In([]string{"HOME=" + f.Home, "E=.env", "A=a.go", "N=",
		"T=~/x", "http_proxy=a.go"})
	for want, lines := range map[string]string{ // whether it reads .env
		"fits": `cat "$E"⏎cat $E⏎cat "$PWD/.env"⏎cat "$(pwd)/.env"⏎cat ${E}⏎cat "${N:-.env}"⏎` +
			`cat "${U-.env}"⏎v=.env.bak; cat ${v%.bak}⏎v=x/.env; cat ${v##*/}⏎A=$E; cat $A⏎` +
			`trap 'cat "$E"' EXIT⏎f() { cat "$E"; }; f⏎cat < $E⏎` +
			`cd sub; cat "$OLDPWD/$E" ../.env⏎v=$(mktemp); ln -f .env $v; cat $v⏎` +
			`eval 'cat "$E"'⏎v=.env; for v in a; do :; done; cat "$v"⏎A=.env cat $A`,
		"no": `cat "$A"⏎cat "$PWD/$A"⏎cat "$UNSET"⏎cp "$A" "$N"x⏎find "$HOME/x" -name y⏎` +
			`v=a.go.bak; cat "${v%.bak}"⏎v=.env; v=a.go; cat "${v%.env}x"⏎v=$(mktemp); cat $v⏎` +
			`git log "$(git branch --show-current)"⏎b=$(git rev-parse HEAD); git log o/$b..HEAD⏎` +
			`for p in $(kubectl get pods -o name | head -2); do kubectl logs $p; done⏎` +
			`echo x > "log-$(date +%F).txt"⏎eval "$(ssh-agent -s)"; cat a.go⏎` +
			`docker build -t "x:$(cat a.go)" .⏎f() { local A; echo "$A"; }; f; cat a.go`,
		"unknown": `foo "$E"⏎cat "$T"⏎cat "$http_proxy"⏎cat "$SHLVL"⏎cat "$1"⏎cat $UNSET⏎` +
			`cat "$OLDPWD"⏎cd sub; cat "$PWD"⏎read A; cat "$A"⏎f() { local A; cat "$A"; }; f⏎` +
			`date() { echo .env; }; git log $(date)⏎PATH=.; git log "$(date)"⏎` +
			`foo $(expr .env)⏎foo "$(date +/x)"⏎foo $(docker ps --format '{{".env"}}')⏎` +
			`cat "log-$(cat x)"⏎cat "${A/a/b}"⏎cat "${A^^}"⏎v=$(date); cat "${v%x}"⏎` +
			`bash -c 'cat "$A"'⏎env A=.env bash -c 'cat "$A"'⏎A=x; export A=$(cat y); cat $A⏎` +
			`eval "$(ssh-agent -s; echo cat .env)"⏎eval "$(x)"⏎HOME=x; cat "$HOME/y"⏎` +
			`export HOME; cat "$HOME"/y > z; source x; cat "$A"`,
	} {
		for line := range strings.SplitSeq(lines, "⏎") {
			if got := verdict(f.Command(line, dir, dir), "reads", "**/.env"); got != want &&
				!(want == "unknown" && got == "fits") {
				t.Errorf("%s: got %s, want %s", line, got, want)
			}
		}
	}
	for _, entry := range []string{"BASH_ENV=x", "BASH_FUNC_f%%=() { :; }", "SHELLOPTS=x"} {
		if shell.NewEnvironment([]string{"A=b", entry}) != nil {
			t.Errorf("with %s the environment is known", entry)
		}
	}
}

// TestMadeNames checks names of which a part is known only when the line runs.
func TestMadeNames(t *testing.T) {
	f, dir := world(t)
	for _, c := range []struct{ line, pattern, want string }{
		{`echo x > "log-$(date +%F).txt"`, "**/*.txt", "unknown"},
		{`echo x > "log-$(date +%F).txt"`, "**/*.go", "no"},
		{`echo x > "sub/$(date +%F)"`, "sub/*", "unknown"},
		{`touch "sub/$(date +%F)"`, "**/.env", "no"},
		{`mkdir -p ".e$(uname)"`, "**/.env", "unknown"},
		{`ln -s .env l; echo x > "l$(uname)"`, "**/.env", "unknown"},
		{`tee "away/$(date +%s).log"`, "/**/out/*", "unknown"},
	} {
		if got := verdict(f.Command(c.line, dir, dir), "writes", c.pattern); got != c.want &&
			!(c.want == "unknown" && got == "fits") {
			t.Errorf("%s: %s: got %s, want %s", c.line, c.pattern, got, c.want)
		}
	}
}

// runGit runs git in a folder, without the user's settings. It skips the test if git fails.
func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("git %v: %v %s", args, err, out)
	}
}

// TestRecordedFiles checks commands that show or copy what git has recorded: if .env is among that,
// those ask that may show it, also if it is no file any more.
func TestRecordedFiles(t *testing.T) {
	f, dir := world(t)
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "add", "a.go", "sub/b.go")
	showing := strings.Split("git grep x|git diff|git diff HEAD~1|git show|git log -p|"+
		"git log -L1,1:.env|git -C sub show|cd sub; git diff --stat -p|git stash show -p|"+
		"git archive HEAD|git fast-export HEAD|git format-patch -1|git bundle create b HEAD|"+
		"git clone -q . d|git worktree add -q d|git bundle create -- b HEAD|"+
		"git cat-file --batch a.go|git log -p --grep 'a: b'|git grep 'a: b'|"+
		"git show 'HEAD^{/a: b}'|git show HEAD:a.go HEAD|git diff -- '*.env'|git diff -- ':!x'|"+
		"git add -p|git diff-tree -p HEAD|git difftool -y -x cat|git diff \"$(cat x)\"|git diff .|"+
		"git --work-tree=d checkout -f HEAD -- .|git diff -s --patch|git reset -p|"+
		"git status -v|git --work-tree=d restore .|git --work-tree=d reset -q --hard|"+
		"GIT_WORK_TREE=d git checkout -f|git clone -q file://$PWD q|git clone -q \"$(pwd)\" q|"+
		"git -c alias.l='log -p' l|git lg|git --icase-pathspecs show -- .ENV|git add -e|"+
		"git clone -q ../bare.git q|git submodule add $PWD q|GIT_EDITOR=cat git commit -va|"+
		"git -c core.editor=cat -c commit.verbose=1 commit -a", "|")
	named := strings.Split("git show HEAD:.env|git show :.env|git show :0:.env|"+
		"git cat-file -p HEAD:./.env|cd sub; git show HEAD:../.env|git log -p -- .env|"+
		"git diff -- a.go .env|git -C sub cat-file blob HEAD:.env|git add -p .env", "|")
	others := strings.Split("git diff a.go|git diff HEAD -- a.go sub|git show HEAD:a.go|"+
		"git log -3|"+
		"git log --stat --color|git diff --stat|git show --name-only|git diff --cached -- '*.go'|"+
		"git log -p a.go|git stash show|git cat-file -p HEAD:a.go|git cat-file -t HEAD|"+
		"git add -p sub|git grep x -- sub|git show -s|git blame a.go|git status|"+
		"git commit -vm x|git push -f|git archive --list", "|")
	check := func(want bool, lines ...string) {
		t.Helper()
		for _, line := range lines {
			touched := f.Command(line, dir, dir)
			if fits, sure := touched.Fits("reads", "**/.env"); (fits || !sure) != want {
				t.Errorf("%s: fits %v, sure %v: %s", line, fits, sure,
					touched.Why("reads", "**/.env"))
			}
		}
	}
	check(true, named...)
	check(false, "git grep x", "git diff", "git log -p", "git show", "git bundle create b HEAD")
	check(false, others...)
	runGit(t, dir, "add", "-f", ".env")
	if err := os.Remove(filepath.Join(dir, ".env")); err != nil {
		t.Fatal(err)
	}
	check(true, showing...)
	check(true, named...)
	check(false, others[:len(others)-1]...)
	if why := f.Command("git diff", dir, dir).Why("reads", "**/.env"); !strings.Contains(why,
		"git diff shows or copies what git has recorded of "+filepath.Join(dir, ".env")) {
		t.Errorf("got %q", why)
	}
}

// TestTrackedFiles checks programs that get the names of files which git lists: one that is not
// tracked is not among them.
func TestTrackedFiles(t *testing.T) {
	f, dir := world(t)
	git := func(args ...string) { runGit(t, dir, args...) }
	git("init", "-q")
	git("add", "a.go", "sub/b.go")
	reads := strings.Split(`git ls-files | xargs cat⏎git ls-files -z | xargs -0 grep -l x⏎`+
		`cat $(git ls-files '*.go')⏎for f in $(git ls-files); do head "$f"; done⏎`+
		`v=$(git ls-files); foo $v⏎git diff --name-only | xargs gofmt -l`+
		`⏎git grep -l x | xargs cat⏎cd sub && git ls-files | xargs cat`+
		`⏎git ls-files | xargs -I{} cat {}`, "⏎")
	check := func(want string, lines ...string) {
		t.Helper()
		for _, line := range lines {
			if got := verdict(f.Command(line, dir, dir), "reads", "**/.env"); got != want &&
				(want == "no" || got == "no") {
				t.Errorf("%s: got %s, want %s", line, got, want)
			}
		}
	}
	check("no", reads...)
	check("unknown", "git add -f .env; git ls-files | xargs cat", "git ls-files -o | xargs cat",
		"git() { echo .env; }; git ls-files | xargs cat", "GIT_DIR=x git ls-files | xargs cat",
		"IFS=x; cat $(git ls-files)", "git -C .. ls-files | xargs cat",
		"git ls-files | sed s/a.go/.env/ | xargs cat", "git ls-files | xargs -d b cat",
		"git ls-files ../x | xargs cat", "cd sub; git diff --name-only | xargs cat",
		"git diff HEAD~1 main --name-only | xargs cat", "git ls-files | xargs grep -r x",
		"ln -sf .env a.go; git ls-files | xargs cat")
	check("fits", "git diff --name-only HEAD~1 | xargs cat", "cat $(git diff --name-only main)")
	unset, plain := f, append(reads, "git diff --exit-code a.go", "git grep -n x -- '*.go'")
	f = unset.In([]string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull})
	check("no", plain...)
	f = unset.In([]string{"GIT_WORK_TREE=x", "GIT_DIR=y"})
	check("unknown", plain...)
	if why := f.Command("git grep x", dir, dir).Why("reads", "**/.env"); !strings.HasPrefix(why,
		"because of GIT_DIR, git grep may work in another folder") {
		t.Errorf("got %s", why)
	}
	f = unset
	for from, to := range map[string]string{".env": "sub/c.go", "sub": "d"} {
		if err := os.Symlink(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "sub/c.go")
	check("fits", reads...)
	git("rm", "-q", "--cached", "sub/c.go")
	check("no", reads[:5]...)
	git("config", "core.worktree", "/")
	check("unknown", reads[:5]...)
}
