// This file draws the texts that wait for the agent.

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/tui/cells"
)

// takesBack reports whether the user can take back waiting text.
func (w *work) takesBack() bool {
	return slices.ContainsFunc(w.state.Waiting, func(text Waiting) bool { return !text.Script })
}

// waitingShown is how many waiting texts are shown above the editor.
const waitingShown = 4

// layout implements component: it draws the waiting texts, each with its kind.
func (w *work) layout(width, _ int) (lines []string, _ *tea.Cursor) {
	waiting, th := w.state.Waiting, w.theme
	if len(waiting) == 0 {
		return nil, nil
	}
	for i, text := range waiting {
		if i == waitingShown {
			lines = append(lines,
				th.dim.Render(cells.Fit("  "+plural(len(waiting)-i, "more waits", "more wait"),
					width)))
			break
		}
		kind := "follow-up"
		if text.Kind == kindSteer {
			kind = "steering"
		}
		if text.Script {
			kind += " of a script"
		}
		head := "⧗ " + kind + ": "
		lines = append(lines, th.warn.Render(cells.Fit(head, width))+cells.Fit(oneLine(text.Text),
			width-cells.Width(head)))
	}
	return append(lines,
			th.dim.Render(cells.Fit("  up takes the last one back, esc stops and takes all back",
				width))),
		nil
}
