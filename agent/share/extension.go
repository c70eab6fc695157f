// This file installs extensions of other hosts, which are folders.

package share

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
)

const (
	// mostParts and mostExtension limit an extension: its files, and their bytes in all. The
	// loader reads files up to that size.
	mostParts     = 5000
	mostExtension = 256 << 20
)

// Extension is an extension of another host that a source offers.
type Extension struct {
	Folder   string // its name
	Manifest string // the name of its manifest, which is in the folder
	Header   scriptfile.Header
	Wants    []load.Want
	Parts    []Part // in order of their paths
	From     Source
	Resolved string // where From led
	Replaces bool   // there is one in its place
	Changed  []string
	Diff     string // of the manifests, if there is one in its place
	Edited   bool   // what is in its place is not what was installed: see Newer

	was    string   // the hash of what is in its place
	had    []string // its grants
	agreed bool     // the user has agreed to them
}

// Name returns the name of the extension, FOLDER/MANIFEST.
func (x *Extension) Name() string { return x.Folder + "/" + x.Manifest }

// Part is a file of an extension.
type Part struct {
	Path       string // slash-separated, in the folder
	Bytes      []byte
	Executable bool
}

// Formats are the formats of extensions of other hosts.
type Formats struct {
	Manifests []string // the names of their manifests
	// Header reads a manifest by the name of the extension, FOLDER/MANIFEST.
	Header func(name string, manifest []byte) (scriptfile.Header, error)
	// Start starts the extension in a folder, and ends it: an error means that it does not work.
	// nil = it is not tried.
	Start func(ctx context.Context, dir string) error
}

// Offered returns the extension that a source offers, and compares it with what is in its place.
// It returns nil if the source is not the folder of one. as is the name of its folder; "" = that in
// its manifest.
func (t Extensions) Offered(ctx context.Context, s Source, as string) (*Extension, error) {
	ctx, stop := context.WithTimeout(ctx, fetchTime)
	defer stop()
	var x *Extension
	var err error
	switch s.Kind {
	case KindFile:
		x, err = t.In.Formats.local(s)
	case KindGit:
		x, err = t.In.Formats.repository(ctx, t.In.Fetch, s)
	}
	if x == nil || err != nil {
		return nil, err
	}
	x.From = s
	i := slices.IndexFunc(x.Parts, func(p Part) bool { return p.Path == x.Manifest })
	if x.Header, err = t.In.Formats.Header("x/"+x.Manifest, x.Parts[i].Bytes); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Manifest, err)
	}
	x.Wants = load.Wants("", x.Header.Grants, x.Header.Grants)
	if x.Folder = as; as == "" {
		if x.Folder = x.Header.Name; x.Folder == "x/"+x.Manifest { // it has none of its own
			x.Folder = path.Base(filepath.ToSlash(cmp.Or(s.Path, s.At)))
		}
	}
	for _, p := range x.Parts {
		if p.Path != x.Manifest && slices.Contains(t.In.Formats.Manifests, p.Path) {
			return nil, fmt.Errorf("it is two extensions: it has %s and %s", x.Manifest, p.Path)
		}
	}
	if !names().MatchString(x.Folder) || IsDevice(x.Folder) {
		return nil, fmt.Errorf("the name %q cannot be that of a folder: --as NAME gives another",
			plain.RevealName(x.Folder))
	}
	return x, t.compare(x)
}

// compare compares an extension with the one in its place.
func (t Extensions) compare(x *Extension) error {
	old, err := readParts(filepath.Join(t.In.Extensions, x.Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	x.Replaces = true
	if err != nil { // it is replaced all the same
		return nil
	}
	was := map[string]Part{}
	for _, p := range old {
		was[p.Path] = p
	}
	x.was = hashParts(old)
	i := slices.IndexFunc(x.Parts, func(p Part) bool { return p.Path == x.Manifest })
	x.Diff = diff.Whole(string(was[x.Manifest].Bytes), string(x.Parts[i].Bytes))
	header, _ := t.In.Formats.Header("x/"+x.Manifest, was[x.Manifest].Bytes)
	x.had = header.Grants
	for _, p := range x.Parts {
		before, ok := was[p.Path]
		if delete(was, p.Path); !ok || !bytes.Equal(before.Bytes, p.Bytes) ||
			before.Executable != p.Executable {
			x.Changed = append(x.Changed, p.Path)
		}
	}
	for gone := range was {
		x.Changed = append(x.Changed, gone+" (removed)")
	}
	slices.Sort(x.Changed)
	return nil
}

// Same reports whether the extension is in its place.
func (x *Extension) Same() bool { return x.Replaces && len(x.Changed) == 0 }

// size returns how many bytes the files have.
func (x *Extension) size() (n int) {
	for _, p := range x.Parts {
		n += len(p.Bytes)
	}
	return n
}

// Wide returns the grants that given does not name. Those of an installed version count as given,
// unless it has edits: the user has agreed to them.
func (x *Extension) Wide(given []string) []string {
	if x.agreed {
		given = append(slices.Clip(given), x.had...)
	}
	return missing(x.Header.Grants, given)
}

// Describe tells what the extension is, for the user's decision.
func (x *Extension) Describe() string {
	lines := []string{fmt.Sprintf("%s %s: %s, %d KB, from %s", x.Name(), x.Header.Version,
		plain.Count(len(x.Parts), "file"), (x.size()+1023)>>10, x.Resolved)}
	if x.Header.Summary != "" {
		lines = append(lines, "  "+plain.Line(x.Header.Summary, 200))
	}
	more := load.Widened(x.had, x.Header.Grants)
	for _, w := range x.Wants {
		line := "  " + w.String()
		if x.Replaces && slices.Contains(more, w.Grant) {
			line += " (the one that is there may not)"
		}
		lines = append(lines, line)
	}
	if x.Replaces {
		lines = append(lines, "  replaces the one that is there; changed: "+
			plain.Line(strings.Join(x.Changed, ", "), 500))
	}
	if x.Diff != "" {
		lines = append(lines, plain.Reveal(strings.TrimRight(x.Diff, "\n")))
	}
	return strings.Join(lines, "\n")
}

// local returns the extension in a folder of this machine; nil if it is not one.
func (f *Formats) local(s Source) (*Extension, error) {
	for _, name := range f.Manifests {
		if _, err := os.Stat(filepath.Join(s.At, name)); err != nil {
			continue
		}
		parts, err := readParts(s.At)
		return &Extension{Manifest: name, Parts: parts, Resolved: s.At}, err
	}
	return nil, nil
}

// readParts reads the files of a folder, except those of its git repository.
func readParts(dir string) (parts []Part, err error) {
	rest := int64(mostExtension)
	err = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return plain.Cause(err)
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() { // a link would copy what it leads to
			return fmt.Errorf("%s: it is not a regular file", plain.RevealName(rel))
		}
		text, err := regularfile.Read(at)
		if err != nil {
			return fmt.Errorf("%s: %w", plain.RevealName(rel), plain.Cause(err))
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rest -= int64(len(text))
		parts = append(parts, Part{filepath.ToSlash(rel), text, info.Mode().Perm()&0o100 != 0})
		return tooLarge(rest, len(parts))
	})
	return parts, err
}

func tooLarge(rest int64, parts int) error {
	if rest < 0 || parts > mostParts {
		return fmt.Errorf("the extension has more than %d files or %d MB", mostParts,
			mostExtension>>20)
	}
	return nil
}

// repository returns the extension in a folder of a git repository; nil if it is not one.
func (f *Formats) repository(ctx context.Context, from *Fetcher, s Source) (*Extension, error) {
	g, done, err := from.openCommit(ctx, s)
	if done != nil {
		defer done()
	}
	if err != nil {
		return nil, nil // that is said when its scripts are fetched
	}
	var x *Extension
	for _, name := range f.Manifests {
		if list, err := g.list(ctx, g.commit, path.Join(s.Path, name)); err == nil &&
			len(list) == 1 && x == nil {
			x = &Extension{Manifest: name, Resolved: g.commit}
		}
	}
	if x == nil {
		return nil, nil
	}
	args := []string{"ls-tree", "-z", "-l", "-r", "--full-tree", g.commit}
	if s.Path != "" {
		args = append(args, "--", literal(s.Path+"/"))
	}
	out, err := g.git(ctx, mostListed, args...)
	if err != nil {
		return nil, err
	}
	rest := int64(mostExtension)
	for _, o := range parseTree(out) {
		name := strings.TrimPrefix(strings.TrimPrefix(o.path, s.Path), "/")
		if rest -= int64(o.size); !strings.HasPrefix(o.mode, "100") {
			return nil, fmt.Errorf("%s: it is not a file", plain.RevealName(name))
		}
		if err := tooLarge(rest, len(x.Parts)+1); err != nil {
			return nil, err
		}
		text, err := g.git(ctx, mostExtension+1, "cat-file", "blob", o.hash)
		if err != nil {
			return nil, err
		}
		x.Parts = append(x.Parts, Part{name, text, o.mode == "100755"})
	}
	return x, nil
}

// Install puts an extension that the user has agreed to in its place, if it starts. What
// was there goes to the trash. If anything fails, it stays.
func (t Extensions) Install(ctx context.Context, x *Extension) error {
	in := t.In
	if err := os.MkdirAll(in.state(), 0o700); err != nil {
		return err
	}
	around, err := os.MkdirTemp(in.state(), "extension-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(around)
	staged := filepath.Join(around, x.Folder)
	if err := writeParts(staged, x.Parts); err != nil {
		return err
	}
	if in.Formats.Start != nil {
		if err := in.Formats.Start(ctx, staged); err != nil {
			return fmt.Errorf("it does not start, and was not installed: %w", err)
		}
	}
	return in.changeScripts("", func(list []Entry) ([]Entry, error) {
		installed, err := t.installed()
		if err == nil {
			err = t.moveIn(staged, x.Folder)
		}
		if err == nil {
			e := x.entry(in)
			if old := entryOf(installed, x.Folder); old != nil {
				e.Pinned = old.Pinned
			}
			err = writeLock(t.path(), withEntry(installed, e))
		}
		return list, err
	})
}

// writeParts writes the files of an extension into a new folder.
func writeParts(dir string, parts []Part) error {
	for _, p := range parts {
		if !filepath.IsLocal(filepath.FromSlash(p.Path)) {
			return fmt.Errorf("%s leads out of the folder", plain.RevealName(p.Path))
		}
		at := filepath.Join(dir, filepath.FromSlash(p.Path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if p.Executable {
			mode = 0o755
		}
		if err := os.WriteFile(at, p.Bytes, mode); err != nil {
			return err
		}
	}
	return nil
}
