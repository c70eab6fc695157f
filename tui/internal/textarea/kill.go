package textarea

import "strings"

// killBytes bounds the killed texts that are kept: as much as two whole texts of the editor.
const killBytes = 2 << 20

// ring holds the killed texts of an area, the newest last. Each area has its own, so that what was
// killed in a text of several lines cannot get into a field of one line.
type ring struct {
	texts []string
	size  int // in bytes

	killed   bool // the last key killed: the next kill adds to its text
	yanked   bool // the last key yanked: from, to and at say what
	from, to int
	at       int // index of the yanked text
}

// store keeps a killed text. Kills in a row are one text: backward says that this one was before
// the cursor.
func (r *ring) store(text string, backward bool) {
	r.size += len(text)
	switch last := len(r.texts) - 1; {
	case !r.killed || last < 0:
		// a part of a text would keep all of that text in memory
		r.texts = append(r.texts, strings.Clone(text))
	case backward:
		r.texts[last] = text + r.texts[last]
	default:
		r.texts[last] += text
	}
	for r.size > killBytes {
		r.size -= len(r.texts[0])
		r.texts[0] = ""
		r.texts = r.texts[1:]
	}
}

// kill removes text[from:to], which ends or begins at the cursor, and keeps it.
func (a *Area) kill(from, to int) {
	if from == to {
		return
	}
	a.ring.store(a.text[from:to], to == a.pos)
	a.replaceRange(from, to, "")
	a.ring.killed = true
}

// yank inserts the text that was killed last.
func (a *Area) yank() {
	if r := &a.ring; len(r.texts) > 0 {
		a.yankAt(a.pos, a.pos, len(r.texts)-1)
	}
}

// yankEarlier replaces the yanked text by the one that was killed before it, the oldest by the
// newest. It must follow a yank: what else is there may not be replaced.
func (a *Area) yankEarlier() {
	if r := &a.ring; r.yanked {
		a.yankAt(r.from, r.to, r.before())
	}
}

// before returns the index of the text that was killed before the yanked one.
func (r *ring) before() int { return (r.at + len(r.texts) - 1) % len(r.texts) }

// yankAt replaces text[from:to] by a killed text.
func (a *Area) yankAt(from, to, at int) {
	r := &a.ring
	a.replaceRange(from, to, r.texts[at])
	r.yanked, r.from, r.to, r.at = true, from, from+len(r.texts[at]), at
}
