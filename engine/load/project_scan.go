// This file gives the trusted scripts of a project to the loader, and reports the others.

package load

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/trust"
)

// maxNamed is the maximal number of names in a notice.
const maxNamed = 10

// projectScripts returns the project's scripts that may run, with the bytes that were hashed.
func (p *places) projectScripts(s *survey) (out []*found) {
	all := p.project.Scripts()
	dir := p.project.Dir()
	if dir == "" || realpath.Same(dir, p.userDir()) {
		return nil
	}
	for _, dir := range p.project.folders() {
		if slices.Contains(all.Escapes, dir) {
			s.extra = append(s.extra, dir)
		} else {
			s.folders = append(s.folders, dir)
			p.noteFolder(s, dir)
		}
	}
	s.extra = append(s.extra, all.Watched...)
	if len(all.List) > 0 {
		s.extra = append(s.extra, p.project.Store().Path(), trust.NewLeases(p.o.Home).Path())
	}
	s.notes = append(s.notes, all.Notes...)
	if all.Unreadable != nil {
		s.notes = append(s.notes, fmt.Sprintf(
			"the script folder %s of the project cannot be read: %s", dir, cause(all.Unreadable)))
	}
	for _, script := range all.List {
		c := script.inForce()
		if c == nil {
			s.untrusted = append(s.untrusted, script)
			continue
		}
		given := *c
		if script.Standing != StandingEdited { // use these bytes even if the file changes
			given.info, given.moving = nil, false
		}
		f := &found{name: script.Name, path: script.Path, source: scriptfile.SourceProject,
			dir: dir, given: &given, project: script, spots: spotsOf(script.Path)}
		if strings.Contains(f.name, "/") { // an extension in a folder of its own
			f.dir = filepath.Dir(filepath.Dir(script.Path))
		}
		info, err := os.Lstat(script.Path)
		f.link = err == nil && info.Mode()&os.ModeSymlink != 0
		out = append(out, f)
	}
	s.noteProject(all)
	return out
}

// noteProject reports scripts of the project whose current files are not in force.
func (s *survey) noteProject(all *ProjectScripts) {
	waiting := map[Standing][]string{}
	for _, script := range all.List {
		if !script.Refused() {
			waiting[script.Standing] = append(waiting[script.Standing], script.Name)
		}
		if script.Standing == StandingUnusable {
			s.notes = append(s.notes, fmt.Sprintf("%s (project) is not run: %s",
				shownName(script.Name), plain.Text(script.Problem)))
		}
	}
	for _, script := range all.List {
		if name := shownName(script.Name); script.ended &&
			(script.Waits() || script.Standing == StandingOnce) {
			s.notes = append(s.notes, fmt.Sprintf("%s (project): the edit lease has ended, "+
				"because HEAD has moved: review the script with /trust or `agent trust show "+
				"%s`", name,
				name))
		}
	}
	for _, script := range all.List {
		if script.renewed {
			s.notes = append(s.notes, shownName(script.Name)+" (project): another "+
				"version that you trust is in force, because the file has its bytes")
		}
	}
	say := func(standing Standing, format string) {
		if names := waiting[standing]; len(names) > 0 {
			s.notes = append(s.notes, fmt.Sprintf(format, NameSome(names)))
		}
	}
	say(StandingNew, "scripts of the project are not run, they are not trusted: %s; /trust or "+
		"`agent trust` shows them, `agent trust add` trusts them")
	say(StandingChanged, "%s (project): the file is not the one that you trust; the trusted "+
		"version stays in force: /trust or `agent trust show NAME` shows the difference")
	say(StandingDeleted, "%s (project): the file is gone; the trusted version stays in force "+
		"until `agent trust revoke NAME`")
	say(StandingLost, "%s (project) was trusted, and the file is not run: it has changed, and no "+
		"copy of the trusted version is left; `agent trust add NAME` trusts the file as it is")
	if all.Untrusty != nil {
		s.notes = append(s.notes, fmt.Sprintf(
			"%s: no scripts of projects are trusted; repair or remove the file", all.Untrusty))
	}
}

// maxNameShown is the maximal number of bytes of a file's name that are shown.
const maxNameShown = 100

// shownName returns the name of a file for a message.
func shownName(name string) string { return plain.Line(plain.RevealName(name), maxNameShown) }

// NameSome joins names for a message, the first ones if there are many.
func NameSome(names []string) string {
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = shownName(name)
	}
	return strings.Join(shown, ", ") + more
}

// note describes the standing in a listing.
func (x Standing) note(s *ProjectScript) string {
	switch x {
	case StandingNew:
		return "waits for review: /trust or agent trust"
	case StandingOnce:
		return "trusted until the program ends"
	case StandingEdited:
		return "loads as it is saved, until HEAD moves: agent ext dev"
	case StandingChanged:
		return "the file is not the one that you trust; the trusted version is in force: " +
			"/trust or agent trust show " + s.Name
	case StandingDeleted:
		return "the file is gone; the trusted version is in force until agent trust revoke " +
			s.Name
	case StandingRefused:
		return "you do not want to be asked about it: agent trust add " + s.Name
	case StandingLost:
		return "the file has changed, and no copy of the trusted version is left: " +
			"agent trust add " + s.Name
	case StandingUnusable:
		return s.Problem
	}
	return ""
}

// inProject reports whether a path is that of a script of the project.
func (p *places) inProject(path string) bool {
	return p.project.nameOf(path) != ""
}

// untrusted handles a script of the project that is in force and may not run any more: it is
// unloaded at once, because the user has revoked it. If its trusted bytes are missing, it stays,
// because the user has not revoked it: damage to the kept bytes must not remove a guard. If a
// trusted script guarded calls in the last run, but its bytes are missing, these calls ask.
func (l *Loader) untrusted(ctx context.Context, b *batch, e *entry, s *survey) {
	switch {
	case e.recalled:
		e.recalled = false
		l.protectMissing(b, e, l.memory.roll.at(e.at.path))
		b.keepOrphan(e, untrustable)
	case e.orphan == notOrphan && e.gen != nil && l.project.trusts(e.at.path, e.gen.Hash):
		b.keepOrphan(e, unkept)
	case e.orphan == notOrphan, b.force, l.project.revoked(e.at.path):
		if e.gen != nil {
			b.say(e.name + " (project) is not trusted any more and was unloaded" +
				whatLeaves(e.gen))
		}
		l.unload(b, e)
	}
}

// whatLeaves describes the protection that ends with g.
func whatLeaves(g *engine.Generation) string {
	var guards []string
	for _, h := range g.Registry.Handlers {
		if IsGuard(h) {
			guards = append(guards, cmp.Or(strings.Join(h.Filter.Tools(), "|"), "every tool"))
		}
	}
	switch {
	case len(guards) > 0:
		return fmt.Sprintf(": it NO LONGER GUARDS calls of %s",
			strings.Join(slices.Compact(slices.Sorted(slices.Values(guards))), ", "))
	case protects(g):
		return ": what it masked or decided, it does not any more"
	}
	return ""
}

// trusts reports whether the user trusts bytes of that hash at that path.
func (p *Project) trusts(path, hash string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, trusted := p.decided.Trusted(p.Root, path)
	return trusted && last.SHA256 == hash
}

// revoked reports whether the user's decisions can be read and do not trust anything at that path.
func (p *Project) revoked(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unread {
		return false
	}
	_, trusted := p.decided.Trusted(p.Root, path)
	return !trusted && p.once[path] == nil
}
