// This file turns a command that the user has always allowed into a pattern.

package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// actions are programs whose first word is a subcommand; the flags after it change little. runs are
// subcommands that run their arguments as commands.
var actions = [...]struct{ program, runs string }{
	{"git", "bisect filter-branch submodule"}, {"go", "run generate tool"},
	{"npm", "exec x explore"}, {"pnpm", "exec dlx"}, {"yarn", "exec dlx node"},
	{"cargo", "run install"}, {"docker", "run exec"}, {"podman", "run exec"},
	{"kubectl", "exec run debug"}, {"gh", "extension alias api"}, {"glab", "api alias"},
	{"pip", ""}, {"pip3", ""}, {"poetry", "run shell"}, {"uv", "run tool"}, {"dotnet", "run exec"},
	{"brew", ""}, {"systemctl", ""}, {"composer", "exec run-script"}, {"mix", "run"},
}

// deeperActions are commands of two words whose third word names the action.
var deeperActions = [...]string{"npm run", "pnpm run", "yarn run", "docker compose",
	"docker container", "docker image", "git stash", "git remote", "git worktree",
	"gh pr", "gh issue", "gh repo", "gh run", "go mod"}

// neverWidened are programs that get no pattern: the user is asked about each command.
var neverWidened = [...]string{"rm", "rmdir", "unlink", "shred", "dd", "mkfs", "truncate", "chmod",
	"chown", "kill", "killall", "pkill", "shutdown", "reboot", "curl", "wget"}

// actionWord matches a word that names an action: not a flag and not a path.
var actionWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9:_-]*$`)
})

// Pattern returns a CommandPattern that covers the script and commands that do the same with other
// arguments. It returns "" unless the script is one plain command.
func (s *Script) Pattern() string {
	if s.Err != nil || len(s.Commands) != 1 || len(s.Redirects) > 0 {
		return ""
	}
	c := &s.Commands[0]
	if len(c.Argv) == 0 || c.Hides != "" || len(c.Assign) > 0 || Wraps(c.Name) ||
		slices.Contains(neverWidened[:], c.Name) || strings.HasPrefix(c.Name, "mkfs") ||
		slices.Contains(c.Static, false) {
		return ""
	}
	n := commonWords(c.Argv)
	if n < 0 {
		return ""
	}
	words := c.Argv
	if n > 0 {
		words = words[:n+1]
	}
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, "*?() \t\n\\") { // it would mean something else
			return ""
		}
	}
	text := strings.Join(words, " ")
	if n > 0 {
		text += " *"
	}
	return text
}

// commonWords returns how many words after the program name the action. 0 means that no word does,
// and only the exact command matches; -1 means that the program runs its arguments.
func commonWords(argv []string) int {
	for _, p := range actions {
		if p.program != argv[0] || len(argv) < 2 || !actionWord().MatchString(argv[1]) {
			continue
		}
		if slices.Contains(strings.Fields(p.runs), argv[1]) {
			return -1
		}
		if !slices.Contains(deeperActions[:], argv[0]+" "+argv[1]) {
			return 1
		}
		if len(argv) > 2 && actionWord().MatchString(argv[2]) {
			return 2
		}
		return 0
	}
	return 0
}
