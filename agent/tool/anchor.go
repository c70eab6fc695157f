// This file opens files at the paths that the decision about the call was based on. A program that
// runs at the same time may replace a folder with a link in between, so that the path leads to a
// file that the user has not allowed.

package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/nolink"
	"github.com/agentscripts/agent/engine/realpath"
)

// decidedPath returns path with links followed. It fails if the result is not one of the paths that
// the decision was based on. If decided is empty, there was no decision.
func decidedPath(path string, decided []string) (string, error) {
	to, ok := realpath.Of(path)
	if !ok {
		return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("too many links")}
	}
	if len(decided) > 0 && !slices.Contains(decided, to) {
		return "", errMoved
	}
	return to, nil
}

var errMoved = errors.New("it leads elsewhere than when the call was allowed: nothing was done")

// moved returns errMoved for a file or folder that was replaced after its path was compared with
// those of the decision, and other errors as they are.
func moved(err error) error {
	if errors.Is(err, nolink.ErrMoved) || errors.Is(err, nolink.ErrNotPlain) ||
		errors.Is(err, syscall.EISDIR) {
		return errMoved
	}
	return err
}

// openDecided opens a file for reading, if path still leads to one of the decided paths.
func openDecided(use *engine.Use, path string, decided []string) (*os.File, error) {
	to, err := decidedPath(path, decided)
	if err != nil {
		return nil, err
	}
	f, err := nolink.Open(to)
	if err != nil {
		return nil, moved(err)
	}
	if st, err := f.Stat(); err != nil || !use.Seen(st) { // another file has got this name
		f.Close()
		return nil, errMoved
	}
	return f, nil
}

// place is a folder or a file that a tool searches or lists.
type place struct {
	path string       // absolute, as the model gave it
	tree *nolink.Tree // nil: it is a file
	file *os.File     // nil: it is a folder
}

func (p *place) Close() {
	if p.tree != nil {
		p.tree.Close()
	}
	if p.file != nil {
		p.file.Close()
	}
}

// searched opens the directory or the file to search: name, or the working directory if it is "".
// Everything below it is opened from there.
func searched(op string, use *engine.Use, name string) (*place, error) {
	if name == "" {
		name = "."
	}
	path, err := resolvePath(use, name)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	decided, _ := use.Decided()
	to, err := decidedPath(path, decided)
	if err != nil {
		return nil, explain(op, name, err)
	}
	st, err := os.Stat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w%s", explain(op, name, err), neighbour(path))
	case err != nil:
		return nil, explain(op, name, err)
	case !st.IsDir() && !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s %s: is neither a directory nor a regular file (%s)", op,
			name, st.Mode().Type())
	}
	p := &place{path: path}
	if st.IsDir() {
		p.tree, err = nolink.OpenTree(to)
	} else {
		p.file, err = openDecided(use, to, decided)
	}
	if err != nil {
		return nil, explain(op, name, moved(err))
	}
	return p, nil
}
