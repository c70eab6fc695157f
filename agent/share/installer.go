// This file installs and removes scripts. At each moment the script is the old one or the new one,
// and what was killed half way is finished or undone by the next command.

package share

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
)

// Installer installs scripts into one folder, and keeps the lock file beside it. All fields except
// Root, Now, Syntax, Approve, Removed and First are required.
type Installer struct {
	Home    string // the agent's folder: state and trash are there
	Scripts string // the folder of the scripts
	// Extensions is the folder with extensions of other hosts.
	Extensions string
	Formats    Formats // of these
	Lock       string  // the lock file
	Root       string  // that neither may lead out of by links, such as the project; "" = any
	Fetch      *Fetcher
	Now        func() time.Time // nil = time.Now
	// Syntax reports what keeps a text from being compiled, without running it; nil = the user is
	// told after the question only.
	Syntax func(ctx context.Context, name string, text []byte) error
	// Load loads the script at a path without effect: an error means that it does not load.
	Load func(ctx context.Context, path string) error
	// Approve tells running agents that the user has agreed to these bytes at a path; nil = they
	// find out as with any save.
	Approve func(path string, text []byte) error
	// Removed tells that the user has removed the script; nil = nobody wants to know.
	Removed func(file string) error
	// First is called before the folder of the scripts is created; nil = it is only created.
	First func() error

	step func(name string) // called before each step of a change; for tests
}

func (in *Installer) now() time.Time {
	if in.Now != nil {
		return in.Now().UTC().Truncate(time.Second)
	}
	return time.Now().UTC().Truncate(time.Second)
}

// Path returns the path of a script.
func (in *Installer) Path(file string) string { return filepath.Join(in.Scripts, file) }

// inside checks that a path does not lead out of Root: a repository may bring links.
func (in *Installer) inside(path string) error {
	if in.Root == "" || !realpath.Escapes(in.Root, path) {
		return nil
	}
	return fmt.Errorf("%s leads out of the project by a link: remove the link", path)
}

// readInPlace returns a script in its place.
func (in *Installer) readInPlace(file string) ([]byte, error) {
	if err := in.inside(in.Path(file)); err != nil {
		return nil, err
	}
	text, err := readScript(in.Path(file))
	if err != nil {
		err = fmt.Errorf("%s: %w", in.Path(file), err)
	}
	return text, err
}

// Entries returns the entries of the lock file, in order of their files.
func (in *Installer) Entries() ([]Entry, error) {
	if err := in.inside(in.Lock); err != nil {
		return nil, err
	}
	return readLock(in.Lock, in.Fetch.CheckName)
}

func entryOf(list []Entry, file string) *Entry {
	i := slices.IndexFunc(list, func(e Entry) bool { return strings.EqualFold(e.File, file) })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// LoadError is the error of a script that does not load. What was there before still is.
type LoadError struct {
	File string
	Err  error
}

func (e *LoadError) Error() string {
	said := strings.ReplaceAll(plain.Error(e.Err), stagedMark+e.File, e.File)
	return fmt.Sprintf("%s does not load, and was not installed: %s", e.File, said)
}

func (e *LoadError) Unwrap() error { return e.Err }

// Install puts a script that the user has agreed to in its place.
func (in *Installer) Install(ctx context.Context, p *Preview) error {
	if err := p.Fails(); err != nil {
		return err
	}
	merged := ""
	if p.Merged() {
		merged = p.Name
	}
	return in.changeScripts(merged, func(list []Entry) ([]Entry, error) {
		was, err := in.hash(p.Name)
		if err != nil {
			return nil, err
		}
		if was != p.was {
			return nil, fmt.Errorf("%s has %w", p.Name, errChanged)
		}
		e, old := p.entry(in), entryOf(list, p.Name)
		switch {
		case p.locked != nil:
			if old == nil || !sameEntry(*old, *p.locked) {
				return nil, fmt.Errorf("%s: the lock file has %w", p.Name, errChanged)
			}
			e = *old
		case old != nil:
			e.Pinned = old.Pinned
		}
		in.at("original")
		if err := keepOriginal(in, p.offered()); err != nil {
			return nil, err
		}
		err = in.placeScript(ctx, journal{p.Name, p.SHA256, &e, p.Merged()}, p.File, old, p.old)
		return withEntry(list, e), err
	})
}

// placeScript puts a script in its place, after it has loaded; j is noted until the lock file says
// the same. old is what is there, nil = nothing; it goes to the trash with its entry, was.
func (in *Installer) placeScript(ctx context.Context, j journal, f File, was *Entry,
	old []byte) error {
	at := in.Path(f.Name)
	if real, ok := realpath.Of(at); ok {
		at = real // the link of a dotfile stays one
	}
	staged := in.staged(f.Name)
	in.at("stage")
	if err := atomicfile.Write(staged, f.Text, 0o644); err != nil {
		return err
	}
	defer os.Remove(staged)
	in.at("load")
	if err := in.Load(ctx, staged); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &LoadError{f.Name, err}
	}
	in.at("journal")
	if err := in.writeJournal(j); err != nil {
		return err
	}
	if old != nil {
		in.at("trash")
		if err := in.toTrash(f.Name, old, was); err != nil {
			return err
		}
	}
	if in.Approve != nil {
		in.at("approve")
		if err := in.Approve(in.Path(f.Name), f.Text); err != nil {
			return err
		}
	}
	in.at("place")
	return atomicfile.Write(at, f.Text, 0o644)
}

// stagedMark begins the name of a script that is tried before it is in force: the engine loads no
// file whose name begins with a dot.
const stagedMark = ".new-"

func (in *Installer) staged(file string) string { return in.Path(stagedMark + file) }

func (in *Installer) at(step string) {
	if in.step != nil {
		in.step(step)
	}
}

func withEntry(list []Entry, e Entry) []Entry { return append(withoutEntry(list, e.File), e) }

func withoutEntry(list []Entry, file string) []Entry {
	return slices.DeleteFunc(slices.Clone(list),
		func(e Entry) bool { return strings.EqualFold(e.File, file) })
}

// hash returns the hash of a script in its place; "" if there is none.
func (in *Installer) hash(file string) (string, error) {
	text, err := in.readInPlace(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	return newFile(file, text, Source{}, "").SHA256, nil
}

// changeScripts changes scripts and the lock file, one process at a time: f returns the new
// entries. merged is the file that gets a newer version with the user's edits; "" = none does.
func (in *Installer) changeScripts(merged string, f func([]Entry) ([]Entry, error)) error {
	if err := in.inside(in.Scripts); err != nil {
		return err
	}
	if in.First != nil {
		if err := in.First(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(in.state(), 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(in.Scripts, 0o755); err != nil {
		return err
	}
	lock, err := filelock.Open(filepath.Join(in.state(), in.own("share")+".lock"))
	if err != nil {
		return err
	}
	defer func() { _ = filelock.Close(lock) }()
	in.removeStaged()
	list, err := in.recover()
	if err != nil {
		return err
	}
	before := list
	if list, err = f(slices.Clone(before)); err != nil {
		return errors.Join(err, in.endJournal())
	}
	in.at("note")
	if err := (past{in}).noteEntries(before, list, merged); err != nil {
		return notWritten(past{in}.path(), err, in.journalPath())
	}
	if sameEntries(before, list) { // a lock file that others share is not touched
		return in.endJournal()
	}
	in.at("lock")
	if err := writeLock(in.Lock, list); err != nil {
		return notWritten(in.Lock, err, in.journalPath())
	}
	in.at("end")
	return in.endJournal()
}

// notWritten is the error of a list of scripts that cannot be written, which says what that means.
func notWritten(path string, err error, journal string) error {
	then := "nothing has changed"
	if realpath.Exists(journal) {
		then = "the next agent ext command tries again"
	}
	return fmt.Errorf("%s: %w; %s", filepath.Base(path), err, then)
}

// leftAfter is how old a file must be that a killed command was writing: an agent may be writing
// one now.
const leftAfter = time.Hour

// removeStaged removes what commands that were killed were trying or writing.
func (in *Installer) removeStaged() {
	for _, dir := range []string{in.Scripts, filepath.Dir(in.Lock), in.state()} {
		files, _ := os.ReadDir(dir)
		for _, d := range files {
			name, ours := strings.CutPrefix(d.Name(), stagedMark)
			staged := dir == in.Scripts && in.Fetch.CheckName(name) == nil
			if !ours || !staged && strings.Trim(name, "0123456789") != "" {
				continue
			}
			info, err := d.Info()
			if staged || err == nil && time.Since(info.ModTime()) > leftAfter {
				os.Remove(filepath.Join(dir, d.Name()))
			}
		}
	}
}

// Finish finishes or undoes what was killed half way, as each change does, for commands that only
// look.
func (in *Installer) Finish() error {
	if !realpath.Exists(in.journalPath()) {
		return nil
	}
	return in.changeScripts("", func(list []Entry) ([]Entry, error) { return list, nil })
}

func (in *Installer) state() string { return filepath.Join(in.Home, "state") }

// own names a file or folder below Home that belongs to this folder of scripts alone: what was
// removed from a project, or was under way there, must not come to the user's own scripts.
func (in *Installer) own(name string) string {
	if in.Scripts == filepath.Join(in.Home, "scripts") {
		return name
	}
	sum := sha256.Sum256([]byte(in.Scripts))
	return name + "-" + hex.EncodeToString(sum[:8])
}

// journal says what is being changed.
type journal struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"` // that the script is to have; "" = it is removed
	Entry  *Entry `json:"entry"`  // that it is to have; nil = none
	// Merged is whether it is the version of its entry with the user's edits.
	Merged bool `json:"merged,omitempty"`
}

func (in *Installer) journalPath() string {
	return filepath.Join(in.state(), in.own("share")+".json")
}

func (in *Installer) writeJournal(j journal) error {
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return atomicfile.WriteDurable(in.journalPath(), b)
}

func (in *Installer) endJournal() error {
	if err := os.Remove(in.journalPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// recover finishes or undoes what was killed half way, and returns the entries.
func (in *Installer) recover() ([]Entry, error) {
	list, err := in.Entries()
	if err != nil {
		return nil, err
	}
	b, err := regularfile.Read(in.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	var j journal
	if err == nil {
		err = json.Unmarshal(b, &j)
	}
	if err != nil || in.Fetch.CheckName(j.File) != nil { // it was written in one step: not by us
		return list, in.endJournal()
	}
	sum, err := in.hash(j.File)
	if err != nil {
		return nil, err
	}
	if sum != j.SHA256 { // it had not come so far: the old one is in force
		return list, in.endJournal()
	}
	before := list
	if list = withoutEntry(before, j.File); j.Entry != nil {
		list = append(list, *j.Entry)
	}
	if sum == "" && in.Removed != nil {
		if err := in.Removed(j.File); err != nil {
			return nil, err
		}
	}
	merged := ""
	if j.Merged {
		merged = j.File
	}
	if err := (past{in}).noteEntries(before, list, merged); err != nil {
		return nil, err
	}
	if err := writeLock(in.Lock, list); err != nil {
		return nil, err
	}
	return list, in.endJournal()
}
