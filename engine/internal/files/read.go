// This file reads files and folders.

package files

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/glob"
)

const (
	// MaxRead is how many bytes are read at once: a script holds all of them in memory, a few
	// times.
	MaxRead = 8 << 20
	// MaxLines is how many lines are: a list costs more than its text.
	MaxLines = 200_000
	// MaxEntries is how many entries a list of files has at most.
	MaxEntries = 20_000
	// maxVisited is how many entries Find looks at: some seconds' worth.
	maxVisited = 500_000
)

// Part says which part of a file is meant. The zero value: all of it.
type Part struct {
	Offset int64 // what is left out before it
	Limit  int64 // how much it is at most; 0 = all, which must not be too much
}

// openFile opens a plain file that the script may read.
func (r *Reach) openFile(path string) (f *os.File, err error) {
	err = again(func() error {
		s, err := r.reached(read, path, true)
		if err != nil {
			return err
		}
		dir, name := s.parent()
		at, err := enterFolder(dir, nil, nil)
		if err != nil {
			return err
		}
		defer at.Close()
		f, err = openPlain(at, name, os.O_RDONLY)
		return err
	})
	return f, r.world(path, err)
}

// Read returns bytes of a file.
func (r *Reach) Read(path string, p Part) ([]byte, error) {
	f, err := r.openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if p.Offset > 0 {
		if _, err := f.Seek(p.Offset, io.SeekStart); err != nil {
			return nil, r.world(path, err)
		}
	}
	most := int64(MaxRead) + 1
	if p.Limit > 0 {
		most = min(p.Limit, most)
	}
	b, err := io.ReadAll(io.LimitReader(f, most))
	switch {
	case err != nil:
		return nil, r.world(path, err)
	case len(b) > MaxRead:
		return nil, r.failWith(TooLarge, path,
			"it is larger than %d MiB: read it in parts, with offset and limit", MaxRead>>20)
	}
	return b, nil
}

// Lines returns lines of a file, without their ends. ctx ends the look for the first.
func (r *Reach) Lines(ctx context.Context, path string, p Part) ([]string, error) {
	f, err := r.openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	lines, size := []string{}, 0
	for n := int64(0); p.Limit == 0 || int64(len(lines)) < p.Limit; n++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		line, err := readLine(in, n >= p.Offset)
		if err == io.EOF && line == "" {
			break
		}
		if err != nil && err != io.EOF {
			return nil, r.world(path, r.tooLarge(path, err))
		}
		if n < p.Offset {
			continue
		}
		lines = append(lines, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		if size += len(line); size > MaxRead || len(lines) > MaxLines {
			return nil, r.tooLarge(path, errTooLarge)
		}
	}
	return lines, nil
}

var errTooLarge = errors.New("too large")

func (r *Reach) tooLarge(path string, err error) error {
	if err != errTooLarge {
		return err
	}
	return r.failWith(TooLarge, path,
		"that is more than %d MiB or %d lines: read it in parts, with offset and limit",
		MaxRead>>20, MaxLines)
}

// readLine reads a line with its end. One that is not wanted is not kept: its text is wrong.
func readLine(in *bufio.Reader, wanted bool) (string, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		switch {
		case wanted:
			line = append(line, piece...)
		case len(piece) > 0:
			line = append(line[:0], piece[0])
		}
		if len(line) > MaxRead {
			return "", errTooLarge
		}
		if err != bufio.ErrBufferFull {
			return string(line), err
		}
	}
}

// Info is what is known of a file.
type Info struct {
	Kind    string // file, directory, link or other
	Size    int64
	ModTime time.Time
	Mode    fs.FileMode
}

// Stat says what a path leads to.
func (r *Reach) Stat(path string) (info Info, err error) {
	err = again(func() error {
		s, err := r.reached(read, path, true)
		if err != nil {
			return err
		}
		dir, name := s.parent()
		at, err := enterFolder(dir, nil, nil)
		if err != nil {
			return err
		}
		defer at.Close()
		is, err := at.Lstat(name)
		if err != nil {
			return err
		}
		if is.Mode()&fs.ModeSymlink != 0 { // to nowhere: else it had been followed
			return fs.ErrNotExist
		}
		info = Info{kindOf(is.Mode()), is.Size(), is.ModTime(), is.Mode()}
		return nil
	})
	return info, r.world(path, err)
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "file"
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "link"
	}
	return "other"
}

// Entry is what lies in a folder.
type Entry struct{ Name, Kind string }

// List returns what lies in a folder, in order of the names, as far as the script may know of it. A
// link is one, whatever it leads to.
func (r *Reach) List(path string) (out []Entry, err error) {
	err = again(func() error {
		s, err := r.folder(path)
		if err != nil {
			return err
		}
		at, err := enterFolder(s, nil, nil)
		if err != nil {
			return err
		}
		defer at.Close()
		list, err := readFolder(at, MaxEntries+1)
		switch {
		case err != nil:
			return err
		case len(list) > MaxEntries:
			return r.failWith(TooLarge, path, "it holds more than %d files", MaxEntries)
		}
		out = []Entry{}
		for _, e := range list {
			if r.visible(filepath.Join(s.path(), e.Name()), e.IsDir()) {
				out = append(out, Entry{e.Name(), kindOf(e.Type())})
			}
		}
		return nil
	})
	return out, r.world(path, err)
}

// readFolder reads at most n entries, in order of their names.
func readFolder(at *os.Root, n int) ([]fs.DirEntry, error) {
	f, err := at.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(n)
	if err == io.EOF {
		err = nil
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, err
}

// Find returns the paths that fit a glob and that the script may read, in order: plain files, or
// folders. Links are left out. A relative glob gives relative paths. limit 0: all, which must not
// be too many.
func (r *Reach) Find(ctx context.Context, pattern string, folders bool, limit int) ([]string,
	error) {
	base, rest := glob.Split(filepath.ToSlash(pattern))
	search := finder{ctx: ctx, reach: r, pattern: rest, folders: folders, most: MaxEntries + 1}
	if limit > 0 {
		search.most = min(limit, MaxEntries)
	}
	err := again(func() error {
		search.found, search.seen = []string{}, 0
		s, err := r.folder(base)
		if err != nil {
			return err
		}
		at, err := enterFolder(s, nil, nil)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer at.Close()
		search.root = s.path()
		return search.walk(at, ".")
	})
	if err == nil && len(search.found) > MaxEntries {
		err = r.failWith(TooLarge, pattern, "more than %d files fit: give a limit", MaxEntries)
	}
	if err != nil {
		return nil, r.world(base, err)
	}
	if strings.HasPrefix(base, "~") {
		base = filepath.ToSlash(r.files.absolute(base))
	}
	for i, rel := range search.found {
		search.found[i] = path.Join(base, rel)
	}
	return search.found, nil
}

type finder struct {
	ctx     context.Context
	reach   *Reach
	root    string
	pattern string
	folders bool
	most    int
	seen    int
	found   []string
}

// walk looks through the folder rel below the root.
func (f *finder) walk(at *os.Root, rel string) error {
	list, err := readFolder(at, maxVisited)
	if err != nil && rel != "." {
		return nil // what cannot be looked into holds nothing for us
	}
	for _, e := range list {
		if err := context.Cause(f.ctx); err != nil {
			return err
		}
		if f.seen++; f.seen > maxVisited {
			return f.reach.failWith(TooLarge, f.pattern,
				"more than %d files were looked at: ask for less at a time", maxVisited)
		}
		at, name := at, path.Join(rel, e.Name())
		real := filepath.Join(f.root, filepath.FromSlash(name))
		if wanted := e.Type().IsRegular() && !f.folders || e.IsDir() && f.folders; wanted &&
			glob.Match(f.pattern, name) && f.reach.visible(real, false) {
			if f.found = append(f.found, name); len(f.found) >= f.most {
				return nil
			}
		}
		if !e.IsDir() || !mayHold(f.pattern, name) || !f.reach.visible(real, true) {
			continue
		}
		below, err := openFolder(at, e.Name(), nil)
		if err != nil {
			continue // gone, exchanged, or closed to us
		}
		err = f.walk(below, name)
		below.Close()
		if err != nil || len(f.found) >= f.most {
			return err
		}
	}
	return err
}
