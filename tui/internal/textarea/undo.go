package textarea

import "strings"

const (
	// undoBytes bounds the texts that can be undone and redone. The largest change replaces a text
	// of the editor (1 MB) by another, and one more must fit beside it.
	undoBytes = 4 << 20
	// changeBytes is what a change takes besides its texts.
	changeBytes = 64
)

// change is a change of a text in one place.
type change struct {
	at            int    // byte offset
	before, after string // what was there, and what is there now
	from, to      int    // the cursor before and after it
	kind          kind
}

func (c *change) size() int { return len(c.before) + len(c.after) + changeBytes }

// kind says which changes form one step with the change before.
type kind int

const (
	single  kind = iota // none do
	typing              // the characters of a word, and the spaces after it
	erasing             // characters before the cursor
)

// history holds the changes that can be undone and redone.
type history struct {
	done, undone []change
	size         int  // of done, in bytes
	joins        kind // of the last key: a change of this kind goes on with the last one
}

// note records a change that has been made.
func (h *history) note(c change) {
	h.undone = nil
	if len(h.done) > 0 && c.kind != single && c.kind == h.joins && h.join(c) {
		return
	}
	h.joins = c.kind
	// a part of a text would keep all of that text in memory
	c.before, c.after = strings.Clone(c.before), strings.Clone(c.after)
	h.done = append(h.done, c)
	h.size += c.size()
	h.shorten()
}

// join makes a change a part of the last one, if that is possible.
func (h *history) join(c change) bool {
	last := &h.done[len(h.done)-1]
	if c.from != last.to {
		return false
	}
	switch {
	case c.kind == typing && c.before == "" && c.at == last.at+len(last.after):
		if spaces(last.after[len(last.after)-1:]) && !spaces(c.after) {
			return false // a word begins
		}
		last.after += c.after
	case c.kind == erasing && c.after == "" && c.at+len(c.before) == last.at:
		last.before, last.at = c.before+last.before, c.at
	default:
		return false
	}
	last.to = c.to
	h.size += len(c.before) + len(c.after)
	h.shorten()
	return true
}

// shorten forgets the oldest changes.
func (h *history) shorten() {
	for h.size > undoBytes {
		h.size -= h.done[0].size()
		h.done[0] = change{} // its texts are not kept by the slice
		h.done = h.done[1:]
	}
}

func spaces(s string) bool { return strings.Trim(s, " \n") == "" }

// undo takes back the last change, if there is one.
func (a *Area) undo() {
	h := &a.history
	h.joins = single
	if len(h.done) == 0 {
		return
	}
	c := h.done[len(h.done)-1]
	h.done, h.undone = h.done[:len(h.done)-1], append(h.undone, c)
	h.size -= c.size()
	a.text = a.text[:c.at] + c.before + a.text[c.at+len(c.after):]
	a.pos, a.rows = c.from, a.rows[:0]
}

// redo makes the change again that was undone last, if nothing was changed since.
func (a *Area) redo() {
	h := &a.history
	h.joins = single
	if len(h.undone) == 0 {
		return
	}
	c := h.undone[len(h.undone)-1]
	h.undone, h.done = h.undone[:len(h.undone)-1], append(h.done, c)
	h.size += c.size()
	a.text = a.text[:c.at] + c.after + a.text[c.at+len(c.before):]
	a.pos, a.rows = c.to, a.rows[:0]
}
