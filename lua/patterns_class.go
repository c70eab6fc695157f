// This file holds the character classes of Lua patterns. Characters are bytes.

package lua

// classEnd returns the end of the single character, class or set that begins at p.
func (m *matcher) classEnd(p int) int {
	c := m.pat[p]
	p++
	switch c {
	case '%':
		if p == len(m.pat) {
			failWith("malformed pattern (ends with '%%')")
		}
		return p + 1
	case '[':
		if p < len(m.pat) && m.pat[p] == '^' {
			p++
		}
		// a ] at the beginning is a member
		for first := true; first || p >= len(m.pat) || m.pat[p] != ']'; first = false {
			if p >= len(m.pat) {
				failWith("malformed pattern (missing ']')")
			}
			if m.pat[p] == '%' {
				p++
			}
			p++
		}
		return p + 1
	}
	return p
}

// single reports whether c matches the item from p to ep.
func (m *matcher) single(c byte, p, ep int) bool {
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return class(c, m.pat[p+1])
	case '[':
		return m.matchSet(c, p, ep-1)
	}
	return m.pat[p] == c
}

// matchSet reports whether c is in the set from p, the index of its [, to ec, the index of its ].
func (m *matcher) matchSet(c byte, p, ec int) bool {
	m.steps += (ec - p) >> 3 // a long set needs many comparisons
	want := true
	p++
	if m.pat[p] == '^' {
		want = false
		p++
	}
	for ; p < ec; p++ {
		switch {
		case m.pat[p] == '%':
			p++
			if class(c, m.pat[p]) {
				return want
			}
		case p+2 < ec && m.pat[p+1] == '-':
			if m.pat[p] <= c && c <= m.pat[p+2] {
				return want
			}
			p += 2
		case m.pat[p] == c:
			return want
		}
	}
	return !want
}

// class reports whether c is in the class of a letter after %. A capital letter names the
// complement. Any other character matches itself.
func class(c, letter byte) bool {
	var in bool
	switch letter | 0x20 {
	case 'a':
		in = isAlpha(c)
	case 'c':
		in = c < 0x20 || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'l':
		in = c >= 'a' && c <= 'z'
	case 'p':
		in = c > 0x20 && c < 0x7f && !isAlpha(c) && !isDigit(c)
	case 's':
		in = c == ' ' || c >= '\t' && c <= '\r'
	case 'u':
		in = c >= 'A' && c <= 'Z'
	case 'w':
		in = isAlpha(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return letter == c
	}
	if letter&0x20 == 0 { // a capital letter
		return !in
	}
	return in
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
