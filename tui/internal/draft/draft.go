// Package draft is the text that a user writes, with those that were sent before and one that was
// put away.
//
//	d := draft.New(labels, 1<<20)
//	fits := d.Key(msg) // a key that edits; up and down go to earlier texts
//	text := d.Take()   // to send it
//
// It knows nothing of the program around it: it sends nothing, and does no I/O.
package draft

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/recall"
	"github.com/agentscripts/agent/tui/internal/textarea"
	"github.com/agentscripts/agent/tui/internal/vim"
)

// Draft is the text that is being written.
type Draft struct {
	Area textarea.Area
	Past recall.List
	// Vim has the keys of Vim; nil: they mean nothing
	Vim *vim.Machine
	// Search is the search in the earlier texts; nil: the user does not search
	Search *recall.Search

	limit int    // the most bytes of the text
	stash string // a text that was put away, "" = none

	loaded bool   // the texts of earlier starts are known
	early  int    // how often the user went back before that, without effect
	stood  string // the text then
}

// New returns an empty draft of at most limit bytes, which is drawn with labels.
func New(labels textarea.Labels, limit int) *Draft {
	d := &Draft{limit: limit}
	d.Area.Label, d.Past.Label = labels, labels
	return d
}

// Text returns the text.
func (d *Draft) Text() string { return d.Area.Text() }

// Blank reports whether nothing is being written or searched.
func (d *Draft) Blank() bool { return d.Text() == "" && d.Search == nil }

// Replace replaces the text by clean text, which can be undone, and ends the search.
func (d *Draft) Replace(text string) {
	d.Search = nil
	d.Area.Replace(text)
}

// Insert inserts clean text at the cursor. It reports false if the text would become too long.
func (d *Draft) Insert(text string) bool {
	if len(d.Text())+len(text) > d.limit {
		return false
	}
	d.Area.Insert(text)
	return true
}

// Key handles an editing key. It reports false if there is no room for it.
func (d *Draft) Key(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "ctrl+j", "shift+enter":
		return d.Insert("\n")
	case "up":
		if !d.Area.Vertical(-1) {
			d.recall(-1)
		}
	case "down":
		if !d.Area.Vertical(1) {
			d.recall(1)
		}
	default:
		msg.Text = chip.Clean(msg.Text)
		if len(d.Text())+d.Area.Grows(msg) > d.limit {
			return false
		}
		d.Area.Key(msg)
	}
	return true
}

// recall goes back (-1) or forward (1) in the earlier texts.
func (d *Draft) recall(step int) {
	text, ok := d.Past.Step(step, d.Text())
	switch {
	case ok:
		d.Area.Replace(text)
	case step < 0 && !d.loaded:
		if d.Text() != d.stood {
			d.early, d.stood = 0, d.Text()
		}
		d.early++
	}
}

// LoadPast adds the texts of earlier starts, and goes back in them if the user has wanted to before
// they were there, and has written nothing since.
func (d *Draft) LoadPast(own, others []string) {
	d.Past.Load(own, others)
	d.loaded = true
	steps := d.early
	if d.Text() != d.stood {
		steps = 0
	}
	for d.early = 0; steps > 0; steps-- {
		d.recall(-1)
	}
}

// Continue replaces a backslash before the cursor by a line end, and reports whether there is one.
func (d *Draft) Continue() bool { return d.Area.ReplaceBefore(`\`, "\n") }

// Take empties the draft and returns its text, which is an earlier one from now on.
func (d *Draft) Take() string {
	text := strings.TrimSpace(d.Text())
	d.Area.Set("")
	d.resetVim()
	d.Past.Append(text)
	return text
}

// Clear empties the draft, which can be undone.
func (d *Draft) Clear() {
	d.Area.Replace("")
	d.resetVim()
}

func (d *Draft) resetVim() {
	if d.Vim != nil {
		d.Vim.Reset()
	}
}

// SwapStash puts the text away, or brings back the one that was put away; if there are both, they
// change places.
func (d *Draft) SwapStash() {
	text := d.Text()
	d.Replace(d.stash)
	d.stash = text
}

// PopStash brings back the text that was put away, if there is one, in place of the text.
func (d *Draft) PopStash() {
	if d.stash != "" {
		d.Area.Set(d.stash)
		d.stash = ""
	}
}

// Stashed reports whether a text was put away.
func (d *Draft) Stashed() bool { return d.stash != "" }

// BeginSearch begins a search in the earlier texts.
func (d *Draft) BeginSearch() { d.Search = d.Past.Search() }

// LeaveSearch ends a search without taking anything, and reports whether there was one.
func (d *Draft) LeaveSearch() bool {
	was := d.Search != nil
	d.Search = nil
	return was
}

// SearchKey handles a key while the user searches, and reports whether it was used. Another one
// ends the search, takes the match, and is then to be handled as usual.
func (d *Draft) SearchKey(msg tea.KeyPressMsg) bool {
	if d.Search == nil {
		return false
	}
	result := d.Search.Key(msg)
	if result == recall.Used {
		return true
	}
	if text, found := d.Search.Match(); found && result != recall.Left {
		d.Area.Replace(text)
	}
	d.Search = nil
	return result != recall.Unused
}
