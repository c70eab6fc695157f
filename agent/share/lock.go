// This file reads and writes the lock file.

package share

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

// Entry is what the lock file says of one installed script.
type Entry struct {
	File   string `json:"file"`           // "guard.lua"
	Name   string `json:"name,omitempty"` // by its header or its file
	Source string `json:"source"`         // as the user wrote it
	// Resolved is where that led: path, URL or commit.
	Resolved  string    `json:"resolved,omitempty"`
	SHA256    string    `json:"sha256"`             // of the file, hex
	Version   string    `json:"version,omitempty"`  // by its header
	Grants    []string  `json:"grants"`             // by its header
	Installed time.Time `json:"installed,omitzero"` // in UTC
	Pinned    bool      `json:"pinned,omitempty"`   // it is not updated
	Team      string    `json:"team,omitempty"`     // the lock file of others that it follows
}

// mostLock is the size of the largest lock file.
const mostLock = 16 << 20

// lockVersion is the version of the lock file's format.
const lockVersion = 1

type lockDocument struct {
	Version int     `json:"version"`
	Scripts []Entry `json:"scripts"`
}

// readLock returns the entries of the lock file at path, in order of their files: none if there is
// no lock file. An error says what to do.
func readLock(path string, check func(file string) error) ([]Entry, error) {
	b, err := readLimited(path, mostLock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plain.Cause(err))
	}
	b = plain.TrimBOM(b)
	list, err := parseLock(path, b, func(e *Entry) error { return e.checkEntry(check) })
	var line *lineError
	if errors.As(err, &line) {
		err = fmt.Errorf("%w; mend the line, or take the file from your backup", err)
	}
	return list, err
}

// parseLock returns the entries of a lock file with that text; path names it in errors. check may
// change an entry.
func parseLock(path string, b []byte, check func(*Entry) error) ([]Entry, error) {
	var doc lockDocument
	in := json.NewDecoder(bytes.NewReader(b))
	in.DisallowUnknownFields() // the next change would drop them
	err := in.Decode(&doc)
	if err == nil {
		if _, more := in.Token(); more != io.EOF {
			return nil, lockError(path, lineAt(b, int(in.InputOffset())), errors.New("there is "+
				"more after the end"))
		}
	}
	if v := versionOf(b); v > lockVersion {
		return nil, fmt.Errorf("%s: it has version %d, which a newer agent has written: this one "+
			"knows version %d; install that agent here, too", path, v, lockVersion)
	}
	if err != nil {
		at := int(in.InputOffset())
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			at = int(syntax.Offset)
		case errors.As(err, &kind):
			at = int(kind.Offset)
		}
		switch name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); {
		case errors.Is(err, io.EOF):
			err = errors.New("it is empty")
		case errors.Is(err, io.ErrUnexpectedEOF):
			at, err = len(b), errors.New("it ends too early")
		case ok:
			at, err = bytes.Index(b, []byte(name)), fmt.Errorf("there is no field %s", name)
		}
		return nil, lockError(path, lineAt(b, at), err)
	}
	if doc.Version != lockVersion {
		return nil, lockError(path, 1, fmt.Errorf("got version %d, want %d", doc.Version,
			lockVersion))
	}
	for i := range doc.Scripts {
		e := &doc.Scripts[i]
		if err := check(e); err != nil {
			return nil, lockError(path, lineOf(b, i), err)
		}
		if slices.ContainsFunc(doc.Scripts[:i], func(o Entry) bool {
			return strings.EqualFold(o.File, e.File)
		}) {
			return nil, lockError(path, lineOf(b, i), fmt.Errorf("%s is there twice", e.File))
		}
	}
	return doc.Scripts, nil
}

// versionOf returns the version of a lock file, whatever else is in it; 0 = it is not known.
func versionOf(b []byte) int {
	var doc struct{ Version int }
	_ = json.NewDecoder(bytes.NewReader(b)).Decode(&doc)
	return doc.Version
}

// lineError is the error of a line of a lock file that somebody has edited.
type lineError struct {
	path string
	line int
	error
}

func (e *lineError) Error() string {
	return fmt.Sprintf("%s:%d: %v", e.path, e.line, e.error)
}

func lockError(path string, line int, err error) error { return &lineError{path, line, err} }

// lineAt returns the line of an offset.
func lineAt(b []byte, offset int) int {
	line := 1
	for i, c := range b {
		if i < offset && c == '\n' {
			line++
		}
	}
	return line
}

// lineOf returns the line on which entry i of a lock file begins.
func lineOf(b []byte, i int) int {
	at := bytes.Index(b, []byte(`"scripts"`))
	depth := 0
	for k := max(at, 0); k < len(b); k++ {
		switch b[k] {
		case '"':
			for k++; k < len(b) && b[k] != '"'; k++ {
				if b[k] == '\\' {
					k++
				}
			}
		case '{':
			if depth++; depth == 1 {
				if i == 0 {
					return lineAt(b, k)
				}
				i--
			}
		case '}':
			depth--
		}
	}
	return 1
}

func (e Entry) checkEntry(name func(string) error) error {
	if err := name(e.File); err != nil {
		return fmt.Errorf("file: %w", err)
	}
	if sum, err := hex.DecodeString(e.SHA256); err != nil || len(sum) != 32 {
		return fmt.Errorf("%s: sha256: got %q, want 64 digits in hex", e.File,
			plain.RevealName(e.SHA256))
	}
	if _, err := ParseSource(e.Source); err != nil {
		return fmt.Errorf("%s: %w", e.File, err)
	}
	return nil
}

// sortedEntries returns a copy of a list, sorted by file.
func sortedEntries(list []Entry) []Entry {
	list = slices.Clone(list)
	sort.Slice(list, func(i, j int) bool { return list[i].File < list[j].File })
	return list
}

// encodeLock returns the text of a lock file, with the entries sorted by file.
func encodeLock(list []Entry) ([]byte, error) {
	list = sortedEntries(list)
	for i := range list {
		if list[i].Grants == nil {
			list[i].Grants = []string{}
		}
	}
	b, err := plain.JSON(lockDocument{lockVersion, list}, "  ")
	return append(bytes.TrimRight(b, "\n"), '\n'), err
}

// writeLock writes the entries. A link stays one: dotfiles are often kept so.
func writeLock(path string, list []Entry) error {
	b, err := encodeLock(list)
	if err != nil {
		return err
	}
	if real, ok := realpath.Of(path); ok {
		path = real
	}
	return atomicfile.Write(path, b, 0o644)
}
