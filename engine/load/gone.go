// This file decides what becomes of a script whose file is gone.

package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
)

// question is what the user is being asked about some orphans. It is taken back once none of them is one.
type question struct {
	open   int // orphans
	cancel context.CancelFunc
}

// settled takes an orphan out of the question about it: it is there again, or it has gone. Under l.mu.
func (e *entry) settled() {
	if q := e.asked; q != nil {
		e.asked = nil
		if q.open--; q.open == 0 {
			q.cancel()
		}
	}
}

// back forgets that the file was gone: it is there again.
func (e *entry) back(l *Loader) {
	if e.orphan {
		l.good.mark(e.at.path, false)
	}
	e.settled()
	e.goneSince, e.byTool, e.orphan, e.released = time.Time{}, false, false, false
}

// absent looks at a script whose file is nowhere any more. It goes once it has been absent for goneAfter;
// but if a tool may have removed it, it stays until the user decides.
func (l *Loader) absent(b *batch, e *entry, s *survey) {
	switch {
	case s.closed[e.at.dir]:
		return // unreadable is not deleted
	case l.eng.Runtime(e.name) == nil && there(e.at.path):
		return // its format was removed: it goes with its file
	case e.gen == nil && e.shadow == nil:
		e.abandon()
		delete(l.entries, e.name)
		return
	case e.released, e.orphan && b.force:
		l.unload(b, e)
		return
	case e.orphan:
		return
	}
	if e.goneSince.IsZero() {
		e.goneSince, e.sure = b.now, false
	}
	e.byTool = e.byTool || l.eng.Mutating(mutationWindow)
	if b.wait(e.goneSince.Add(goneAfter), &e.sure) {
		return
	}
	if e.byTool {
		e.orphan = true
		b.orphans = append(b.orphans, e)
		return
	}
	l.unload(b, e)
}

func (l *Loader) unload(b *batch, e *entry) {
	e.settled()
	e.abandon()
	delete(l.entries, e.name)
	b.removed = append(b.removed, e)
}

// askOrphans asks the user, once for all of them and without holding up the loader, whether scripts may go
// whose files vanished while a tool was at work. Under l.mu.
func (l *Loader) askOrphans(orphans []*entry) {
	if len(orphans) == 0 {
		return
	}
	names := make([]string, len(orphans))
	since := make([]time.Time, len(orphans))
	for i, e := range orphans {
		names[i], since[i] = e.name, e.goneSince
		l.good.mark(e.at.path, true)
	}
	list := strings.Join(names, ", ")
	l.notify(fmt.Sprintf("%s: the file is gone, and a tool was at work when it vanished; the last version stays in force until /reload", list))
	if l.o.Confirm == nil || l.closed {
		return
	}
	ctx, cancel := context.WithCancel(l.life)
	q := &question{open: len(orphans), cancel: cancel}
	for _, e := range orphans {
		e.asked = q
	}
	l.busy.Add(1)
	go func() {
		defer l.busy.Done()
		defer cancel()
		yes, err := l.o.Confirm(ctx, fmt.Sprintf("%s vanished while a tool was at work. Unload it, so that it no longer takes part?", list))
		if !yes || err != nil || ctx.Err() != nil { // an answer to a question that was taken back is none
			return
		}
		l.mu.Lock()
		for i, e := range orphans {
			e.released = e.orphan && e.goneSince.Equal(since[i])
		}
		l.mu.Unlock()
		l.settle(l.life, batch{cause: "removed"})
	}()
}

// recall goes through the last good versions on disk at the first scan. It brings back those of scripts
// whose folder cannot be read and of those that vanished under a tool's hands in an earlier session; those of
// files that the user deleted meanwhile are removed.
func (l *Loader) recall(ctx context.Context, b *batch, s *survey) {
	for _, r := range l.good.all() {
		f, ok := l.home(s, r)
		_, err := os.Lstat(r.Path)
		closed := s.closed[f.dir]
		switch {
		case !ok || l.entries[r.Name] != nil || !closed && !errors.Is(err, fs.ErrNotExist):
			continue // not of today's places, or visit has dealt with it
		case !closed && !r.Vanished && f.source == engine.SourceUser:
			_ = l.good.remove(r.Path) // else it is tried at the next start
			continue
		case !closed && !r.Vanished:
			continue // a file given with -e, this time without its file
		}
		l.bring(ctx, b, &entry{name: r.Name, at: f, goneSince: b.now}, closed)
	}
}

// bring puts the last good version of a script in force whose file is not there or, because its folder is closed, cannot be read.
func (l *Loader) bring(ctx context.Context, b *batch, e *entry, closed bool) {
	l.entries[e.name] = e
	var g *engine.Generation
	at := e.at
	apply := func(_ context.Context, b *batch) {
		if g == nil {
			delete(l.entries, e.name)
			return
		}
		b.load(e, g)
		e.header, e.hash = g.Header, g.Hash
		if closed {
			b.fail(e, at.scriptError(&trouble{message: "its folder " + at.dir + " cannot be read", hint: "check the folder's permissions", blind: true}))
			return
		}
		e.orphan = true
		b.orphans = append(b.orphans, e)
	}
	b.begin(ctx, &loading{entry: e, run: func(ctx context.Context) { g = l.restore(ctx, &at, "") }, apply: apply, drop: func() { l.discard(g) }})
}

// home says where a recorded script belongs among the places of today.
func (l *Loader) home(s *survey, r *record) (found, bool) {
	f := found{name: r.Name, path: r.Path, dir: dirOf(r.Path), spots: trace(r.Path).names}
	if strings.Contains(r.Name, "/") { // an extension in a folder of its own
		f.dir = dirOf(f.dir)
	}
	for _, path := range l.o.Extra {
		if r.Path == path || f.dir == path {
			f.source = engine.SourceCLI
			return f, true
		}
	}
	f.source = engine.SourceUser
	return f, !l.o.NoScripts && f.dir == l.userDir()
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
