// This file reads where a repository's HEAD is, without running git.

package trust

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Position is where the HEAD of a repository is.
type Position struct {
	ID    string   // changes when HEAD moves: by a commit, a checkout, a pull; "" = no repository
	Files []string // a change of HEAD changes one of them
}

// maxGitFile is the largest file of git's that is read: a list of 100,000 packed references.
const maxGitFile = 16 << 20

// Head returns the position of HEAD in the work tree that holds dir. Source of the formats:
// gitrepository-layout(5), git-pack-refs(1), git-worktree(1).
func Head(dir string) Position {
	for {
		if p := headOf(filepath.Join(dir, ".git")); p.ID != "" {
			return p
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Position{}
		}
		dir = up
	}
}

// headOf reads the HEAD of a .git folder, or of the file of a work tree or submodule.
func headOf(git string) Position {
	if b, err := readPlain(git); err == nil {
		to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
		if !ok {
			return Position{}
		}
		git = beside(filepath.Dir(git), to)
	}
	head := filepath.Join(git, "HEAD")
	b, err := readPlain(head)
	if err != nil {
		return Position{}
	}
	p := Position{ID: strings.TrimSpace(string(b)), Files: []string{head}}
	name, ok := strings.CutPrefix(p.ID, "ref: ")
	if !ok || !filepath.IsLocal(name) {
		return p
	}
	common := git
	if b, err := readPlain(filepath.Join(git, "commondir")); err == nil { // of a work tree
		common = beside(git, strings.TrimSpace(string(b)))
	}
	loose, packed := filepath.Join(common, filepath.FromSlash(name)),
		filepath.Join(common, "packed-refs")
	tables := filepath.Join(common, "reftable", "tables.list")
	p.Files = append(p.Files, loose, packed, tables)
	if b, err := readPlain(tables); err == nil { // references are in a format of its own
		p.ID += " " + string(b)
	} else if b, err := readPlain(loose); err == nil {
		p.ID += " " + strings.TrimSpace(string(b))
	} else if b, err := readPlain(packed); err == nil {
		p.ID += " " + packedRef(b, name)
	}
	return p
}

// packedRef finds a reference in packed-refs: lines of a hash, a space and a name.
func packedRef(packed []byte, name string) string {
	for line := range bytes.Lines(packed) {
		hash, ref, ok := strings.Cut(strings.TrimSpace(string(line)), " ")
		if ok && ref == name {
			return hash
		}
	}
	return ""
}

// beside returns a path that may be relative to dir.
func beside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// readPlain reads a regular file of limited size, and never waits for a pipe or a device.
func readPlain(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxGitFile:
		return nil, errors.New("not a plain file")
	}
	return io.ReadAll(io.LimitReader(f, maxGitFile))
}
