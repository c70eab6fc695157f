// This file defines notices, and how calls and their results are shown.

package ui

import (
	"slices"

	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
)

// Display says how a result is drawn.
type Display struct {
	Title string
	Kind  string // "text", "markdown", "diff", "code"
	Lang  string // for code, and for the file that a diff is about
	Text  string // what is drawn; "" = the content
}

// Preview describes what a call would do now, for the person who decides. Like the arguments in a
// Question it is not masked: see Masked.
type Preview struct {
	// Display is drawn in place of the arguments, in the same way as the Display of the result will
	// be. It shows all changes, without cuts. An empty Text means that there is nothing to show,
	// and the arguments are shown.
	Display Display
	Note    string      // one line: "new file, 3 lines"
	File    *FileChange // the file that would change, nil = none
	Fails   string      // why the call would currently fail; "" = it would not
}

// FileChange is a file before and after a change, as on the disk, including line ends.
type FileChange struct {
	Path   string  // absolute
	Before *string // nil: there is no such file
	After  string
}

// Masked returns p, which may be nil, masked for display other than on the user's own screen. See
// redact.Mask for where it must not be called.
func (p *Preview) Masked(k *redact.Mask) *Preview {
	if p == nil || !k.On() {
		return p
	}
	masked := *p
	masked.Display.Title, masked.Display.Text = k.Text(p.Display.Title), k.Text(p.Display.Text)
	masked.Note, masked.Fails = k.Text(p.Note), k.Text(p.Fails)
	if p.File != nil {
		file := FileChange{Path: k.Text(p.File.Path), After: k.Text(p.File.After)}
		if p.File.Before != nil {
			before := k.Text(*p.File.Before)
			file.Before = &before
		}
		masked.File = &file
	}
	return &masked
}

// Notice is something to show to the user.
type Notice struct{ Text, Level string }

var displayFields = []value.Field{
	{Name: "title", Type: "string?"},
	{Name: "kind", Type: "string?", Values: []string{"text", "markdown", "diff", "code"},
		Verbatim: true},
	{Name: "lang", Type: "string?", Doc: "of code, and of a diff's file: go, js, ...",
		Verbatim: true},
	{Name: "text", Type: "string?", Doc: "what is drawn; absent: the content"},
}

// DisplayFields are the keys of display.
func DisplayFields() []value.Field { return slices.Clone(displayFields) }

// Value returns d for scripts and front ends.
func (d *Display) Value() map[string]any {
	m := map[string]any{}
	for k, v := range map[string]string{"title": d.Title, "kind": d.Kind, "lang": d.Lang,
		"text": d.Text} {
		if v != "" {
			m[k] = v
		}
	}
	return m
}

// Levels are the levels of a notification.
func Levels() []string { return []string{"info", "success", "warn", "error"} }

var noticeField = value.Field{Name: "notify", Type: "string|table",
	Fields: []value.Field{{Name: "text", Type: "string"},
		{Name: "level", Type: "string?", Values: Levels()}}}

// DecodeNotice reads a notice of a script: a text, or {text, level}. The error begins after the
// name of what is wrong.
func DecodeNotice(v any) (*Notice, error) {
	v, err := value.Check(noticeField, v)
	if err != nil {
		return nil, err
	}
	n := &Notice{Level: "info"}
	switch v := v.(type) {
	case string:
		n.Text = v
	case map[string]any:
		n.Text = value.Text(v, "text")
		if level := value.Text(v, "level"); level != "" {
			n.Level = level
		}
	}
	return n, nil
}
