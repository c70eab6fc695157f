// This file checks the user's settings while the agent runs, asks about those that wait, and puts
// them back.

package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/ui"
)

// fileTimes tells versions of a file apart without reading them.
type fileTimes struct {
	info os.FileInfo // nil = it does not exist
	at   time.Time   // of the last change
}

func timesOf(path string) (f fileTimes) {
	if f.info, _ = os.Stat(path); f.info != nil {
		f.at, _ = changes.TimeOf(f.info)
	}
	return f
}

func (f fileTimes) same(x fileTimes) bool {
	if f.info == nil || x.info == nil {
		return f.info == nil && x.info == nil
	}
	return os.SameFile(f.info, x.info) && f.info.Size() == x.info.Size() &&
		f.info.ModTime().Equal(x.info.ModTime()) && f.at.Equal(x.at)
}

// settingsLoader is what the settings need of a loader.
type settingsLoader struct {
	life    context.Context // nil: there is no loader yet, or no more
	busy    *sync.WaitGroup
	notify  func(text string)
	confirm func(ctx context.Context, d *ui.Dialog) (bool, error) // nil: no one can answer
	hide    func(text string) string
}

// attach lets a loader say who may have written a file, and hear of what waits.
func (s *Settings) attach(l *Loader) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writer, s.report = l.review.writer, l.review.told
	s.loader = settingsLoader{life: l.life, busy: &l.busy, notify: l.teller.notify,
		confirm: l.o.Confirm, hide: l.o.HideSettings}
}

// writer returns which tool may have written the file at path since the last scan; "" if there is
// none, or if its call was made by the user.
func (r *review) writer(path string) string {
	since := r.lastLook()
	if since.IsZero() {
		return writerAmong(r.beacon, path, 0)
	}
	paths := changedPaths(path)
	for _, one := range paths {
		from := changedAt([]string{one})
		to := from
		if changedAt(paths).Add(changes.StampLag).Before(since) { // see changer
			from, to = since, time.Now()
		}
		if who, user := r.eng.ChangedBy(one, from, to, mutationWindow); who != "" && !user {
			return who
		}
	}
	return writerAmong(r.beacon, path, mutationWindow)
}

// changedPaths returns the paths whose time stamps show a change of the file at path: the file and
// the links that lead to it, the folder of themes, and the folder of what is missing. In the home
// itself other files come and go all the time.
func changedPaths(path string) (paths []string) {
	for _, spot := range spotsOf(path) {
		dir := filepath.Dir(spot)
		if _, err := os.Lstat(spot); err == nil {
			paths = append(paths, spot)
		} else {
			paths = append(paths, dir)
		}
		if filepath.Base(dir) == themesFolder {
			paths = append(paths, dir)
		}
	}
	return paths
}

// writerAmong returns which tool of another agent may have written the file at path: one that was
// running when it changed, or had ended less than after before.
func writerAmong(others *beacon, path string, after time.Duration) string {
	for _, one := range changedPaths(path) {
		at := func() time.Time { return changedAt([]string{one}) }
		if who := others.others(at, after); who != "" {
			return who
		}
	}
	return ""
}

// Check looks for changes of the settings, as a scan does: for when a tool has ended.
func (s *Settings) Check() { s.checkFiles(false) }

// checkFiles decides about settings that have changed, and asks about those that wait. With first,
// it asks about all that the user has not decided about.
func (s *Settings) checkFiles(first bool) {
	if s == nil || s.home == "" {
		return
	}
	s.mu.Lock()
	l := s.loader
	s.mu.Unlock()
	if l.life == nil || !s.changed() && !first {
		return
	}
	list, err := s.Waiting()
	if err != nil && !first { // at the start the program says it
		l.notify("settings: " + plain.Error(err))
	}
	s.dropQuestions(list)
	for i := range list {
		w := &list[i]
		switch {
		case w.Declined || !s.isNews(w):
		case l.confirm != nil && w.Unread == "":
			s.askAbout(l, w)
		case !first:
			l.notify(w.String())
		}
	}
}

// endWatch decides about settings that a tool may have written just before the end. No one can
// answer any more.
func (s *Settings) endWatch() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.loader.confirm = nil
	s.mu.Unlock()
	s.checkFiles(false)
	s.mu.Lock()
	s.loader.life = nil
	s.mu.Unlock()
}

// dropQuestions cancels the questions about versions that do not wait any more.
func (s *Settings) dropQuestions(list []WaitingSetting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, q := range s.open {
		if !slices.ContainsFunc(list, func(w WaitingSetting) bool {
			return w.Path == path && w.SHA256 == q.hash && !w.Declined
		}) {
			q.cancel()
			delete(s.open, path)
		}
	}
}

// changed reports whether a file is another one than at the last call.
func (s *Settings) changed() (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := map[string]fileTimes{}
	for _, path := range append(s.paths(), s.file.Path) {
		now[path] = timesOf(path)
		changed = changed || !now[path].same(s.looks[path])
	}
	changed = changed || len(now) != len(s.looks)
	s.looks = now
	return changed
}

// openQuestion is a question that the user has not answered.
type openQuestion struct {
	hash   string
	cancel context.CancelFunc
}

// isNews reports whether the user has not heard of a version, and notes that now they have.
func (s *Settings) isNews(w *WaitingSetting) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.asked[w.Path]
	s.asked[w.Path] = w.SHA256
	return old != w.SHA256
}

// askAbout asks the user about a version that waits.
func (s *Settings) askAbout(l settingsLoader, w *WaitingSetting) {
	q := w.question(l.hide)
	if len(q.Detail) > maxShown || strings.Contains(q.Detail, diff.TooLarge) {
		l.notify(w.String())
		return
	}
	ctx, cancel := context.WithCancel(l.life)
	s.mu.Lock()
	s.open[w.Path] = openQuestion{w.SHA256, cancel}
	s.mu.Unlock()
	l.busy.Add(1)
	go func() {
		defer l.busy.Done()
		defer cancel()
		yes, err := l.confirm(ctx, q)
		if err != nil || ctx.Err() != nil {
			return
		}
		decide := s.Decline
		if yes {
			decide = s.Accept
		}
		if err := decide(w.Held); err != nil {
			l.notify("settings: " + plain.Error(err))
		}
	}()
}

// question returns the question about a version that waits.
func (w *WaitingSetting) question(hide func(text string) string) *ui.Dialog {
	name := plain.RevealName(w.Name)
	if w.Lost && w.Missing {
		return &ui.Dialog{Kind: "confirm", Lasting: true, Yes: "Go on without", No: "Not now",
			Title: fmt.Sprintf("The settings that you had (%s) are gone, with the copy of them. "+
				"Go on without them from the next start?", name),
			Detail: "Until then nothing of " + name + " is in force."}
	}
	detail := plain.Reveal(w.Hidden(hide).Differences())
	if detail == "" {
		detail = "Only what is hidden differs, such as a key."
	}
	return &ui.Dialog{Kind: "confirm", Lasting: true, Yes: "Use it", No: "Keep what is in force",
		Title:  fmt.Sprintf("%s %s. Use the new version from the next start?", name, w.Why),
		Detail: detail}
}

// WaitingSetting is a version of a file of settings that waits.
type WaitingSetting struct {
	Held
	InForce, Text string // the version in force, and the one that waits
	Lost          bool   // the version in force is lost
	Missing       bool   // there is no file
	Unread        string // what is there that cannot be read: "is a folder, not a regular file"
}

// waitingSetting describes the version that waits.
func (s *Settings) waitingSetting(v *settled) WaitingSetting {
	return WaitingSetting{Held: *v.waits, InForce: string(v.inForce), Text: string(v.now.bytes),
		Lost: v.lost(), Missing: v.now.missing(), Unread: v.now.unread()}
}

// Hidden returns w with the secrets in its texts replaced by hide; nil = none.
func (w WaitingSetting) Hidden(hide func(text string) string) *WaitingSetting {
	if hide != nil {
		w.InForce, w.Text = hide(w.InForce), hide(w.Text)
	}
	return &w
}

// Differences returns what accepting the version would change.
func (w *WaitingSetting) Differences() string { return diff.Whole(w.InForce, w.Text) }

// String says what waits, and what the user can do.
func (w *WaitingSetting) String() string {
	if w.Lost && w.Missing {
		return w.State() + "; " + w.advice()
	}
	return w.State() + ": " + w.advice()
}

// lostText says after the name why nothing of the file is in force.
func (w *WaitingSetting) lostText() string {
	if w.Missing {
		return w.String()
	}
	return fmt.Sprintf("%s, so this version waits for you: %s", w.Why, w.advice())
}

// State says what waits, and what is in force.
func (w *WaitingSetting) State() string {
	name, in := plain.RevealName(w.Name), "the version before that stays in force"
	switch {
	case w.Lost && w.Missing:
		return "the settings that you had (" + name + ") are gone, with the copy of them"
	case w.Lost:
		in = "nothing of it is in force"
	case w.InForce == "":
		in = "nothing of it is in force, as before"
	}
	if there := w.There(); there != "" {
		in = there + "; " + in
	}
	return fmt.Sprintf("%s %s, and waits for you; %s", name, w.Why, in)
}

// There says what is there instead of a file that can be read; "" = nothing but a file.
func (w *WaitingSetting) There() string {
	switch {
	case w.Unread != "":
		return "it " + w.Unread
	case w.Missing:
		return "the file is missing"
	}
	return ""
}

// advice says what the user can do.
func (w *WaitingSetting) advice() string {
	name := shellName(w.Name)
	switch {
	case w.Lost && w.Missing:
		return fmt.Sprintf("agent trust add %s accepts that there are none", name)
	case w.Lost && w.Unread != "":
		return fmt.Sprintf("move it away, and agent trust add %s accepts that there are none", name)
	case w.Lost:
		return fmt.Sprintf("see /trust, or agent trust show %s; agent trust add %[1]s accepts it",
			name)
	case w.Unread != "":
		return fmt.Sprintf("see /trust; agent trust restore %s puts the file back", name)
	}
	return fmt.Sprintf("see /trust, or agent trust show %s; agent trust add %[1]s accepts it, and "+
		"agent trust restore %[1]s puts the file back", name)
}

// shellName returns a name as the user can give it to a command in a shell.
func shellName(name string) string {
	shown := plain.RevealName(name)
	if shown == name && strings.ContainsAny(name, " !\"#$&'()*;<>?[\\]^`{|}~") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return shown
}

// putBack writes a file as it was. What is there and no file is removed first, but no folder with
// files in it.
func (s *Settings) putBack(path string, b []byte) error {
	target := s.behindLinks(path)
	info, err := os.Lstat(target)
	if err == nil && info.IsDir() {
		if os.Remove(target) != nil {
			return fmt.Errorf("%s is a folder that is not empty: move it away",
				plain.RevealName(target))
		}
	}
	if len(b) == 0 && target == path {
		if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	mode := fs.FileMode(0o600)
	if now, err := os.Stat(path); err == nil && now.Mode().IsRegular() &&
		filepath.Ext(path) != ".json" { // see ledger.File
		mode |= now.Mode().Perm() &^ 0o022
	}
	if mode == 0o600 {
		return atomicfile.WriteDurable(target, b)
	}
	return atomicfile.Write(target, b, mode) // should it not last, the version is still kept
}

// behindLinks returns the path of the file that is put back: the one to which a link leads, if no
// link on the way has changed since the version was put in force; otherwise path itself.
func (s *Settings) behindLinks(path string) string {
	info, err := os.Lstat(path)
	kept, failed := os.Lstat(s.good.file(path))
	if err != nil || failed != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path
	}
	names, real := realpath.Road(path)
	began, ok := changes.TimeOf(kept)
	if !ok || real == "" {
		return path
	}
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if at, ok := changes.TimeOf(info); !ok || !at.Before(began) {
			return path
		}
	}
	return real
}
