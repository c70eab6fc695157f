// This file implements ext.fs.temp: a temporary folder for each script, removed when the script is
// reloaded or unloaded.

package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/vm"
)

// temps holds the temporary folders of scripts.
type temps struct {
	mu     sync.Mutex
	dirs   map[*engine.Generation]string
	closed bool
}

// of returns the folder of g, "" if it has none yet.
func (t *temps) of(g *engine.Generation) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dirs[g]
}

// need returns the folder of g, and creates it if it does not exist. Only the user can access it.
func (t *temps) need(g *engine.Generation) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if dir := t.dirs[g]; dir != "" {
		return dir, nil
	}
	if t.closed || g.Retired() {
		return "", vm.ErrClosed
	}
	dir, err := os.MkdirTemp("", "agent-script-")
	if err != nil {
		return "", err
	}
	if t.dirs == nil {
		t.dirs = map[*engine.Generation]string{}
	}
	t.dirs[g] = dir
	g.Gone(func() { t.drop(g) })
	return dir, nil
}

func (t *temps) drop(g *engine.Generation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	os.RemoveAll(t.dirs[g])
	delete(t.dirs, g)
}

// close removes all folders.
func (t *temps) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for g, dir := range t.dirs {
		os.RemoveAll(dir)
		delete(t.dirs, g)
	}
}

// suffix matches the permitted endings of a temporary file's name.
var suffix = lazyregexp.New(`^[A-Za-z0-9._-]*$`)

func (x *fileSystem) temp(c *engine.HostCall) (any, error) {
	const name = "ext.fs.temp"
	o := table(c.Args[0])
	end := text(o["suffix"])
	if !named(suffix(), end) {
		return nil, fmt.Errorf(
			"%s: options.suffix: got %.80q, want up to 64 letters, digits, _, . and -", name, end)
	}
	ctx := c.Run.Context()
	path, err := apart.Run(ctx, func() (any, error) {
		dir, err := x.temps.need(c.Gen)
		if err != nil {
			return nil, err
		}
		if truth(o["directory"]) {
			return os.MkdirTemp(dir, "*"+end)
		}
		f, err := os.CreateTemp(dir, "*"+end)
		if err != nil {
			return nil, err
		}
		return filepath.ToSlash(f.Name()), f.Close()
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, vm.ErrClosed) {
		err = &fault.WorldError{Code: "failed", Message: name + ": " + plain.Error(err)}
	}
	return path, err
}
