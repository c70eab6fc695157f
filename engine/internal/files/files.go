// Package files gives scripts the files that their grants name, and no others.
//
//	f := files.New(files.Options{Project: root, CWD: dir, User: home, Home: agentHome})
//	reach := f.Reach([]string{"./**"}, []string{"~/notes/**"}, "")
//	b, err := reach.Read("README.md", files.Part{})
//
// A path is taken for what it leads to: links are followed first, and what they lead to must be
// granted. Then the folders are opened one by one, none of them through a link: who exchanges a
// folder for a link between the look and the use gets an error, not a file. What is neither a plain
// file nor a folder is refused, so nothing here waits for a pipe. The agent's own settings are not
// written, whatever the grants say; see protected.go. A file is replaced in one step.
//
// It does not hold back what has the user's rights by itself: programs that a script runs.
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

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

// Options say where things are. All are absolute; "" = there is none.
type Options struct {
	Project string // where relative grants begin
	CWD     string // where relative paths begin
	User    string // what ~ stands for
	Home    string // the agent's own directory
}

// Files makes reaches.
type Files struct {
	o      Options
	looked func() // called between the look and the use, by tests; nil = nobody
}

// New makes a Files. Nothing is looked at yet.
func New(o Options) *Files { return &Files{o: o} }

// Codes of errors.
const (
	NotFound     = "not_found"
	Exists       = "exists"
	Denied       = "denied" // by the system, or because it is protected
	IsDirectory  = "is_directory"
	NotDirectory = "not_directory"
	NotEmpty     = "not_empty"
	Invalid      = "invalid" // no name of a file, no plain file, no text
	TooLarge     = "too_large"
	Failed       = "failed" // all else: the disk is full
)

// Error is what the world has against a call.
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

// errMoved is what a path led to when it was looked at is not what it leads to now.
var errMoved = errors.New("it is being exchanged while it is used")

// errNotPlain is what is neither a plain file nor a folder.
var errNotPlain = errors.New("it is no plain file")

// attempts is how often a path is looked at again that was exchanged meanwhile. Who saves a file
// does it once.
const attempts = 5

// again tries until a path holds still.
func again(try func() error) error {
	err := errMoved
	for i := 0; i < attempts && errors.Is(err, errMoved); i++ {
		err = try()
	}
	return err
}

// world makes an *Error of what an operation on path came to.
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
	if errors.Is(err, errMoved) {
		// its links lead round in a circle
		if _, serr := os.Stat(r.files.absolute(path)); errors.Is(serr, syscall.ELOOP) {
			err, e.Message = serr, plain.Cause(serr).Error()
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Message = NotFound, "no such file"
	case errors.Is(err, errMoved), errors.Is(err, fs.ErrPermission):
		e.Code = Denied
	case errors.Is(err, syscall.ENOTEMPTY): // which is an ErrExist, too
		e.Code, e.Message = NotEmpty, "it is not empty"
	case errors.Is(err, fs.ErrExist):
		e.Code, e.Message = Exists, "it exists"
	case errors.Is(err, syscall.EISDIR):
		e.Code, e.Message = IsDirectory, "it is a directory"
	case errors.Is(err, syscall.ENOTDIR):
		e.Code, e.Message = NotDirectory, "it is not a directory"
	case errors.Is(err, errNotPlain), errors.Is(err, syscall.EINVAL),
		errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		e.Code = Invalid
	}
	return e
}

// NotText is the error of a file that was read as text and holds none.
func (r *Reach) NotText(path, why string) error { return r.failWith(Invalid, path, "%s", why) }

func (r *Reach) failWith(code, path, format string, args ...any) error {
	return &Error{code, r.files.shown(path), fmt.Sprintf(format, args...)}
}

// absolute is a path from the root: ~/ is the user's home, and a relative one begins at CWD.
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

// inHome expands a path that begins with ~, with slashes. ~/.agent is the agent's own directory,
// which $AGENT_HOME may have put elsewhere. false: it does not begin so, or there is no home.
func (f *Files) inHome(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "~")
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	if own, ok := strings.CutPrefix(rest, "/.agent"); ok && f.o.Home != "" &&
		(own == "" || own[0] == '/') {
		return path.Join(filepath.ToSlash(f.o.Home), own), true
	}
	if f.o.User == "" {
		return "", false
	}
	return path.Join(filepath.ToSlash(f.o.User), rest), true
}

// shown is a path as a user would write it: ./ in the project, ~/ in the home.
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
