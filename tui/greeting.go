// This file shows the page of the first start.

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/welcome"
)

// Welcome is what the panel of the first start tells, and Starter a script that it offers.
type (
	Welcome = welcome.Facts
	Starter = welcome.Starter
)

// greeting is the panel of the first start.
type greeting struct {
	unseen
	*shared
	overlays *overlays
	editor   *editor

	page  welcome.Page
	panel *panel // nil = closed
}

// greetMsg are the facts for the panel.
type greetMsg struct {
	facts  Welcome
	opens  bool
	asked  time.Time // when the user asked for the panel; zero = it opens by itself
	said   string    // what became of the script that was added
	failed bool
}

// handleMsg implements component.
func (g *greeting) handleMsg(msg tea.Msg) tea.Cmd {
	m, ok := msg.(greetMsg)
	if !ok {
		return nil
	}
	if m.opens && m.asked.IsZero() && !g.editor.blank() { // the user has begun to work
		return nil
	}
	if m.opens && g.panel == nil {
		g.page = welcome.Page{}
		g.panel = g.overlays.openOwn(g, "welcome", m.asked, func() { g.panel = nil })
	}
	g.page.Set(m.facts)
	if m.said != "" {
		g.page.Say(m.said, m.failed)
	}
	return nil
}

// key implements component. A key comes here only while the panel waits for a pause: the user has
// begun to work.
func (g *greeting) key(tea.KeyPressMsg) (tea.Cmd, bool) {
	if g.panel != nil {
		g.closePanel()
	}
	return nil, false
}

// openGreeting opens the panel, for a key that was pressed at the given time.
func (g *greeting) openGreeting(asked time.Time) tea.Cmd {
	facts := g.backend.Welcome
	if facts == nil {
		return nil
	}
	return func() tea.Msg { return greetMsg{facts: facts(), opens: true, asked: asked} }
}

// panelLines implements ownPanel.
func (g *greeting) panelLines(width, height int) []ui.Line { return g.page.Lines(width, height) }

// panelPaste implements ownPanel: a prompt that is pasted begins the work.
func (g *greeting) panelPaste() bool {
	g.closePanel()
	return false
}

func (g *greeting) closePanel() {
	g.overlays.panels.removePanel(g.panel)
	g.panel = nil
}

// panelKey implements ownPanel.
func (g *greeting) panelKey(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "ctrl+d" && g.editor.blank() {
		return tea.Quit
	}
	do := g.page.Key(msg.String(), msg.Text)
	if do.Close {
		g.closePanel()
	}
	if do.Insert != "" {
		return g.editor.paste(do.Insert)
	}
	if do.Add == "" || g.backend.AddStarter == nil {
		return nil
	}
	add, facts := g.backend.AddStarter, g.backend.Welcome
	return func() tea.Msg {
		said, err := add(do.Add)
		if err != nil {
			said = plain.Error(err)
		}
		return greetMsg{facts: facts(), said: said, failed: err != nil}
	}
}
