// This file watches folders, and polls where watching does not work.

package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// pollEvery is the polling interval if there are no events: as long as users tolerate; checking
	// 200 files takes less than a millisecond.
	pollEvery = time.Second
	// watchRounds is how often a survey is repeated because it needed new watches: folders can
	// appear during a survey, but not endlessly.
	watchRounds = 4
)

// watcher is the one watcher of a loader: instances are scarce (128 for each user on Linux, editors
// included).
type watcher struct {
	fs     *fsnotify.Watcher // nil: it could not be created
	now    atomic.Pointer[plan]
	kicked chan struct{} // capacity 1: scan now

	mu      sync.Mutex
	watched map[string]os.FileInfo // by path: identity of the folder
	changed map[string]int         // by path: how often the folder was replaced, see homeID
	polling string                 // why polling is needed; "" if it is not
}

func newWatcher(newFS func() (*fsnotify.Watcher, error)) *watcher {
	w := &watcher{kicked: make(chan struct{}, 1), watched: map[string]os.FileInfo{},
		changed: map[string]int{}}
	w.now.Store(&plan{})
	fsw, err := newFS()
	if err != nil {
		w.polling = pollingText(err)
		return w
	}
	w.fs = fsw
	return w
}

func pollingText(why any) string {
	err, _ := why.(error)
	switch { // which limit these errors mean, the system does not say. Source: inotify(7)
	case errors.Is(err, syscall.ENOSPC):
		why = "the system watches no more for you: sysctl fs.inotify.max_user_watches is the limit"
	case errors.Is(err, syscall.EMFILE):
		why = "too many open files: sysctl fs.inotify.max_user_instances or ulimit -n is the limit"
	}
	return fmt.Sprintf(
		"script folders cannot be watched (%v): they are checked every %s instead, and at "+
			"/reload", why, pollEvery)
}

func (w *watcher) close() {
	if w.fs != nil {
		w.fs.Close()
	}
}

// why returns the reason for polling, "" if it is not needed.
func (w *watcher) why() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.polling
}

// follow watches the paths of the plan, and no others. It reports whether it added a folder. A
// folder that was removed and created again under the same name is a new one.
func (w *watcher) follow(p *plan) (added bool) {
	w.now.Store(p)
	if w.fs == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	alive := map[string]bool{}
	for _, path := range w.fs.WatchList() {
		alive[path] = true
	}
	for path := range w.watched {
		if !alive[path] {
			w.changed[path]++
		}
		if !p.dirs[path] || !alive[path] {
			_ = w.fs.Remove(path) // it may already be gone
			delete(w.watched, path)
		}
	}
	for path := range p.dirs {
		if w.add(path) {
			added = true
		}
	}
	return added
}

// times returns how often the folder at the path was seen to be replaced.
func (w *watcher) times(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed[path]
}

// add watches one folder; false if it is watched already or cannot be. Under w.mu.
func (w *watcher) add(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return false // its parent is watched
	}
	if old := w.watched[path]; old != nil {
		if os.SameFile(old, info) {
			return false
		}
		_ = w.fs.Remove(path)
	}
	switch err := w.fs.Add(path); {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		delete(w.watched, path)
		return false // gone or unreadable: its parent is watched
	default:
		delete(w.watched, path)
		w.poll(pollingText(err))
		return false
	}
	w.watched[path] = info
	if kind := remoteKind(path); kind != "" {
		w.poll(pollingText(path + " is on a file system that does not report changes by other " +
			"machines: " +
			kind))
	}
	return true
}

// poll switches to polling permanently: a resource that was exhausted once would be exhausted
// again.
func (w *watcher) poll(why string) {
	if w.polling == "" {
		w.polling = why
		w.kick()
	}
}

func (w *watcher) kick() {
	select {
	case w.kicked <- struct{}{}:
	default:
	}
}

// kick makes the watching goroutine scan.
func (l *Loader) kick() {
	l.mu.Lock()
	w := l.watcher
	l.mu.Unlock()
	if w != nil {
		w.kick()
	}
}

// relevant returns the path of an event; ok is false if the event does not concern scripts.
func (l *Loader) relevant(ev fsnotify.Event) (path string, ok bool) {
	p := l.watcher.now.Load()
	path = filepath.Clean(ev.Name)
	dir, name := filepath.Split(path)
	switch {
	case ev.Name == "":
		return "", false
	case ev.Op == fsnotify.Chmod:
		return path, p.unreadable[path]
	case p.names[path], p.dirs[path]:
		return path, true
	}
	// possibly a folder with an extension
	return path, p.folders[filepath.Clean(dir)] &&
		(l.builder.isScript(name) || !noise(name) && len(l.builder.formats()) > 0)
}

// watch scans when something has changed. It sleeps otherwise, unless it has to poll. test is in
// progress.
func (l *Loader) watch(ctx context.Context, test probe) {
	w := l.watcher
	var events chan fsnotify.Event
	var errs chan error
	if w.fs != nil {
		events, errs = w.fs.Events, w.fs.Errors
	}
	defer test.remove()
	hot := debounce{}
	// a scan that an earlier one requested; the next look without an event
	var again, poll time.Time
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for {
		scan, quick := false, false
		alarm.Stop()
		if w.why() != "" && poll.IsZero() {
			poll = time.Now().Add(pollEvery)
		}
		if next := earliest(hot.next(), again, poll, test.end); !next.IsZero() {
			alarm.Reset(time.Until(next))
		}
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-events:
			if !ok { // the watcher has ended, which happens only at Close
				events = nil
				continue
			}
			if test.saw(ev.Name) {
				continue
			}
			if path, ok := l.relevant(ev); ok {
				hot.touch(path, time.Now())
			}
			continue
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			hot.touch("", time.Now()) // usually an overflow: look at everything
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.mu.Lock()
				w.poll(pollingText(err))
				w.mu.Unlock()
			}
			continue
		case <-w.kicked:
			scan = true
		case <-alarm.C:
			now := time.Now()
			w.missed(&test, now)
			scan = hot.take(now) || isDue(again, now)
			quick = !scan && isDue(poll, now)
		}
		if scan || quick {
			again, _ = l.scan(ctx, batch{cause: "save", quick: quick, hot: hot.has})
			poll = time.Time{}
		}
	}
}

// earliest returns the earliest of the nonzero times; zero if there is none.
func earliest(times ...time.Time) time.Time {
	var first time.Time
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

func isDue(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }
