// This file shows panels, which scripts, or the screen, draw in place of the conversation and which
// take its keys.

package tui

import (
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/scriptlist"
)

// panel is an open panel. The one opened last is visible.
type panel struct {
	gate
	theme *theme // of the screen, once it is open
	told  *ui.Panel
	title string
	lines []ui.Line // clean
	own   ownPanel  // what the screen itself shows; nil = a script draws
}

// ownPanel is the content of a panel of the screen itself.
type ownPanel interface {
	panelKey(msg tea.KeyPressMsg) tea.Cmd
	panelPaste() (used bool) // false = the text is for the editor
	panelLines(width, height int) []ui.Line
}

// openPanelMsg, drawPanelMsg and closePanelMsg are a script's requests for a panel.
type (
	openPanelMsg  struct{ *panel }
	closePanelMsg struct{ *panel }
	drawPanelMsg  struct {
		*panel
		lines []ui.Line
	}
)

// openPanel opens a panel for a script.
func (u *UI) openPanel(told *ui.Panel) ui.PanelView {
	p := &panel{told: told, title: plain.OneLine("[" + told.Script + "] " + told.Title)}
	u.feed.Push(openPanelMsg{p})
	return ui.PanelView{
		Draw:  func(lines []ui.Line) { u.feed.Push(drawPanelMsg{p, cleanLines(lines)}) },
		Close: func() { u.feed.Push(closePanelMsg{p}) },
	}
}

// panels are the open panels.
type panels struct {
	*shared
	open []*panel
}

// front returns the visible panel, nil if there is none.
func (ps *panels) front() *panel {
	if len(ps.open) == 0 {
		return nil
	}
	return ps.open[len(ps.open)-1]
}

// handleMsg implements component.
func (ps *panels) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openPanelMsg:
		msg.panel.theme = ps.theme
		ps.open = append(ps.open, msg.panel)
	case drawPanelMsg:
		return msg.panel.handleMsg(msg)
	case closePanelMsg:
		ps.removePanel(msg.panel)
	}
	return nil
}

// removePanel removes p.
func (ps *panels) removePanel(p *panel) {
	ps.open = slices.DeleteFunc(ps.open, func(x *panel) bool { return x == p })
}

// closeFront closes the visible panel on the user's behalf.
func (ps *panels) closeFront() {
	p := ps.front()
	p.told.Close()
	ps.removePanel(p)
}

// key implements component: the visible panel gets all keys.
func (ps *panels) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if p := ps.front(); p != nil {
		return p.key(msg)
	}
	return nil, false
}

// layout implements component: it draws the visible panel.
func (ps *panels) layout(width, height int) ([]string, *tea.Cursor) {
	if p := ps.front(); p != nil {
		return p.layout(width, height)
	}
	return nil, nil
}

// handleMsg implements component: it shows what the script has drawn.
func (p *panel) handleMsg(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(drawPanelMsg); ok {
		p.lines = msg.lines
	}
	return nil
}

// key implements component. The script handles the key asynchronously: see ui.Panel.
func (p *panel) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if p.own != nil {
		return p.own.panelKey(msg), true
	}
	p.told.Key(msg.String(), msg.Text)
	return nil, true
}

// paste implements paster.
func (p *panel) paste(text string) bool {
	if p.own != nil {
		return p.own.panelPaste()
	}
	p.told.Key("paste", text)
	return true
}

// layout implements component: it draws the panel, its title first, in height lines.
func (p *panel) layout(width, height int) ([]string, *tea.Cursor) {
	title := p.title
	if p.own == nil && p.opened {
		title = cells.Longest(titleRoom(width), title+" · esc closes", title)
	}
	lines := []string{titleRule(p.theme, waitingTitle(title, width, p.opened), width)}
	if p.own != nil {
		p.lines = p.own.panelLines(width, height-1)
	}
	for i := range max(0, height-1) {
		line := ""
		if i < len(p.lines) {
			line = drawLine(p.theme, p.lines[i], width)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// box draws the panel in a frame, with at most the given number of cells and lines.
func (p *panel) box(width, height int) []string {
	const frame = 4 // with a space on each side
	title := waitingTitle(p.title, width-frame, p.opened)
	inner := cells.Width(title)
	lines := p.lines[:min(len(p.lines), height-2)]
	for _, l := range lines {
		inner = max(inner, cells.Width(l.Text()))
	}
	inner = min(inner, width-frame)
	edge := p.theme.warn.Render
	rule := strings.Repeat("─", max(0, inner-cells.Width(title)))
	box := []string{edge("╭ ") + edge(cells.Fit(title, inner)) + edge(" "+rule+"╮")}
	for _, l := range lines {
		line := drawLine(p.theme, l, inner)
		gap := strings.Repeat(" ", max(0, inner-cells.Width(line)))
		box = append(box, edge("│ ")+line+gap+edge(" │"))
	}
	return append(box, edge("╰"+strings.Repeat("─", inner+2)+"╯"))
}

// Script is a script as the panel shows it, ScriptPart something that it has registered, and
// ScriptPast what it has done.
type (
	Script      = scriptlist.Script
	ScriptPart  = scriptlist.Part
	ScriptPast  = scriptlist.Past
	ScriptState = scriptlist.State
)

// The states of a script.
const (
	ScriptLive      = scriptlist.Live
	ScriptKept      = scriptlist.Kept
	ScriptBroken    = scriptlist.Broken
	ScriptFailed    = scriptlist.Failed
	ScriptDisabled  = scriptlist.Disabled
	ScriptUntrusted = scriptlist.Untrusted
	ScriptWaiting   = scriptlist.Waiting
	ScriptReplaced  = scriptlist.Replaced
)

// followStep is how often the log of a script is read while it is on the screen.
const followStep = time.Second

// scripts is the list of scripts, in a panel while it is open.
type scripts struct {
	keyless
	unseen
	*shared
	overlays *overlays

	list     scriptlist.List
	panel    *panel // nil = closed
	asking   bool   // a request is on its way
	again    bool   // another one is due
	followed bool   // a followMsg is on its way
}

// scriptsMsg is the answer to a request for the scripts.
type scriptsMsg struct {
	list  []Script
	foot  string
	path  string // of the script whose past was asked for; "" = none
	past  ScriptPast
	err   error     // of what the user wanted
	opens bool      // the panel is to be opened
	asked time.Time // when the user asked for that
}

// editMsg is the command that edits a script.
type editMsg struct {
	cmd *exec.Cmd
	err error
}

// followMsg reads the followed log again.
type followMsg struct{}

func newScripts(b *shared, o *overlays) *scripts {
	s := &scripts{shared: b, overlays: o}
	s.list.Failures = map[string]scriptlist.Failure{}
	s.list.Past = map[string]ScriptPast{}
	return s
}

// handleMsg implements component.
func (s *scripts) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case scriptsMsg:
		return s.answered(msg)
	case editMsg:
		if msg.err != nil {
			s.list.Fail(plain.Error(msg.err))
			return nil
		}
		return tea.ExecProcess(msg.cmd, func(err error) tea.Msg { return s.askScripts(nil, err)() })
	case followMsg:
		if s.followed = false; s.panel != nil {
			return s.refresh()
		}
	case *event.Event:
		return s.event(msg)
	}
	return nil
}

// event notes the failures of scripts, and keeps an open panel up to date.
func (s *scripts) event(ev *event.Event) tea.Cmd {
	switch ev.Name() {
	case "script_error":
		se, _ := engine.ScriptErrorOf(ev)
		if se.Handler != "load" { // the list has those
			text := cells.Clean(se.Error())
			if se.Excerpt != "" {
				text += "\n" + cells.Clean(se.Excerpt)
			}
			s.list.Failures[se.Path] = scriptlist.Failure{Text: text, Line: se.Line, At: s.now()}
		}
	case "script_load":
		delete(s.list.Failures, ev.Text("path"))
	case "script_unload", "tool_end", "agent_end":
	default:
		return nil
	}
	if s.panel == nil {
		return nil
	}
	return s.refresh()
}

// openList opens the panel, for a key that was pressed at the given time.
func (s *scripts) openList(asked time.Time) tea.Cmd {
	if s.backend.Scripts == nil {
		return nil
	}
	ask := s.askScripts(nil, nil)
	return func() tea.Msg {
		msg := ask().(scriptsMsg)
		msg.opens, msg.asked = true, asked
		return msg
	}
}

// refresh asks for the scripts again. One request is on its way at a time.
func (s *scripts) refresh() tea.Cmd {
	if s.asking {
		s.again = true
		return nil
	}
	s.asking = true
	return s.askScripts(nil, nil)
}

// askScripts returns a command that first calls do, if it is not nil, and then asks for the
// scripts, and for the past of the one that is unfolded. err is shown, unless do has an error.
func (s *scripts) askScripts(do func() error, err error) tea.Cmd {
	list, past := s.backend.Scripts, s.backend.ScriptPast
	path, log := s.list.Looks()
	return func() tea.Msg {
		msg := scriptsMsg{err: err}
		if do != nil {
			msg.err = do()
		}
		if msg.list, msg.foot = list(); path != "" && past != nil {
			msg.path, msg.past = path, past(path, log)
		}
		return msg
	}
}

// answered takes an answer, and opens the panel if the user asked for that.
func (s *scripts) answered(msg scriptsMsg) tea.Cmd {
	s.asking = false
	s.list.Set(msg.list)
	if s.list.Foot = msg.foot; msg.path != "" {
		s.list.Past[msg.path] = msg.past
	}
	if msg.err != nil {
		s.list.Fail(plain.Error(msg.err))
	}
	if msg.opens && s.panel == nil {
		s.panel = s.overlays.openOwn(s, "scripts", msg.asked, func() { s.panel = nil })
	}
	var cmds []tea.Cmd
	if s.again {
		s.again = false
		cmds = append(cmds, s.refresh())
	}
	if _, log := s.list.Looks(); log && s.panel != nil && !s.followed {
		s.followed = true
		cmds = append(cmds, tea.Tick(followStep, func(time.Time) tea.Msg { return followMsg{} }))
	}
	return tea.Batch(cmds...)
}

// openOwn opens a panel of the screen itself. It takes keys at once if the user asked for it with a
// key pressed at the given time. closed is called when the user leaves it by another way than its
// keys.
func (o *overlays) openOwn(own ownPanel, title string, asked time.Time, closed func()) *panel {
	p := &panel{own: own, theme: o.theme, title: title, told: &ui.Panel{
		Key: func(string, string) {}, Resize: func(int, int) {}, Close: closed}}
	p.opened = !asked.IsZero() && asked.Equal(o.lastKey) && !o.asks()
	o.panels.open = append(o.panels.open, p)
	return p
}

// panelLines implements ownPanel.
func (s *scripts) panelLines(width, height int) []ui.Line {
	return s.list.Lines(width, height, s.now())
}

// panelPaste implements ownPanel.
func (s *scripts) panelPaste() bool { return true }

// panelKey implements ownPanel.
func (s *scripts) panelKey(msg tea.KeyPressMsg) tea.Cmd {
	do := s.list.Key(msg.String())
	switch do.What {
	case scriptlist.Close:
		s.overlays.panels.removePanel(s.panel)
		s.panel = nil
	case scriptlist.Enable, scriptlist.Disable:
		if f := s.backend.EnableScript; f != nil {
			on := do.What == scriptlist.Enable
			return s.askScripts(func() error { return f(do.Path, on) }, nil)
		}
	case scriptlist.Reload:
		if f := s.backend.Reload; f != nil {
			return s.askScripts(func() error { f(); return nil }, nil)
		}
	case scriptlist.Look:
		return s.refresh()
	case scriptlist.Edit:
		if f := s.backend.Editor; f != nil {
			return func() tea.Msg {
				cmd, err := f(do.Path, do.Line)
				return editMsg{cmd, err}
			}
		}
	}
	return nil
}
