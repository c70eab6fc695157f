// This file shows panels, which scripts draw in place of the conversation and which take its keys.

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

// panel is an open panel. The one opened last is visible.
type panel struct {
	gate
	theme *theme // of the screen, once it is open
	told  *ui.Panel
	title string
	lines []ui.Line // clean
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
	u.feed.pushItem(openPanelMsg{p})
	return ui.PanelView{
		Draw:  func(lines []ui.Line) { u.feed.pushItem(drawPanelMsg{p, cleanLines(lines)}) },
		Close: func() { u.feed.pushItem(closePanelMsg{p}) },
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
	p.told.Key(msg.String(), msg.Text)
	return nil, true
}

// paste implements paster.
func (p *panel) paste(text string) bool {
	p.told.Key("paste", text)
	return true
}

// layout implements component: it draws the panel, its title first, in height lines.
func (p *panel) layout(width, height int) ([]string, *tea.Cursor) {
	lines := []string{titleRule(p.theme, waitingTitle(p.title, width, p.opened), width)}
	for i := range max(0, height-1) {
		line := ""
		if i < len(p.lines) {
			line = drawLine(p.theme, p.lines[i], width)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
