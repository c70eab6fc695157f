package tool

import (
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/ui"
)

// change is a change of a file by write or edit.
type change struct {
	name, path    string // path as the model gave it; absolute path
	dir           string // the working directory of the call
	existed       bool
	read          bool // before is the file's content
	before, after string
}

// display returns the difference to the existing file, or the text of a new one.
func (c *change) display(difference string) *ui.Display {
	d := &ui.Display{Title: c.name, Kind: "diff",
		Lang: strings.TrimPrefix(filepath.Ext(c.path), "."), Text: difference}
	if !c.existed {
		d.Kind, d.Text = "code", c.after
	}
	return d
}

// ends names the line ends of a text: CRLF, LF, mixed, or "" if it has none.
func ends(text string) string {
	switch crlf, all := strings.Count(text, "\r\n"), strings.Count(text, "\n"); {
	case all == 0:
		return ""
	case crlf == all:
		return "CRLF"
	case crlf == 0:
		return "LF"
	}
	return "mixed"
}

// newEnds returns a note if all line ends of the file change, otherwise "".
func (c *change) newEnds() string {
	was, is := ends(c.before), ends(c.after)
	if !c.read || was == is || was == "" || is == "" {
		return ""
	}
	return "line ends changed from " + was + " to " + is
}

// result returns the result of a change. Details has crlf if all lines end with it, which the
// display does not show.
func (c *change) result(text string) *engine.Result {
	if changed := c.newEnds(); changed != "" {
		text += "; " + changed
	}
	r := engine.TextResult(text)
	difference := ""
	if c.existed {
		difference = diff.Unified(c.before, c.after)
	}
	r.Display = c.display(difference)
	r.Details = map[string]any{"path": c.path}
	if is := ends(c.after); is == "CRLF" && (ends(c.before) == is || !c.existed) {
		r.Details["crlf"] = true
	}
	return r
}

// leads returns the path of the real file, which may not exist yet. linked means that the path
// leads there through a link below the working directory, or that it is outside of the working
// directory.
func (c *change) leads() (to string, linked bool) {
	path := c.path
	if rest, ok := strings.CutPrefix(path, c.dir+string(filepath.Separator)); ok && c.dir != "" {
		if at, err := decidedPath(c.dir, nil); err == nil {
			path = filepath.Join(at, rest)
		}
	}
	to, err := decidedPath(c.path, nil)
	return to, err == nil && to != path
}

// preview shows a whole change that has not been made yet. note describes it, unless it replaces a
// whole file.
func (c *change) preview(note string) *ui.Preview {
	p := &ui.Preview{Note: note, File: &ui.FileChange{Path: c.path, After: c.after}}
	if changed := c.newEnds(); changed != "" {
		p.Note += "; " + changed
	}
	if to, linked := c.leads(); linked {
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
