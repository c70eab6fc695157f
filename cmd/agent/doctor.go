// This file implements agent doctor, which reports problems of the installation.

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Levels of the diagnoses of agent doctor.
const (
	doctorOK      = "ok"
	doctorNote    = "note"    // works, but not as well as it could
	doctorProblem = "problem" // the exit code is 1
)

// diagnosis is the result of one check of agent doctor.
type diagnosis struct {
	Level string `json:"level"`
	About string `json:"about"` // sandbox, scripts, ..
	Text  string `json:"text"`
}

// runDoctor implements agent doctor. It loads the scripts as a start does, and asks no model.
func runDoctor(f *flags, stdout, stderr io.Writer) (code int) {
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	d := &doctor{}
	d.examine(ctx, f, place{})
	code = exitOK
	var lines []string
	for _, x := range d.found {
		if x.Level == doctorProblem {
			code = exitError
		}
		line := x.line()
		if f.json {
			b, err := json.Marshal(x)
			if err != nil {
				return failure(stderr, err)
			}
			line = string(b)
		}
		lines = append(lines, line)
	}
	return max(code, printText(stdout, stderr, strings.Join(lines, "\n")))
}

// line returns the diagnosis as text.
func (x diagnosis) line() string {
	return fmt.Sprintf("%-8s %s: %s", x.Level, x.About,
		strings.ReplaceAll(plain.Text(x.Text), "\n", "\n         "))
}

// doctor implements /ext doctor, with the flags of the running program but its session.
func (s *screen) doctor(out io.Writer) {
	f := *s.app.flags
	f.session = sessionFlags{}
	d := &doctor{}
	d.examine(context.Background(), &f, s.app.at)
	for _, x := range d.found {
		fmt.Fprintln(out, x.line())
	}
}

// extDoctor implements agent ext doctor: what agent doctor checks can all be the cause of a
// problem with scripts.
func extDoctor(f *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) > 0 {
		return usageError(stderr, fmt.Errorf("ext doctor: got %s, want no arguments",
			strings.Join(words, " ")))
	}
	return runDoctor(f, stdout, stderr)
}

// doctor collects what is found. Its methods are safe for concurrent use: scripts fail on
// goroutines of their own.
type doctor struct {
	mu    sync.Mutex
	found []diagnosis
}

func (d *doctor) report(level, about, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found = append(d.found, diagnosis{level, about, text})
}

// examine checks everything, starting with what the other checks depend on.
func (d *doctor) examine(ctx context.Context, f *flags, at place) {
	a, err := newApp(f, front{mode: "print", emit: d.hearEvent, place: at})
	if err != nil {
		d.report(doctorProblem, "start", plain.Error(err))
		return
	}
	defer a.closeScripts()
	d.home(a.home)
	if err := a.agent.LoadScripts(ctx); err != nil {
		d.report(doctorProblem, "scripts", plain.Error(err))
		return
	}
	a.checkModels()
	a.engine.Emitter.Drain(ctx)
	d.scripts(a)
	d.slow(a)
	d.installed(a.at)
	d.project(a)
	d.sandbox(a)
	d.audit(a.home)
	if a.agent.Offline() {
		d.report(doctorNote, "model", a.noModel())
	} else {
		d.report(doctorOK, "model", a.agent.Model())
	}
}

// hearEvent collects the warnings and failures that occur during the start.
func (d *doctor) hearEvent(ev *event.Event) {
	switch {
	case ev.Name() == "script_error":
		d.report(doctorProblem, "scripts", scriptError(ev))
	case ev.Name() == "notification" && ev.Text("level") == "error":
		d.report(doctorProblem, ev.Text("source"), ev.Text("message"))
	case ev.Name() == "notification" && ev.Text("level") == "warn":
		d.report(doctorNote, ev.Text("source"), ev.Text("message"))
	}
}

// home checks that the folder of the user's files is writable, and only by the user.
func (d *doctor) home(home string) {
	probe, err := os.CreateTemp(home, ".doctor-*")
	if err != nil {
		d.report(doctorProblem, "home", "nothing can be stored: "+plain.Error(err))
		return
	}
	probe.Close()
	_ = os.Remove(probe.Name())
	const writtenByOthers = 0o022
	if st, err := os.Stat(home); err == nil && runtime.GOOS != "windows" &&
		st.Mode().Perm()&writtenByOthers != 0 {
		d.report(doctorProblem, "home", fmt.Sprintf("%s can be written by other users, who could "+
			"change your scripts: chmod go-w %s", home, home))
		return
	}
	d.report(doctorOK, "home", home)
}

// installed compares what is installed with the lock file.
func (d *doctor) installed(at place) {
	all, err := at.installer(false).List()
	if err != nil {
		d.report(doctorProblem, "installed", plain.Error(err))
		return
	}
	count, differs := 0, 0
	for _, s := range all {
		if s.Entry == nil && s.Dropped == nil {
			continue
		}
		count++
		switch name := plain.RevealName(s.File); s.Drift {
		case share.DriftNone:
			continue
		case share.DriftEdited:
			d.report(doctorNote, "installed", name+" has your edits: agent ext update and agent "+
				"ext sync keep them")
		case share.DriftMissing:
			d.report(doctorProblem, "installed", name+" is missing: agent ext sync installs it, "+
				"agent ext remove "+name+" takes it out of the lock file")
		default:
			d.report(doctorNote, "installed", name+" is not what the lock file has: agent ext "+
				"sync shows the difference")
		}
		differs++
	}
	if count > 0 && differs == 0 {
		d.report(doctorOK, "installed", plain.Count(count, "script is", "scripts are")+
			" as installed")
	}
}

// scripts counts the scripts, and names the versions that wait for review.
func (d *doctor) scripts(a *app) {
	inForce, missing := 0, 0
	for _, s := range a.agent.Scripts() {
		switch {
		case s.Source == scriptfile.SourceBuiltin:
		case s.State == load.StateGone || s.State == load.StateFailed && s.Error == nil:
			missing++
			d.report(doctorProblem, "scripts", fmt.Sprintf("%s (%s): %s", s.Name, s.Path, cmp.Or(
				strings.Join(s.Notes, "; "), string(s.State))))
		case s.State == load.StateDisabled && s.Guards:
			d.report(doctorProblem, "scripts", fmt.Sprintf("%s is disabled, so what it guards is "+
				"not guarded: agent ext enable %s", plain.RevealName(s.Name),
				plain.RevealName(s.Name)))
		case s.State == load.StateDisabled:
			d.report(doctorNote, "scripts", fmt.Sprintf("%s is disabled: agent ext enable %s",
				plain.RevealName(s.Name), plain.RevealName(s.Name)))
		case s.Generation > 0:
			inForce++
		}
	}
	waiting, err := load.Waiting(a.home, place{home: a.home}.readers())
	if err != nil {
		d.report(doctorProblem, "scripts", plain.Error(err))
	}
	for _, w := range waiting {
		if !w.Accepted {
			d.report(doctorNote, "scripts", fmt.Sprintf("a version of %s waits for you: agent ext "+
				"accept shows it", plain.RevealName(w.Name)))
		}
	}
	d.report(doctorOK, "scripts", fmt.Sprintf("%s in force, from %s",
		plain.Count(inForce, "script"),
		filepath.Join(a.home, "scripts")))
}

const (
	// slowTime is what a handler may take of a call before people notice it.
	slowTime = 100 * time.Millisecond
	// slowCalls is how many calls tell that a handler is slow: one may have had bad luck.
	slowCalls = 3
)

// slow names the handlers for which calls have waited, by the log of the newest calls. Older
// versions of a script do not count.
func (d *doctor) slow(a *app) {
	calls, _ := recentDecisions(a.home) // that it cannot be read, is said about the log
	inForce, took := map[string]string{}, map[string][]float64{}
	for _, s := range a.agent.Scripts() {
		inForce[s.Path] = s.Hash
	}
	for _, c := range calls {
		for _, s := range c.Steps {
			if s.Version != "" && inForce[s.Path] == s.Version {
				at := fmt.Sprintf("%s:%d", plain.RevealName(s.Script), s.Line)
				took[at] = append(took[at], s.US)
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(took)) {
		us := took[at]
		sort.Float64s(us)
		half := time.Duration(us[len(us)/2] * float64(time.Microsecond))
		if len(us) < slowCalls || half < slowTime {
			continue
		}
		d.report(doctorNote, "scripts", fmt.Sprintf("%s is slow: half of the last %d calls that "+
			"it saw waited %s or longer for it: agent ext bench %s measures it", at, len(us),
			half.Round(time.Millisecond), at[:strings.LastIndexByte(at, ':')]))
	}
}

// project lists the project's files that wait for review.
func (d *doctor) project(a *app) {
	at, err := place{}.withDefaults()
	if err != nil {
		d.report(doctorProblem, "trust", plain.Error(err))
		return
	}
	b := at.project().Look()
	if b.Err != nil {
		d.report(doctorProblem, "trust", plain.Error(b.Err))
	}
	for _, i := range b.Settings {
		d.report(doctorProblem, "trust", i.Advice())
	}
	if b.SettingsErr != nil {
		d.report(doctorProblem, "trust", "settings: "+plain.Error(b.SettingsErr))
	}
	if n := len(b.Waiting()); n > 0 {
		d.report(doctorNote, "trust", fmt.Sprintf("the project brings %s that you have not looked "+
			"at: agent trust", plain.Count(n, "thing")))
	} else if b.Err == nil && b.SettingsErr == nil && len(b.Settings) == 0 {
		d.report(doctorOK, "trust", "nothing of this project waits for you")
	}
}

// sandbox reports how programs are confined.
func (d *doctor) sandbox(a *app) {
	switch box := a.program.Sandbox; {
	case box == nil:
		d.report(doctorNote, "sandbox", "left out: programs run with all your rights")
	default:
		s := box.State()
		switch {
		case s.Method == fence.None:
			d.report(doctorProblem, "sandbox", s.String())
		case len(s.Gaps) > 0:
			d.report(doctorNote, "sandbox", fmt.Sprintf("%s, which does not hold: %s", s.Method,
				strings.Join(s.Gaps, "; ")))
		default:
			d.report(doctorOK, "sandbox", fmt.Sprintf("%s; agent sandbox tells what it allows",
				s.Method))
		}
	}
}

// audit checks the chain of the audit log.
func (d *doctor) audit(home string) {
	switch report, err := audit.Verify(audit.Dir(home)); {
	case errors.Is(err, os.ErrNotExist):
		d.report(doctorOK, "audit", "the audit log is empty")
	case err != nil:
		d.report(doctorProblem, "audit", plain.Error(err))
	case !report.OK():
		d.report(doctorProblem, "audit", "the log was changed: agent ext audit --verify")
	default:
		d.report(doctorOK, "audit", fmt.Sprintf("%d records, and none was changed or removed",
			report.Records))
	}
}
