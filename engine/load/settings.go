// This file keeps the user's settings that are in force, as the loader keeps scripts: a change that
// a tool may have made waits for the user.

package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
)

// Settings keeps the settings in a home: the version of each file that is in force, and those that
// wait for the user. A missing file is the same as an empty one. Its methods are safe for
// concurrent use, also by several processes.
type Settings struct {
	home string
	good *goodStore // the versions in force
	file ledger.File[Held]

	mu     sync.Mutex
	roll   *roll // a second record of which versions are in force
	writer func(path string) string
	report func(h Held, decision string) // see Options.Reviewed
	asked  map[string]string             // the versions of which the user has heard, by path
	looks  map[string]fileTimes          // how files were when they were checked last, by path
	open   map[string]openQuestion
	loader settingsLoader
}

// settingsNames are the files, by their paths in a home, and themesFolder is that of the themes.
var settingsNames = []string{"config.toml", "permissions.json", "trust.json"}

const themesFolder = "themes"

// maxSettings is the maximal size of a file of settings.
const maxSettings = 4 << 20

// OpenSettings returns the settings in a home. outside is the second copy of the list of known
// scripts, see Options.Known, which also holds which settings are in force; "" = there is none.
// Nothing is read yet.
func OpenSettings(home, outside string) *Settings {
	home = absolute(home)
	s := &Settings{home: home, report: func(Held, string) {}, asked: map[string]string{},
		looks: map[string]fileTimes{}, open: map[string]openQuestion{},
		file: ledger.File[Held]{Path: under(home, "state", "settings.json"), Version: 1},
		good: &goodStore{dir: under(home, "state", "settings"), hashes: map[string]string{}}}
	s.roll = newRoll(home, absolute(outside))
	s.roll.settings = true
	others := newBeacon(home, nil)
	s.writer = func(path string) string { return writerAmong(others, path, 0) }
	return s
}

// paths returns the files that are kept.
func (s *Settings) paths() (paths []string) {
	if s == nil || s.home == "" {
		return nil
	}
	for _, name := range settingsNames {
		paths = append(paths, filepath.Join(s.home, name))
	}
	themes, _ := filepath.Glob(filepath.Join(s.home, themesFolder, "*.toml"))
	return append(paths, themes...)
}

// kept reports whether a path is one of a file that is kept.
func (s *Settings) kept(path string) bool {
	name, below := strings.CutPrefix(path, s.home+string(filepath.Separator))
	return below && (slices.Contains(settingsNames, name) ||
		filepath.Dir(name) == themesFolder && filepath.Ext(name) == ".toml")
}

func (s *Settings) nameOf(path string) string {
	name, err := filepath.Rel(s.home, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(name)
}

// Read returns the version of a file that is in force. The error is fs.ErrNotExist if nothing is,
// and another one if nothing can be: the version in force has been lost, and the file has another.
func (s *Settings) Read(path string) ([]byte, error) {
	if s == nil || s.home == "" || !s.kept(path) {
		return readSetting(path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, h, err := s.settleFile(path)
	if _, missing := os.Stat(path); err == nil && len(b) == 0 && (h != nil || missing != nil) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return b, err
}

// readSetting reads a file.
func readSetting(path string) ([]byte, error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err == nil && len(b) > maxSettings {
		err = fmt.Errorf("has more than %d bytes", maxSettings)
	}
	return b, err
}

// settleFile decides which version of a file is in force; h is the one that waits, nil if none
// does. That a version in force cannot be recorded is no error: nobody else can write there either.
// Under s.mu.
func (s *Settings) settleFile(path string) (inForce []byte, h *Held, err error) {
	now, err := readSetting(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	hash := hashOf(now)
	old, recorded, failed := s.accepted(path)
	waits, err := s.held(path)
	lost := old == nil && recorded != ""
	same := waits != nil && waits.SHA256 == hash
	switch {
	case old != nil && old.Hash == hash, lost && recorded == hash,
		old == nil && !lost && len(now) == 0: // there has never been anything
		_ = s.keepVersion(path, now)
		return now, nil, nil
	case failed != nil || err != nil:
		return nil, nil, errors.Join(failed, err)
	case same:
	default:
		why := s.why(path, waits, lost)
		if why == "" {
			_ = s.keepVersion(path, now)
			return now, nil, nil
		}
		waits = &Held{Name: s.nameOf(path), Path: path, SHA256: hash, Why: why,
			Time: time.Now().UTC().Truncate(time.Second)}
		if err := s.hold(waits); err != nil {
			return nil, nil, fmt.Errorf("a change of it could not be kept back: %w", err)
		}
	}
	switch {
	case lost:
		return nil, waits, fmt.Errorf("%s, so this version waits for you: %s", waits.Why,
			howToDecide(waits.Name))
	case old != nil:
		inForce = old.bytes
	}
	return inForce, waits, nil
}

// why returns why a new version waits; "" if it does not. lost reports that the version in force
// is lost.
func (s *Settings) why(path string, waits *Held, lost bool) string {
	if who := s.writer(path); who != "" {
		return "was changed while " + who + " was running"
	}
	switch {
	case lost:
		return "has changed, and no copy of the version in force is left"
	case waits != nil: // what was added to it may still be there
		return waits.Why
	}
	return ""
}

// accepted returns the version in force, nil if there is none, and its hash by the second record:
// "" if that has none.
func (s *Settings) accepted(path string) (old *record, hash string, err error) {
	clear(s.roll.now)
	s.roll.differ = false
	err = s.roll.readCopies()
	old = s.good.getRecord(path)
	if k, ok := s.roll.now[path]; ok {
		if hash = k.SHA256; old != nil && old.Hash != hash {
			old = nil // it was put there by somebody else
		}
	}
	return old, hash, err
}

// keepVersion puts a version in force. Under s.mu.
func (s *Settings) keepVersion(path string, b []byte) error {
	hash := hashOf(b)
	if s.good.getRecord(path) == nil {
		s.good.forget(path)
		if len(b) == 0 && s.roll.now[path].Path == "" {
			return s.drop(path)
		}
	}
	err := s.good.put(&record{Name: filepath.Base(path), Path: path, Hash: hash, bytes: b})
	err = errors.Join(err, s.roll.keepSetting(known{Name: s.nameOf(path), Path: path,
		SHA256: hash, Setting: true}), s.drop(path))
	if err != nil {
		return fmt.Errorf("which version is in force cannot be recorded: %w", err)
	}
	return nil
}

// held returns the version that waits, nil if there is none.
func (s *Settings) held(path string) (*Held, error) {
	list, err := s.file.Read()
	for i := range list {
		if list[i].Path == path {
			return &list[i], nil
		}
	}
	return nil, err
}

// hold adds a version that starts to wait, unless another agent has.
func (s *Settings) hold(h *Held) error {
	err := s.file.Update(func(list []Held) []Held {
		for _, old := range list {
			if old.Path == h.Path && old.SHA256 == h.SHA256 {
				*h = old
				return list
			}
		}
		return append(withoutHeld(list, h.Path), *h)
	})
	if err == nil {
		s.report(*h, "waits")
	}
	return err
}

// drop removes the version that waits, if there is one.
func (s *Settings) drop(path string) error {
	if h, err := s.held(path); h == nil {
		return err
	}
	return s.file.Update(func(list []Held) []Held { return withoutHeld(list, path) })
}

// WaitingSetting is a version of a file of settings that waits.
type WaitingSetting struct {
	Held
	InForce, Text string // the version in force, and the one that waits
	Lost          bool   // the version in force is lost
}

// Differences returns what accepting the version would change.
func (w *WaitingSetting) Differences() string { return diff.Unified(w.InForce, w.Text) }

// String says what waits, and what the user can do.
func (w *WaitingSetting) String() string {
	return fmt.Sprintf("%s: %s", w.State(), howToDecide(w.Name))
}

// State says what waits, and what is in force.
func (w *WaitingSetting) State() string {
	in := "the version before that stays in force"
	switch {
	case w.Lost:
		in = "nothing of it is in force"
	case w.InForce == "":
		in = "nothing of it is in force, as before"
	}
	return fmt.Sprintf("%s %s, and waits for you; %s", plain.RevealName(w.Name), w.Why, in)
}

func howToDecide(name string) string {
	name = plain.RevealName(name)
	return fmt.Sprintf("see /trust, or agent trust show %s; agent trust add %s accepts it, and "+
		"agent trust restore %s puts the file back", name, name, name)
}

// Waiting returns what waits for the user.
func (s *Settings) Waiting() (list []WaitingSetting, err error) {
	if s == nil || s.home == "" {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.paths() {
		inForce, h, failed := s.settleFile(path)
		if h == nil {
			if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
				err = errors.Join(err, fmt.Errorf("%s: %w", s.nameOf(path), failed))
			}
			continue
		}
		text, _ := readSetting(path)
		list = append(list, WaitingSetting{Held: *h, InForce: string(inForce), Text: string(text),
			Lost: failed != nil})
	}
	return list, err
}

// Accept puts the version that waits in force.
func (s *Settings) Accept(h Held) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := readSetting(h.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if hashOf(now) != h.SHA256 {
		return fmt.Errorf("%s: the file has changed since", plain.RevealName(h.Name))
	}
	if err := s.keepVersion(h.Path, now); err != nil {
		return err
	}
	s.report(h, "accept")
	return nil
}

// Decline keeps the version in force, without asking about the one that waits again.
func (s *Settings) Decline(h Held) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report(h, "keep the old version")
	return s.file.Update(func(list []Held) []Held {
		for i := range list {
			if list[i].Path == h.Path && list[i].SHA256 == h.SHA256 {
				list[i].Declined = true
			}
		}
		return list
	})
}

// Restore writes the version in force to its file.
func (s *Settings) Restore(h Held) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, hash, err := s.accepted(h.Path)
	switch {
	case err != nil:
		return err
	case old == nil && hash != "":
		return fmt.Errorf("%s: no copy of the version in force is left", plain.RevealName(h.Name))
	case old == nil || len(old.bytes) == 0:
		if err = os.Remove(h.Path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	default:
		err = atomicfile.WriteDurable(h.Path, old.bytes)
	}
	if err != nil {
		return err
	}
	s.report(h, "restore")
	return s.drop(h.Path)
}

// Wrote records that the agent itself has written a file, as the user wants it.
func (s *Settings) Wrote(path string, b []byte) error {
	if s == nil || s.home == "" || !s.kept(path) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keepVersion(path, b)
}

// Base returns the version of a file that the agent may add to. The error says that another one
// waits: what was decided by it is not to be lost, and not to be accepted either.
func (s *Settings) Base(path string) ([]byte, error) {
	if s == nil || s.home == "" || !s.kept(path) {
		return readSetting(path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, h, err := s.settleFile(path)
	if err == nil && h != nil {
		err = fmt.Errorf("%s %s: %s", plain.RevealName(h.Name), h.Why, howToDecide(h.Name))
	}
	if err == nil && len(b) == 0 {
		err = fs.ErrNotExist
	}
	return b, err
}
