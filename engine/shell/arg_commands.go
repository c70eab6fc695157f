// This file lists programs that can run some of their words as a command, among other things.

package shell

import (
	"strings"
	"sync"
)

// always marks a program that runs commands with any words.
const always = "*"

// carriers are such programs, with the words and flags that make them run a command.
var carriers = byProgram([]carrier{
	{"git", "bisect submodule filter-branch rebase difftool mergetool send-email instaweb config " +
		"-c -x -O --config --exec --upload-pack --receive-pack --open-files-in-pager"},
	{"hg", "--config"}, {"jj", "exec --config config"}, {"snap", "run"}, {"gem brew", "exec"},
	{"svn", "--diff-cmd --diff3-cmd --editor-cmd --config-option"}, {"gh glab", "alias ssh exec"},
	{"go", "run -exec -toolexec -vettool"}, {"cargo", "run watch xtask make --config"},
	{"npm pnpm yarn", "run run-script start exec x dlx explore"}, {"bun mise", "run exec x"},
	{"make gmake npx bunx pnpx uvx pipx", always},
	{"docker podman nerdctl docker-compose kubectl oc", "run exec debug unshare create ssh rsh"},
	{"lxc incus", "exec"}, {"adb machinectl", "shell"},
	{"vagrant heroku fly flyctl", "ssh run --command -c"}, {"gcloud", "ssh --command -c"},
	{"ssh scp sftp rsync", "-o -S -e --rsh --rsync-path"},
	{"tar gtar bsdtar",
		"-I -F --to-command --checkpoint-action --use-compress-program --info-script " +
			"--new-volume-script --rmt-command --rsh-command"},
	{"fd fdfind", "-x -X --exec --exec-batch"}, {"rg", "--pre"}, {"ag ack", "--pager"},
	{"ansible", "-a --args"}, {"man", "-P -H --pager --html"}, {"less more most", "+! +|"},
	{"wget", "--use-askpass"}, {"zip", "-TT --unzip-command"}, {"gdb", "--args -args"},
	{"sort", "--compress-program"}, {"split", "--filter"},
	{"nc ncat netcat", "-e -c --exec --sh-exec"},
	{"poetry uv pipenv rye hatch pdm conda mamba micromamba", "run"}, {"bundle", "exec"},
	{"direnv asdf rbenv pyenv nodenv", "exec"}, {"nix nix-shell",
		"run shell develop -c --run --command"}, {"op doppler infisical chamber aws-vault",
		"run exec"},
	{runners, always},
})

// runners are programs whose main purpose is to run the command in their words.
const runners = "tmux screen socat entr capsh sg newgrp dotenv dotenvx cross-env env-cmd " +
	"concurrently nodemon watchexec hyperfine wsl"

// places are programs that run a command in another place, which one of their words names.
var places = setOf(
	"docker podman nerdctl docker-compose kubectl oc lxc incus adb machinectl vagrant heroku fly " +
		"flyctl gcloud ssh")

// carrier is a row of the table: programs, and the words with which they run others.
type carrier struct{ programs, with string }

func byProgram(rows []carrier) func() map[string][]string {
	return sync.OnceValue(func() map[string][]string {
		all := map[string][]string{}
		for _, r := range rows {
			for name := range strings.FieldsSeq(r.programs) {
				all[name] = append(all[name], strings.Fields(r.with)...)
			}
		}
		return all
	})
}

// carries reports whether c is a carrier and its words name a command.
func (c *Command) carries() bool {
	with := carriers()[c.Name]
	if contains(with, always) || mayCarry(c, with) {
		return true
	}
	way, files := fileWays()[c.Name]
	for i := 1; i < len(c.Argv) && with != nil; i++ {
		all := c.may(i)
		if all == nil && files && way != likeGit && c.info[i].mayFlag(c.Argv[i]) {
			return true // it may be one of the flags
		}
		if anyOf(all, func(a string) bool {
			if i == 1 && way == likeTar && files && a != "" && a[0] != '-' { // tar cIf
				a = "-" + a
			}
			return anyOf(with, func(w string) bool { return spells(a, w) })
		}) {
			return true
		}
	}
	return false
}

// mayCarry reports whether the subcommand of c is unknown, and may be one of those of a carrier.
func mayCarry(c *Command, with []string) bool {
	return (c.Open || unknownIn(c.Static)) &&
		anyOf(with, func(w string) bool { return w != always && w[0] != '-' }) && unknownSub(c) > 0
}

// groups are subcommands of programs that have subcommands of their own, some of which run others.
var groups = setOf("compose container")

// unknownSub returns the place of the unknown word that may be the subcommand of c, or that of a
// group of subcommands, or of the end of its words if others may follow; 0 = it is known.
func unknownSub(c *Command) int {
	set, i := flagsOf(c.Name, ""), 1
	for ; i < len(c.Argv); i++ {
		switch w := c.Argv[i]; {
		case !c.Static[i] && !c.info[i].splits && strings.HasPrefix(c.info[i].prefix, "-") &&
			c.info[i].prefix != "-": // a flag with its value
		case !c.Static[i]:
			return i
		case strings.HasPrefix(w, "-") && len(w) > 1:
			name, _, has := strings.Cut(strings.TrimLeft(w, "-"), "=")
			if i+1 < len(c.Argv) && !has && (set.valued[name] || !c.Static[i+1] &&
				(!c.info[i+1].splits || c.info[i+1].shapes != nil)) {
				if i++; !c.Static[i] && c.info[i].splits && c.info[i].shapes == nil {
					return i
				}
			}
		case places()[c.Name] && groups()[w]:
		default:
			return 0
		}
	}
	if c.Open && !c.named {
		return i
	}
	return 0
}

// shortest is the least length of an abbreviated flag: --rs.
const shortest = 4

// spells reports whether a word is w, or the flag w: abbreviated, combined with other short flags,
// or with its value in the same word.
func spells(word, w string) bool {
	name, _, _ := strings.Cut(word, "=")
	switch {
	case name == w:
		return true
	case strings.HasPrefix(w, "--"):
		return len(name) >= shortest && strings.HasPrefix(w, name)
	case len(w) != 2 && w != "-TT" || len(word) < len(w) || strings.Trim(w[:1], "-+") != "" ||
		word[0] != w[0] || word[1] == '-':
		return false
	}
	at := strings.Index(word, w[1:])
	return at > 0 && strings.Trim(word[1:at], letters) == ""
}

// letters are the letters of short flags.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// texts are programs that do not run their words, except in ways that are handled elsewhere. A word
// of theirs that looks like a command is a message, a pattern or a name.
var texts = setOf(`echo printf which type whereis man help info whatis apropos tldr history pgrep
	pkill killall kill expr basename dirname date seq apt apt-get dnf yum pacman apk zypper snap
	port pip pip3 gem export declare local readonly unset alias cd pushd popd read set shift
	return exit true false test [ : git gh glab hg svn jj fd fdfind envsubst tr sleep wait jobs
	fg bg umask ulimit getopts logger wall notify-send say cowsay figlet ping host dig ps top
	htop free df uname hostname id who locate mysqldump pg_dump protoc terminal-notifier pbcopy
	xclip xsel wl-copy apply_patch http https xh pytest jest vitest mocha rspec phpunit
	playwright cypress eslint tsc ruff mypy flake8 pylint golangci-lint staticcheck ctest`)

// reach is how much is known about which of its words a program runs.
type reach int

const (
	inert reach = iota // it runs none of them
	// its words mean what is known; one with a command in quotes may be one that it runs
	spoken
	free // it may run any of them
)

// reach returns what is known about c. An unknown program may run any of its words, and so may a
// file that an interpreter runs.
func (c *Command) reach() reach {
	_, files := fileWays()[c.Name]
	_, known := programs[programName(c.Name)]
	switch {
	// a flag that may be the command of a wrapper
	case len(c.Argv) < 2 && c.stdinText == "" && !c.Open || c.Name == "",
		c.Name[0] == '-' && len(c.Via) > 0 && !isShell(c.Via[len(c.Via)-1]):
		return inert
	case c.launches() > 0 || texts()[c.module()]:
		return inert
	case c.carries(), !files && (isShell(c.Name) || interprets(c.Name)) &&
		(c.script() != "" || contains(c.Argv, "-m")) && c.opaque() == "":
		return free
	case files || texts()[c.Name] || Wraps(c.Name):
		return inert
	case known || databases()[c.Name]:
		return spoken
	}
	return free
}

// databases accept programs in their own language after -c and -e; sql judges those.
var databases = setOf("psql mysql mariadb sqlite3 ansible-playbook")
