// This file follows the links of a path, and opens the result without following links again.

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/nolink"
	"github.com/agentscripts/agent/engine/realpath"
)

// locate follows all links of an absolute path. Names that do not exist or cannot be examined are
// not changed.
func locate(path string) string {
	real, _ := realpath.Of(path)
	return real
}

// real returns a path of a script with links followed. last: a link at the end is followed too.
func (f *Files) real(path string, last bool) string {
	path = f.absolute(path)
	if last {
		return locate(path)
	}
	return filepath.Join(locate(filepath.Dir(path)), filepath.Base(path))
}

// entry is a folder on the way to the target.
type entry struct {
	info fs.FileInfo
	next string // the next name; "" = this folder is the target
	rel  string // the path of next below the anchor
}

// enterFolder opens the folder at s, name by name from the anchor; none of them may be a link. It
// calls look, which may be nil, for each folder on the way. If missing is not nil, missing folders
// are created for which it returns nil.
func enterFolder(s spot, look func(entry) error, missing func(rel string) error) (*os.Root, error) {
	at, err := os.OpenRoot(nolink.Dot(s.anchor))
	if err != nil {
		return nil, err
	}
	var names []string
	if s.rel != "." {
		names = strings.Split(s.rel, "/")
	}
	for i := 0; ; i++ {
		if look != nil {
			e := entry{}
			if i < len(names) {
				e.next, e.rel = names[i], strings.Join(names[:i+1], "/")
			}
			if e.info, err = at.Stat("."); err == nil {
				err = look(e)
			}
			if err != nil {
				at.Close()
				return nil, err
			}
		}
		if i == len(names) {
			return at, nil
		}
		var make func() error
		if missing != nil {
			make = func() error { return missing(strings.Join(names[:i+1], "/")) }
		}
		next, err := nolink.Enter(at, names[i], make)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
}
