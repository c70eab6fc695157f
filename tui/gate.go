// This file decides when what opened by itself may take keys.

package tui

import "time"

const (
	// typingPause is how long no key must have been pressed before something that opened by itself
	// takes keys: longer than the pauses inside of a word or between two of them.
	typingPause = 500 * time.Millisecond
	// seenFor is how long it must have been on the screen by then: nobody answers on purpose what
	// has only just appeared.
	seenFor = 700 * time.Millisecond
	// enterPause is the same as typingPause for Enter as the first key, while the editor holds
	// text: who has read the text again may press Enter to send it.
	enterPause = 5 * time.Second
	// answerPause is how long no key must follow one that answers a question: longer than the time
	// between two keys of a word or of a paste, and shorter than anybody waits for.
	answerPause = 250 * time.Millisecond
)

// gate stands between the keyboard and a dialog or a panel that opened by itself. As long as it is
// closed, keys go where they went before. The model chooses the moment in which a question appears,
// so a key that was meant for the editor must never answer it, however long the typing goes on.
//
// Only armMsg opens a gate, never the key that comes next: keys that were pressed while the program
// had no time for them are old when it hears them, and the clock cannot tell.
//
// The zero gate is closed. Its clock is the model's: times are given to its methods.
type gate struct {
	drawn  time.Time // since when it has been on the screen; zero = it has not been there yet
	opened bool
	used   bool // a key other than Enter has passed
}

// noteDrawn notes that what is behind the gate is on the screen.
func (g *gate) noteDrawn(now time.Time) {
	if g.drawn.IsZero() {
		g.drawn = now
	}
}

// ready is when the gate opens if no further key is pressed. It must have been drawn.
func (g *gate) ready(lastKey time.Time) time.Time {
	seen, pause := g.drawn.Add(seenFor), lastKey.Add(typingPause)
	if pause.After(seen) {
		return pause
	}
	return seen
}

// arm opens the gate if it is time. Then keys pass, until it is shut.
func (g *gate) arm(now, lastKey time.Time) {
	if !g.opened && !g.drawn.IsZero() {
		g.opened = !now.Before(g.ready(lastKey))
	}
}

// shut closes the gate until there is the next pause.
func (g *gate) shut() { g.opened, g.used = false, false }

// passes reports whether key passes the open gate: Enter may be meant for the text in the editor.
func (g *gate) passes(key string, now, lastKey time.Time, writing bool) bool {
	if key == "enter" && !g.used && writing && now.Sub(lastKey) < enterPause {
		return false
	}
	g.used = g.used || key != "enter"
	return true
}
