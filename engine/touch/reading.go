// This file says which command lines only read.

package touch

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

// tellVersion are programs that print their version if --version is their only word.
var tellVersion = sync.OnceValue(func() []string {
	return strings.Fields("bash bun cargo cc clang cmake deno docker dotnet g++ gcc gh git " +
		"go gofmt gradle helm java javac kubectl make mvn node npm npx perl php pip pip3 " +
		"pnpm podman psql python python3 ruby rustc rustup swift terraform tsc uv " +
		"yarn zsh")
})

// plainReaders are programs that only read. What they write or run, if a flag makes them do so, is
// known otherwise.
const plainReaders = "[[] : ack ag arch awk b2sum base32 base64 basename break cal cat cd cksum " +
	"cmp column comm continue cut df diff dirname du echo egrep exit expand expr " +
	"factor false fgrep find fmt fold free gawk getconf getent grep " +
	"groups head hexdump id jq join ls lscpu mawk md5sum mdfind more nl " +
	"nproc numfmt od paste pgrep popd pr printf ps pushd pwd readlink " +
	"realpath rev sed seq sha1sum sha224sum sha256sum sha384sum sha512sum " +
	"shasum sleep sort stat strings sum sw_vers tac tail test tokei tr " +
	"true tsort tty type uname unexpand uniq uptime wc which whereis who " +
	"whoami xargs zcat zdiff zgrep"

// listReaders are those of them that only read also if a list of names is added to their words.
const listReaders = "basename cat cut dirname du egrep fgrep file grep head ls md5sum nl " +
	"readlink realpath sha256sum stat tail wc"

// gitReaders are commands of git that only read.
const gitReaders = "blame cat-file check-ignore cherry count-objects describe diff diff-tree " +
	"for-each-ref grep log ls-files ls-tree merge-base name-rev rev-list " +
	"rev-parse shortlog show show-branch show-ref status var version " +
	"whatchanged"

// readers are the commands that only read.
var readers = sync.OnceValue(func() []shell.Rule {
	git := []string{"git"}
	return []shell.Rule{
		{Cmd: strings.Fields(plainReaders)},
		{Cmd: []string{"fd"}, Unless: flags("x", "X", "exec", "exec-batch")},
		{Cmd: []string{"rg"}, Unless: flags("pre", "hostname-bin")},
		{Cmd: []string{"less"}, Unless: flags("o", "O", "log-file", "LOG-FILE")},
		{Cmd: []string{"tree"}, Unless: flags("o", "R")},
		{Cmd: []string{"bat"}, Unless: flags("pager")},
		{Cmd: []string{"date"}, Unless: flags("s", "set")},
		{Cmd: []string{"file"}, Unless: flags("C", "compile")},
		{Cmd: []string{"yq"}, Unless: flags("i", "inplace", "in-place", "s", "split-exp",
			"split-exp-file")},
		{Cmd: []string{"xxd"}, Unless: flags("r", "revert")},
		{Cmd: []string{"command"}, AnyFlags: []string{"v", "V"}},
		{Cmd: git, Sub: strings.Fields(gitReaders + " branch config reflog remote stash tag " +
			"worktree")},
		{Cmd: tellVersion(), Flags: []string{"version"}},
		{Cmd: []string{"go"}, Sub: []string{"version", "env"},
			Unless: flags("w", "u")},
	}
})

// flags returns an exception for a command that gets one of these flags.
func flags(any ...string) *shell.Rule { return &shell.Rule{AnyFlags: any} }

// onlyReads reports whether the call is a command line of programs that only read.
func onlyReads(t *Touched) bool {
	// TMPDIR is another folder for a command that only reads
	if t.script == nil || len(t.commands) != 1 || len(t.script.Commands) == 0 ||
		strings.Contains(t.commands[0], "TMPDIR") ||
		t.runsWritten || t.Unknown() || len(t.writesDeep) > 0 {
		return false
	}
	if slices.ContainsFunc(t.writes, func(path string) bool { return path != os.DevNull }) {
		return false
	}
	if slices.ContainsFunc(t.script.Commands, mayAct) ||
		slices.ContainsFunc(t.script.Commands,
			func(c shell.Command) bool { return runsOfProject(t, c) }) ||
		!slices.ContainsFunc(t.script.Commands, looks) {
		return false
	}
	rules := &shell.Rules{Allow: readers(), Reading: strings.Fields(listReaders)}
	return t.script.Check(rules).Decision == "allow" && !gitRunsOthers(t)
}

// gitRunsOthers reports whether a command of git may run a program that the repository names in its
// settings: that may read what the command line does not name.
func gitRunsOthers(t *Touched) bool {
	all := t.script.Commands
	if !slices.ContainsFunc(all, func(c shell.Command) bool { return c.Name == "git" }) {
		return false
	}
	const most = 16
	dirs := []string{t.dir}
	for _, c := range all {
		if c.Name != "cd" && c.Name != "pushd" {
			continue
		}
		if len(c.Argv) != 2 || !c.Static[1] || strings.HasPrefix(c.Argv[1], "-") ||
			len(dirs) > most {
			return true
		}
		for _, dir := range dirs { // each cd may fail, or be in a subshell
			dirs = append(dirs, (&Touched{dir: dir, home: t.home}).abs(c.Argv[1]))
		}
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		dir, _ = t.disk.links.Of(dir)
		repo, ok, certain := gitdir.FindCertain(dir)
		return !certain || ok && repo.RunsPrograms(t.home)
	})
}

// runsOfProject reports whether PATH leads to a program in the project, which may be any.
func runsOfProject(t *Touched, c shell.Command) bool {
	path, err := exec.LookPath(c.Name)
	if err != nil {
		return errors.Is(err, exec.ErrDot)
	}
	project, _ := t.disk.links.Of(t.project)
	path, _ = t.disk.links.Of(path)
	_, in := realpath.Below(project, path)
	return in
}

// mayAct reports whether a command is not what its name says, or does something because of a word
// that it gets.
func mayAct(c shell.Command) bool {
	if len(c.Argv) == 0 || c.Argv[0] != c.Name {
		return len(c.Argv) > 0 // it only sets variables
	}
	switch c.Name {
	case "git":
		return gitActs(c.Argv[1:])
	case "bat":
		return len(c.Argv) > 1 && c.Argv[1] == "cache"
	case "date":
		return setsClock(c.Argv)
	}
	return slices.Contains(tellVersion(), c.Name) && slices.Contains(c.Argv, "--version") &&
		len(c.Argv) > 2
}

// gitListing says how a command of git only reads that may also change something.
type gitListing struct {
	flags string // it has no others, apart from with; "*" = it may have any
	alone bool   // without words
	with  string // one of these flags makes words patterns and names of what is shown
	first string // or the first word is one of these
}

// gitListings are those commands.
var gitListings = sync.OnceValue(func() map[string]gitListing {
	const names = "--contains --no-contains --merged --no-merged --points-at --list"
	const form = "--sort --format --color --no-color --column --no-column --ignore-case -i -l "
	return map[string]gitListing{
		"branch": {form + "-a -r -v -vv -av -avv -rv -va --all --remotes --verbose " +
			"--show-current --abbrev --no-abbrev", true, names, ""},
		"tag":    {form + "-n", true, names + " -l", ""},
		"remote": {"-v --verbose --push --all", true, "", "get-url"},
		"config": {"--global --local --system --worktree --file -f --blob --show-origin " +
			"--show-scope --null -z --name-only --type --bool --int --path --includes " +
			"--no-includes --default", false, "--get --get-all --get-regexp --get-urlmatch " +
			"--list -l", "get list"},
		"reflog":   {"*", true, "", "show"},
		"stash":    {"*", false, "", "list show"},
		"worktree": {"--porcelain -v --verbose -z", false, "", "list"},
	}
})

// gitActs reports whether git, by its words, may do more than read.
func gitActs(argv []string) bool {
	at := slices.IndexFunc(argv, func(w string) bool { return !strings.HasPrefix(w, "-") })
	if at < 0 {
		return false // --version
	}
	one, careful := gitListings()[argv[at]]
	return careful && !one.only(argv[at+1:], argv[at] == "config")
}

// only reports whether a command of git with these words only reads. The value of a setting is
// shown if that is the only word.
func (l gitListing) only(argv []string, setting bool) bool {
	var words []string
	with := false
	for _, w := range argv {
		if !strings.HasPrefix(w, "-") {
			words = append(words, w)
			continue
		}
		name, _, _ := strings.Cut(w, "=")
		names := slices.Contains(strings.Fields(l.with), name)
		if with = with || names; !names && l.flags != "*" &&
			!slices.Contains(strings.Fields(l.flags), name) {
			return false
		}
	}
	switch {
	case with, len(words) == 0 && l.alone, len(words) == 1 && setting:
		return true
	}
	return len(words) > 0 && slices.Contains(strings.Fields(l.first), words[0])
}

// setsClock reports whether date gets a word that may be a time to be set.
func setsClock(argv []string) bool {
	valued := strings.Fields("-d --date -r --reference -f --file")
	for i, w := range argv[1:] {
		if !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") &&
			!slices.Contains(valued, argv[i]) {
			return true
		}
	}
	return false
}

// looks reports whether a command reads anything. A line that only prints what it says is no way of
// looking at something.
func looks(c shell.Command) bool { return c.Name != "echo" && c.Name != "printf" }
