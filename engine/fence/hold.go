// This file keeps paths protected while programs run. The mount over a file is gone once another
// program, such as an editor, replaces the file.

package fence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/internal/confine"
)

const (
	// holdEvery is how often protected paths are looked at in any case. Where the system tells of
	// changes, they are also looked at at once.
	holdEvery = time.Second
	// holdTries is how often that is done at once if paths are replaced meanwhile.
	holdTries = 5
	// holdTime is how long protecting a path again may take. On an overloaded machine, to start the
	// program that does it takes seconds, and to end it means to begin again.
	holdTime = time.Minute
)

// Replaced says that another program has replaced files that the sandbox protects, while a program
// was running in it.
type Replaced struct {
	Paths []string
	Err   error // why that program is not kept from the new files; nil = it is, since that moment
}

// String returns it in words for the user.
func (r Replaced) String() string {
	paths := strings.Join(r.Paths, ", ")
	if r.Err != nil {
		return "the sandbox does not keep a program that runs from " + paths + " any more: that " +
			"was replaced, and cannot be protected again: " + r.Err.Error()
	}
	return "the sandbox protects " + paths + " again, which was replaced while a program ran: it " +
		"may have been used in that moment"
}

// OnReplaced registers a function that is called with each Replaced.
func (f *Fence) OnReplaced(report func(Replaced)) {
	if f != nil {
		f.replaced.Store(&report)
	}
}

// held is a path that is protected by a mount over it.
type held struct {
	setting string // "hidden:/p/.env"
	path    string
	is      os.FileInfo // what was at path; nil = nothing, or it is not protected
}

// held returns the paths that the policy protects by mounts.
func (p Policy) held() (list []held) {
	add := func(key string, paths []string) {
		for _, path := range paths {
			if below("/dev", path) {
				continue // programs have devices of their own
			}
			if is, err := os.Lstat(path); err == nil {
				list = append(list, held{key + ":" + path, path, is})
			}
		}
	}
	add(confine.ReadOnly, p.readOnly())
	add(confine.Link, p.links)
	for _, o := range p.opened {
		add(confine.ReadOnly, o.kept)
	}
	add(confine.Hidden, p.Hidden)
	return list
}

// watched returns the folders in which something has to change before a held path is another file:
// those above the path, up to the writable folder that it is in.
func (p Policy) watched(list []held) (dirs []string) {
	for _, h := range list {
		dirs = append(dirs, filepath.Dir(h.path))
	}
	for _, dir := range p.pinned() {
		dirs = append(dirs, filepath.Dir(dir))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// report tells that files were replaced.
func (f *Fence) report(paths []string, err error) {
	if report := f.replaced.Load(); report != nil {
		(*report)(Replaced{paths, err})
	}
}
