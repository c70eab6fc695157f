package tool

import (
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/diff"
)

// change is what write or edit does to a file.
type change struct {
	name, path    string // as the model gave it; absolute
	existed       bool
	read          bool // before is what the file holds
	before, after string
}

// display shows a change: the difference of a file that existed, the text of a new one.
func (c *change) display(difference string) *engine.Display {
	if c.existed {
		return &engine.Display{Title: c.name, Kind: "diff", Text: difference}
	}
	return &engine.Display{Title: c.name, Kind: "code", Lang: strings.TrimPrefix(filepath.Ext(c.path), "."), Text: c.after}
}

// preview shows a change that was not made yet, all of it. note says what it is, unless it replaces a
// file as a whole.
func (c *change) preview(note string) *engine.Preview {
	p := &engine.Preview{Note: note, File: &engine.FileChange{Path: c.path, After: c.after}}
	if to, err := target(c.path); err == nil && to != c.path {
		p.Note += ", through a link to " + to
		p.File.Path = to
	}
	difference, ok := "", true
	switch {
	case !c.existed:
	case c.read:
		p.File.Before = &c.before
		difference, ok = diff.Full(c.before, c.after)
	default:
		p.File, ok = nil, false
	}
	if ok {
		p.Display = *c.display(difference)
	}
	return p
}
