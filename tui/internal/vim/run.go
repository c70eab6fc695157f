package vim

import "strings"

// runNormal runs a command of normal mode.
func (m *Machine) runNormal(c command, t *text) {
	if c.operator != "" {
		m.operate(c, t)
		return
	}
	switch c.name {
	case "v", "V":
		m.anchor, m.mode = t.offset(t.at), Visual
		if c.name == "V" {
			m.mode = VisualLine
		}
	case "i", "a", "I", "A", "o", "O":
		m.beginInsert(c, t)
	case "x", "X", "s", "S", "C", "D", "Y":
		m.operate(short(c), t)
	case "p", "P":
		m.putRegister(c, t)
		m.changed(c)
	case "r", "~", "J":
		m.alter(c, t)
	default:
		if g, ok := m.findTarget(c, t); ok {
			t.at = g.to
		}
	}
}

// changed notes a command for the next repeat.
func (m *Machine) changed(c command) { m.last, m.typed = c, "" }

// beginInsert begins insert mode where a command says.
func (m *Machine) beginInsert(c command, t *text) {
	switch c.name {
	case "a":
		t.at = min(t.at+1, t.lineEnd(t.at))
	case "I":
		t.at = t.first(t.at)
	case "A":
		t.at = t.lineEnd(t.at)
	case "o":
		t.at = t.lineEnd(t.at)
		t.insert("\n")
	case "O":
		t.at = t.lineStart(t.at)
		t.insert("\n")
		t.at--
	}
	m.enterInsert(c, t)
}

// short returns the command that a short form stands for.
func short(c command) command {
	full := map[string][2]string{"x": {"d", "l"}, "X": {"d", "h"}, "s": {"c", "l"},
		"S": {"c", "c"}, "C": {"c", "$"}, "D": {"d", "$"}, "Y": {"y", "y"}}[c.name]
	c.operator, c.name = full[0], full[1]
	return c
}

// operate runs an operator on what its motion, text object or selection takes.
func (m *Machine) operate(c command, t *text) {
	from, to, lines, ok := m.taken(c, t)
	if !ok {
		if c.operator == "c" && c.name == "l" { // s in an empty line
			m.enterInsert(c, t)
		}
		return
	}
	m.apply(c, t, from, to, lines)
}

// taken returns what an operator takes.
func (m *Machine) taken(c command, t *text) (from, to int, lines, ok bool) {
	switch {
	case c.lines > 0: // a repeated selection
		return t.lineRange(t.at, c.lines, c.operator)
	case c.chars > 0:
		return t.at, min(t.at+c.chars, len(t.chars)), false, t.at < len(t.chars)
	case c.name == c.operator:
		return t.lineRange(t.at, c.count, c.operator)
	case len(c.name) == 2 && c.name[0] != 'g':
		from, to, ok = t.object(c)
		return from, to, false, ok
	}
	if c.operator == "c" && strings.ToLower(c.name) == "w" && !t.ends(t.at) &&
		t.class(t.at, false) != blank {
		return t.at, t.wordEnd(c), false, true // cw leaves the spaces after the word
	}
	g, ok := m.findTarget(c, t)
	from, to = min(t.at, g.to), max(t.at, g.to)
	switch {
	case !ok:
		return 0, 0, false, false
	case g.lines:
		n := strings.Count(strings.Join(t.chars[from:to], ""), "\n") + 1
		return t.lineRange(from, n, c.operator)
	case g.whole:
		to = min(to+1, len(t.chars))
	case strings.ToLower(c.name) == "w":
		// the last word of a line ends with it
		for to > from && t.lineStart(to) > t.lineStart(from) && t.first(to) >= to {
			to = t.lineStart(to) - 1
		}
	}
	return from, to, false, to > from
}

// wordEnd returns the end of what cw takes.
func (t *text) wordEnd(c command) int {
	big, to := c.name == "W", t.at
	for n := range c.count {
		if n > 0 {
			to = t.overWord(to-1, map[bool]string{true: "E", false: "e"}[big])
		}
		for i := to; to < len(t.chars) && t.class(to, big) == t.class(i, big); {
			to++
		}
	}
	return to
}

// lineRange returns n lines from that of i. c leaves the last line end.
func (t *text) lineRange(i, n int, operator string) (from, to int, lines, ok bool) {
	from = t.lineStart(i)
	to = t.lineEnd(i)
	for range n - 1 {
		if to < len(t.chars) {
			to = t.lineEnd(to + 1)
		}
	}
	if operator != "c" {
		to = min(to+1, len(t.chars))
	}
	return from, to, true, true
}

// apply runs an operator on characters from one up to another.
func (m *Machine) apply(c command, t *text, from, to int, lines bool) {
	m.register, m.lines = strings.Join(t.chars[from:to], ""), lines
	if lines {
		m.register = strings.TrimSuffix(m.register, "\n") + "\n"
	}
	if c.operator == "y" {
		if !lines || from < t.lineStart(t.at) {
			t.at = from
		}
		return
	}
	m.changed(c)
	if lines && c.operator == "d" && to == len(t.chars) && from > 0 &&
		(to == from || t.chars[to-1] != "\n") {
		from-- // the last line goes with the line end before it
	}
	if t.cut(from, to); c.operator == "c" {
		m.enterInsert(c, t)
		return
	}
	if lines {
		t.at = t.first(min(from, len(t.chars)))
	}
}

// putRegister inserts the register after the cursor, or before it.
func (m *Machine) putRegister(c command, t *text) {
	if m.register == "" || c.count*len(m.register) > mostRepeated && c.count > 1 {
		return
	}
	s := strings.Repeat(m.register, c.count)
	if !m.lines {
		if c.name == "p" && !t.ends(t.at) {
			t.at++
		}
		t.insert(s)
		t.at--
		return
	}
	if t.at = t.lineStart(t.at); c.name == "p" {
		if t.at = t.lineEnd(t.at) + 1; t.at > len(t.chars) { // behind the last line
			t.at--
			s = "\n" + strings.TrimSuffix(s, "\n")
		}
	}
	at := t.at
	t.insert(s)
	if t.at = at; strings.HasPrefix(s, "\n") {
		t.at++
	}
	t.at = t.first(t.at)
}

// alter runs r, ~ and J.
func (m *Machine) alter(c command, t *text) {
	to := min(t.at+c.count, t.lineEnd(t.at))
	switch c.name {
	case "J":
		t.joinLines(c.count)
	case "~":
		t.changeCase(t.at, to, swapCase)
		t.at = to
	case "r":
		if t.at+c.count > t.lineEnd(t.at) || strings.HasPrefix(c.char, "ctrl+") {
			return
		}
		t.changeCase(t.at, to, func(string) string { return c.char })
		if t.at = to - 1; c.char == "\n" {
			t.at = to
		}
	}
	m.changed(c)
}

// runVisual runs a command on the selection.
func (m *Machine) runVisual(c command, t *text) {
	lines := m.mode == VisualLine
	from, to := t.selected(m.anchor, lines)
	switch c.name {
	case "v", "V":
		was := m.mode
		if m.mode = Visual; c.name == "V" {
			m.mode = VisualLine
		}
		if m.mode == was {
			m.mode = Normal
		}
	case "o", "O":
		at := t.place(m.anchor)
		m.anchor, t.at = t.offset(t.at), at
	case "~", "u", "U", "r":
		change := map[string]func(string) string{"~": swapCase, "u": strings.ToLower,
			"U": strings.ToUpper, "r": func(s string) string {
				if s == "\n" {
					return s
				}
				return c.char
			}}[c.name]
		t.changeCase(from, to, change)
		t.at, m.mode = from, Normal
	case "J":
		n := strings.Count(strings.Join(t.chars[from:max(from, to-1)], ""), "\n") + 1
		t.at, m.mode = from, Normal
		t.joinLines(n)
	case "p", "P":
		s, whole := m.register, m.lines
		m.mode = Normal
		m.apply(command{operator: "d"}, t, from, to, lines)
		removed, were := m.register, m.lines
		m.register, m.lines = s, whole
		m.putRegister(command{name: "P", count: 1}, t)
		m.register, m.lines = removed, were
	case "d", "x", "X", "D", "c", "s", "S", "C", "y", "Y":
		m.operateSelection(c, t, from, to, lines)
	default:
		m.extend(c, t)
	}
}

// operateSelection runs an operator on the selection. Capital letters take whole lines.
func (m *Machine) operateSelection(c command, t *text, from, to int, lines bool) {
	if strings.Contains("XDSCY", c.name) {
		lines = true
		from, to = t.lineStart(from), min(t.lineEnd(max(from, to-1))+1, len(t.chars))
	}
	name := map[string]string{"d": "d", "x": "d", "X": "d", "D": "d", "c": "c", "s": "c", "S": "c",
		"C": "c", "y": "y", "Y": "y"}[c.name]
	again := command{operator: name, chars: to - from, count: 1}
	if lines {
		again.lines = strings.Count(strings.Join(t.chars[from:max(from, to-1)], ""), "\n") + 1
		if name == "c" && to > from && t.chars[to-1] == "\n" {
			to--
		}
	}
	m.mode, t.at = Normal, from
	m.apply(again, t, from, to, lines)
}

// extend moves an end of the selection, or selects a text object.
func (m *Machine) extend(c command, t *text) {
	if len(c.name) == 2 && c.name[0] != 'g' {
		if from, to, ok := t.object(c); ok && to > from {
			m.anchor, t.at = t.offset(from), to-1
		}
		return
	}
	if g, ok := m.findTarget(c, t); ok {
		if t.at = g.to; c.name == "$" && t.ends(t.at) && t.at > t.lineStart(t.at) {
			t.at--
		}
	}
}
