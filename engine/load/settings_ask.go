// This file checks the user's settings while the agent runs, and asks about those that wait.

package load

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/plain"
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

// attach lets the loader say who may have written a file, and hear of what waits.
func (s *Settings) attach(r *review) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writer, s.told = r.writer, r.told
}

// writer returns which tool may have written the file at path since the last scan; "" if there is
// none, or if its call was made by the user.
func (r *review) writer(path string) string {
	since := r.lastLook()
	if since.IsZero() {
		return writerAmong(r.beacon, path, 0)
	}
	paths := (&found{path: path}).written(&entry{})
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

// writerAmong returns which tool of another agent may have written the file at path: one that was
// running when it changed, or had ended less than after before.
func writerAmong(others *beacon, path string, after time.Duration) string {
	for _, one := range (&found{path: path}).written(&entry{}) {
		at := func() time.Time { return changedAt([]string{one}) }
		if who := others.others(at, after); who != "" {
			return who
		}
	}
	return ""
}

// CheckSettings looks for changes of the settings, as a scan does: for when a tool has ended.
func (l *Loader) CheckSettings() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && l.last != nil {
		l.checkSettings(false)
	}
}

// checkSettings decides about settings that have changed, and asks about those that wait. With
// first, it asks about all that the user has not decided about. Under l.mu.
func (l *Loader) checkSettings(first bool) {
	s := l.o.Settings
	if s == nil || s.home == "" || !s.changed() && !first {
		return
	}
	list, err := s.Waiting()
	if err != nil {
		l.teller.notify("settings: " + plain.Error(err))
	}
	s.dropQuestions(list)
	for i := range list {
		w := &list[i]
		if w.Declined || s.toldOf(w) {
			continue
		}
		if l.o.Confirm != nil {
			l.askSetting(w)
		} else if !first { // at the start the program has told it
			l.teller.notify(w.String())
		}
	}
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

// toldOf reports whether the user has been told of a version, and notes that now they are.
func (s *Settings) toldOf(w *WaitingSetting) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.asked[w.Path] == w.SHA256
	s.asked[w.Path] = w.SHA256
	return told
}

// askSetting asks the user about a version that waits. Under l.mu.
func (l *Loader) askSetting(w *WaitingSetting) {
	q := l.settingQuestion(w)
	if len(q.Detail) > maxShown {
		l.teller.notify(w.String())
		return
	}
	s := l.o.Settings
	ctx, cancel := context.WithCancel(l.life)
	s.mu.Lock()
	s.open[w.Path] = openQuestion{w.SHA256, cancel}
	s.mu.Unlock()
	confirm := l.o.Confirm
	l.busy.Add(1)
	go func() {
		defer l.busy.Done()
		defer cancel()
		yes, err := confirm(ctx, q)
		if err != nil || ctx.Err() != nil {
			return
		}
		decide := s.Decline
		if yes {
			decide = s.Accept
		}
		if err := decide(w.Held); err != nil {
			l.teller.notify("settings: " + plain.Error(err))
		}
	}()
}

// settingQuestion returns the question about a version that waits.
func (l *Loader) settingQuestion(w *WaitingSetting) *ui.Dialog {
	return &ui.Dialog{Kind: "confirm", Lasting: true, Yes: "Use it", No: "Keep what is in force",
		Title: fmt.Sprintf("%s %s. Use the new version from the next start?",
			plain.RevealName(w.Name), w.Why),
		Detail: plain.Reveal(w.Hidden(l.o.HideSettings).Differences())}
}

// Hidden returns w with the secrets in its texts replaced by hide; nil = none.
func (w WaitingSetting) Hidden(hide func(text string) string) *WaitingSetting {
	if hide != nil {
		w.InForce, w.Text = hide(w.InForce), hide(w.Text)
	}
	return &w
}
