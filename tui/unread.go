package tui

// unread is the parts of a text, in bytes and in order, that have not been on the screen.
type unread []span

func (u unread) empty() bool { return len(u) == 0 }

// see takes out what is on the screen.
func (u *unread) see(s span) {
	var left unread
	for _, part := range *u {
		if part.from < min(part.to, s.from) {
			left = append(left, span{part.from, min(part.to, s.from)})
		}
		if from := max(part.from, s.to); from < part.to {
			left = append(left, span{from, part.to})
		}
	}
	*u = left
}

// changed is what is unread after a change of the text in one place: what was put there, and what
// was unread besides.
func (u unread) changed(before, after string) unread {
	if before == after {
		return u
	}
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head &&
		before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	moved := len(after) - len(before)
	var out unread
	add := func(from, to int) {
		if from < to {
			out = append(out, span{from, to})
		}
	}
	for _, part := range u {
		add(part.from, min(part.to, head))
	}
	add(head, len(after)-tail)
	for _, part := range u {
		add(max(part.from, len(before)-tail)+moved, part.to+moved)
	}
	return out
}
