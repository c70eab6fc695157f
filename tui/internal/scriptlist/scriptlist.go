// Package scriptlist is the content of the panel of /scripts: a line for each script, which unfolds
// to what the script does and has done, and a log that is followed.
//
// It promises that every line fits the width, and that nothing of a script's own texts reaches the
// screen as a control character or breaks a line. It knows no terminal: keys are names, and lines
// are styled spans.
package scriptlist

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// State is the state of a script in words.
type State string

const (
	Live      State = "live"
	Kept      State = "kept previous" // the file fails or is gone; an earlier version is in force
	Broken    State = "broken"        // in force, and a guard of it fails each time
	Failed    State = "not in force"  // no version works
	Disabled  State = "disabled"
	Untrusted State = "untrusted"
	Waiting   State = "waiting" // a version of it waits for the user
	Replaced  State = "replaced"
)

// marks are the marks of the states, with their styles.
var marks = map[State][2]string{Live: {"●", "ok"}, Kept: {"◐", "warn"}, Broken: {"✗", "error"},
	Failed: {"✗", "error"}, Disabled: {"○", "dim"}, Untrusted: {"?", "warn"},
	Waiting: {"…", "warn"}, Replaced: {"-", "dim"}}

// Script is one script.
type Script struct {
	Name, Path string
	Source     string // user, project, cli, ...
	Summary    string
	State      State
	Guards     bool      // it guards calls or masks something, or would if it was in force
	Fixed      bool      // it cannot be disabled
	Since      time.Time // when the version in force was loaded; zero = none is
	Grants     []string  // in words
	Handlers   []Part
	Commands   []string // without the slash
	Tools      []string
	Calls      int
	Errors     int
	P50, P99   time.Duration
	Notes      []string
	Problem    string // why the file does not load, with an excerpt; "" = it does
	Line       int    // of the problem, 0 = none
}

// Part is something that a script has registered.
type Part struct {
	Text   string
	Line   int
	Broken bool
}

// Failure is the last failure of a script while it ran.
type Failure struct {
	Text string // with an excerpt
	Line int
	At   time.Time
}

// Do says what a key asks for. The zero Do asks for nothing.
type Do struct {
	What Action
	Path string // of the script
	Line int    // Edit: 1-based
}

// Action is what the user wants.
type Action string

const (
	Close   Action = "close"
	Enable  Action = "enable"
	Disable Action = "disable"
	Reload  Action = "reload"
	Edit    Action = "edit"
	Look    Action = "look" // for the decisions about calls, and the log
)

// List is the list of scripts with what is unfolded. Its zero value is an empty list.
type List struct {
	Foot     string             // a line below the scripts
	Failures map[string]Failure // by path
	Past     map[string]Past    // by path
	scripts  []Script           // clean
	at       int                // the current script
	top      int                // the first visible line
	page     int                // how many lines were visible
	moved    bool               // at has changed, and must become visible
	unfolded map[string]bool    // by path
	log      string             // path of the script whose log is shown, "" = none
	asked    string             // path of the guard that the next d disables
	problem  string             // what could not be done
}

// Past is what a script has done, newest last.
type Past struct {
	Decisions []string
	Log       []string
}

// Set replaces the scripts. The current one stays current.
func (l *List) Set(scripts []Script) {
	path := ""
	if s := l.current(); s != nil {
		path = s.Path
	}
	l.scripts = slices.Clone(scripts)
	at := slices.IndexFunc(l.scripts, func(s Script) bool { return s.Path == path })
	if l.at = min(l.at, max(0, len(l.scripts)-1)); at >= 0 {
		l.at = at
	}
}

// Fail shows that something could not be done.
func (l *List) Fail(text string) { l.problem = plain.OneLine(text) }

// Looks returns the path of the script whose past is shown, "" if there is none, and whether its
// log is followed.
func (l *List) Looks() (path string, follows bool) {
	if l.log != "" {
		return l.log, true
	}
	if s := l.current(); s != nil && l.unfolded[s.Path] {
		return s.Path, false
	}
	return "", false
}

func (l *List) current() *Script {
	if l.at >= len(l.scripts) {
		return nil
	}
	return &l.scripts[l.at]
}

// Key handles a key.
func (l *List) Key(name string) Do {
	asked := l.asked
	l.asked, l.problem = "", ""
	if l.log != "" && name == "esc" {
		l.log, l.moved = "", true
		return Do{}
	}
	switch name {
	case "esc", "q":
		return Do{What: Close}
	case "r":
		return Do{What: Reload}
	case "up", "k", "ctrl+p":
		l.moveBy(-1)
	case "down", "j", "ctrl+n":
		l.moveBy(1)
	case "home":
		l.moveBy(-len(l.scripts))
	case "end":
		l.moveBy(len(l.scripts))
	case "pgup":
		l.scroll(-1)
	case "pgdown", "space":
		l.scroll(1)
	}
	s := l.current()
	if s == nil {
		return Do{}
	}
	switch name {
	case "enter":
		return l.unfold(s)
	case "l":
		l.log, l.top = s.Path, 1<<30
		return Do{What: Look, Path: s.Path}
	case "e":
		return Do{What: Edit, Path: s.Path, Line: l.line(s)}
	case "d":
		if l.log == "" { // the log does not show what the key does
			return l.toggle(s, asked)
		}
	}
	return Do{}
}

func (l *List) moveBy(n int) {
	if l.log != "" {
		l.top += n
		return
	}
	l.at, l.moved = max(0, min(l.at+n, len(l.scripts)-1)), true
}

// scroll moves by n pages of lines.
func (l *List) scroll(n int) { l.top += n * max(1, l.page-1) }

func (l *List) unfold(s *Script) Do {
	if l.log != "" {
		return Do{}
	}
	if l.unfolded == nil {
		l.unfolded = map[string]bool{}
	}
	l.unfolded[s.Path], l.moved = !l.unfolded[s.Path], true
	if !l.unfolded[s.Path] {
		return Do{}
	}
	return Do{What: Look, Path: s.Path}
}

// line returns the line that the user wants to see: that of the problem, of the last failure, or of
// the first handler.
func (l *List) line(s *Script) int {
	if s.Line > 0 {
		return s.Line
	}
	if f, ok := l.Failures[s.Path]; ok && f.Line > 0 {
		return f.Line
	}
	if len(s.Handlers) > 0 {
		return max(1, s.Handlers[0].Line)
	}
	return 1
}

// toggle enables or disables a script; a guard only if the user has been asked.
func (l *List) toggle(s *Script, asked string) Do {
	switch {
	case s.State == Disabled:
		return Do{What: Enable, Path: s.Path}
	case s.Fixed:
		l.problem = name(s) + " cannot be disabled: it is " + s.Source
		return Do{}
	case s.Guards && asked != s.Path:
		l.asked = s.Path
		return Do{}
	}
	return Do{What: Disable, Path: s.Path}
}

// name returns the name of a script on one line.
func name(s *Script) string { return plain.OneLine(plain.RevealName(s.Name)) }

// Lines returns the lines of the panel, at most height of them.
func (l *List) Lines(width, height int, now time.Time) []ui.Line {
	if height < 1 || width < 1 {
		return nil
	}
	var rows []ui.Line
	var from, to int // the lines of the current script
	switch {
	case l.log != "":
		rows = l.logLines(width)
	case len(l.scripts) == 0:
		rows = wrapped("", "No scripts. Save a .lua or .js file into ~/.agent/scripts, and it is "+
			"live.", "", width)
	default:
		rows, from, to = l.scriptLines(width, now)
	}
	if l.Foot != "" && l.log == "" {
		rows = append(append(rows, ui.Line{}), wrapped("", l.Foot, "dim", width)...)
	}
	keys := l.keys(width)
	l.page = max(0, height-1)
	if height > 1 {
		l.place(len(rows), from, to)
		rows = rows[min(l.top, len(rows)):min(len(rows), l.top+l.page)]
		rows = append(slices.Clone(rows), make([]ui.Line, l.page-len(rows))...)
		return append(rows, keys)
	}
	return []ui.Line{keys}
}

// place sets the first visible line, so that the current script is visible if the user has moved.
func (l *List) place(total, from, to int) {
	if l.moved && l.log == "" {
		if to > l.top+l.page {
			l.top = to - l.page
		}
		l.top = min(l.top, from)
	}
	l.moved = false
	l.top = max(0, min(l.top, total-l.page))
}

// keys returns the line that lists the keys, or says what the next key does.
func (l *List) keys(width int) ui.Line {
	s := l.current()
	switch {
	case l.problem != "":
		return ui.Line{{Text: cells.Fit(l.problem, width), Style: "error"}}
	case l.asked != "" && s != nil:
		text := longest(width, name(s)+" guards: without it nothing of that is guarded. d again "+
			"disables it, also for later starts", "it GUARDS: d again disables it")
		return ui.Line{{Text: cells.Fit(text, width), Style: "alarm"}}
	case l.log != "":
		return ui.Line{{Text: longest(width, "follows the log · e edits · esc back", "esc back"),
			Style: "dim"}}
	case s == nil:
		return ui.Line{{Text: longest(width, "r reloads · esc closes", "esc"), Style: "dim"}}
	}
	verb := "disables"
	if s.State == Disabled {
		verb = "enables"
	}
	return ui.Line{{Text: cells.Fit(longest(width, fmt.Sprintf("enter unfolds · d %s · r reloads "+
		"all · e edits · l follows its log · esc closes", verb), fmt.Sprintf(
		"enter d:%s r:reload e:edit l:log esc", strings.TrimSuffix(verb, "s")),
		"enter d r e l esc"), width), Style: "dim"}}
}

func longest(width int, texts ...string) string {
	for _, t := range texts {
		if cells.Width(t) <= width {
			return t
		}
	}
	return texts[len(texts)-1]
}

// wrapped returns text in lines of the given width, each behind indent.
func wrapped(indent, text, style string, width int) (out []ui.Line) {
	for _, part := range cells.Wrap(cells.Clean(text), max(1, width-cells.Width(indent))) {
		out = append(out, ui.Line{{Text: cells.Fit(indent+part, width), Style: style}})
	}
	return out
}

// logLines shows the end of the log of a script.
func (l *List) logLines(width int) (out []ui.Line) {
	title := l.log
	if i := slices.IndexFunc(l.scripts,
		func(s Script) bool { return s.Path == l.log }); i >= 0 {
		title = name(&l.scripts[i])
	}
	out = append(out, ui.Line{{Text: cells.Fit("log of "+plain.OneLine(title), width),
		Style: "bold"}})
	for _, line := range l.Past[l.log].Log {
		out = append(out, wrapped("", line, "", width)...)
	}
	if len(out) == 1 {
		out = append(out, wrapped("", "nothing yet: what the script passes to ext.log appears here",
			"dim", width)...)
	}
	return out
}
