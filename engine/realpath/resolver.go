package realpath

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Resolver resolves several paths at one moment: it looks at each name once, however many of the
// paths it is part of. Use a new one for the next moment. The zero Resolver is ready for use, by
// one goroutine.
type Resolver struct {
	// Spend, if not nil, is called with the looks that each name takes: one, and one more for each
	// name in the text of a link. A long name counts as several: it takes more memory. If Spend
	// returns false, no path is resolved any more.
	Spend func(looks int) bool

	names map[string]target
}

// nameBytes is how long a name may be that counts as one look.
const nameBytes = 256

// errStopped is the error of a name for which Spend returns false.
var errStopped = errors.New("the limit of looks is reached")

// target is where a link leads, or why that is not known.
type target struct {
	to  string
	err error
}

// Of is the function Of.
func (r *Resolver) Of(path string) (real string, ok bool) { return followLinks(path, r.readlink) }

// Existing returns the real path of path, "" if nothing is there or it cannot be reached.
func (r *Resolver) Existing(path string) string {
	real, ok := r.Of(path)
	if !ok {
		return ""
	}
	if _, err := os.Lstat(real); err != nil {
		return ""
	}
	return real
}

// Links returns the links that Of follows for path, in this order: each with the links in its
// folder followed. If there are too many, it returns the first maxLinks.
func (r *Resolver) Links(path string) (links []string) {
	followLinks(path, func(name string) (string, error) {
		to, err := r.readlink(name)
		if err == nil && len(links) < maxLinks {
			links = append(links, name)
		}
		return to, err
	})
	return links
}

func (r *Resolver) readlink(name string) (string, error) {
	to, err := r.target(name)
	if r.Spend != nil &&
		!r.Spend(1+len(name)/nameBytes+strings.Count(to, string(filepath.Separator))) {
		return "", errStopped
	}
	return to, err
}

// target is os.Readlink of a name, once.
func (r *Resolver) target(name string) (string, error) {
	known, ok := r.names[name]
	if ok {
		return known.to, known.err
	}
	if in := r.names[filepath.Dir(name)]; errors.Is(in.err, fs.ErrNotExist) {
		known = in // nothing is in a folder that is missing
	} else {
		known.to, known.err = os.Readlink(name)
	}
	if r.names == nil {
		r.names = map[string]target{}
	}
	r.names[name] = known
	return known.to, known.err
}
