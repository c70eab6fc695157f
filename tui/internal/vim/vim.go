// Package vim edits a text with the keys of Vim: modes, counts, motions, operators, text objects.
//
//	var m vim.Machine // begins in insert mode
//	b, effect := m.Key("esc", vim.Buffer{Text: text, At: cursor})
//	b, effect = m.Key("d", b)
//	b, effect = m.Key("w", b)
//
// It holds no text, and does nothing but compute: the caller has the text, takes the keys of insert
// mode itself, and undoes. There is one register, and no ex commands, marks or macros.
package vim

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/plain"
)

// Mode says what keys mean.
type Mode int

// The modes.
const (
	Insert Mode = iota // keys are text
	Normal
	Visual
	VisualLine
)

// String returns the name of the mode, as the screen shows it.
func (m Mode) String() string {
	return [...]string{"insert", "normal", "visual", "visual line"}[m]
}

// Buffer is a text and the place of the cursor in it, in bytes.
type Buffer struct {
	Text string
	At   int
}

// split returns the text before the cursor and that after it.
func (b Buffer) split() (before, after string) {
	before = plain.Head(b.Text, b.At)
	return before, strings.TrimPrefix(b.Text, before)
}

// Effect is what the caller has to do after a key besides taking the buffer.
type Effect int

// The effects.
const (
	Done Effect = iota // nothing
	Pass               // the machine does not use the key
	Undo               // undo a step
	Redo               // redo a step
	Up                 // move the cursor a row up, or do what that means in the first row
	Down               // the same, downwards
)

// Machine is the state between keys.
type Machine struct {
	mode    Mode
	pending []string // the keys of an unfinished command
	anchor  int      // where the selection began, in bytes

	register string
	lines    bool // the register holds whole lines

	found  find    // the last one of f, F, t and T
	last   command // the last one that changed the text
	typed  string  // what was typed in it
	begun  Buffer  // when insert mode began
	adding command // the command that began insert mode; its name is "" if none did
}

// find is a search for a character in a line.
type find struct{ name, char string }

// Mode returns the mode.
func (m *Machine) Mode() Mode { return m.mode }

// Pending reports whether a command is not complete, or a part of the text is selected.
func (m *Machine) Pending() bool { return len(m.pending) > 0 || m.mode >= Visual }

// Reset begins insert mode, as for a new text.
func (m *Machine) Reset() {
	m.mode, m.pending, m.adding = Insert, nil, command{}
}

// Selection returns the part of a text that is selected, in bytes; none if both are equal.
func (m *Machine) Selection(b Buffer) (from, to int) {
	if m.mode < Visual {
		return b.At, b.At
	}
	t := newText(b)
	i, j := t.selected(m.anchor, m.mode == VisualLine)
	return t.offset(i), t.offset(j)
}

// Key handles a key: a character, or the name of another key, such as "esc".
func (m *Machine) Key(key string, b Buffer) (Buffer, Effect) {
	if m.mode == Insert {
		if key != "esc" {
			return b, Pass
		}
		return m.leaveInsert(b), Done
	}
	switch {
	case key == "esc" && m.Pending():
		m.pending, m.mode = nil, Normal
		return newText(b).buffer(), Done
	case len(m.pending) == 0 && !known(key):
		return b, Pass
	}
	m.pending = append(m.pending, key)
	c, state := parseKeys(m.pending, m.mode >= Visual)
	if state == partial {
		return b, Done
	}
	m.pending = nil
	if state == wrong {
		return b, Done
	}
	return m.runCommand(c, b)
}

// known reports whether a key can begin a command. Characters can, so that none gets into the text.
func known(key string) bool {
	switch key {
	case "left", "right", "home", "end", "backspace", "delete", "ctrl+r", "space":
		return true
	}
	cluster, _ := ansi.FirstGraphemeCluster(key, ansi.GraphemeWidth)
	return cluster == key
}

// runCommand runs a complete command.
func (m *Machine) runCommand(c command, b Buffer) (Buffer, Effect) {
	switch c.name {
	case "u":
		if m.mode == Normal {
			return b, Undo
		}
	case "ctrl+r":
		return b, Redo
	case ".":
		return m.repeat(c, b), Done
	case "j", "k":
		if c.operator == "" && m.mode == Normal && c.count <= 1 {
			return b, map[string]Effect{"j": Down, "k": Up}[c.name]
		}
	}
	t := newText(b)
	if m.mode >= Visual {
		m.runVisual(c, t)
	} else {
		m.runNormal(c, t)
	}
	if m.mode != Insert {
		t.clamp(m.mode >= Visual)
	}
	return t.buffer(), Done
}

// repeat runs the last change again.
func (m *Machine) repeat(c command, b Buffer) Buffer {
	if m.last.name == "" && m.last.operator == "" {
		return b
	}
	last, typed := m.last, m.typed
	if c.counted {
		last.count, last.counted = c.count, true
	}
	t := newText(b)
	if m.runNormal(last, t); m.mode == Insert {
		t.insert(strings.Repeat(typed, max(1, m.times(last))))
		m.mode, m.adding = Normal, command{}
		t.left()
	}
	t.clamp(false)
	m.last, m.typed = last, typed
	return t.buffer()
}

// times returns how often what is typed is inserted: the counts of operators are for their motions.
func (m *Machine) times(c command) int {
	if c.operator != "" || strings.Contains("sSCoO", c.name) {
		return 1
	}
	return c.count
}

// enterInsert begins insert mode with a command.
func (m *Machine) enterInsert(c command, t *text) {
	m.mode, m.adding, m.begun = Insert, c, t.buffer()
	m.last, m.typed = c, ""
}

// leaveInsert ends insert mode, and notes what was typed.
func (m *Machine) leaveInsert(b Buffer) Buffer {
	c, begun := m.adding, m.begun
	m.mode, m.adding = Normal, command{}
	t := newText(b)
	before, after := begun.split()
	rest, ok := strings.CutPrefix(b.Text, before)
	typed, same := strings.CutSuffix(rest, after)
	if c.name+c.operator != "" && ok && same {
		m.typed = typed
		if n := m.times(c); n > 1 && n*len(typed) <= mostRepeated {
			t.insert(strings.Repeat(typed, n-1))
		}
	}
	t.left()
	t.clamp(false)
	return t.buffer()
}

// mostRepeated bounds what a count can insert, in bytes.
const mostRepeated = 64 << 10
