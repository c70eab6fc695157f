// This file performs one scan: list all files, load the changed ones, swap once, report.

package load

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// batch is one scan and its results.
type batch struct {
	cause string                 // of script_load: start, save, manual
	force bool                   // load unchanged files too
	quick bool                   // time stamps prove that files are unchanged
	hot   func(spot string) bool // reports files that are being written; nil: none
	now   time.Time
	first bool // nothing was loaded before

	next    time.Time // when to scan again; zero: no need
	wave    []*loading
	loaded  []change
	removed []*entry
	off     []disabledScript // see switchOff
	orphans []*entry
	held    []heldVersion
	errors  []failure
	records []*entry
	notices []string
}

type change struct{ old, new *engine.Generation }

type failure struct {
	err  *fault.ScriptError
	kept bool // a version stays in force
}

// again requests another scan at t.
func (b *batch) again(t time.Time) {
	if b.next.IsZero() || t.Before(b.next) {
		b.next = t
	}
}

func (b *batch) writing(f *found) bool {
	return b.hot != nil &&
		slices.ContainsFunc(f.spots, b.hot)
}

// writes reports whether one of the modules of a script is being written.
func (b *batch) writes(modules []string) bool {
	return b.hot != nil && slices.ContainsFunc(modules,
		func(path string) bool { return slices.ContainsFunc(spotsOf(path), b.hot) })
}

func (b *batch) load(e *entry, g *engine.Generation) {
	b.loaded = append(b.loaded, change{e.gen, g})
	e.gen, e.err, e.shadow = g, nil, nil
	e.hadText = e.hadText || len(bytes.TrimSpace(g.Bytes)) > 0
}

func (b *batch) fail(e *entry, err *fault.ScriptError) {
	e.err = err
	b.errors = append(b.errors, failure{err, e.gen != nil && !e.gen.Registry.Hollow()})
}

// record keeps e's version as the last good one, once it is in force.
func (b *batch) record(e *entry) {
	if e.at.source != scriptfile.SourceBuiltin {
		b.records = append(b.records, e)
	}
}

// say adds a notice, once.
func (b *batch) say(text string) {
	if !slices.Contains(b.notices, text) {
		b.notices = append(b.notices, text)
	}
}

// scan updates the current set from the files. It returns when to scan again, for files that are
// not settled, or zero if there are none; and channels that close when a version that is being
// loaded is in force or has failed.
func (l *Loader) scan(ctx context.Context, b batch) (next time.Time, loading []<-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return time.Time{}, nil
	}
	began := time.Now()
	l.off.readFile()
	s := l.look()
	b.now = time.Now()
	if l.last == nil || b.force {
		if err := l.review.readFile(); err != nil {
			b.say(plain.Error(err))
		}
	}
	if b.first = l.last == nil; b.first {
		s = l.recall(&b, s)
	}
	l.review.refresh()
	there := map[string]bool{}
	for _, f := range s.files {
		there[f.name] = true
		l.visit(ctx, &b, f)
	}
	for _, e := range l.sorted() {
		switch {
		case there[e.name]:
		case s.isDisabled(e):
			b.disable(l, e)
		default:
			l.absent(ctx, &b, e, s)
		}
	}
	l.review.holdDisabled(&b, s.disabled)
	s.disabled = append(s.disabled, b.off...)
	l.review.dropGone(&b)
	if b.first && !l.o.NoScripts || len(b.wave) > 0 {
		l.review.beacon.removeLeft()
	}
	l.o.Settings.checkFiles(b.first)
	l.last = s
	l.review.looked.Store(&began)
	l.reportProblems(&b, s)
	l.commit(&b)
	l.launch(&b)
	if l.follow() {
		b.again(b.now)
	}
	for _, e := range l.sorted() {
		if e.loading != nil {
			loading = append(loading, e.loading.done)
		}
	}
	return b.next, loading
}

// follow also watches paths that turned out to be unreadable, and the places of modules. It reports
// whether it added a watch: changes made there before caused no event.
func (l *Loader) follow() bool {
	return l.watcher != nil && l.last != nil && l.watcher.follow(l.plan(l.last))
}

// look makes a survey, and watches everything in it, so that later changes cause events. If it adds
// watches, it repeats the survey, because earlier changes caused no events.
func (l *Loader) look() *survey {
	s := l.places.survey()
	for range watchRounds {
		if l.watcher == nil || !l.watcher.follow(l.plan(s)) {
			break
		}
		s = l.places.survey()
	}
	return s
}

func (l *Loader) sorted() []*entry {
	out := make([]*entry, 0, len(l.entries))
	for _, e := range l.entries {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *entry) int { return cmp.Compare(a.name, b.name) })
	return out
}

// reportProblems reports new problems; known ones keep their shadows.
func (l *Loader) reportProblems(b *batch, s *survey) {
	now := map[string]*problem{}
	for _, p := range s.problems {
		if inForce(l.entries, p.path) {
			continue // its file is missing or unreadable, which entry and events report
		}
		if old := l.problems[p.path]; old != nil && old.err.Message == p.err.Message {
			if p.shadow != nil && old.shadow != nil {
				p.shadow = old.shadow
			}
			if !b.force {
				now[p.path] = p
				continue
			}
		}
		now[p.path] = p
		kept := slices.ContainsFunc(l.sorted(), func(e *entry) bool {
			return e.gen != nil &&
				e.at.dir == p.path
		})
		b.errors = append(b.errors, failure{p.err, kept})
	}
	l.problems = now
}

// inForce reports whether a version of the file at path is in force.
func inForce(entries map[string]*entry, path string) bool {
	for _, e := range entries {
		if e.at.path == path && (e.gen != nil || e.shadow != nil) {
			return true
		}
	}
	return false
}

// commit swaps, if anything has changed, and reports the changes.
func (l *Loader) commit(b *batch) {
	gens, shadows := l.current()
	leaving := b.leaving()
	var unloads []*event.Event
	for _, g := range leaving {
		cause := b.cause
		if i := slices.IndexFunc(b.removed, func(e *entry) bool { return e.gen == g }); i >= 0 {
			switch {
			case b.removed[i].disabled:
				cause = "disabled"
			case b.removed[i].off:
				cause = "off"
			default:
				cause = "removed"
			}
		}
		ev := l.teller.unloadEvent(g, cause)
		unloads = append(unloads, ev)
		l.eng.Emitter.EmitTo(g, ev) // while the old version can still receive the event
	}
	if len(b.loaded)+len(b.removed) > 0 || !slices.Equal(shadows, l.shadows) {
		l.eng.Scripts.Swap(gens, shadows)
		l.shadows = shadows
	}
	l.publish()
	for _, ev := range unloads {
		l.eng.Emitter.Emit(ev)
	}
	for _, c := range b.loaded {
		l.eng.Emitter.Emit(l.teller.loadEvent(c.new, b.loadCause()))
		if l.o.Joined != nil && b.loadCause() != "start" {
			go l.o.Joined(c.new)
		}
	}
	for _, f := range b.errors {
		l.eng.Notices.ReportError(f.err, f.kept)
	}
	l.memory.keep(b)
	l.review.inForce(b)
	l.tell(b)
	l.askOrphans(b.orphans)
	l.review.ask(l, b.held)
}

// leaving returns the generations that this batch removes.
func (b *batch) leaving() []*engine.Generation {
	var out []*engine.Generation
	for _, c := range b.loaded {
		if c.old != nil {
			out = append(out, c.old)
		}
	}
	for _, e := range b.removed {
		if e.gen != nil {
			out = append(out, e.gen)
		}
	}
	return out
}

// loadCause returns the cause of a script_load; a script can be added during a scan that a removal
// caused.
func (b *batch) loadCause() string {
	if b.cause == "removed" {
		return "save"
	}
	return b.cause
}

func (l *Loader) current() (gens []*engine.Generation, shadows []*engine.Handler) {
	for _, e := range l.sorted() {
		if e.gen != nil {
			gens = append(gens, e.gen)
		}
		if e.shadow != nil {
			shadows = append(shadows, e.shadow)
		}
	}
	if l.last != nil {
		for _, p := range l.last.problems {
			if q := l.problems[p.path]; q != nil && q.shadow != nil {
				shadows = append(shadows, q.shadow)
			}
		}
	}
	return gens, shadows
}
