// This file routes key presses.

package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/terminal"
)

// quitWithin is how soon the second ctrl+c must follow the first to quit.
const quitWithin = 2 * time.Second

// escWithin is how soon the second esc must follow the first to open the list of prompts: as for a
// double click, with some more time for a key.
const escWithin = time.Second

// key routes a key press: to what is in front if it takes keys, else to a script's shortcut, else
// to the screen, else to the other components, the editor last.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name != "ctrl+c" {
		m.forgetCtrlC()
	}
	if name != "esc" {
		m.lastEsc = time.Time{}
	}
	known, live := m.keys.Translate(msg)
	if m.inline.showing() && live && m.selection.starts(known.String()) {
		m.peek()
	}
	if m.selection.active() || m.overlays.asks() && live && m.selection.starts(known.String()) {
		if cmd, used := m.selection.key(known); used || !live {
			m.overlays.lastKey = m.now() // questions take keys after a pause
			return cmd
		}
	}
	cmd, used := m.overlays.key(msg)
	if typed := m.overlays.takeTyped(); typed != nil {
		return m.keysBelow(append(typed, msg))
	}
	if used {
		return cmd
	}
	return m.keyBelow(msg)
}

// keysBelow routes key presses that are not for what is in front.
func (m *model) keysBelow(keys []tea.KeyPressMsg) tea.Cmd {
	var cmds []tea.Cmd
	for _, key := range keys {
		cmds = append(cmds, m.keyBelow(key))
	}
	return tea.Batch(cmds...)
}

// keyBelow routes a key press that is not for what is in front.
func (m *model) keyBelow(msg tea.KeyPressMsg) tea.Cmd {
	raw, pressed := msg, msg.Keystroke()
	msg, live := m.keys.Translate(msg)
	name := msg.String()
	switch {
	case name == "alt+esc": // two that a terminal has sent together
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		return m.keysBelow([]tea.KeyPressMsg{esc, esc})
	case name == "ctrl+c":
		return m.ctrlC(m.now())
	case name == "ctrl+l":
		m.transcript.redraw() // other programs may have written on the terminal
		m.inline.printer.Redraw()
		return tea.ClearScreen
	}
	if f := m.backend.Shortcut; f != nil && msg.Keystroke() == pressed { // not a key of the user
		if run := f(pressed); run != nil {
			return callCmd(run)
		}
	}
	press := heldPress{raw, msg, live}
	if cmd, held := m.offered.offer(press, m.work.busy()); held {
		return cmd
	}
	return m.keyToParts(press)
}

// heldPress is a key press that scripts are asked about.
type heldPress struct {
	raw  tea.KeyPressMsg
	msg  tea.KeyPressMsg // what it means: see keymap.Map
	live bool            // it means something
}

// keyQueue holds key presses while scripts are asked whether they take them: one after the other,
// so that their order stays.
type keyQueue struct {
	*window
	presses  []heldPress
	escTaken time.Time // when scripts took the last key, which was esc; zero = another one followed
	yours    bool      // the user has taken the keys back
	// later passes a message on after all that scripts have put into the editor
	later func(msg any)
}

// keyTakenMsg is the answer of scripts about the first key of the queue.
type keyTakenMsg bool

// offer offers a key to scripts. It reports false if no script wants it: then it is handled at
// once. Esc that interrupts is never held.
func (q *keyQueue) offer(press heldPress, busy bool) (tea.Cmd, bool) {
	switch b := &q.backend; {
	case busy && press.msg.String() == "esc":
		return nil, false
	case len(q.presses) > 0:
		q.presses = append(q.presses, press)
		return nil, true
	case q.yours || b.KeyTakers == nil || len(b.KeyTakers()) == 0:
		return nil, false
	}
	q.presses = append(q.presses, press)
	return q.askScripts(), true
}

// askScripts asks about the first key.
func (q *keyQueue) askScripts() tea.Cmd {
	if len(q.presses) == 0 {
		return nil
	}
	take, key, edits := q.backend.TakeKey, q.presses[0].raw, &q.sight.edits
	return func() tea.Msg {
		before := edits.Load()
		taken := keyTakenMsg(take(key.String(), key.Text))
		if edits.Load() == before {
			return taken
		}
		q.later(taken)
		return nil
	}
}

// keyTaken handles the first key of the queue as the scripts say, and asks about the next one.
func (m *model) keyTaken(taken bool) (cmd tea.Cmd) {
	q := &m.offered
	first := q.presses[0]
	q.presses = q.presses[1:]
	if !taken {
		q.escTaken = time.Time{}
	} else if !q.takeBack(first, m.now()) {
		return q.askScripts()
	}
	cmd = m.keyToParts(first)
	if !q.yours {
		return tea.Batch(cmd, q.askScripts())
	}
	for _, press := range q.presses {
		cmd = tea.Batch(cmd, m.keyToParts(press))
	}
	q.presses = nil
	return tea.Batch(cmd, m.toasts.addToast("info", "the keys are yours until you send a text"))
}

// takeBack notes a key that scripts have taken. It reports true, and scripts get no more keys until
// the user sends a text, if it is the second esc in a row: a script that takes everything could
// only be left by ctrl+c otherwise.
func (q *keyQueue) takeBack(press heldPress, now time.Time) bool {
	was := q.escTaken
	if q.escTaken = (time.Time{}); press.msg.String() == "esc" {
		q.yours = !was.IsZero() && now.Sub(was) <= escWithin
		q.escTaken = now
	}
	return q.yours
}

// takers says who gets the editor's keys first, "" = nobody.
func (q *keyQueue) takers() string {
	if q.backend.KeyTakers == nil {
		return ""
	}
	names := q.backend.KeyTakers()
	switch {
	case len(names) == 0:
		return ""
	case q.yours:
		return "keys: yours"
	}
	return "keys: " + plain.OneLine(strings.Join(names, ", "))
}

// keyToParts routes a key press that no script has taken.
func (m *model) keyToParts(press heldPress) tea.Cmd {
	if !press.live {
		return nil
	}
	msg, name := press.msg, press.msg.String()
	if cmd, used := m.screenKey(name); used {
		return cmd
	}
	idle := !m.work.busy()
	for _, p := range m.parts {
		if p == component(m.editor) { // what is typed is for the editor
			m.selection.stop()
		}
		if cmd, used := p.key(msg); used {
			if name == "enter" && p == component(m.editor) { // a text may have been sent
				m.offered.yours = m.offered.yours && !m.editor.blank()
			}
			if name == "esc" && p == component(m.work) && idle {
				return tea.Batch(cmd, m.escTwice(m.now()))
			}
			return cmd
		}
	}
	return nil
}

// escTwice opens the list of prompts to go back to, if this is the second esc while the editor was
// empty and nothing ran.
func (m *model) escTwice(now time.Time) tea.Cmd {
	twice := !m.lastEsc.IsZero() && now.Sub(m.lastEsc) <= escWithin
	switch m.lastEsc = now; {
	case !m.editor.blank() || m.overlays.gate() != nil:
		m.lastEsc = time.Time{}
	case twice && m.commands.picks("/"+backCommand) != "":
		m.lastEsc = time.Time{}
		return m.commands.askChoices(backCommand, m.overlays.lastKey)
	}
	return nil
}

// backCommand is the command that goes back to before a prompt.
const backCommand = "fork"

// screenKey handles the keys that belong to no component. Some of them are the editor's while it
// holds text.
func (m *model) screenKey(name string) (cmd tea.Cmd, used bool) {
	empty := m.editor.blank()
	switch {
	case name == "ctrl+z":
		return terminal.Suspend, true
	case name == "ctrl+v":
		return m.window.pasteImage(), true
	case name == "ctrl+d" && empty:
		return tea.Quit, true
	case name == "end" && empty:
		m.transcript.endEntry()
		return nil, true
	}
	return nil, false
}

// ctrlC closes a panel, interrupts the agent or empties the editor; the second one quits.
func (m *model) ctrlC(now time.Time) tea.Cmd {
	if !m.lastCtrlC.IsZero() && now.Sub(m.lastCtrlC) <= quitWithin {
		return tea.Quit
	}
	m.forgetCtrlC()
	m.lastCtrlC = now
	again := m.toasts.addToast("info", "ctrl+c again within 2 s quits")
	id := m.toasts.next
	m.quitToast = id
	again = tea.Batch(again,
		tea.Tick(quitWithin, func(time.Time) tea.Msg { return toastOver(id) }))
	dialog := m.overlays.dialogs.front() != nil
	switch {
	case !dialog && m.overlays.panels.front() != nil:
		m.overlays.panels.closeFront()
		return again
	case !dialog && m.editor.draft.LeaveSearch():
		return again
	case dialog || m.work.busy():
		return tea.Batch(m.work.interrupt(), again)
	}
	m.editor.clearText()
	return again
}

// forgetCtrlC is called when something else than a second ctrl+c follows the first one, which then
// does not quit, and is not said to.
func (m *model) forgetCtrlC() {
	if !m.lastCtrlC.IsZero() {
		m.lastCtrlC = time.Time{}
		m.toasts.removeToast(m.quitToast)
	}
}

// yieldKeys gives the keys to the selection: what is in front takes none until they return.
func (m *model) yieldKeys() tea.Cmd {
	m.overlays.yieldKeys()
	m.editor.complete.close()
	return m.keysBelow(m.overlays.takeTyped())
}

// vimKeys takes the keys of the editor that are commands of Vim. They come before those of other
// components, so that esc ends insert mode and does not interrupt.
type vimKeys struct {
	unseen
	editor *editor
}

// handleMsg implements component.
func (vimKeys) handleMsg(tea.Msg) tea.Cmd { return nil }

// key implements component.
func (k vimKeys) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	used, fits := k.editor.draft.VimKey(msg)
	switch {
	case !fits:
		return k.editor.full(), true
	case used:
		k.editor.complete.close()
	}
	return nil, used
}
