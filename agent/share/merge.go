// This file merges newer versions of scripts with the edits of the user. For that it keeps the
// bytes that were installed.

package share

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/plain"
)

// mostOriginals is how many installed versions are kept: more than anybody has scripts.
const mostOriginals = 1000

func originals(in *Installer) string { return filepath.Join(in.state(), in.own("originals")) }

// keepOriginal keeps the bytes of a script that is installed. The oldest ones go.
func keepOriginal(in *Installer, f File) error {
	dir := originals(in)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, f.SHA256), f.Text, 0o600); err != nil {
		return err
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) <= mostOriginals {
		return err
	}
	age := map[string]int64{}
	for _, d := range list {
		if info, err := d.Info(); err == nil {
			age[d.Name()] = info.ModTime().UnixNano()
		}
	}
	sort.Slice(list, func(i, j int) bool { return age[list[i].Name()] < age[list[j].Name()] })
	for _, d := range list[:len(list)-mostOriginals] {
		os.Remove(filepath.Join(dir, d.Name()))
	}
	return nil
}

// original returns the bytes that an entry names: those that were kept, or those of the commit that
// it is of. ok is false if they are not known.
func original(ctx context.Context, in *Installer, e Entry) (text []byte, ok bool) {
	text, err := readScript(filepath.Join(originals(in), e.SHA256))
	if err == nil && newFile(e.File, text, Source{}, "").SHA256 == e.SHA256 {
		return text, true
	}
	s, err := ParseSource(e.Source)
	if err != nil || s.Kind != KindGit || !commits().MatchString(e.Resolved) {
		return nil, false
	}
	f, err := exactly(ctx, in, e)
	return f.Text, err == nil
}

// ConflictError is the error of edits that cannot be merged with a newer version. Nothing has
// changed.
type ConflictError struct {
	File string
	// Lines are the places of the edited script that the newer version changes too.
	Lines []diff.Conflict
}

// mostConflicts is how many places an error names.
const mostConflicts = 8

func (e *ConflictError) Error() string {
	var places []string
	for _, c := range e.Lines[:min(len(e.Lines), mostConflicts)] {
		switch {
		case c.First == c.Last:
			places = append(places, fmt.Sprintf("line %d", c.First))
		case c.First < c.Last:
			places = append(places, fmt.Sprintf("lines %d to %d", c.First, c.Last))
		default:
			places = append(places, fmt.Sprintf("after line %d", c.Last))
		}
	}
	if more := len(e.Lines) - len(places); more > 0 {
		places = append(places, plain.Count(more, "more place"))
	}
	return fmt.Sprintf("%s: the newer version changes what you have edited: %s", e.File,
		strings.Join(places, ", "))
}

// Merge returns a preview of a newer version, p, with the user's edits of the version that was
// installed here; e is the entry of the script. It is nil if the bytes of that version are not
// known. The error is a *ConflictError if both have changed the same lines.
func Merge(ctx context.Context, in *Installer, p *Preview, e Entry) (*Preview, error) {
	had, _ := past{in}.entries()
	if had := entryOf(had, e.File); had != nil { // others may have changed the lock file since
		e = *had
	}
	base, ok := original(ctx, in, e)
	if !ok {
		return nil, ctx.Err()
	}
	text, conflicts := diff.Merge(string(base), string(p.old), string(p.File.Text))
	if conflicts != nil {
		return nil, &ConflictError{e.File, conflicts}
	}
	m, err := in.Preview(newFile(p.Name, []byte(text), p.From, p.Resolved))
	if err != nil {
		return nil, err
	}
	if m.was != p.was {
		return nil, fmt.Errorf("%s has %w", p.Name, errChanged)
	}
	m.merged, m.locked, m.team = &p.File, p.locked, p.team
	return m, nil
}

// Merged reports whether it is a newer version with the user's edits.
func (p *Preview) Merged() bool { return p.merged != nil }
