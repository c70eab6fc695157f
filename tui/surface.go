// This file gives scripts the screen: what they show, and what they do to who sits before it.

package tui

import (
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// sight is what is known of the screen outside of Update. Its fields may be used from any goroutine.
type sight struct {
	width   atomic.Int64
	blurred atomic.Bool
	resized atomic.Pointer[func()]
}

// copyMsg is text for the clipboard.
type copyMsg string

// desktopMsg is for a person who looks elsewhere.
type desktopMsg struct{ title, body string }

// Surface is the screen for scripts: for engine.Options.
func (u *UI) Surface() *engine.Surface {
	s := &u.model.sight
	return &engine.Surface{
		Show:     func(p engine.Piece) { u.feed.piece(pieceMsg(p)) },
		Width:    func() int { return int(s.width.Load()) },
		OnResize: func(f func()) { s.resized.Store(&f) },
		Insert:   func(_, text string) { u.Insert(text) },
		Copy:     func(_, text string) { u.feed.push(copyMsg(text)) },
		Desktop:  func(script, title, body string) { u.feed.push(desktopMsg{title, body}) },
		Open:     u.openPanel,
		Entry:    func(id, kind string, data any) { u.feed.push(entryMsg{id, newEntryBlock(kind, data)}) },
		Focused:  func() bool { return !s.blurred.Load() },
	}
}

// resize takes over the width of the screen, and tells who wants to know.
func (s *sight) resize(width int) {
	if s.width.Swap(int64(width)) == int64(width) {
		return
	}
	if f := s.resized.Load(); f != nil {
		go (*f)()
	}
}

// copied says that text is in the clipboard: a script must not put something there unseen, nor what would command the terminal that it is
// pasted into.
func (m *model) copied(text copyMsg) tea.Cmd {
	return tea.Batch(tea.SetClipboard(plain.Text(string(text))), m.toasts.add("info", "copied: "+fit(oneLine(string(text)), sessionCells)))
}

// desktop tells a person who looks elsewhere, in the way that the terminal knows.
func desktop(terminal string, msg desktopMsg) tea.Cmd {
	title, body := oneLine(msg.title), oneLine(msg.body)
	whole := strings.Trim(title+": "+body, ": ")
	has := func(names ...string) bool {
		for _, n := range names {
			if strings.Contains(terminal, n) {
				return true
			}
		}
		return false
	}
	switch {
	case has("kitty"):
		return tea.Raw(ansi.DesktopNotification(whole))
	case has("rxvt", "foot"):
		return tea.Raw(ansi.URxvtExt("notify", strings.ReplaceAll(title, ";", ","), body))
	case has("tmux", "screen", "linux", "dumb"): // they know no way, or hand it on to nobody
		return tea.Raw("\a")
	}
	return tea.Raw(ansi.Notify(whole))
}
