package vim

import "strings"

// object returns the bounds of the text object of a command, such as iw or a(.
func (t *text) object(c command) (from, to int, ok bool) {
	inner, what := c.name[:1] == "i", c.name[1:]
	switch what {
	case "w", "W":
		return t.wordObject(c.count, what == "W", inner)
	case "\"", "'", "`":
		return t.quoted(what, inner)
	case "b", "(", ")":
		return t.enclosed("(", inner)
	case "[", "]":
		return t.enclosed("[", inner)
	case "B", "{", "}":
		return t.enclosed("{", inner)
	case "<", ">":
		return t.enclosed("<", inner)
	}
	return 0, 0, false
}

// wordObject returns a word, or the spaces between two; an outer one has the spaces after it, or
// if there are none the spaces before it.
func (t *text) wordObject(count int, big, inner bool) (from, to int, ok bool) {
	if t.ends(t.at) {
		return 0, 0, false
	}
	run := func(i int) int { // the end of what begins at i
		j := i
		for !t.ends(j) && t.class(j, big) == t.class(i, big) {
			j++
		}
		return j
	}
	from = t.at
	for from > t.lineStart(t.at) && t.class(from-1, big) == t.class(t.at, big) {
		from--
	}
	to = from
	for range count {
		if t.ends(to) {
			break
		}
		spaces := t.class(to, big) == blank
		if to = run(to); inner || t.ends(to) {
			continue
		}
		if spaces || t.class(to, big) == blank {
			to = run(to)
		}
	}
	if !inner && t.class(to-1, big) != blank && t.class(from, big) != blank {
		for from > t.lineStart(from) && t.class(from-1, big) == blank {
			from--
		}
	}
	return from, to, true
}

// quoted returns the text between two quotes of the line: those around the cursor, or the next.
func (t *text) quoted(quote string, inner bool) (from, to int, ok bool) {
	from = -1
	for i := t.lineStart(t.at); !t.ends(i); i++ {
		if t.chars[i] == "\\" {
			i++
			continue
		}
		if t.chars[i] != quote {
			continue
		}
		if from < 0 {
			from = i
			continue
		}
		if i >= t.at {
			to = i + 1
			break
		}
		from = -1
	}
	if from < 0 || to == 0 {
		return 0, 0, false
	}
	if inner {
		return from + 1, to - 1, true
	}
	for after := to; !t.ends(after) && t.class(after, false) == blank; after++ {
		to = after + 1
	}
	return from, to, true
}

// enclosed returns the text between the brackets around the cursor.
func (t *text) enclosed(open string, inner bool) (from, to int, ok bool) {
	shut := pairs[open]
	depth := 0
	for from = min(t.at, len(t.chars)-1); from >= 0; from-- {
		switch t.chars[from] {
		case shut:
			if from != t.at {
				depth++
			}
		case open:
			depth--
		}
		if depth < 0 {
			break
		}
	}
	if from < 0 {
		return 0, 0, false
	}
	if to, ok = t.match(from, open, shut, 1); !ok {
		return 0, 0, false
	}
	if inner {
		return from + 1, to, true
	}
	return from, to + 1, true
}

// joinLines joins count lines, with a space between two.
func (t *text) joinLines(count int) {
	for range max(1, count-1) {
		end := t.lineEnd(t.at)
		if end == len(t.chars) {
			return
		}
		next := end + 1
		for !t.ends(next) && t.class(next, false) == blank {
			next++
		}
		empty := t.ends(next)
		t.cut(end, next)
		if t.at = end; !empty && end > t.lineStart(end) && t.class(end-1, false) != blank &&
			t.chars[end] != ")" {
			t.insert(" ")
			t.at--
		}
	}
}

// changeCase changes the case of characters; change is strings.ToUpper, for example.
func (t *text) changeCase(from, to int, change func(string) string) {
	for i := from; i < to; i++ {
		t.chars[i] = change(t.chars[i])
	}
}

// swapCase returns a character in the other case.
func swapCase(s string) string {
	if upper := strings.ToUpper(s); upper != s {
		return upper
	}
	return strings.ToLower(s)
}
