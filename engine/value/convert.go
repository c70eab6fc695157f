// This file defines what the conversions of both languages have in common: bounds, and errors.

package value

import (
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine/plain"
)

// MaxValues is how many values one conversion from a script may visit: tables that hold each other
// many times over would unfold into more than the memory holds, though nowhere deep.
const MaxValues = 1_000_000

// maxPath is how many bytes of a path of keys an error names: sixty keys do not tell more than the
// first ones.
const maxPath = 60

// What a conversion from a script refuses.
var (
	ErrDepth  = fmt.Errorf("a table nested deeper than %d levels", MaxDepth)
	ErrCycle  = errors.New("a table that contains itself, want plain data")
	ErrValues = fmt.Errorf("more than %d values", MaxValues)
)

// PathError is a failure to convert the value below some keys.
type PathError struct {
	Path string // ".a[2]"
	Err  error  // names what is there
}

func (e *PathError) Error() string { return e.Path + ": got " + e.Err.Error() }
func (e *PathError) Unwrap() error { return e.Err }

// InKey says that err was met below key, which is ".a", "[2]", or the name of an argument.
func InKey(key string, err error) error {
	var below *PathError
	if errors.As(err, &below) {
		return &PathError{shortPath(key + below.Path), below.Err}
	}
	return &PathError{key, err}
}

// shortPath returns the beginning of a path.
func shortPath(path string) string {
	if len(path) <= maxPath {
		return path
	}
	return plain.Head(path, maxPath) + "…"
}
