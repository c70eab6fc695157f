// Package protect knows the files that decide what runs: the agent's own settings, scripts that are
// loaded, start-up files of shells.
//
//	places := protect.Places{Home: agentHome, User: userHome, Project: root, Scripts: []string{"guard.lua"}}
//	engine.New(engine.Options{Protect: places.Call, ...})
//
// A file is taken for what it is, not for how it is called: a path is protected that leads to such
// a file over links, that is another name of it (a hard link), or that lies in such a folder by any
// name. What a command writes is known as far as engine/touch knows it. Files are looked at before
// a call, and may be others when it runs.
package protect

import (
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
)

// Places say where things are. All are absolute; "" = there is none.
type Places struct {
	Home    string   // the agent's own directory: all of it is protected
	User    string   // the user's home
	Project string   // for calls that do not say which
	Scripts []string // files and folders of scripts besides those of Home and the project
	Own     []string // files of the agent's own besides those of Home; "" is none
}

// reasons say why something is protected.
const (
	settings = "the agent's own settings are protected"
	script   = "scripts that may be loaded are protected"
	startUp  = "files that shells and other programs run at their start are protected"
	keys     = "~/.ssh is protected"
)

// startUpFiles are files and folders in the user's home that make programs run something, without
// being asked, when they start.
var startUpFiles = []string{".bashrc", ".bash_profile", ".bash_login", ".bash_logout",
	".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc",
	".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout",
	".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".pam_environment", ".inputrc",
	".gitconfig", ".config/git", ".config/fish", ".config/autostart", ".config/systemd",
	".config/environment.d", "Library/LaunchAgents"}

// inProject are names of folders and files, anywhere in a project, of which programs run what
// stands in them: accept-edits does not cover them.
var inProject = []string{".git", ".hg", ".svn", ".agent", ".claude", ".husky", ".githooks",
	".vscode", ".idea", ".devcontainer", ".envrc"}

// Call tells what a call would change that is protected. scripts are the files of the scripts that
// are loaded.
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
			out.Asks += ": this would change " + path
			break
		}
	}
	if out.Asks == "" && touched.WritesBelow() {
		out.Asks = k.below(touched)
	}
	if out.Asks == "" {
		out.Asks = k.perhaps(touched)
	}
	for _, command := range touched.Commands() {
		if out.Asks == "" && strings.Contains(command, rules) {
			out.Asks = settings + ": the command names " + rules
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

// rules is the file of the rules that the answer "always" has stored.
const rules = "permissions.json"

// below is why a call that changes all that lies in a folder changes what is protected.
func (k *keeper) below(touched engine.Touched) string {
	for _, one := range k.list {
		path := glob.Escape(filepath.ToSlash(one.path))
		if fits, _ := touched.Fits("writes", path); fits {
			return one.why + ": this would change " + one.path
		}
	}
	return ""
}

// perhaps is why a call may change what is protected: a program gets the path of it, and it is not
// known what that program does with it.
func (k *keeper) perhaps(touched engine.Touched) string {
	for _, one := range k.list {
		path := glob.Escape(filepath.ToSlash(one.path))
		if who := touched.Perhaps("writes", path+"/**"); who != "" {
			return one.why + ": " + who
		}
	}
	return ""
}

// outside is why a path is none that accept-edits covers; "" = it is one.
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

// real is where a path leads.
func real(path string) string {
	to, _ := realpath.Of(path)
	return to
}
