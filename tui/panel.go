// This file shows panels: what a script draws in place of the conversation, and whose keys it hears.

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
)

// panel is an open panel. The last one that was opened is in sight.
type panel struct {
	gate
	told  *engine.Panel
	title string
	lines []engine.Line // clean
}

// openPanelMsg, drawPanelMsg and closePanelMsg are what a script does with a panel.
type (
	openPanelMsg  struct{ *panel }
	closePanelMsg struct{ *panel }
	drawPanelMsg  struct {
		*panel
		lines []engine.Line
	}
)

// openPanel opens a panel for a script.
func (u *UI) openPanel(told *engine.Panel) engine.PanelView {
	p := &panel{told: told, title: oneLine("[" + told.Script + "] " + told.Title)}
	u.feed.push(openPanelMsg{p})
	return engine.PanelView{
		Draw:  func(lines []engine.Line) { u.feed.push(drawPanelMsg{p, cleanLines(lines)}) },
		Close: func() { u.feed.push(closePanelMsg{p}) },
	}
}

// panels are those that are open.
type panels []*panel

// front is the panel in sight, nil if there is none.
func (ps panels) front() *panel {
	if len(ps) == 0 {
		return nil
	}
	return ps[len(ps)-1]
}

// without are the panels but p.
func (ps panels) without(p *panel) panels {
	var out panels
	for _, x := range ps {
		if x != p {
			out = append(out, x)
		}
	}
	return out
}

// panelKey hands a key to the panel in sight. The script decides, elsewhere: see engine.Panel.
func (m *model) panelKey(p *panel, msg tea.KeyPressMsg) { p.told.Key(msg.String(), msg.Text) }

// layoutPanel draws the panel in place of the conversation and the editor. Until it takes keys, the editor
// stays in sight: they go there.
func (m *model) layoutPanel(p *panel) {
	room := max(0, m.height-2) // title and status line
	p.told.Resize(m.width, room)
	listens := m.listens()
	m.screen = append(m.screen[:0], titleRule(m.theme, waitingTitle(p.title, m.width, listens), m.width))
	var foot []string
	if m.cursor = nil; !listens {
		foot, m.cursor = m.editor.layout(m.width, 1, m.hint())
	}
	for i := range max(0, room-len(foot)) {
		line := ""
		if i < len(p.lines) {
			line = drawLine(m.theme, p.lines[i], m.width)
		}
		m.screen = append(m.screen, line)
	}
	m.toasts.over(m.screen[1:], m.theme, m.width) // the title says whether keys are heard
	m.screen = append(append(m.screen, foot...), m.statusLine())
	if len(m.screen) > m.height {
		m.screen = m.screen[len(m.screen)-m.height:]
	}
	p.gate.draw(m.now())
	if m.cursor != nil {
		m.cursor.Y += len(m.screen) - 2
	}
}
