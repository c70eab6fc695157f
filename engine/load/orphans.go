// This file decides what happens to a script whose file is missing.

package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/ui"
)

// orphan says why a script stays in force although its file is missing; 0 if it does not.
type orphan int

const (
	notOrphan     orphan = iota
	byTool               // a tool was running when it vanished
	withFolder           // its whole folder was deleted or replaced
	sinceLastTime        // it was already missing when the program started
	lost                 // the same, and so is its last good version: the calls it guarded ask
	untrustable          // a project's: its trusted bytes are not there any more
	unkept               // the same, and its trusted version is still running
)

// text describes what happened to names and what the user can do about it.
func (o orphan) text(names, folder string) string {
	switch o {
	case byTool:
		return fmt.Sprintf(
			"%s: the file is gone, and a tool was running when it vanished; the last version "+
				"stays in force until /reload", names)
	case withFolder:
		return fmt.Sprintf(
			"%s: the folder %s is gone or was replaced; the last version stays in force: put the "+
				"folder back, or unload with /reload", names, folder)
	}
	switch o {
	case untrustable:
		return fmt.Sprintf(
			"%s (project): it guarded calls in the last run, and cannot be run: such calls "+
				"ask until it is trusted again with `agent trust add`, or until /reload", names)
	case unkept:
		return fmt.Sprintf(
			"%s (project): no copy of the trusted version is left; it stays in force while "+
				"agent runs, or until /reload: `agent trust add` trusts the file as it is", names)
	}
	effect := "the last version stays in force"
	if o == lost {
		effect = "the last version is lost, too: the calls that it guarded ask"
	}
	return fmt.Sprintf("%s: the file is gone since the last run; %s until /reload or "+
		"`agent ext forget %s`", names, effect, strings.ReplaceAll(names, ", ", " "))
}

// note is text for a listing.
func (o orphan) note() string {
	what := map[orphan]string{byTool: "the file is gone",
		withFolder:    "its folder is gone or was replaced",
		sinceLastTime: "the file is gone since the last run",
		untrustable:   "its trusted version is gone",
		unkept:        "no copy of its trusted version is left"}
	return what[o] + "; the last version stays in force until /reload"
}

// question returns the question for the user about names; "" if the user only gets a notice.
func (o orphan) question(names string) string {
	switch o {
	case byTool:
		return fmt.Sprintf(
			"%s vanished while a tool was running. Unload it?",
			names)
	case sinceLastTime, lost:
		return fmt.Sprintf(
			"%s: the file is gone since the last run. Unload it?", names)
	}
	return ""
}

// question is an open question about some orphans. It is cancelled when none of them is an orphan
// any more.
type question struct {
	open   int // orphans
	cancel context.CancelFunc
}

// settled removes a script from the question about it, because its file is back or it was unloaded.
// Under l.mu.
func (e *entry) settled() {
	if q := e.asked; q != nil {
		e.asked = nil
		if q.open--; q.open == 0 {
			q.cancel()
		}
	}
}

// back clears the state of a missing file, because the file is back.
func (e *entry) back(l *Loader) {
	if e.orphan == byTool {
		l.memory.good.mark(e.at.path, false)
	}
	e.settled()
	e.goneSince, e.byTool, e.orphan, e.released, e.recalled = time.Time{}, false, notOrphan, false,
		false
}

// absent handles a script whose file is missing. The script is unloaded once the file has been
// absent for goneAfter; but if a tool may have removed it, or if more than the file is missing, it
// stays until the user decides.
func (l *Loader) absent(ctx context.Context, b *batch, e *entry, s *survey) {
	if e.at.source == scriptfile.SourceProject {
		l.untrusted(ctx, b, e, s)
		return
	}
	switch {
	case s.closed[e.at.dir]: // unreadable is not deleted
		if e.recalled && e.loading == nil {
			l.restoreMissing(ctx, b, e, true)
		}
		return
	case l.eng.Scripts.Runtime(e.name) == nil && realpath.Exists(e.at.path):
		return // its format was removed: it is unloaded with its file
	case e.gen == nil && e.shadow == nil && !e.recalled:
		b.lose(e)
		delete(l.entries, e.name)
		return
	case e.released, e.orphan != notOrphan && b.force:
		l.unload(b, e)
		return
	case e.orphan != notOrphan, e.recalled && e.loading != nil:
		return
	}
	if e.goneSince.IsZero() {
		e.goneSince, e.sure = b.now, false
	}
	if tool, _ := l.review.changer(&e.at, e, l.review.lastLook()); tool != "" {
		e.byTool = true
	}
	if b.wait(e.goneSince.Add(goneAfter), &e.sure) {
		return
	}
	switch {
	case e.recalled:
		l.restoreMissing(ctx, b, e, false)
	case e.byTool:
		b.keepOrphan(e, byTool)
	case !e.at.home.same(s.homes[e.at.dir]):
		b.keepOrphan(e, withFolder)
	default:
		l.unload(b, e)
	}
}

func (b *batch) keepOrphan(e *entry, why orphan) {
	e.orphan = why
	b.orphans = append(b.orphans, e)
}

func (l *Loader) unload(b *batch, e *entry) {
	e.settled()
	b.lose(e)
	delete(l.entries, e.name)
	b.removed = append(b.removed, e)
}

// lose stops what is being loaded of a script that is forgotten. There is no event about one that
// did not load, so the user is told that its error is over.
func (b *batch) lose(e *entry) {
	if e.gen == nil && e.err != nil && e.at.source != scriptfile.SourceProject {
		b.say(e.name + ": the file, which did not load, is gone")
	}
	e.abandon()
}

// askOrphans reports scripts that stay in force without their files, and asks, without blocking the
// loader, whether to unload them: in one question for all that vanished in the same way. Under
// l.mu.
func (l *Loader) askOrphans(orphans []*entry) {
	for why := byTool; why <= unkept; why++ {
		var names, folders []string
		var those []*entry
		for _, e := range orphans {
			if e.orphan == why {
				names, folders, those = append(names, e.name), append(folders, e.at.dir),
					append(those, e)
				l.memory.good.mark(e.at.path, why == byTool)
			}
		}
		if len(those) == 0 {
			continue
		}
		slices.Sort(folders)
		list := strings.Join(names, ", ")
		l.teller.notify(why.text(list, strings.Join(slices.Compact(folders), " and ")))
		if q := why.question(list); q != "" {
			l.ask(q, those)
		}
	}
}

// ask asks whether to unload orphans. Under l.mu.
func (l *Loader) ask(text string, orphans []*entry) {
	if l.o.Confirm == nil || l.closed {
		return
	}
	ctx, cancel := context.WithCancel(l.life)
	q := &question{open: len(orphans), cancel: cancel}
	since := make([]time.Time, len(orphans))
	for i, e := range orphans {
		e.asked, since[i] = q, e.goneSince
	}
	l.busy.Add(1)
	go func() {
		defer l.busy.Done()
		defer cancel()
		yes, err := l.o.Confirm(ctx, &ui.Dialog{Kind: "confirm", Title: text, Lasting: true})
		// an answer to a cancelled question does not count
		if !yes || err != nil || ctx.Err() != nil {
			return
		}
		l.mu.Lock()
		for i, e := range orphans {
			e.released = e.orphan != notOrphan && e.goneSince.Equal(since[i])
		}
		l.mu.Unlock()
		l.settle(l.life, batch{cause: "removed"})
	}()
}

// recall finds, at the first scan, scripts that were in force before and are now missing: in a
// folder that cannot be read, or deleted. If a file reappears meanwhile, recall returns a survey
// that lists it.
func (l *Loader) recall(b *batch, s *survey) *survey {
	if err := l.memory.roll.readCopies(); err != nil {
		b.say(plain.Error(err))
	}
	records := map[string]*record{}
	before := maps.Clone(l.memory.roll.now)
	for _, r := range l.memory.good.all() {
		records[r.Path] = r
		if _, ok := before[r.Path]; !ok {
			before[r.Path] = known{Name: r.Name, Path: r.Path}
		}
	}
	var lost []string
	for _, path := range slices.Sorted(maps.Keys(before)) {
		k := l.memory.roll.at(path)
		if f, ok := l.places.home(before[path].Name, path); ok && k != nil &&
			f.source != scriptfile.SourceProject &&
			(records[path] == nil || records[path].Hash != k.SHA256) {
			lost = append(lost, before[path].Name)
		}
	}
	if len(lost) > 0 {
		b.say(fmt.Sprintf(
			"%s: the last good version in %s is missing or was modified: it is not "+
				"used", strings.Join(lost, ", "), l.memory.good.dir))
	}
	missed, overtaken := l.findMissed(s, before)
	for range watchRounds {
		if !overtaken {
			break
		}
		s = l.look()
		missed, overtaken = l.findMissed(s, before)
	}
	for _, e := range missed {
		l.entries[e.name] = e // see absent
	}
	return s
}

// findMissed returns entries for the scripts of before that are missing now. overtaken reports that
// one of them exists although the survey does not list it, because it was created during the
// survey.
func (l *Loader) findMissed(s *survey, before map[string]known) (missed []*entry, overtaken bool) {
	for _, path := range slices.Sorted(maps.Keys(before)) {
		name := before[path].Name
		f, ok := l.places.home(name, path)
		listed := slices.ContainsFunc(s.files, func(f *found) bool { return f.name == name })
		if !ok || listed || l.entries[name] != nil { // not in the current places; visit handles it
			continue
		}
		f.spots = spotsOf(path)
		_, err := os.Lstat(path)
		if f.source == scriptfile.SourceProject {
			missed = append(missed, &entry{name: name, at: f, recalled: true})
		} else if s.closed[f.dir] || errors.Is(err, fs.ErrNotExist) || f.part != nil {
			missed = append(missed, &entry{name: name, at: f, recalled: true})
		} else {
			overtaken = true
		}
	}
	return missed, overtaken
}

// restoreMissing puts the last good version of a script in force whose file is missing, or cannot
// be read because its folder is unreadable. A script that guarded nothing is dropped.
func (l *Loader) restoreMissing(ctx context.Context, b *batch, e *entry, closed bool) {
	var g *engine.Generation
	var r *record
	at, k := e.at, l.memory.roll.at(e.at.path)
	run := func(ctx context.Context, n numbers) {
		r = l.memory.good.getRecord(at.path)
		g = l.restore(ctx, &at, "", k, func() int { return n.own })
	}
	apply := func(ctx context.Context, b *batch) {
		guarded := k != nil || g != nil && protects(g) || g == nil && r != nil &&
			mentionsGuards(r.bytes)
		switch {
		case g == nil && ctx.Err() != nil:
			return
		case !guarded && !closed && (r == nil || !r.Vanished):
			l.builder.discard(g)
			l.unload(b, e)
			b.say(e.name + ": the file is gone since the last run; the script is unloaded")
			return
		case g != nil:
			b.load(e, g)
			e.header, e.hash = g.Header, g.Hash
		case guarded:
			l.protectMissing(b, e, k)
		}
		switch e.recalled = false; {
		case closed && g != nil:
			b.fail(e, at.scriptError(&trouble{message: "its folder " + at.dir + " cannot be read",
				hint: "check the folder's permissions", blind: true}))
		case closed:
		case g == nil && guarded:
			b.keepOrphan(e, lost)
		case r != nil && r.Vanished:
			b.keepOrphan(e, byTool)
		default:
			b.keepOrphan(e, sinceLastTime)
		}
	}
	b.begin(ctx, &loading{entry: e, run: run, apply: apply, drop: func() { l.builder.discard(g) }})
}

// protectMissing adds a shadow for a script without any version left, so that the calls that it
// guarded ask.
func (l *Loader) protectMissing(b *batch, e *entry, k *known) {
	err := e.at.scriptError(
		&trouble{message: "it guarded calls in the last run, and both the file and its last " +
			"good version are missing",
			hint: "put the file back, or unload the script with /reload or agent ext forget " +
				e.name})
	question := fmt.Sprintf("%s guarded calls in the last run, and its file is missing (/reload "+
		"or `agent ext forget %s` unloads it): run this call all the same?", e.name, e.name)
	if e.at.source == scriptfile.SourceProject {
		err = e.at.scriptError(&trouble{message: "it guarded calls in the last run, and its " +
			"trusted version is missing",
			hint: "look at it with agent trust, then agent trust add " + e.name +
				" or agent trust revoke " + e.name})
		question = fmt.Sprintf("%s of the project guarded calls in the last run, and its "+
			"trusted version is missing (see agent trust): run this call all the same?",
			e.name)
	}
	if k != nil {
		e.header.Guards = k.Guards
	}
	e.tried = "missed"
	b.fail(e, err)
	e.shadow = l.builder.shadow(&e.at, e.header, question)
}

// home returns where a script of an earlier run belongs among the current places, without its
// spots.
func (p *places) home(name, path string) (found, bool) {
	f := found{name: name, path: path, dir: filepath.Dir(path)}
	_, f.lasting = p.o.Names[path]
	f.part = partAt(p.builder.eng.Scripts.Runtimes(), path)
	if format := p.builder.format(name); format != nil { // in a folder of its own
		if f.dir = folderOf(format, path); !engine.HasPlace(format) {
			f.dir = filepath.Dir(f.dir)
		}
	} else if strings.Contains(name, "/") {
		f.dir = filepath.Dir(f.dir)
	}
	for _, extra := range p.o.Extra {
		if path == extra || f.dir == extra {
			f.source = scriptfile.SourceCLI
			return f, true
		}
	}
	if p.inProject(path) {
		f.source = scriptfile.SourceProject
		_, disabled := p.off.at(&f)
		return f, !p.o.NoScripts && !p.project.revoked(path) && !disabled
	}
	f.source = scriptfile.SourceUser
	if at := p.extensionPlaces(); slices.Contains(at, f.dir) || slices.Contains(at, f.path) {
		f.source = scriptfile.SourceForeign
	}
	_, disabled := p.off.at(&f)
	return f, !p.o.NoScripts && !disabled &&
		(f.dir == p.userDir() || f.source == scriptfile.SourceForeign)
}
