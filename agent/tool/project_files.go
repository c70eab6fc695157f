package tool

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/nolink"
	"github.com/agentscripts/agent/engine/realpath"
)

// Files lists at most most files and directories below dir, for a user who picks one: relative to
// dir, with slashes, directories with a slash at the end, the ones of few levels first. What git
// ignores and .git are left out, as in the tools that search; ignored are the user's own files of
// such rules. all is false if there are more, or ctx ended first.
func Files(ctx context.Context, dir string, ignored []string, most int) (paths []string, all bool,
	err error) {
	dir, _ = realpath.Of(dir)
	tree, err := nolink.OpenTree(dir)
	if err != nil {
		return nil, false, err
	}
	defer tree.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	full := false
	add := func(rel string) bool {
		mu.Lock()
		defer mu.Unlock()
		if full = full || len(paths) >= most; full {
			cancel()
			return false
		}
		paths = append(paths, rel)
		return true
	}
	w := &walk{root: dir, tree: tree, user: ignored}
	w.enter = func(rel string) bool { return add(rel + "/") }
	w.visit = func(_ int, rel string, _ fs.DirEntry) { add(rel) }
	err = w.runWalk(ctx)
	mu.Lock()
	defer mu.Unlock()
	if ended := ctx.Err() != nil; ended || full {
		full, err = true, nil
	}
	paths = slices.Clone(paths) // the walk may go on for a moment
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(levels(a), levels(b)), cmp.Compare(a, b))
	})
	return paths, !full, err
}

// levels returns how many directories are above a path.
func levels(rel string) int { return strings.Count(strings.TrimSuffix(rel, "/"), "/") }
