// This file stores the rules of the answer "always".

package permission

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
)

// storeName is the name of the file in the agent's own directory.
const storeName = "permissions.json"

type entry struct {
	Project string    `json:"project"`
	Rule    string    `json:"rule"`
	Time    time.Time `json:"time"`
}

// stored is the content of the file, with its time and size at the last reading.
type stored struct {
	time    time.Time
	size    int64
	missing bool   // there was no file
	rules   []rule // of this project
}

// always returns the stored rules of this project. It reads the file again when it has changed. If
// the file cannot be read, always reports that and returns no rules. An invalid rule is reported
// and left out.
func (r *Rules) always() []rule {
	if r.o.Home == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Lstat(r.path())
	switch {
	case errors.Is(err, fs.ErrNotExist) && (r.o.Keeper == nil || r.stored.missing):
		r.stored.time = time.Time{}
		if r.o.Keeper == nil {
			r.stored = stored{}
		}
		return slices.Clip(r.stored.rules)
	case errors.Is(err, fs.ErrNotExist): // a tool may have removed it
		info, err = nil, nil
	case err == nil && info.ModTime().Equal(r.stored.time) && info.Size() == r.stored.size:
		return slices.Clip(r.stored.rules)
	}
	r.stored = stored{}
	var all []entry
	if err == nil {
		all, err = r.file().Read()
	}
	if err != nil {
		text := plain.Error(err) + ": no stored rule applies"
		if !errors.Is(err, ledger.ErrLost) {
			text += "; fix or remove the file"
		}
		r.warn(text)
		return nil
	}
	if r.stored.missing = info == nil; info != nil {
		r.stored.time, r.stored.size = info.ModTime(), info.Size()
	}
	for _, e := range all {
		if e.Project != r.o.Project {
			continue
		}
		one, err := r.tools.parseRule(e.Rule, places{r.o.Project, r.o.User})
		if err != nil {
			r.warn(fmt.Sprintf("%s: rule %q: %v: it does not apply", r.path(),
				plain.Clip(e.Rule, shownRule), err))
			continue
		}
		r.stored.rules = append(r.stored.rules, one)
	}
	return slices.Clip(r.stored.rules)
}

func (r *Rules) path() string { return r.file().Path }

func (r *Rules) file() ledger.File[entry] {
	if r.o.Home == "" {
		return ledger.File[entry]{}
	}
	return ledger.File[entry]{Path: filepath.Join(r.o.Home, storeName), Version: 1,
		Keeper: r.o.Keeper}
}

// Allow implements engine.Rules: it stores the rule for this project.
func (r *Rules) Allow(pattern string) error {
	if err := Check(pattern); err != nil {
		return err
	}
	return r.updateFile(func(all []entry) []entry {
		e := entry{r.o.Project, pattern, time.Now().UTC().Truncate(time.Second)}
		if slices.ContainsFunc(all, func(x entry) bool {
			return x.Project == e.Project &&
				x.Rule == e.Rule
		}) {
			return all
		}
		return append(all, e)
	})
}

// mostBrief is how many rules a session may have that are not stored: each call is checked against
// all of them.
const mostBrief = 200

// AllowForSession implements engine.Rules.
func (r *Rules) AllowForSession(pattern string) error {
	one, err := r.tools.parseRule(pattern, places{r.o.Project, r.o.User})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.brief {
		if r.brief[i].text == one.text {
			return nil
		}
	}
	if len(r.brief) >= mostBrief {
		return errors.New("the session has too many rules already")
	}
	r.brief = append(r.brief, one)
	return nil
}

// session returns the rules of the session that are not stored.
func (r *Rules) session() []rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clip(r.brief)
}

// dropRule removes a rule of this project.
func (r *Rules) dropRule(rule string) error {
	return r.updateFile(func(all []entry) []entry {
		return slices.DeleteFunc(all, func(e entry) bool {
			return e.Project == r.o.Project &&
				e.Rule == rule
		})
	})
}

func (r *Rules) updateFile(change func([]entry) []entry) error {
	err := r.file().Update(change)
	r.mu.Lock()
	r.stored = stored{} // two versions may have the same time and size
	r.mu.Unlock()
	return err
}
