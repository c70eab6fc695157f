// This file writes the lock file of a team, beside the scripts that the team keeps.

package share

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/lint"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
)

// TeamFile is the lock file of a team as it is to be, in the folder of its scripts.
type TeamFile struct {
	Path          string
	Before, After []Entry // in order of their files; those of the folder have a relative source
	Same          bool    // the file has these bytes already

	text []byte
}

// ListTeam returns the lock file for the scripts at some paths, which are files or folders; without
// paths, for all below the folder dir, in which the lock file is. What the lock file there names by
// an address stays in it.
func (f *Fetcher) ListTeam(dir string, paths []string) (*TeamFile, error) {
	t := &TeamFile{Path: filepath.Join(dir, lockName)}
	was, err := readLimited(t.Path, mostBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", t.Path, plain.Cause(err))
	}
	if err == nil {
		if t.Before, err = readLock(t.Path, f.CheckName); err != nil {
			return nil, err
		}
	}
	for _, e := range t.Before {
		s, err := ParseSource(e.Source)
		switch {
		case err != nil:
			return nil, err
		case filepath.IsAbs(e.Source):
			return nil, fmt.Errorf("%s: %s is from %s, a path of one machine: this is not the "+
				"lock file of a team; choose another folder, or remove it", t.Path, e.File,
				plain.RevealName(e.Source))
		case s.Kind != KindFile:
			// Of the machine that it was copied from:
			e.Installed, e.Pinned, e.Team = time.Time{}, false, ""
			t.After = append(t.After, e)
		}
	}
	if len(paths) == 0 {
		paths = []string{dir}
	}
	for _, p := range paths {
		if err := t.addPath(f, dir, p); err != nil {
			return nil, err
		}
	}
	if len(t.After) > mostFiles {
		return nil, fmt.Errorf("there are more than %d scripts: name those that the lock file is "+
			"to have", mostFiles)
	}
	t.Before, t.After = sortedEntries(t.Before), sortedEntries(t.After)
	t.text, err = encodeLock(t.After)
	t.Same = err == nil && was != nil && bytes.Equal(was, t.text)
	return t, err
}

// addPath adds the script at a path, or those below it: none of folders that begin with a dot, and
// none of modules.
func (t *TeamFile) addPath(f *Fetcher, dir, at string) error {
	info, err := os.Stat(at)
	if err != nil {
		return fmt.Errorf("%s: %w", plain.RevealName(at), plain.Cause(err))
	}
	if !info.IsDir() {
		return t.addScript(f, dir, at)
	}
	return filepath.WalkDir(at, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", plain.RevealName(path), plain.Cause(err))
		case d.IsDir() && path != at &&
			(strings.HasPrefix(name, ".") || name == "lib" || name == "node_modules"):
			return filepath.SkipDir
		case !d.Type().IsRegular() || !f.isScript(name) || strings.HasSuffix(name, ".d.ts"):
			return nil
		}
		return t.addScript(f, dir, path)
	})
}

// addScript adds a script.
func (t *TeamFile) addScript(f *Fetcher, dir, at string) error {
	name := filepath.Base(at)
	fails := func(err error) error { return fmt.Errorf("%s: %w", plain.RevealName(at), err) }
	if err := f.CheckName(name); err != nil {
		return fails(err)
	}
	text, err := readScript(at)
	if err == nil {
		err = checkText(text)
	}
	if err != nil {
		return fails(err)
	}
	for _, x := range lint.Source(name, text) {
		if x.Level == lint.Error {
			x.File = at
			return errors.New(plain.Text(x.String()))
		}
	}
	source, err := relativeSource(dir, at)
	if err != nil {
		return fails(err)
	}
	for _, e := range t.After {
		if e.Source == source {
			return nil // it was named twice
		}
		if strings.EqualFold(withoutEnding(e.File), withoutEnding(name)) {
			return fmt.Errorf("%s and %s have one name, and a machine has one script of a "+
				"name: rename one, or name those that the lock file is to have",
				plain.RevealName(e.Source), plain.RevealName(source))
		}
	}
	header, _ := load.ParseHeader(name, text)
	t.After = append(t.After, Entry{File: name, Source: source, Version: header.Version,
		SHA256: newFile(name, text, Source{}, "").SHA256, Grants: header.Grants})
	return nil
}

// relativeSource returns the source of a script in a lock file in a folder.
func relativeSource(dir, at string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(at)
	if err != nil {
		return "", err
	}
	source, err := filepath.Rel(from, to)
	if err != nil {
		return "", err
	}
	source = filepath.ToSlash(source)
	s, err := ParseSource(source)
	if err != nil || s.Kind != KindFile || strings.ContainsAny(source, `\:`) {
		return "", errors.New("its folder has a name that cannot be written as a source: rename it")
	}
	return source, nil
}

// Write writes the file.
func (t *TeamFile) Write() error {
	if err := atomicfile.Write(t.Path, t.text, 0o644); err != nil {
		return fmt.Errorf("%s: %w", t.Path, plain.Cause(err))
	}
	return nil
}

// Difference is what a new version of a lock file does to one of its scripts.
type Difference struct {
	Entry
	Change string // added, changed or dropped
}

// Differences returns what is new, in order of the files.
func (t *TeamFile) Differences() (list []Difference) {
	for _, e := range t.After {
		switch was := entryOf(t.Before, e.File); {
		case was == nil:
			list = append(list, Difference{e, "added"})
		case was.SHA256 != e.SHA256 || was.Source != e.Source:
			list = append(list, Difference{e, "changed"})
		}
	}
	for _, e := range t.Before {
		if entryOf(t.After, e.File) == nil {
			list = append(list, Difference{e, "dropped"})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].File < list[j].File })
	return list
}
