// This file connects the draft with the keys of Vim.

package draft

import (
	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/textarea"
	"github.com/agentscripts/agent/tui/internal/vim"
)

// VimKey handles a key that is a command of Vim, and reports whether it is one; fits is false if
// the text would become too long.
func (d *Draft) VimKey(msg tea.KeyPressMsg) (used, fits bool) {
	if d.Vim == nil || d.Search != nil {
		return false, true
	}
	name := msg.String()
	if msg.Text != "" {
		name = chip.Clean(msg.Text)
	}
	before := d.buffer()
	after, effect := d.Vim.Key(name, before)
	switch {
	case effect == vim.Pass:
		return false, true
	case effect == vim.Undo:
		d.Area.Key(tea.KeyPressMsg{Code: '_', Mod: tea.ModCtrl})
	case effect == vim.Redo:
		d.Area.Key(tea.KeyPressMsg{Code: '_', Mod: tea.ModAlt})
	case effect == vim.Up:
		d.Key(tea.KeyPressMsg{Code: tea.KeyUp})
	case effect == vim.Down:
		d.Key(tea.KeyPressMsg{Code: tea.KeyDown})
	case len(after.Text) > d.limit:
		return true, false
	case after != before:
		d.Area.Replace(after.Text)
		d.Area.MoveTo(after.At)
	}
	return true, true
}

func (d *Draft) buffer() vim.Buffer {
	return vim.Buffer{Text: d.Text(), At: len(d.Area.Before())}
}

// VimMode says in which mode of Vim the draft is; "" for the one in which keys are text.
func (d *Draft) VimMode() string {
	if d.Vim == nil || d.Vim.Mode() == vim.Insert {
		return ""
	}
	return d.Vim.Mode().String()
}

// EscEdits reports whether esc is a command of Vim.
func (d *Draft) EscEdits() bool {
	return d.Vim != nil && (d.Vim.Mode() == vim.Insert || d.Vim.Pending())
}

// Layout returns at most height rows around the cursor, and the cursor in them: a bar where keys of
// Vim are text.
func (d *Draft) Layout(width, height int) ([]string, *tea.Cursor) {
	cursor := tea.NewCursor(0, 0)
	if d.Vim != nil {
		if d.Vim.Mode() == vim.Insert {
			cursor.Shape = tea.CursorBar
		}
		from, to := d.Vim.Selection(d.buffer())
		d.Area.Marked = textarea.Span{From: from, To: to}
	}
	lines, x, y := d.Area.Layout(width, height)
	cursor.Position = tea.Position{X: x, Y: y}
	return lines, cursor
}
