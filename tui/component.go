// This file holds what the parts of the screen have in common.

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// component is a part of the screen. The model hands every message to every component, offers a key
// to one after the other until one of them uses it, and puts the lines of those in sight together.
// A component can be made and tested by itself.
type component interface {
	// update takes a message: of the terminal, of the feed, or the result of a command. It ignores
	// messages that are not for it.
	update(msg tea.Msg) tea.Cmd
	// key handles a key press. It reports false if the key is none of its keys.
	key(msg tea.KeyPressMsg) (cmd tea.Cmd, used bool)
	// layout returns lines of at most width cells. height is the number of lines that it should
	// keep to. The cursor's row counts from the first line; nil means that the cursor is elsewhere.
	layout(width, height int) (lines []string, cursor *tea.Cursor)
}

// keyless is the key method of a component that has no keys.
type keyless struct{}

func (keyless) key(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }

// unseen is the layout method of a component that has no lines of its own.
type unseen struct{}

func (unseen) layout(int, int) ([]string, *tea.Cursor) { return nil, nil }

// shared is what all components use. It does not change once the screen runs.
type shared struct {
	backend Backend
	info    Info
	theme   *theme
	now     func() time.Time
}
