// This file keeps the user's settings that are in force, as the loader keeps scripts: a change that
// a tool may have made waits for the user.

package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
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

// watched returns the paths whose changes count: also the list of what waits, while a question is
// open, because another process may decide it.
func (s *Settings) watched() []string {
	paths := s.paths()
	if paths == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) > 0 {
		paths = append(paths, s.file.Path)
	}
	return paths
}

// IsSetting reports whether name is one of a file of settings, such as themes/dark.toml.
func IsSetting(name string) bool {
	return slices.Contains(settingsNames, name) ||
		path.Dir(name) == themesFolder && path.Ext(name) == ".toml"
}

// kept reports whether a path is one of a file that is kept.
func (s *Settings) kept(path string) bool {
	name, below := strings.CutPrefix(path, s.home+string(filepath.Separator))
	return below && IsSetting(filepath.ToSlash(name))
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
		at := readSetting(path)
		return at.bytes, at.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.settleFile(path)
	if v.err == nil && len(v.inForce) == 0 && (v.waits != nil || v.now.missing()) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return v.inForce, v.err
}

// sight is what is known of a file at one moment.
type sight struct {
	now      reading
	old      *record // the version in force; nil = there is none
	recorded string  // its hash by the second record; "" = that has none
	waits    *Held
	damage   error // which list cannot be read
}

func (s *Settings) sightOf(path string) (k sight) {
	k.now = readSetting(path)
	var lists, waiting error
	k.old, k.recorded, lists = s.accepted(path)
	k.waits, waiting = s.held(path)
	k.damage = damaged(lists, waiting)
	return k
}

// damaged adds to errors of lists what the user can do.
func damaged(errs ...error) error {
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: mend it, or remove it; without it, the next start asks once about the "+
		"settings that have changed", err)
}

// Damage says which list of the settings cannot be read, and what to do.
func (s *Settings) Damage() error {
	if s == nil || s.home == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.sightOf(under(s.home, settingsNames[0]))
	return k.damage
}

// lost reports whether a version was in force of which there is no copy.
func (k *sight) lost() bool { return k.old == nil && k.recorded != "" }

// inForce reports whether the file has the bytes that are in force.
func (k *sight) inForce() bool {
	switch {
	case k.now.unread() != "":
		return false
	case k.old != nil:
		return k.old.Hash == k.now.hash
	case k.lost():
		return k.recorded == k.now.hash
	}
	return len(k.now.bytes) == 0 // there has never been anything
}

// held reports whether the file has the version that waits.
func (k *sight) held() bool { return k.waits != nil && k.waits.SHA256 == k.now.hash }

// final reports whether there is nothing to decide, and nothing to write: copies that differ are
// written again.
func (k *sight) final(differ bool) bool {
	switch {
	case differ || k.damage != nil || k.lost():
		return false
	case k.inForce():
		return k.waits == nil && (k.old == nil || k.recorded != "")
	}
	return k.held()
}

// settled is what was decided about a file.
type settled struct {
	sight
	inForce []byte
	err     error // why nothing of it can be in force
}

// IsLost reports whether the cause of an error is that a version in force is lost: its text says
// what the user can do.
func IsLost(err error) bool { return errors.Is(err, ledger.ErrLost) }

// lockMost is how long settings wait for another agent that decides about them.
const lockMost = time.Second

// lock keeps other agents from deciding about settings. An agent that hangs does not stop the
// others, and neither does a system without locks.
func (s *Settings) lock() (unlock func()) {
	dir := under(s.home, "state")
	_ = os.MkdirAll(dir, 0o700)
	f, err := filelock.OpenWithin(filepath.Join(dir, "settings.lock"), lockMost)
	if err != nil {
		return func() {}
	}
	return func() { _ = filelock.Close(f) }
}

// settleFile decides which version of a file is in force. That a version in force cannot be
// recorded is no error: nobody else can write there either. Under s.mu.
func (s *Settings) settleFile(path string) settled {
	v := settled{sight: s.sightOf(path)}
	if !v.final(s.roll.differ) { // another agent may be writing what this one has read
		defer s.lock()()
		v.sight = s.sightOf(path)
	}
	switch k := &v.sight; {
	case k.inForce():
		return s.use(path, v)
	case k.damage != nil:
		v.err = k.damage
		return v
	case k.now.unread() != "" && k.old == nil && !k.lost():
		v.waits, v.err = nil, k.now.err
		return v
	case k.held():
	default:
		why := s.why(path, k)
		if why == "" {
			return s.use(path, v)
		}
		v.waits = &Held{Name: s.nameOf(path), Path: path, SHA256: k.now.hash, Why: why,
			Time: time.Now().UTC().Truncate(time.Second)}
		if err := s.hold(v.waits); err != nil {
			v.waits, v.err = nil, fmt.Errorf("a change of it could not be kept back: %w", err)
			return v
		}
	}
	if v.old != nil {
		v.inForce = v.old.bytes
	}
	if v.lost() {
		w := s.waitingSetting(&v)
		v.err = plain.Reword(w.lostText(), ledger.ErrLost)
	}
	return v
}

// use puts what a file has in force.
func (s *Settings) use(path string, v settled) settled {
	if !v.final(s.roll.differ) {
		_ = s.keepVersion(path, v.now.bytes)
	}
	v.inForce, v.waits = v.now.bytes, nil
	return v
}

// why returns why a new version waits; "" if it does not.
func (s *Settings) why(path string, k *sight) string {
	if who := s.writer(path); who != "" {
		return "was changed while " + who + " was running"
	}
	_, err := os.Lstat(s.file.Path)
	switch {
	case k.lost():
		return "has changed, and no copy of the version in force is left"
	case k.waits != nil: // what was added to it may still be there
		return k.waits.Why
	case k.now.unread() != "":
		return "could not be read"
	case k.old != nil && errors.Is(err, fs.ErrNotExist): // see keepVersion
		return "has changed, and the list of the versions that waited is gone"
	case k.old != nil && k.recorded == "":
		return "has changed, and the second record of the version in force is gone"
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

// keepVersion puts a version in force. Under s.mu. The list of versions that wait is there since
// the first version in force, so that it is noticed when it is gone.
func (s *Settings) keepVersion(path string, b []byte) error {
	hash := hashOf(b)
	if s.good.getRecord(path) == nil {
		s.good.forget(path)
		if len(b) == 0 && s.roll.now[path].Path == "" {
			return s.drop(path)
		}
	}
	if _, err := os.Lstat(s.file.Path); errors.Is(err, fs.ErrNotExist) {
		_ = s.file.Update(func(list []Held) []Held { return list })
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

// Waiting returns what waits for the user.
func (s *Settings) Waiting() (list []WaitingSetting, err error) {
	if s == nil || s.home == "" {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var damage error
	for _, path := range s.paths() {
		v := s.settleFile(path)
		switch {
		case v.damage != nil: // of all files
			damage = v.damage
		case v.waits != nil:
			list = append(list, s.waitingSetting(&v))
		case v.err != nil && !errors.Is(v.err, fs.ErrNotExist):
			err = errors.Join(err, fmt.Errorf("%s: %w", s.nameOf(path), v.err))
		}
	}
	return list, errors.Join(damage, err)
}

// Accept puts the version that waits in force.
func (s *Settings) Accept(h Held) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.lock()()
	k := s.sightOf(h.Path)
	name := plain.RevealName(h.Name)
	switch what := k.now.unread(); {
	case what != "":
		return fmt.Errorf("%s %s", name, what)
	case k.now.hash != h.SHA256:
		return fmt.Errorf("%s: the file has changed since", name)
	}
	if err := s.keepVersion(h.Path, k.now.bytes); err != nil {
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
	defer s.lock()()
	old, hash, err := s.accepted(h.Path)
	switch {
	case err != nil:
		return damaged(err)
	case old == nil && hash != "":
		return fmt.Errorf("%s: no copy of the version in force is left", plain.RevealName(h.Name))
	case old == nil:
		old = &record{}
	}
	if err := s.putBack(h.Path, old.bytes); err != nil {
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
	defer s.lock()()
	_, _, _ = s.accepted(path) // what the lists have now; that they are damaged is told elsewhere
	return s.keepVersion(path, b)
}

// Base returns the version of a file that the agent may add to. The error says that another one
// waits: what was decided by it is not to be lost, and not to be accepted either.
func (s *Settings) Base(path string) ([]byte, error) {
	if s == nil || s.home == "" || !s.kept(path) {
		at := readSetting(path)
		return at.bytes, at.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.settleFile(path)
	if v.err == nil && v.waits != nil {
		w := s.waitingSetting(&v)
		v.err = errors.New(w.String())
	}
	if v.err == nil && len(v.inForce) == 0 {
		v.err = fs.ErrNotExist
	}
	return v.inForce, v.err
}
