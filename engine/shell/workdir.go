// This file tracks the directory in which commands run, and what ~ stands for.

package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/glob"
)

// maxPlaces limits the known directories in which a command may run.
const maxPlaces = 8

// place is the directory in which a command runs: one of now, relative to the directory of the
// whole line. A place never changes.
type place struct {
	now  []string
	old  []string // the directory before the last cd, which may have failed
	lost bool     // there may be other directories
	by   string   // the command because of which there may be, as written
}

// isStart reports whether p is the directory of the whole line.
func (p *place) isStart() bool {
	return !p.lost && len(p.old) == 0 && len(p.now) == 1 && p.now[0] == ""
}

// settled returns the place when it is unknown whether the last cd succeeded.
func (p *place) settled() *place {
	if len(p.old) == 0 {
		return p
	}
	q := &place{now: slices.Clone(p.now), lost: p.lost, by: p.by}
	for _, dir := range p.old {
		if !contains(q.now, dir) {
			q.now = append(q.now, dir)
		}
	}
	if len(q.now) > maxPlaces {
		q.now, q.lost = q.now[:maxPlaces], true
	}
	return q
}

// lose returns the place with the note that there may be other directories because of a command.
func (p *place) lose(by string) *place {
	if p.lost {
		by = p.by
	}
	return &place{now: p.now, old: p.old, lost: true, by: by}
}

// after returns the place after c, which runs at p.
func (p *place) after(c *Command) *place {
	for at := c; ; {
		switch at.Name {
		case "cd", "pushd":
			return p.changed(at)
		case "popd", "eval", "source", ".", "trap", "", "jobs":
			if len(at.Argv) > 0 && !setsUp(at) && (at.Name != "jobs" || len(at.Argv) > 2) {
				return p.lose(c.Text)
			}
			return p
		case "set":
			if anyOf(at.Argv, func(a string) bool {
				return a == "physical" ||
					strings.HasPrefix(a, "-") && strings.Contains(a, "P")
			}) || unknownIn(at.Static) {
				return p.lose(c.Text)
			}
			return p
		case "shopt": // cd takes names of variables
			if contains(at.Argv, "cdable_vars") || unknownIn(at.Static) {
				return p.lose(c.Text)
			}
			return p
		case "builtin", "command", "--": // time -- cd x
			if i := skipWrapper(at.Argv, wrapper{plain: "p"}); i < len(at.Argv) {
				inner := at.part(i, len(at.Argv))
				if inner.Static[0] {
					inner.Name = inner.Argv[0]
				}
				at = &inner
				continue
			}
		}
		return p
	}
}

// leaving are the flags with which programs run others in another directory.
var leaving = map[string][]string{"env": {"-C", "--chdir"},
	"sudo": {"-D", "--chdir", "-i", "--login"}, "unshare": {"-w", "--wd", "-R", "--root"},
	"su": {"-l", "--login", "-"}, "runuser": {"-l", "--login", "-"}, "systemd-run": {}}

// leaves reports whether c runs another command in another directory: one that its words name, or a
// user's home.
func (c *Command) leaves() bool {
	flags, own := leaving[c.Name], c.Argv
	if w, ok := wrapperOf(c.Name); ok && c.Name != "runuser" {
		own = own[:skipWrapper(own, w)]
	}
	return c.in != nil && flags != nil && (len(flags) == 0 ||
		anyOf(flags, func(f string) bool {
			return anyOf(own, func(a string) bool { return spells(a, f) })
		}))
}

// enteredFolders returns the possible values of the words of cd that are not static, by the words
// as written; nil if none are known.
func enteredFolders(s *Script) map[string][]string {
	var out map[string][]string
	unknown := map[string]bool{}
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Name != "cd" && c.Name != "pushd" {
			continue
		}
		for j, w := range c.Argv {
			all := c.info[j].values
			switch {
			case c.Static[j]:
			case c.info[j].splits || c.info[j].glob || anyOf(all, isNoFolder):
				unknown[w] = true
			case len(all) == 0:
				unknown[w] = true
			default:
				if out == nil {
					out = map[string][]string{}
				}
				out[w] = append(out[w], all...)
			}
		}
	}
	for w := range unknown {
		delete(out, w)
	}
	return out
}

// isNoFolder reports whether the value of a word of cd may be something other than the name of a
// folder.
func isNoFolder(value string) bool {
	return value == "" || value[0] == '-' || value[0] == '+' || Pattern(value) ||
		strings.ContainsAny(value, " \t\n~") || partlyUnknown(value)
}

// knowFolders records the possible values of the words of c, if it is cd.
func knowFolders(c *Command, values map[string][]string) {
	if c.Name != "cd" && c.Name != "pushd" {
		return
	}
	for i, w := range c.Argv {
		if all := values[w]; !c.Static[i] && all != nil {
			c.info[i].values = all
		}
	}
}

// changed returns the place after c, which is cd or pushd.
func (p *place) changed(c *Command) *place {
	var dirs []string
	for i, a := range c.Argv[1:] {
		if all := c.info[i+1].values; !c.Static[i+1] && all != nil && len(c.Argv) == 2 {
			return p.entered(c, all)
		}
		switch {
		case !c.Static[i+1] || c.info[i+1].glob || a == "-" || strings.HasPrefix(a, "+") ||
			len(dirs) == 0 && strings.HasPrefix(a, "-") && strings.Trim(a, "-Le") != "":
			return p.lose(c.Text)
		case len(dirs) == 0 && strings.HasPrefix(a, "-"):
		default:
			dirs = append(dirs, a)
		}
	}
	switch {
	case len(dirs) > 1 || c.Name == "pushd" && len(dirs) == 0:
		return p.lose(c.Text)
	case len(dirs) == 0:
		dirs = []string{"~"}
	}
	return p.entered(c, dirs)
}

// entered returns the place after c changes to one of some directories.
func (p *place) entered(c *Command, dirs []string) *place {
	if len(p.now)*len(dirs) > maxPlaces {
		return p.lose(c.Text)
	}
	q := &place{old: p.now, lost: p.lost, by: p.by}
	for _, from := range p.now {
		for _, dir := range dirs {
			q.now = append(q.now, under(from, dir))
		}
	}
	return q
}

// enter returns the place after c changes its directory to word i.
func enter(c *Command, in *place, i int) *place {
	name, static, info := c.Argv[i], c.Static[i], c.info[i]
	if all := c.may(i); !static && len(all) == 1 && all[0] != "" && !info.splits {
		name, static, info = all[0], true, word{}
	} else {
		info.values = nil
	}
	return in.changed(&Command{Name: "cd", Text: c.Argv[i], Argv: []string{"cd", name},
		Static: []bool{true, static}, info: []word{{}, info}})
}

// under resolves a directory against another one. As bash does, it removes a name for each .., even
// if that name is a link.
func under(dir, p string) string {
	if rooted(p) {
		return p
	}
	return path.Join(dir, p)
}

// within returns a path as seen from a directory. It keeps .. elements, which may follow a link.
func within(dir, p string) string {
	if dir == "" || rooted(p) {
		return p
	}
	return dir + "/" + p
}

// rooted reports whether a path does not depend on a directory.
func rooted(p string) bool { return p == "" || p[0] == '/' || p[0] == '~' }

// setsHome reports whether HOME may be set.
func setsHome(s *Script) bool {
	return anyCommand(s, func(c Command) bool {
		return contains(c.Assign, "HOME") || contains(c.Assign, "?")
	})
}

// forgetHome makes the words that begin with ~ unknown if HOME may be set.
func (s *Script) forgetHome() {
	if !setsHome(s) {
		return
	}
	for i := range s.Commands {
		c := &s.Commands[i]
		c.Static = slices.Clone(c.Static) // parts of a command share it
		for j := range c.info {
			if c.info[j].homely() {
				c.Static[j], c.info[j].prefix, c.info[j].values = false, "", nil
			}
		}
		if len(c.Static) > 0 && !c.Static[0] {
			c.Name, c.Hides = "", cmp.Or(c.Hides, "dynamic")
		}
	}
	for i := range s.Redirects {
		if info := &s.Redirects[i].info; info.homely() {
			s.Redirects[i].Path, info.values = "", nil
		}
	}
}

// homely reports whether the text of a word may contain the home directory: a value such as ~ or
// a:~ was expanded when it was assigned.
func (w *word) homely() bool {
	return w.tilde || anyOf(w.values,
		func(v string) bool { return strings.Contains(v, "~") })
}

// homeDir returns the home directory, an absolute path; "" = it is not known.
func (v *variables) homeDir() string {
	dir, ok := v.context.variable("HOME")
	if !ok || v.rehomed || contains(v.changed, "HOME") || !path.IsAbs(dir) ||
		strings.HasSuffix(dir, "/") ||
		strings.ContainsAny(dir, "*?[\\ \t\n"+glob.Unknown+gitName) {
		return ""
	}
	return dir
}

// atHome returns values that are to be changed. The shell has replaced a ~ at the beginning of one
// before: so does this, unless keep says that the change leaves the home directory as it is. It
// returns nil if what ~ stands for is not known.
func (v *variables) atHome(all []string, keep func(string) bool) []string {
	all = slices.Clone(all)
	for i, one := range all {
		switch {
		case strings.Contains(one, ":~"):
			return nil
		case !strings.HasPrefix(one, "~") || keep(one):
			continue
		case one != "~" && one[1] != '/' || v.homeDir() == "":
			return nil
		}
		all[i] = v.homeDir() + one[1:]
	}
	return all
}

// keepsHome reports whether the change removes nothing of the home directory, with which a value
// begins, and whether that is known without its name.
func (p *piece) keepsHome(value string) bool {
	text, rest := strings.Trim(p.arg, "*"), value[1:]
	if !strings.HasPrefix(rest, "/") || text == "" ||
		text[0] == '/' && text != "/" && Pattern(value) {
		return false
	}
	prefix := p.op == syntax.RemSmallPrefix || p.op == syntax.RemLargePrefix
	switch star := text != p.arg; {
	case star:
		return (p.op == syntax.RemSmallSuffix || p.op == syntax.RemLargePrefix) &&
			strings.Contains(rest, text)
	case prefix:
		return text[0] != '/'
	}
	return len(text) <= len(rest)
}

// joined returns what text and a value behind it may be, which begins with ~: that was replaced
// when the variable was set, unless it was quoted. It returns nil if that is not known.
func (v *variables) joined(before, value string) []string {
	switch home := v.homeDir(); {
	case value != "~" && value[1] != '/', strings.HasPrefix(before, "-"),
		strings.ContainsAny(before[len(before)-1:], "=:@,"): // there a path begins
		return []string{before + value}
	case home != "":
		return []string{before + value, before + home + value[1:]}
	}
	return nil
}
