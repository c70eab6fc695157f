// This file says which command lines only read.

package touch

import (
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/shell"
)

// listings are commands of git that list something if they get no words.
var listings = []string{"branch", "remote", "tag"}

// tellVersion are programs that print their version if --version is their only word.
var tellVersion = sync.OnceValue(func() []string {
	return strings.Fields("bash bun cargo cc clang cmake deno docker dotnet g++ gcc gh git " +
		"go gofmt gradle helm java javac kubectl make mvn node npm npx perl php pip pip3 " +
		"pnpm podman psql python python3 ruby rustc rustup swift terraform tsc uv " +
		"yarn zsh")
})

// plainReaders are programs that only read. What they write or run, if a flag makes them do so, is
// known otherwise.
const plainReaders = "[[] ack ag arch awk b2sum base32 base64 basename bat cal cat cd cksum " +
	"cmp column comm cut df diff dirname du echo egrep expand expr " +
	"factor false fgrep file find fmt fold free gawk getconf getent grep " +
	"groups head hexdump id jq join ls lscpu mawk md5sum mdfind more nl " +
	"nproc numfmt od paste pgrep popd pr printf ps pushd pwd readlink " +
	"realpath rev sed seq sha1sum sha224sum sha256sum sha384sum sha512sum " +
	"shasum sleep sort stat strings sum sw_vers tac tail test tokei tr " +
	"true tsort tty type uname unexpand uniq uptime wc which whereis who " +
	"whoami xargs zcat zdiff zgrep"

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
		{Cmd: []string{"less", "tree"}, Unless: flags("o", "O", "log-file", "LOG-FILE")},
		{Cmd: []string{"date"}, Unless: flags("s", "set")},
		{Cmd: []string{"yq"}, Unless: flags("i", "inplace", "in-place")},
		{Cmd: []string{"xxd"}, Unless: flags("r", "revert")},
		{Cmd: []string{"command"}, AnyFlags: []string{"v", "V"}},
		{Cmd: git, Sub: append(strings.Fields(gitReaders), listings...)},
		{Cmd: git, Sub: []string{"stash"}, Args: []string{"list", "show"}},
		{Cmd: git, Sub: []string{"config"},
			AnyFlags: []string{"get", "get-all", "get-regexp", "l", "list"}},
		{Cmd: tellVersion(), Flags: []string{"version"}},
		{Cmd: []string{"go"}, Sub: []string{"version", "env"},
			Unless: flags("w", "u")},
	}
})

// flags returns an exception for a command that gets one of these flags.
func flags(any ...string) *shell.Rule { return &shell.Rule{AnyFlags: any} }

// onlyReads reports whether the call is a command line of programs that only read.
func onlyReads(t *Touched) bool {
	if t.script == nil || len(t.commands) != 1 || len(t.script.Commands) == 0 ||
		t.runsWritten || t.Unknown() || len(t.writesDeep) > 0 {
		return false
	}
	if slices.ContainsFunc(t.writes, func(path string) bool { return path != os.DevNull }) {
		return false
	}
	if slices.ContainsFunc(t.script.Commands, mayAct) ||
		!slices.ContainsFunc(t.script.Commands, looks) {
		return false
	}
	return t.script.Check(&shell.Rules{Allow: readers()}).Decision == "allow"
}

// mayAct reports whether a command is not what its name says, or does something because of a word
// that it gets.
func mayAct(c shell.Command) bool {
	if len(c.Argv) == 0 || c.Argv[0] != c.Name {
		return true
	}
	if c.Name == "git" {
		i := slices.IndexFunc(c.Argv, func(w string) bool { return slices.Contains(listings, w) })
		return i >= 0 && slices.ContainsFunc(c.Argv[i+1:], func(w string) bool {
			return !strings.HasPrefix(w, "-")
		})
	}
	return slices.Contains(tellVersion(), c.Name) && slices.Contains(c.Argv, "--version") &&
		len(c.Argv) > 2
}

// looks reports whether a command reads anything. A line that only prints what it says is no way of
// looking at something.
func looks(c shell.Command) bool { return c.Name != "echo" && c.Name != "printf" }
