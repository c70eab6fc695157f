// This file knows programs that run words of theirs, among much else that they do.

package shell

import (
	"slices"
	"strings"
	"sync"
)

// always stands for: whatever its words are.
const always = "*"

// carriers are such programs, and the words and flags with which they do so.
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
	{"vagrant heroku fly flyctl gcloud", "ssh run --command -c"},
	{"ssh scp sftp rsync", "-o -S -e --rsh --rsync-path"},
	{"tar gtar bsdtar",
		"-I -F --to-command --checkpoint-action --use-compress-program --info-script " +
			"--new-volume-script --rmt-command --rsh-command"},
	{"fd fdfind", "-x -X --exec --exec-batch"}, {"rg", "--pre"}, {"ag ack", "--pager"},
	{"ansible", "-a --args"}, {"man", "-P -H --pager --html"}, {"less more most", "+! +|"},
	{"wget", "-e --execute --use-askpass"}, {"zip", "-TT"}, {"sort", "--compress-program"},
	{"split", "--filter"},
	{"nc ncat netcat", "-e -c --exec --sh-exec"},
	{"poetry uv pipenv rye hatch pdm conda mamba micromamba", "run"}, {"bundle", "exec"},
	{"direnv asdf rbenv pyenv nodenv", "exec"}, {"nix nix-shell",
		"run shell develop -c --run --command"}, {"op doppler infisical chamber aws-vault",
		"run exec"},
	{runners, always},
})

// runners are programs that are for running what their words say, and for little else.
const runners = "tmux screen socat entr capsh sg newgrp dotenv dotenvx cross-env env-cmd " +
	"concurrently nodemon watchexec hyperfine wsl"

// places are programs that run a command in another place, which one of their words names.
var places = setOf(
	"docker podman nerdctl docker-compose kubectl oc lxc incus adb machinectl vagrant heroku fly " +
		"flyctl gcloud ssh")

// carrier is a row of the table: programs, and with what words they run others.
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
	return slices.ContainsFunc(carriers()[c.Name], func(w string) bool {
		return w == always || slices.ContainsFunc(c.Argv[1:],
			func(a string) bool { return spells(a, w) }) ||
			fileWays()[c.Name] == likeTar && len(c.Argv) > 1 && spells("-"+c.Argv[1], w) // tar cIf
	})
}

// shortest is how long an abbreviated flag is at least: --rs.
const shortest = 4

// spells reports whether a word is w, or the flag w: abbreviated, among other letters, with a value
// in the same word.
func spells(word, w string) bool {
	name, _, _ := strings.Cut(word, "=")
	switch {
	case name == w:
		return true
	case strings.HasPrefix(w, "--"):
		return len(name) >= shortest && strings.HasPrefix(w, name)
	case len(w) != 2 || len(word) < 2 || strings.Trim(w[:1], "-+") != "" || word[0] != w[0] ||
		word[1] == '-':
		return false
	}
	at := strings.IndexByte(word, w[1])
	return at > 0 && strings.Trim(word[1:at], letters) == ""
}

// letters are those of short flags.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// texts are programs that run none of their words, besides those of which more is known: what looks
// like a command there is a message, a pattern, a name.
var texts = setOf(`echo printf which type whereis man help info whatis apropos tldr history pgrep pkill killall kill expr basename dirname date seq apt apt-get dnf yum
	pacman apk zypper snap port pip pip3 gem export declare local readonly unset alias cd pushd popd read set shift return exit true false test [ : git gh glab hg svn jj fd fdfind
	envsubst tr sleep wait jobs fg bg umask ulimit getopts logger wall notify-send say cowsay figlet ping host dig ps top htop free df uname hostname id who locate
	mysqldump pg_dump protoc terminal-notifier pbcopy xclip xsel wl-copy apply_patch http https xh pytest jest vitest mocha rspec phpunit playwright cypress eslint tsc ruff mypy
	flake8 pylint golangci-lint staticcheck ctest`)

// reach is how far what a program does with its words is known.
type reach int

const (
	inert reach = iota // it runs none of them
	// its words mean what is known; one with a command in quotes may be one that it runs
	spoken
	free // it may run any of them
)

// reach is how far that is known of c. A program that is merely unknown may do anything with its
// words; what those of a file are that an interpreter runs nobody knows either.
func (c *Command) reach() reach {
	_, files := fileWays()[c.Name]
	_, known := programs[programName(c.Name)]
	switch {
	// what may be the command of a wrapper, and is a flag
	case len(c.Argv) < 2 && c.told == "" || c.Name == "", c.Name[0] == '-' && len(c.Via) > 0 &&
		!isShell(c.Via[len(c.Via)-1]):
		return inert
	case c.launches() > 0 || texts()[c.module()]:
		return inert
	case c.carries(), !files && (isShell(c.Name) || interprets(c.Name)) &&
		(c.script() != "" || slices.Contains(c.Argv, "-m")) && c.opaque() == "":
		return free
	case files || texts()[c.Name] || Wraps(c.Name):
		return inert
	case known || databases()[c.Name]:
		return spoken
	}
	return free
}

// databases take programs of their own behind -c and -e, of which sql says what is to be known.
var databases = setOf("psql mysql mariadb sqlite3 ansible-playbook")
