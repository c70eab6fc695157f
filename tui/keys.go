// This file sorts what the user presses, pastes and scrolls.

package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// quitWithin is how soon the second ctrl+c must follow the first to leave.
	quitWithin = 2 * time.Second
	// wheelLines is how many lines the mouse wheel scrolls: what terminals do.
	wheelLines = 3
)

// key sorts a key press: to the dialog if one listens, else to the screen, else to the editor.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	now, before, listens := m.now(), m.lastKey, m.listens()
	m.lastKey = now
	if msg.String() != "ctrl+c" { // two in a row leave
		m.lastCtrlC = time.Time{}
	}
	d, p := m.dialogs.front(), m.panels.front()
	if listens && d != nil && d.strays(msg) {
		d.shut()
		listens = false
	}
	switch {
	case msg.String() == "ctrl+c":
		return m.ctrlC(now)
	case msg.String() == "ctrl+l":
		return m.redraw()
	case listens && !m.gate().passes(msg.String(), now, before, m.editor.value() != ""):
		return m.toasts.add("info", "you are writing: choose with an arrow key first")
	case listens && d != nil:
		return m.dialogKey(d, msg)
	case listens:
		m.panelKey(p, msg)
		return nil
	case (d != nil || p != nil) && msg.String() == "shift+tab": // it was meant for the choices
		return nil
	}
	if f := m.backend.Shortcut; f != nil {
		if run := f(msg.Keystroke()); run != nil {
			return call(run)
		}
	}
	if cmd, done := m.screenKey(msg); done {
		return cmd
	}
	return m.editorKey(msg)
}

// dialogKey gives a key to the dialog in front.
func (m *model) dialogKey(d *dialog, msg tea.KeyPressMsg) tea.Cmd {
	answer, done := d.key(msg)
	switch {
	case !done:
		return nil
	case msg.String() == "esc" && m.work.busy() && d.then == nil:
		return m.stopAt(d)
	}
	return m.dialogs.close(answer)
}

// screenKey handles the keys that are not the editor's.
func (m *model) screenKey(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	page := max(1, m.transcript.height-2)
	switch msg.String() {
	case "esc":
		if m.complete.open() {
			m.complete.close()
			return nil, true
		}
		return m.interrupt(), true
	case "ctrl+d":
		if m.editor.value() != "" {
			return nil, false
		}
		return tea.Quit, true
	case "ctrl+z":
		return suspend, true
	case "shift+tab":
		mode, set := m.status.cycle(), m.backend.SetPermission
		if set == nil {
			return nil, true
		}
		return func() tea.Msg { set(mode); return nil }, true
	case "ctrl+o":
		m.transcript.canvas.expanded = !m.transcript.canvas.expanded
	case "pgup":
		m.transcript.scroll(-page)
	case "pgdown":
		m.transcript.scroll(page)
	case "ctrl+home":
		m.transcript.home()
	case "ctrl+end":
		m.transcript.end()
	case "end":
		if m.editor.value() != "" {
			return nil, false
		}
		m.transcript.end()
	default:
		return nil, false
	}
	return nil, true
}

// editorKey handles the keys of the editor and of its completions.
func (m *model) editorKey(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "tab":
		if m.complete.open() {
			m.editor.set(m.complete.chosen())
			m.complete.close()
			return nil
		}
		return m.askArguments(m.editor.value())
	case "enter":
		if m.editor.continued() {
			return nil
		}
		if m.complete.open() { // what is highlighted is what is meant
			m.editor.set(m.complete.chosen())
		}
		return m.submit(kindPrompt)
	case "alt+enter":
		return m.submit(kindFollowUp)
	case "up", "down":
		step := map[string]int{"up": -1, "down": 1}[msg.String()]
		if m.complete.open() {
			m.complete.move(step)
			return nil
		}
		if step < 0 && m.editor.value() == "" && m.backend.TakeBack != nil && m.takesBack() {
			return m.takeBack()
		}
	}
	if !m.editor.key(msg) {
		return m.full()
	}
	m.fullSaid = false
	m.complete.update(m.editor.value(), m.allCommands())
	if m.editor.value() == "/" { // a command begins: there may be new ones
		return m.askCommands()
	}
	return nil
}

// stopAt interrupts the agent where a dialog is open. The question goes with it; whoever asks it for
// something else than what was interrupted is told no, but only then: no call may be refused, and the
// next one be made, before the agent knows that it is to stop.
func (m *model) stopAt(d *dialog) tea.Cmd {
	m.dialogs.drop(d)
	stop := m.interrupt()
	return func() tea.Msg {
		var dropped tea.Msg
		if stop != nil {
			dropped = stop()
		}
		d.answer <- nil // has room: a dialog that was dropped is answered by nobody else
		return dropped
	}
}

// redraw draws everything anew, whatever is on the terminal.
func (m *model) redraw() tea.Cmd {
	m.transcript.canvas.sketches.epoch++
	return tea.ClearScreen
}

// ctrlC interrupts the agent or empties the editor; the second one leaves.
func (m *model) ctrlC(now time.Time) tea.Cmd {
	if !m.lastCtrlC.IsZero() && now.Sub(m.lastCtrlC) <= quitWithin {
		return tea.Quit
	}
	m.lastCtrlC = now
	if p := m.panels.front(); p != nil && m.dialogs.front() == nil {
		p.told.Close()
		m.panels = m.panels.without(p)
		return m.toasts.add("info", "ctrl+c again leaves")
	}
	again := m.toasts.add("info", "ctrl+c again leaves")
	if m.work.busy() || m.dialogs.front() != nil {
		return tea.Batch(m.interrupt(), again)
	}
	m.editor.set("")
	m.complete.close()
	return again
}

// paste puts pasted text into the editor or into the dialog's line.
func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	text := clean(msg.Content)
	listens := m.listens()
	m.lastKey, m.lastCtrlC = m.now(), time.Time{} // it is typing as well
	switch d := m.dialogs.front(); {
	case !listens:
	case d == nil:
		m.panels.front().told.Key("paste", text)
		return nil
	case d.paste(text):
		return nil
	}
	return m.insert(text)
}

// insert puts clean text into the editor.
func (m *model) insert(text string) tea.Cmd {
	if !m.editor.insert(text) {
		return m.refuse(len(text))
	}
	m.complete.update(m.editor.value(), m.allCommands())
	return nil
}

// refuse says that the editor has not taken so many bytes. A long paste takes seconds to arrive, and the
// user may look away: the transcript keeps it.
func (m *model) refuse(size int) tea.Cmd {
	text := fmt.Sprintf("too long for the editor, which holds %d KB: the %d KB are not pasted; save them to a file and name it", editorLimit>>10, max(1, size>>10))
	m.transcript.add(&noticeBlock{"error", text})
	return m.toasts.add("error", "too long for the editor: save it to a file and name the file")
}

// full says once, until there is room again, that the editor takes no more keys: text that is pasted into a
// terminal that does not say so is many of them.
func (m *model) full() tea.Cmd {
	if m.fullSaid {
		return nil
	}
	m.fullSaid = true
	m.transcript.add(&noticeBlock{"error", fmt.Sprintf("the editor is full at %d KB: what is typed or pasted now is lost; save the text to a file and name it", editorLimit>>10)})
	return m.toasts.add("error", "the editor is full: save the text to a file and name the file")
}

func (m *model) wheel(msg tea.MouseWheelMsg) {
	switch msg.Button {
	case tea.MouseWheelUp:
		m.transcript.scroll(-wheelLines)
	case tea.MouseWheelDown:
		m.transcript.scroll(wheelLines)
	}
}
