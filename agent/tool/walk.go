// This file walks a tree on several goroutines, skipping files that its repositories ignore.

package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent/internal/ignore"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/nolink"
)

// walkers returns the number of goroutines that walk: they mostly wait for the disk, and must not
// use the whole machine.
func walkers() int { return min(8, 2*runtime.GOMAXPROCS(0)) }

// walk visits everything below a directory except .git and ignored files. It follows no links, so
// that it cannot loop, and opens no folder through a link.
type walk struct {
	root  string // absolute, for the rules of repositories
	tree  *nolink.Tree
	user  []string // files of ignore rules for every repository
	enter func(rel string) bool
	// visit is called for everything else. who is the number of the goroutine, below walkers(). rel
	// is relative to root, with slashes.
	visit func(who int, rel string, e fs.DirEntry)

	unread atomic.Int64 // directories that could not be read

	mu      sync.Mutex
	changed *sync.Cond
	dirs    []walkDir // waiting directories; the last one is next
	busy    int
	stopped bool
}

type walkDir struct {
	rel   string // "" = the root
	rules *ignore.Rules
}

// runWalk walks until everything was visited or ctx ends. It does not wait for goroutines that are
// blocked by a disk, so visit may still be called after it returns.
func (w *walk) runWalk(ctx context.Context) error {
	w.changed = sync.NewCond(&w.mu)
	w.dirs = []walkDir{{"", ignore.Above(w.root, w.user)}}
	defer context.AfterFunc(ctx, w.stopWalk)()
	var all sync.WaitGroup
	errs := make([]error, walkers())
	for who := range errs {
		all.Go(func() { errs[who] = w.work(ctx, who) })
	}
	_, err := apart.Run(ctx, func() (any, error) {
		all.Wait()
		return nil, errors.Join(errs...)
	})
	return err
}

// searchTime is the time limit of a search. In a tree that is too large for it, the model must
// narrow the search.
const searchTime = 60 * time.Second

const tooLong = "[the search was ended after a minute: this is what was found until then; search " +
	"less]\n"

// search walks with a time limit. It returns a note about that limit and about unreadable
// directories.
func (w *walk) search(ctx context.Context) (note string, err error) {
	within, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	switch err := w.runWalk(within); {
	case ctx.Err() != nil:
		return "", stopped(ctx)
	case within.Err() != nil:
		note = tooLong
	case err != nil:
		return "", err
	}
	if n := w.unread.Load(); n > 0 {
		note += fmt.Sprintf("[%d directories could not be read]\n", n)
	}
	return note, nil
}

// work runs one goroutine. A panic becomes an error, and ends the walk.
func (w *walk) work(ctx context.Context, who int) error {
	err := apart.Call(func() error {
		for d, ok := w.nextDir(); ok; d, ok = w.nextDir() {
			w.readDir(ctx, who, d)
			w.done()
		}
		return nil
	})
	if err != nil {
		w.stopWalk()
	}
	return err
}

func (w *walk) stopWalk() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.changed.Broadcast()
}

// nextDir waits for a directory to read; ok is false if there are none left.
func (w *walk) nextDir() (d walkDir, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.dirs) == 0 && w.busy > 0 && !w.stopped {
		w.changed.Wait()
	}
	if len(w.dirs) == 0 || w.stopped {
		return d, false
	}
	d = w.dirs[len(w.dirs)-1]
	w.dirs = w.dirs[:len(w.dirs)-1]
	w.busy++
	return d, true
}

func (w *walk) done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy--; w.busy == 0 && len(w.dirs) == 0 {
		w.changed.Broadcast()
	}
}

func (w *walk) pushDir(d walkDir) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirs = append(w.dirs, d)
	w.changed.Signal()
}

func (w *walk) readDir(ctx context.Context, who int, d walkDir) {
	dir := filepath.Join(w.root, filepath.FromSlash(d.rel))
	entries, err := w.tree.ReadDir(d.rel) // unsorted: the order does not matter
	if err != nil {
		w.unread.Add(1) // a part of it may have been read
	}
	has := func(name string) bool {
		for _, e := range entries {
			if e.Name() == name {
				return true
			}
		}
		return false
	}
	rules := d.rules.Enter(dir, has, w.user)
	for _, e := range entries {
		name := e.Name()
		if name == ".git" || rules.Ignored(dir+string(filepath.Separator)+name, e.IsDir()) {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		rel := name
		if d.rel != "" {
			rel = d.rel + "/" + name
		}
		switch {
		case !e.IsDir():
			w.visit(who, rel, e)
		case w.enter == nil || w.enter(rel):
			w.pushDir(walkDir{rel, rules})
		}
	}
}

// shownPath formats a path below root so that the model can use it again.
func shownPath(use *engine.Use, root, rel string) string {
	path := filepath.Join(root, filepath.FromSlash(rel))
	dir := workdir(use)
	if dir == "" {
		return quoteName(path)
	}
	if r, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(r) {
		return quoteName(filepath.ToSlash(r))
	}
	return quoteName(path)
}
