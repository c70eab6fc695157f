// This file turns events into entries of the transcript and toasts.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// event passes an event to its method. Events that are not listed are not shown in the
// conversation.
func (c *conversation) event(ev *event.Event) tea.Cmd {
	switch ev.Name() {
	case "script_load":
		return c.scriptLoad(ev)
	case "script_unload":
		return c.scriptUnload(ev)
	case "script_error":
		return c.scriptError(ev)
	case "session_start":
		c.scripts.begun = true
	case "session_compact":
		c.compacted(ev)
	case "message_end":
		c.messageEnd(ev)
	case "tool_input_start", "tool_input_end":
		c.inputEvent(ev)
	case "user_shell":
		c.userShell(ev)
	case "tool_call", "tool_permission", "tool_start", "tool_approval", "tool_skipped",
		"tool_result", "tool_end":
		c.toolEvent(ev)
	case "subagent_start", "subagent_event", "subagent_end":
		c.subagentEvent(ev)
	case "llm_retry", "llm_warning", "llm_source":
		c.modelEvent(ev)
	case "limit_reached", "limit_extended", "loop_detected":
		c.limitEvent(ev)
	case "model_change", "thinking_change", "permission_change", "agent_switch":
		c.changeEvent(ev)
	case "notification":
		return c.notification(ev)
	case "say":
		c.addSay(ev)
	}
	return nil
}

// Registered is what a version of a script has registered, except its handlers, which events count.
type Registered struct {
	Guards   []string // what each guards, in a word or two: "bash", "any tool"
	Masks    int      // redactors
	Commands int
	Tools    int
}

// linesAtStart is how many scripts have a line each when they load at the start. More of them share
// a line.
const linesAtStart = 3

// loadedScripts is what the conversation knows of scripts in force.
type loadedScripts struct {
	versions map[string]scriptVersion // by path
	begun    bool                     // the scripts of the start have been loaded

	start    []int // entries of scripts that were loaded at the start
	handlers int   // of those scripts, and so on
	sum      Registered
	ms       float64
}

// scriptVersion is a version in force.
type scriptVersion struct {
	Registered
	since time.Time
}

func (c *conversation) scriptLoad(ev *event.Event) tea.Cmd {
	start, path := ev.Text("cause") == "start", ev.Text("path")
	if strings.HasPrefix(path, scriptfile.BuiltinPath) { // part of the program
		return nil
	}
	var r Registered
	if f := c.backend.Registered; f != nil {
		r = f(path, whole(ev, "generation"))
	}
	done := "loaded"
	if _, before := c.scripts.versions[path]; before {
		done = "reloaded"
	}
	if c.scripts.versions == nil {
		c.scripts.versions = map[string]scriptVersion{}
	}
	c.scripts.versions[path] = scriptVersion{r, c.now()}
	ms, _ := value.Number(ev.Field("ms"))
	text := fmt.Sprintf("%s %s: %s", plain.OneLine(ev.Text("script")), done,
		registered(0, whole(ev, "handlers"), r, ms))
	if start { // no user waits for it
		c.addStarted(text, whole(ev, "handlers"), r, ms)
		return nil
	}
	c.transcript.addEntry(&noticeBlock{"dim", text})
	return c.toasts.addToast("success", text)
}

// addStarted shows that a script was loaded at the start: in a line of its own, or in one that many
// scripts share.
func (c *conversation) addStarted(text string, handlers int, r Registered, ms float64) {
	l := &c.scripts
	l.handlers, l.ms = l.handlers+handlers, l.ms+ms
	l.sum.Guards = append(l.sum.Guards, r.Guards...)
	l.sum.Masks += r.Masks
	l.sum.Commands += r.Commands
	l.sum.Tools += r.Tools
	l.start = append(l.start, c.transcript.addEntry(&noticeBlock{"dim", text}))
	if len(l.start) <= linesAtStart {
		return
	}
	guards := len(l.sum.Guards)
	c.transcript.replaceEntry(l.start[0], &noticeBlock{"dim", fmt.Sprintf("%d scripts loaded: %s",
		len(l.start), registered(guards, l.handlers-guards, l.sum, l.ms))})
	for _, i := range l.start[1:] {
		c.transcript.hide(i)
	}
}

// registered lists how much scripts have registered, and how long that took. guards are counted
// apart from the other handlers; 0 = they are not.
func registered(guards, handlers int, r Registered, ms float64) string {
	var parts []string
	add := func(n int, one string) {
		if n > 0 {
			parts = append(parts, plain.Count(n, one))
		}
	}
	add(guards, "guard")
	if guards > 0 {
		add(handlers, "other handler")
	} else {
		add(handlers, "handler")
	}
	add(r.Masks, "redactor")
	add(r.Commands, "command")
	add(r.Tools, "tool")
	took := fmt.Sprintf("%.0f ms", ms)
	if ms < 10 {
		took = strings.TrimSuffix(fmt.Sprintf("%.1f", ms), ".0") + " ms"
	}
	return strings.Join(append(parts, took), ", ")
}

func (c *conversation) scriptUnload(ev *event.Event) tea.Cmd {
	path := ev.Text("path")
	how, hint := " removed: it no longer runs", "put the file back"
	switch ev.Text("cause") {
	case "removed":
	case "off":
		how = " was switched off by its manifest: it no longer runs"
		hint = "switch it on there"
	case "disabled":
		delete(c.scripts.versions, path)
		return nil
	default: // the next version's script_load reports it
		return nil
	}
	text := plain.OneLine(ev.Text("script")) + how
	protected := protects(c.scripts.versions[path].Registered)
	delete(c.scripts.versions, path)
	if protected != "" { // as loud as a guard that fails
		text += ", and no longer " + protected
		c.transcript.addEntry(&failureBlock{message: text,
			hint: "hint: " + hint + ", and it is in force again"})
		return c.toasts.addToast("error", text)
	}
	c.transcript.addEntry(&noticeBlock{"dim", text})
	return c.toasts.addToast("info", text)
}

// guardsNamed is how many things that a removed script guarded are named.
const guardsNamed = 4

// protects says what a script guards and masks, "" if it does neither.
func protects(r Registered) string {
	var what []string
	for _, g := range r.Guards {
		if g = plain.OneLine(g); !slices.Contains(what, g) {
			what = append(what, g)
		}
	}
	if all := "any tool"; slices.Contains(what, all) {
		what = []string{all}
	}
	if n := len(what) - guardsNamed; n > 0 {
		what = append(what[:guardsNamed], fmt.Sprintf("%d more", n))
	}
	text := ""
	if len(what) > 0 {
		text = "guards " + strings.Join(what, ", ")
	}
	if r.Masks == 0 {
		return text
	}
	return strings.Join(nonEmpty(text, "masks secrets"), ", and no longer ")
}

func (c *conversation) scriptError(ev *event.Event) tea.Cmd {
	se, kept := engine.ScriptErrorOf(ev)
	message := cells.Clean(se.Error())
	b := &failureBlock{message: message, excerpt: cells.Clean(se.Excerpt),
		waits: se.Waits}
	var hints []string
	if se.Hint != "" {
		hints = append(hints, "hint: "+cells.Clean(se.Hint))
	}
	if script := cells.Clean(se.Script); se.Handler == "load" {
		if kept {
			hints = append(hints, c.keptVersion(script, se.Path))
		} else {
			hints = append(hints, "no version of "+script+" is in force")
		}
	} else if se.Handler != "" {
		hints = append(hints, "in "+cells.Clean(se.Handler))
	}
	b.hint = strings.Join(hints, "\n")
	c.transcript.addEntry(b)
	if se.Waits {
		return c.toastUnseen("warn", message)
	}
	return c.toastUnseen("error", message)
}

// toastUnseen adds a toast about the newest entry of the transcript, unless that is visible: once
// is enough.
func (c *conversation) toastUnseen(level, text string) tea.Cmd {
	if c.transcript.follow && !c.covered() {
		return nil
	}
	return c.toasts.addToast(level, plain.FirstLine(text))
}

// keptVersion says which version of a script stays in force. What was loaded at the start may be
// older than the start, so its time says nothing there.
func (c *conversation) keptVersion(script, path string) string {
	v, ok := c.scripts.versions[path]
	if !ok || !c.scripts.begun {
		return "the last good version of " + script + " stays in force"
	}
	layout := "15:04"
	if v.since.Format(time.DateOnly) != c.now().Format(time.DateOnly) {
		layout = "2006-01-02 15:04"
	}
	return "the version of " + v.since.Format(layout) + " stays in force"
}

func (c *conversation) notification(ev *event.Event) tea.Cmd {
	level, text := ev.Text("level"), cells.Clean(ev.Text("message"))
	stage := ev.Text("stage")
	if stage == "limit" { // the end of the prompt reports it
		return nil
	}
	source := cells.Clean(ev.Text("source"))
	if source == "agent" {
		source = ""
	}
	c.burst.addNotice(c.transcript, c.now(), source, level, text)
	if source != "" {
		text = "[" + source + "] " + text
	}
	if (level == "warn" || level == "error") && stage == "" {
		return c.toastUnseen(level, text)
	}
	return nil
}

func (c *conversation) addSay(ev *event.Event) {
	source := cells.Clean(ev.Text("source"))
	if source == "agent" {
		source = ""
	}
	c.transcript.addEntry(&sayBlock{source: source, text: cells.Clean(ev.Text("markdown"))})
}
