// This file determines what cp, mv and similar programs read and write.

package shell

import (
	"path"
	"strings"
)

// copies adds what cp, mv and similar programs do: they write the last word or, if it is a folder,
// a file of each name in it.
func (o *operands) copies(moving, deep bool) {
	all, program := o.all, o.a.program
	if program == "install" && o.a.has(o.c, "directory") == yes {
		o.each(all, true, false)
		return
	}
	for _, flag := range []string{"b", "backup", "suffix", "parents"} { // files of other names, too
		if o.a.has(o.c, flag) == yes && (program == "cp" || program == "mv" || program == "ln" ||
			program == "install") {
			o.f.unknown(true, ownNames, "")
		}
	}
	to := o.given("target-directory")
	for i := range to { // a folder, also if the command creates it
		to[i].text += "/"
	}
	switch last := len(all) - 1; {
	case len(to) > 0:
	case last > 0:
		i := all[last]
		to, all = o.named(i), all[:last]
	case program == "ln": // the link is in this directory
		to = []value{{".", true, word{}}}
	}
	o.each(all, false, deep)
	if moving {
		o.each(all, true, deep)
	}
	if program == "ln" || program == "cp" && (o.a.has(o.c, "link") == yes ||
		o.a.has(o.c, "symbolic-link") == yes) {
		o.linked(all, to)
	}
	for _, v := range to {
		// another machine
		if at := strings.Index(v.text, ":"); at > 0 && (program == "scp" || program == "rsync") {
			continue
		}
		o.into(v, all, deep)
	}
}

// linked adds the targets of the links that a command makes as written paths: writing to such a
// link writes its target, also later in the same command line, when the link does not exist yet.
// The target of a symbolic link is relative to the folder that holds the link.
func (o *operands) linked(from []int, to []value) {
	symbolic := o.a.has(o.c, "symbolic") != no || o.a.has(o.c, "symbolic-link") != no
	for _, i := range from {
		for _, v := range o.named(i) {
			if !v.known {
				o.f.unknown(true, dynamicWord, v.text)
				continue
			}
			name := v.info.home(v.text)
			for _, at := range to { // the link itself, or the folder that will contain it
				link := at.info.home(at.text)
				for _, link := range []string{link, path.Join(link, path.Base(name))} {
					p := Path{Name: name, Writes: true, Pattern: v.info.glob, Link: link}
					if symbolic && !path.IsAbs(name) && !strings.HasPrefix(name, "~") {
						p.Name = path.Join(path.Dir(link), name)
					}
					o.f.addPath(o.c.in, p)
				}
			}
		}
	}
}

// into adds a file that is written, or the files of these names in it.
func (o *operands) into(to value, from []int, deep bool) {
	o.value(to, true)
	if !to.known {
		return
	}
	over := ""
	if o.a.has(o.c, "no-target-directory") == yes { // its content is placed there directly
		over = "/."
	}
	for _, i := range from {
		for _, v := range o.named(i) {
			if !v.known {
				o.f.unknown(true, dynamicWord, v.text)
				continue
			}
			o.f.addPath(o.c.in, Path{Name: to.info.home(to.text), Writes: true, Below: deep,
				Pattern: to.info.glob, From: v.info.home(v.text) + over, FromPattern: v.info.glob})
		}
	}
	if o.a.program == "rsync" && o.a.has(o.c, "delete") != no {
		o.f.addPath(o.c.in, Path{Name: to.info.home(to.text), Writes: true, Below: true,
			Pattern: to.info.glob})
	}
}

// named returns what word i names: several names if a variable may hold several.
func (o *operands) named(i int) (out []value) {
	for _, text := range o.c.info[i].values {
		o.f.made(o.c.info[i], text, true)
		out = append(out, value{text, true, word{glob: Pattern(text), tilde: true}})
	}
	if len(out) == 0 {
		out = []value{{o.c.Argv[i], o.c.Static[i], o.c.info[i]}}
	}
	return out
}
