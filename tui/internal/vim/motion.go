package vim

// target is where a motion leads.
type target struct {
	to    int
	whole bool // an operator takes the character there, too
	lines bool // an operator takes whole lines
}

// findTarget returns where the motion of a command leads from the cursor. It reports false if it
// leads nowhere.
func (m *Machine) findTarget(c command, t *text) (g target, ok bool) {
	switch c.name {
	case "h":
		g.to = max(t.at-c.count, t.lineStart(t.at))
		return g, g.to != t.at
	case "l":
		g.to = min(t.at+c.count, t.lineEnd(t.at))
		return g, g.to != t.at
	case "0", "^", "$":
		return t.inLine(c), true
	case "j", "k", "G", "gg":
		return t.toLine(c)
	case "w", "W", "b", "B", "e", "E", "ge":
		g.to = t.at
		for range c.count {
			g.to = t.overWord(g.to, c.name)
		}
		g.whole = c.name == "e" || c.name == "E" || c.name == "ge"
		return g, g.to != t.at
	case "{", "}":
		g.to = t.at
		for range c.count {
			g.to = t.overParagraph(g.to, c.name == "}")
		}
		return g, g.to != t.at
	case "%":
		g.to, ok = t.bracket()
		return target{to: g.to, whole: true}, ok
	case "f", "F", "t", "T":
		m.found = find{c.name, c.char}
		return t.toChar(m.found, c.count, false)
	case ";", ",":
		f := m.found
		if f.name == "" {
			return g, false
		}
		if c.name == "," {
			f.name = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[f.name]
		}
		return t.toChar(f, c.count, true)
	}
	return g, false
}

// inLine returns where 0, ^ and $ lead.
func (t *text) inLine(c command) target {
	switch c.name {
	case "0":
		return target{to: t.lineStart(t.at)}
	case "^":
		return target{to: t.first(t.at)}
	}
	to := t.lineEnd(t.at)
	for range c.count - 1 {
		if to < len(t.chars) {
			to = t.lineEnd(to + 1)
		}
	}
	return target{to: to}
}

// toLine returns where motions to other lines lead.
func (t *text) toLine(c command) (g target, ok bool) {
	switch to := t.at; c.name {
	case "j", "k":
		column := t.at - t.lineStart(t.at)
		for range c.count {
			if c.name == "k" {
				if to = t.lineStart(to) - 1; to < 0 {
					return g, false
				}
			} else if to = t.lineEnd(to) + 1; to > len(t.chars) {
				return g, false
			}
		}
		start := t.lineStart(to)
		return target{to: min(start+column, t.lineEnd(start)), lines: true}, true
	}
	to := 0
	if c.name == "G" && !c.counted {
		to = t.lineStart(len(t.chars))
	}
	for range c.count - 1 {
		if next := t.lineEnd(to) + 1; next <= len(t.chars) {
			to = next
		}
	}
	return target{to: t.first(to), lines: true}, true
}

// overWord returns where w, b, e, ge and those for big words lead.
func (t *text) overWord(i int, name string) int {
	n, big := len(t.chars), name == "W" || name == "B" || name == "E"
	same := func(i, j int) bool { return t.class(i, big) == t.class(j, big) }
	gap := func(i int) bool { return t.class(i, big) == blank }
	switch name {
	case "w", "W":
		if i < n && !gap(i) {
			for j := i; i < n && same(j, i); {
				i++
			}
		} else if i < n {
			i++
		}
		for i < n && gap(i) && !t.empty(i) {
			i++
		}
	case "e", "E":
		for i++; i < n && gap(i); {
			i++
		}
		for i+1 < n && same(i, i+1) {
			i++
		}
		i = min(i, max(n-1, 0))
	case "ge":
		if i < n {
			for j := i; i >= 0 && !gap(j) && same(i, j); {
				i--
			}
		}
		i = min(i, n-1)
		for i > 0 && gap(i) && !t.empty(i) {
			i--
		}
		i = max(i, 0)
	default:
		for i--; i > 0 && gap(i) && !t.empty(i); {
			i--
		}
		for i > 0 && !gap(i) && same(i-1, i) {
			i--
		}
		i = max(i, 0)
	}
	return i
}

// overParagraph returns the first empty line after or before the lines with text that are next, or
// the end of the text.
func (t *text) overParagraph(i int, forwards bool) int {
	step := -1
	if forwards {
		step = 1
	}
	for passed := !t.empty(i); ; passed = passed || !t.empty(i) {
		if i += step; i <= 0 || i >= len(t.chars) {
			return max(0, min(i, len(t.chars)))
		}
		if passed && t.empty(i) {
			return i
		}
	}
}

// toChar returns where a find leads; again is for one that is repeated, which must not stay before
// the same character.
func (t *text) toChar(f find, count int, again bool) (g target, ok bool) {
	step, till := 1, f.name == "t" || f.name == "T"
	if f.name == "F" || f.name == "T" {
		step = -1
	}
	i := t.at
	if till && again {
		i += step
	}
	for count > 0 {
		if i += step; i < 0 || i >= len(t.chars) || t.chars[i] == "\n" {
			return g, false
		}
		if t.chars[i] == f.char {
			count--
		}
	}
	if till {
		i -= step
	}
	return target{to: i, whole: step > 0}, i != t.at || !till
}

// pairs are the brackets.
var pairs = map[string]string{"(": ")", "[": "]", "{": "}", "<": ">"}

// bracket returns the bracket that belongs to the first one at or after the cursor in its line.
func (t *text) bracket() (to int, ok bool) {
	for i := t.at; !t.ends(i); i++ {
		for open, shut := range pairs {
			switch t.chars[i] {
			case "<", ">":
			case open:
				return t.match(i, open, shut, 1)
			case shut:
				return t.match(i, shut, open, -1)
			}
		}
	}
	return 0, false
}

// match returns the bracket that closes the one at i, or that opens it with step -1.
func (t *text) match(i int, from, to string, step int) (int, bool) {
	depth := 0
	for ; i >= 0 && i < len(t.chars); i += step {
		switch t.chars[i] {
		case from:
			depth++
		case to:
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}
