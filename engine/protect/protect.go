// Package protect finds out whether a call changes files that decide what runs: the agent's own
// settings, scripts that are loaded, start-up files of shells, settings and hooks of git.
//
//	places := protect.Places{Home: agentHome, User: userHome, Project: root,
//		Scripts: []string{"guard.lua"}}
//	engine.New(engine.Options{Protect: places.Call, ...})
//
// Files are compared by identity, not by name: a path is protected if it leads to such a file
// through links, is another name of it (a hard link), or is in such a folder under any name. The
// files that a command writes are known as far as engine/touch finds them. Files are examined
// before a call, and may change before it runs.
package protect

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
)

// Places are the locations of protected files. All are absolute; "" = none.
type Places struct {
	Home    string   // the agent's own directory: all of it is protected
	User    string   // the user's home
	Project string   // for calls without a project
	Scripts []string // files and folders of scripts besides those of Home and the project
	Own     []string // files of the agent's own besides those of Home; "" is none
}

// reasons say why something is protected.
const (
	settings = "the agent's own settings are protected"
	script   = "scripts that may be loaded are protected"
	startUp  = "files that shells and other programs run at their start are protected"
	keys     = "~/.ssh is protected"
	byGit    = "files from which git runs programs are protected"
)

// startUpFiles are files and folders in the user's home from which programs run code when they
// start.
var startUpFiles = []string{".bashrc", ".bash_profile", ".bash_login", ".bash_logout",
	".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc",
	".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout",
	".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".pam_environment", ".inputrc",
	".gitconfig", ".config/git", ".config/fish", ".config/autostart", ".config/systemd",
	".config/environment.d", "Library/LaunchAgents", ".claude/settings.json", ".claude/plugins"}

// inProject are names of folders and files, anywhere in a project, from which programs run code:
// accept-edits does not cover them.
var inProject = []string{".git", ".hg", ".svn", ".agent", ".claude", ".husky", ".githooks",
	".vscode", ".idea", ".devcontainer", ".envrc"}

// Call returns which protected files a call would change. scripts are the files of the loaded
// scripts.
func (p Places) Call(c *engine.Call, touched engine.Touched, scripts []string) engine.Protection {
	project := p.Project
	if c.Env != nil && c.Env.Project != "" {
		project = c.Env.Project
	}
	k := p.keeper(project, scripts)
	var out engine.Protection
	writes := touched.Writes()
	for _, path := range writes {
		if out.Asks = k.why(path); out.Asks != "" {
			out.Asks += ": this would change " + path + because(touched, path)
			break
		}
	}
	if out.Asks == "" && len(touched.WritesBelow()) > 0 {
		out.Asks = k.below(touched)
	}
	for _, command := range touched.Commands() {
		if out.Asks == "" {
			out.Asks = decides(command)
		}
	}
	for _, command := range touched.Commands() {
		if out.Asks == "" {
			if out.Asks = givesWork(command); out.Asks != "" {
				out.Perhaps = slices.Clone(tables)
			}
		}
	}
	if out.Asks == "" || len(out.Perhaps) > 0 {
		if why, paths := k.perhaps(touched); why != "" { // of which the sandbox may hold less
			out.Asks, out.Perhaps = why, append(out.Perhaps, paths...)
		}
	}
	for _, command := range touched.Commands() {
		if (out.Asks == "" || len(out.Perhaps) > 0) && strings.Contains(command, rules) {
			out.Asks = settings + ": the command names " + rules
			if p.Home != "" {
				out.Perhaps = append(out.Perhaps, real(filepath.Join(p.Home, rules)))
			}
		}
	}
	switch {
	case out.Asks != "":
		out.Edits = out.Asks
	case len(writes) == 0 || touched.Unknown():
		out.Edits = "it cannot be known which files it changes"
	default:
		for _, path := range writes {
			if out.Edits = k.outside(path); out.Edits != "" {
				break
			}
		}
	}
	return out
}

// Paths returns the protected files and folders, with links followed and without. scripts are the
// files of the loaded scripts.
func (p Places) Paths(scripts []string) (paths []string) {
	for _, one := range p.keeper(p.Project, scripts).list {
		paths = append(paths, one.path)
	}
	return paths
}

// rules is the file of the rules that the answer "always" has stored.
const rules = "permissions.json"

// below returns why a call that changes everything below a folder changes protected files.
func (k *keeper) below(touched engine.Touched) string {
	for _, one := range k.list {
		path := glob.Escape(filepath.ToSlash(one.path))
		if fits, _ := touched.Fits("writes", path); fits {
			return one.why + ": this would change " + one.path + because(touched, one.path)
		}
	}
	return ""
}

// because says, in parentheses, why a command is thought to change a path; "" if that is plain.
func because(touched engine.Touched, path string) string {
	why := touched.Why("writes", glob.Escape(filepath.ToSlash(path)))
	if why == "" || len(touched.Commands()) == 0 {
		return ""
	}
	return " (" + why + ")"
}

// perhaps returns why a call may change protected files, and which: it passes their path to a
// program whose use of it is unknown.
func (k *keeper) perhaps(touched engine.Touched) (why string, paths []string) {
	for _, one := range append(k.list, k.byGit...) {
		path := glob.Escape(filepath.ToSlash(one.path))
		if who := touched.Perhaps("writes", path+"/**"); who != "" {
			if paths = append(paths, one.path); why == "" {
				why = one.why + ": " + who + " (" + touched.Why("writes", path+"/**") + ")"
			}
		}
	}
	return why, paths
}

// outside returns why accept-edits does not cover a path; "" = it does.
func (k *keeper) outside(path string) string {
	rel, ok := realpath.Below(k.project, path)
	if !ok {
		return path + " is not in the project"
	}
	for name := range strings.SplitSeq(rel, "/") {
		for _, one := range inProject {
			if strings.EqualFold(name, one) {
				return "what is in " + one + " may make programs run something"
			}
		}
	}
	if k.isRepository(path) {
		return path + " is a file of the repository itself, by another name"
	}
	return ""
}

// real returns the path with links followed.
func real(path string) string {
	to, _ := realpath.Of(path)
	return to
}
