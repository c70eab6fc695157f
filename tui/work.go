// This file follows the texts that the user sent: they wait, begin and end.
package tui

import tea "charm.land/bubbletea/v2"

// pendingText is a text that was submitted and has not begun.
type pendingText struct {
	text  string
	shown bool // it is in the transcript
}

// beginMsg is a text that begins.
type beginMsg string

// endMsg is the end of what began last.
type endMsg struct{ interrupted bool }

// Begin tells that text is worked on from now: a prompt, or a command, of which no event tells. What was
// sent before it is done.
func (u *UI) Begin(text string) { u.feed.push(beginMsg(text)) }

// End tells that what began is over. That it was interrupted is shown, unless an agent_end has told so.
func (u *UI) End(interrupted bool) { u.feed.push(endMsg{interrupted}) }

func (m *model) workBegins(text string) tea.Cmd {
	m.begun, m.told, m.failure = true, false, ""
	m.begin(text)
	return m.status.start(m.now())
}

func (m *model) workEnds(interrupted bool) {
	m.status.stop()
	if interrupted && !m.told {
		m.transcript.add(&noticeBlock{"warn", "interrupted"})
	}
	m.begun = false
}

// begin takes the text, and all that was sent before it, off the queue, and shows it if it is not in the
// transcript yet.
func (m *model) begin(text string) {
	for i, p := range m.pending {
		if p.text != text {
			continue
		}
		for _, p := range m.pending[:i+1] {
			if !p.shown {
				m.transcript.add(&userBlock{clean(p.text)})
			}
		}
		m.pending = m.pending[i+1:]
		return
	}
	m.transcript.add(&userBlock{clean(text)})
}

// queued are the texts that wait.
func (m *model) queued() []pendingText {
	for i, p := range m.pending {
		if !p.shown {
			return m.pending[i:]
		}
	}
	return nil
}
