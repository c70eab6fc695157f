package textarea

// Unread lists the parts of a text, in bytes and in order, that have not been on the screen.
type Unread []Span

// Empty reports whether all of the text has been on the screen.
func (u Unread) Empty() bool { return len(u) == 0 }

// See removes a part that is on the screen.
func (u *Unread) See(s Span) {
	var left Unread
	for _, part := range *u {
		if part.From < min(part.To, s.From) {
			left = append(left, Span{part.From, min(part.To, s.From)})
		}
		if from := max(part.From, s.To); from < part.To {
			left = append(left, Span{from, part.To})
		}
	}
	*u = left
}

// Changed returns the unread parts after a change of the text in one place: the inserted text and
// the remaining unread parts.
func (u Unread) Changed(before, after string) Unread {
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
	var out Unread
	add := func(from, to int) {
		if from < to {
			out = append(out, Span{from, to})
		}
	}
	for _, part := range u {
		add(part.From, min(part.To, head))
	}
	add(head, len(after)-tail)
	for _, part := range u {
		add(max(part.From, len(before)-tail)+moved, part.To+moved)
	}
	return out
}
