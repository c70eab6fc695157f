// This file reads files and folders.

package files

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/nolink"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

const (
	// MaxRead is how many bytes one call reads: a script has several copies in memory.
	MaxRead = 8 << 20
	// MaxLines is how many lines one call reads: a list needs more memory than its text.
	MaxLines = 200_000
	// MaxEntries is the maximal number of entries in a list of files.
	MaxEntries = 20_000
	// maxVisited is how many entries Find examines, which takes some seconds.
	maxVisited = 500_000
)

// Part is a part of a file, in bytes or lines. The zero value is the whole file.
type Part struct {
	Offset int64 // how much to skip
	Limit  int64 // how much to read at most; 0 = all; too much is an error
}

// openFile opens a plain file that the script may read.
func (r *Reach) openFile(path string) (f *os.File, err error) {
	err = r.inFolder(path, func(at *os.Root, name string) (err error) {
		f, err = nolink.OpenIn(at, name, os.O_RDONLY)
		return err
	})
	return f, r.world(path, err)
}

// inFolder calls look with the folder and the name of a path that the script may read, with links
// followed, again if it was moved meanwhile.
func (r *Reach) inFolder(path string, look func(at *os.Root, name string) error) error {
	return retryMoved(func() error {
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
		return look(at, name)
	})
}

// Read returns a part of a file, counted in bytes.
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

// Lines returns a part of a file, counted in lines, without line ends. It stops when ctx ends.
func (r *Reach) Lines(ctx context.Context, path string, p Part) ([]string, error) {
	f, err := r.openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	lines, size := []string{}, 0
	for n := int64(0); p.Limit == 0 || int64(len(lines)) < p.Limit; n++ {
		line, err := readLine(ctx, in, n >= p.Offset)
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
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

// readLine reads a line with its end. If it is not wanted, the result is only the end, if any.
func readLine(ctx context.Context, in *bufio.Reader, wanted bool) (string, error) {
	most := 0
	if wanted {
		most = MaxRead
	}
	line, err := plain.ReadLine(in, most, func(int) error {
		if wanted {
			return errTooLarge
		}
		return context.Cause(ctx)
	})
	return string(line), err
}

// Info describes a file.
type Info struct {
	Kind    string // file, directory, link or other
	Size    int64
	ModTime time.Time
	Mode    fs.FileMode
}

// Stat returns the Info of a path with links followed.
func (r *Reach) Stat(path string) (info Info, err error) {
	err = r.inFolder(path, func(at *os.Root, name string) (err error) {
		is, err := at.Lstat(name)
		if err != nil {
			return err
		}
		if is.Mode()&fs.ModeSymlink != 0 { // dangling: others have been followed
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

// Entry is a file or folder in a folder.
type Entry struct{ Name, Kind string }

// List returns the entries of a folder that the grants cover, sorted by name. Links are not
// followed.
func (r *Reach) List(path string) (out []Entry, err error) {
	err = retryMoved(func() error {
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

// readFolder returns at most n entries, sorted by name.
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
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, err
}

// Find returns the paths that match a glob and that the grants cover, sorted: regular files, or
// with folders set, folders. It skips links. A relative glob gives relative paths. limit 0 means
// all; too many are an error.
func (r *Reach) Find(ctx context.Context, pattern string, folders bool, limit int) ([]string,
	error) {
	base, rest := glob.Split(filepath.ToSlash(pattern))
	search := finder{ctx: ctx, reach: r, pattern: rest, folders: folders, most: MaxEntries + 1}
	if limit > 0 {
		search.most = min(limit, MaxEntries)
	}
	err := retryMoved(func() error {
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
		err = r.failWith(TooLarge, pattern, "more than %d files match: give a limit", MaxEntries)
	}
	if err != nil {
		return nil, r.world(base, err)
	}
	if _, home := realpath.CutHome(base); home {
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

// walk searches the folder rel below the root.
func (f *finder) walk(at *os.Root, rel string) error {
	list, err := readFolder(at, maxVisited)
	if err != nil && rel != "." {
		return nil // skip folders that cannot be read
	}
	for _, e := range list {
		if err := context.Cause(f.ctx); err != nil {
			return err
		}
		if f.seen++; f.seen > maxVisited {
			return f.reach.failWith(TooLarge, f.pattern,
				"more than %d files were examined: search a smaller folder", maxVisited)
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
		below, err := nolink.Enter(at, e.Name(), nil)
		if err != nil {
			continue // removed, replaced, or not readable
		}
		err = f.walk(below, name)
		below.Close()
		if err != nil || len(f.found) >= f.most {
			return err
		}
	}
	return err
}
