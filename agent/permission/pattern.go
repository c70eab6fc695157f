// This file finds the rule that "always" stores: wide enough to be of use, and no wider.

package permission

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

// Pattern implements engine.Rules.
func (r *Rules) Pattern(c *engine.Call, t *engine.Tool) string {
	if r.o.Home == "" || t == nil {
		return ""
	}
	text := ""
	switch v := r.view(c, t); {
	case v.about.Kind == engine.SubjectCommand:
		text = about(v.tool, command(v.script()))
	case v.about.Kind == engine.SubjectPath && v.about.Writes:
		text = about(cmp.Or(v.about.RuledBy, v.tool), r.folder(v))
	case v.about.Kind == engine.SubjectURL:
		if scheme, rest, ok := strings.Cut(v.url, "://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			text = about(v.tool, scheme+"://"+host+"/*")
		}
	case strings.HasPrefix(v.tool, "mcp__"):
		text = v.tool
	}
	one, err := r.tools.parse(text, places{r.o.Project, r.o.User})
	if text == "" || err != nil {
		return ""
	}
	if _, ok := allowed([]rule{one}, r.view(c, t)); !ok { // it must let the very call pass
		return ""
	}
	return text
}

// about is a rule about a tool; "" if there is no pattern.
func about(tool, pattern string) string {
	if pattern == "" {
		return ""
	}
	return tool + "(" + pattern + ")"
}

// folder is the pattern of a rule for the folder that a file lies in: of the project, and not one
// that decides what runs.
func (r *Rules) folder(v *view) string {
	root, _ := realpath.Of(r.o.Project)
	writes := v.touched().Writes()
	if len(writes) == 0 {
		return ""
	}
	real := writes[len(writes)-1]
	rel, ok := realpath.Below(root, real)
	if !ok || strings.ContainsAny(rel, "*?()\n") {
		return ""
	}
	dir := path.Dir(rel)
	for part := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(part, ".") { // .git/hooks, .agent, .github
			return ""
		}
	}
	if dir == "." { // the root is not the whole project
		return "./*"
	}
	return "./" + dir + "/**"
}

// subcommands are programs whose first word says what they do; the flags behind it do not change
// that much. runs are first words that run what they are given.
var subcommands = [...]struct{ program, runs string }{
	{"git", "bisect filter-branch submodule"}, {"go", "run generate tool"},
	{"npm", "exec x explore"}, {"pnpm", "exec dlx"}, {"yarn", "exec dlx node"},
	{"cargo", "run install"}, {"docker", "run exec"}, {"podman", "run exec"},
	{"kubectl", "exec run debug"}, {"gh", "extension alias api"}, {"glab", "api alias"},
	{"pip", ""}, {"pip3", ""}, {"poetry", "run shell"}, {"uv", "run tool"}, {"dotnet", "run exec"},
	{"brew", ""}, {"systemctl", ""}, {"composer", "exec run-script"}, {"mix", "run"},
}

// deeper are programs and first words behind which one more word says what is done.
var deeper = [...]string{"npm run", "pnpm run", "yarn run", "docker compose", "docker container",
	"docker image", "git stash", "git remote", "git worktree",
	"gh pr", "gh issue", "gh repo", "gh run", "go mod"}

// never are programs that are asked about each time.
var never = [...]string{"rm", "rmdir", "unlink", "shred", "dd", "mkfs", "truncate", "chmod",
	"chown", "kill", "killall", "pkill", "shutdown", "reboot", "curl", "wget"}

// word is a word that names something to do: no flag, no path.
var word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9:_-]*$`)

// command is the pattern of a rule for a command line: of one plain command, else "".
func command(s *shell.Script) string {
	if s.Err != nil || len(s.Commands) != 1 || len(s.Redirects) > 0 {
		return ""
	}
	c := &s.Commands[0]
	if len(c.Argv) == 0 || c.Hides != "" || len(c.Assign) > 0 || shell.Wraps(c.Name) ||
		slices.Contains(never[:], c.Name) || strings.HasPrefix(c.Name, "mkfs") ||
		slices.Contains(c.Static, false) {
		return ""
	}
	n := sub(c.Argv)
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

// sub is how many words behind the program say what it does; 0 = it has none, and only the very
// command will do; -1 = it runs what it is given.
func sub(argv []string) int {
	for _, p := range subcommands {
		if p.program != argv[0] || len(argv) < 2 || !word.MatchString(argv[1]) {
			continue
		}
		if slices.Contains(strings.Fields(p.runs), argv[1]) {
			return -1
		}
		if !slices.Contains(deeper[:], argv[0]+" "+argv[1]) {
			return 1
		}
		if len(argv) > 2 && word.MatchString(argv[2]) {
			return 2
		}
		return 0
	}
	return 0
}
