// This file decides when a dialog or panel that opened by itself takes keys.

package tui

import "time"

const (
	// typingPause is how long no key must have been pressed before something that opened by itself
	// takes keys. It is longer than the pauses within a word or between two words.
	typingPause = 500 * time.Millisecond
	// seenFor is how long it must have been on the screen by then: people do not deliberately
	// answer a question that has only just appeared.
	seenFor = 700 * time.Millisecond
	// enterPause replaces typingPause if the first key is Enter and the editor holds text: a user
	// who has read the text again may press Enter to send it.
	enterPause = 5 * time.Second
	// answerPause is how long no key must follow a key that answers a question. It is longer than
	// the time between two keys of a word or of a paste, and too short to be noticed as a delay.
	answerPause = 250 * time.Millisecond
)

// gate stands between the keyboard and a dialog or a panel that opened by itself. While it is
// closed, keys go where they went before. The model chooses the moment in which a question appears,
// so a key that was meant for the editor must never answer it, however long the user goes on
// typing.
//
// Only armMsg opens a gate, never the next key: the program may handle keys long after they were
// pressed, and cannot see how old they are.
//
// The zero gate is closed. It has no clock: its methods take the model's times.
type gate struct {
	drawn  time.Time // when it came on the screen; zero = not yet
	opened bool
	used   bool // a key other than Enter has passed
}

// noteDrawn records when the dialog or panel of the gate was first drawn.
func (g *gate) noteDrawn(now time.Time) {
	if g.drawn.IsZero() {
		g.drawn = now
	}
}

// ready returns when the gate opens if no further key is pressed. It must have been drawn.
func (g *gate) ready(lastKey time.Time) time.Time {
	seen, pause := g.drawn.Add(seenFor), lastKey.Add(typingPause)
	if pause.After(seen) {
		return pause
	}
	return seen
}

// arm opens the gate if it is time. Keys then pass until shut is called.
func (g *gate) arm(now, lastKey time.Time) {
	if !g.opened && !g.drawn.IsZero() {
		g.opened = !now.Before(g.ready(lastKey))
	}
}

// shut closes the gate until the next pause.
func (g *gate) shut() { g.opened, g.used = false, false }

// passes reports whether key passes the open gate: Enter may be meant for the text in the editor.
func (g *gate) passes(key string, now, lastKey time.Time, writing bool) bool {
	if key == "enter" && !g.used && writing && now.Sub(lastKey) < enterPause {
		return false
	}
	g.used = g.used || key != "enter"
	return true
}
