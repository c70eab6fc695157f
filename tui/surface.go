// This file gives scripts the screen: what they show, and what they do to who sits before it.

package tui

import "github.com/agentscripts/agent/engine"

// Surface is the screen for scripts: for engine.Options.
func (u *UI) Surface() *engine.Surface {
	s := &u.model.window.sight
	return &engine.Surface{
		Show:     func(p engine.Piece) { u.feed.piece(pieceMsg(p)) },
		Width:    func() int { return int(s.width.Load()) },
		OnResize: func(f func()) { s.resized.Store(&f) },
		Insert:   func(_, text string) { u.Insert(text) },
		Copy:     func(_, text string) { u.feed.push(copyMsg(text)) },
		Desktop:  func(script, title, body string) { u.feed.push(desktopMsg{title, body}) },
		Open:     u.openPanel,
		Entry: func(id, kind string,
			data any) {
			u.feed.push(entryMsg{id, newEntryBlock(kind, data)})
		},
		Focused: func() bool { return !s.blurred.Load() },
	}
}
