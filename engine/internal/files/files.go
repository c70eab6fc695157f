// Package files gives scripts the files that their grants name, and no others.
//
//	f := files.New(files.Options{Project: root, CWD: dir, User: home, Home: agentHome})
//	reach := f.Reach([]string{"./**"}, []string{"~/notes/**"}, "")
//	b, err := reach.Read("README.md", files.Part{})
//
// Links in a path are followed first, and the grants must cover the result. Then the folders are
// opened one by one, none of them through a link: if a program replaces a folder by a link between
// check and use, the result is an error. Only regular files and folders are opened, so that nothing
// waits for a pipe. The agent's own settings are never written, with any grants: see protected.go.
// A file is replaced in one step.
//
// The package does not restrict programs that a script runs.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentscripts/agent/engine/nolink"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

// Options are the folders of a Files. All are absolute; "" = none.
type Options struct {
	Project string // relative grants begin here
	CWD     string // relative paths begin here
	User    string // replaces ~
	Home    string // the agent's own directory
}

// Files makes a Reach for each call of a script.
type Files struct {
	o      Options
	looked func() // for tests: called between check and use; may be nil
}

// New returns a Files. It does not access the file system.
func New(o Options) *Files { return &Files{o: o} }

// Codes of errors.
const (
	NotFound     = "not_found"
	Exists       = "exists"
	Denied       = "denied" // by the system, or because it is protected
	IsDirectory  = "is_directory"
	NotDirectory = "not_directory"
	NotEmpty     = "not_empty"
	Invalid      = "invalid" // not a valid name, not a regular file, not text
	TooLarge     = "too_large"
	Failed       = "failed" // other errors, such as a full disk
)

// Error is an error that does not depend on the script, such as a missing file.
type Error struct {
	Code    string
	Path    string // as the user would write it
	Message string
}

func (e *Error) Error() string { return e.Path + ": " + e.Message }

// NeedsError is a path that no grant names.
type NeedsError struct {
	Kind string // fs.read or fs.write
	Path string // as a grant would name it
}

func (e *NeedsError) Error() string { return "needs " + e.Kind + ":" + e.Path }

// attempts is how often an operation is tried whose path was replaced meanwhile. Saving a file
// replaces it once.
const attempts = 5

// retryMoved calls try again while it fails with nolink.ErrMoved, up to attempts times.
func retryMoved(try func() error) error {
	err := nolink.ErrMoved
	for i := 0; i < attempts && errors.Is(err, nolink.ErrMoved); i++ {
		err = try()
	}
	return err
}

// world converts the error of an operation on path to an *Error.
func (r *Reach) world(path string, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	var needs *NeedsError
	if errors.As(err, &known) || errors.As(err, &needs) {
		return err
	}
	e := &Error{Failed, r.files.shown(path), plain.Cause(err).Error()}
	if errors.Is(err, nolink.ErrMoved) {
		// the links may form a loop
		if _, serr := os.Stat(r.files.absolute(path)); errors.Is(serr, syscall.ELOOP) {
			err, e.Message = serr, plain.Cause(serr).Error()
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Message = NotFound, "no such file"
	case errors.Is(err, nolink.ErrMoved), errors.Is(err, fs.ErrPermission):
		e.Code = Denied
	case errors.Is(err, syscall.ENOTEMPTY): // it is also an ErrExist
		e.Code, e.Message = NotEmpty, "it is not empty"
	case errors.Is(err, fs.ErrExist):
		e.Code, e.Message = Exists, "it exists"
	case errors.Is(err, syscall.EISDIR):
		e.Code, e.Message = IsDirectory, "it is a directory"
	case errors.Is(err, syscall.ENOTDIR):
		e.Code, e.Message = NotDirectory, "it is not a directory"
	case errors.Is(err, nolink.ErrNotPlain), errors.Is(err, syscall.EINVAL),
		errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		e.Code = Invalid
	}
	return e
}

// NotText returns the error of a file that was read as text and is not text.
func (r *Reach) NotText(path, why string) error { return r.failWith(Invalid, path, "%s", why) }

func (r *Reach) failWith(code, path, format string, args ...any) error {
	return &Error{code, r.files.shown(path), fmt.Sprintf(format, args...)}
}

// absolute returns the absolute form of a path, which may begin with ~/ or be relative to CWD.
func (f *Files) absolute(path string) string {
	at, ok := f.inHome(filepath.ToSlash(path))
	switch {
	case ok:
		return filepath.FromSlash(at)
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(f.o.CWD, path)
}

// inHome expands a path with slashes that begins with ~. ~/.agent is the agent's own directory,
// which may be elsewhere ($AGENT_HOME). It returns false if the path does not begin with ~ or there
// is no home.
func (f *Files) inHome(text string) (string, bool) {
	rest, ok := realpath.CutHome(text)
	if !ok {
		return "", false
	}
	if own, ok := strings.CutPrefix(rest, ".agent"); ok && f.o.Home != "" &&
		(own == "" || own[0] == '/') {
		return path.Join(filepath.ToSlash(f.o.Home), own), true
	}
	if f.o.User == "" {
		return "", false
	}
	return path.Join(filepath.ToSlash(f.o.User), rest), true
}

// shown returns a path as a user would write it: with ./ in the project, and ~/ in the home.
func (f *Files) shown(path string) string {
	path = f.absolute(path)
	for _, at := range []struct{ dir, sign string }{{f.o.Project, "."}, {f.o.User, "~"}} {
		for _, dir := range []string{at.dir, locate(at.dir)} {
			if rel, ok := realpath.Below(dir, path); ok && rel == "." {
				return at.sign
			} else if ok {
				return at.sign + "/" + rel
			}
		}
	}
	return filepath.ToSlash(path)
}
