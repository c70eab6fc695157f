// This file holds the dialogs and panels in front of the editor, decides when they take keys, and
// routes keys between them and the editor.

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// overlays are the dialogs and the panels, which open by themselves in front of the editor. Dialogs
// are in front of panels. The gate of what is in front decides when it takes keys; until then they
// go to the editor.
type overlays struct {
	unseen
	*shared
	dialogs *dialogs
	panels  *panels
	toasts  *toasts
	writing func() bool // reports whether the editor holds text
	// reports whether keys are for the transcript, so that nothing in front takes them
	elsewhere func() bool

	lastKey time.Time // time of the last key press or paste
	took    bool      // that key was for what was in front
	arming  bool      // an armMsg is on its way

	held  *heldKey          // an answer that takes effect if no other key follows at once
	typed []tea.KeyPressMsg // keys that were held and belong to the editor
}

// heldKey is a key that answers a question unless another one follows at once.
type heldKey struct {
	dialog *dialog
	msg    tea.KeyPressMsg
	enters int // how many presses of Enter have followed it
}

// heldMsg reports that no other key has followed a held one in time.
type heldMsg struct{ key *heldKey }

func newOverlays(b *shared, d *dialogs, p *panels, t *toasts) *overlays {
	return &overlays{shared: b, dialogs: d, panels: p, toasts: t,
		writing: func() bool { return false }, elsewhere: func() bool { return false }}
}

// handleMsg implements component.
func (o *overlays) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case armMsg:
		o.armed()
	case heldMsg:
		return o.answerDialog(msg.key)
	case tea.KeyReleaseMsg:
		if o.hearsReleases() {
			o.panels.front().told.Key("release:"+msg.String(), "")
		}
	}
	return tea.Batch(o.dialogs.handleMsg(msg), o.panels.handleMsg(msg))
}

// key implements component. It must see every key press, for the gate, and uses those for what is
// in front; ctrl+c and ctrl+l never are.
func (o *overlays) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	now, before, listens := o.now(), o.lastKey, o.listens()
	o.lastKey = now
	d := o.dialogs.front()
	if held := o.held; held != nil && held.dialog == d && msg.String() == "enter" {
		// Enter after an answer confirms it; it must not send the text of the editor
		return o.hold(&heldKey{d, held.msg, held.enters + 1}), true
	}
	if o.follows(d) || listens && d != nil && d.strays(msg) {
		d.shut()
		listens = false
	}
	name := msg.String()
	// what chooses in a dialog that is gone must neither answer the next one nor send a text
	stray := !listens && o.gate() != nil && (name == "shift+tab" || o.took && choosing(name))
	o.took = listens || stray
	switch {
	case name == "ctrl+c", name == "ctrl+l":
		return nil, false
	case !listens:
		return nil, stray
	case !o.gate().passes(name, now, before, o.writing()):
		return o.toasts.addToast("info", "you are writing: choose with an arrow key first"), true
	case d != nil && d.answers(msg):
		return o.hold(&heldKey{dialog: d, msg: msg}), true
	case d != nil:
		return o.dialogs.key(msg)
	}
	return o.panels.key(msg)
}

// choosing reports whether a key confirms a choice, or moves to another one.
func choosing(key string) bool {
	return key == "enter" || key == "up" || key == "down" || key == "tab"
}

// hold delays a key that would answer a question for a moment: if more keys follow, it was the
// beginning of a text that was typed, or pasted in a terminal without bracketed paste.
func (o *overlays) hold(key *heldKey) tea.Cmd {
	o.held = key
	return tea.Tick(answerPause, func(time.Time) tea.Msg { return heldMsg{key} })
}

// answerDialog passes a held key to the dialog if no other key has followed.
func (o *overlays) answerDialog(key *heldKey) tea.Cmd {
	if o.held != key {
		return nil
	}
	if o.held = nil; o.dialogs.front() != key.dialog || !key.dialog.opened {
		return nil
	}
	cmd, _ := o.dialogs.key(key.msg)
	return cmd
}

// follows reports whether a key follows a held one. The held key was then the beginning of a text
// and goes to the editor, with the presses of Enter after it, unless it is Enter itself.
func (o *overlays) follows(d *dialog) bool {
	held := o.held
	if o.held = nil; held == nil || held.dialog != d {
		return false
	}
	if held.msg.Text != "" {
		o.typed = append(o.typed, held.msg)
		for range held.enters {
			o.typed = append(o.typed, tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl})
		}
	}
	return true
}

// takeTyped removes and returns the held keys that belong to the editor.
func (o *overlays) takeTyped() []tea.KeyPressMsg {
	keys := o.typed
	o.typed = nil
	return keys
}

// paste passes clean pasted text to what is in front. It reports false if the text is the editor's.
func (o *overlays) paste(text string) bool {
	if d := o.dialogs.front(); o.follows(d) {
		d.shut()
	}
	listens := o.listens()
	o.lastKey = o.now() // a paste counts as typing
	if !listens {
		return false
	}
	if d := o.dialogs.front(); d != nil {
		return d.paste(text)
	}
	return o.panels.front().paste(text)
}

// hearsReleases reports whether a panel takes keys that wants to know when they are released.
func (o *overlays) hearsReleases() bool {
	p := o.panels.front()
	return p != nil && p.told.Releases && !o.asks() && o.listens()
}

// gate returns the gate of what is in front, nil if nothing is.
func (o *overlays) gate() *gate {
	if d := o.dialogs.front(); d != nil {
		return &d.gate
	}
	if p := o.panels.front(); p != nil {
		return &p.gate
	}
	return nil
}

// listens reports whether what is in front takes keys.
func (o *overlays) listens() bool {
	g := o.gate()
	return g != nil && g.opened
}

// armed opens the gate of what is in front if it is time.
func (o *overlays) armed() {
	o.arming = false
	if g := o.gate(); g != nil && !o.elsewhere() {
		g.arm(o.now(), o.lastKey)
	}
}

// asks reports whether a dialog is open.
func (o *overlays) asks() bool { return o.dialogs.front() != nil }

// coversAll reports whether a panel is in front, which hides the transcript.
func (o *overlays) coversAll() bool { return !o.asks() && o.panels.front() != nil }

// yieldKeys makes what is in front wait for the next pause, because the keys are for the
// transcript. Held keys are for the editor.
func (o *overlays) yieldKeys() {
	o.follows(o.dialogs.front())
	o.lastKey = o.now()
	if g := o.gate(); g != nil {
		g.shut()
	}
}

// arm schedules a check whether what is in front takes keys, if it does not yet and none is
// scheduled.
func (o *overlays) arm() tea.Cmd {
	g := o.gate()
	if g == nil || o.arming || g.drawn.IsZero() || o.elsewhere() {
		return nil
	}
	if g.opened {
		if d := o.dialogs.front(); d == nil || d.patience == nil {
			return nil
		}
		o.arming = true
		// the dialog shows the seconds
		return tea.Tick(time.Second, func(time.Time) tea.Msg { return armMsg{} })
	}
	o.arming = true
	wait := max(g.ready(o.lastKey).Sub(o.now()), time.Millisecond)
	return tea.Tick(wait, func(time.Time) tea.Msg { return armMsg{} })
}

// openPicker opens a dialog that the user asked for with a key pressed at the given time. It takes
// keys at once unless the user has typed since.
func (o *overlays) openPicker(d *dialog, asked time.Time) {
	d.opened = !asked.IsZero() && asked.Equal(o.lastKey) && o.dialogs.front() == nil
	o.dialogs.openDialog(d)
}

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
