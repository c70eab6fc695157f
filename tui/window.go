// This file holds the messages from and to the terminal's window.

package tui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/clipboard"
	"github.com/agentscripts/agent/tui/terminal"
)

// window is the terminal's window: its size, its focus, its clipboard and its notifications.
type window struct {
	keyless
	unseen
	*shared
	toasts *toasts

	width, height int
	resizes       int  // changes of the size
	moving        bool // the size has just changed, and may go on changing
	sight         sight
	lends         lender
}

// lender gives the terminal to programs. The zero lender has none to give.
type lender struct {
	out   io.Writer       // the terminal
	until context.Context // of the screen
}

// lendMsg asks for the terminal.
type lendMsg struct {
	ctx  context.Context
	use  func(ctx context.Context, t *ui.Terminal)
	done chan error // capacity 1: use has returned, or has not been called
}

// lendTerminal implements the Handover of ui.Surface.
func (u *UI) lendTerminal(ctx context.Context,
	use func(ctx context.Context, t *ui.Terminal)) error {
	msg := lendMsg{ctx, use, make(chan error, 1)}
	u.feed.Push(msg)
	select {
	case err := <-msg.done:
		return err
	case <-u.done: // use does not run: Run would wait for it
		return ErrClosed
	}
}

// lend gives the terminal to msg's function. The screen waits meanwhile.
func (l *lender) lend(msg lendMsg) tea.Cmd {
	if l.out == nil || msg.ctx.Err() != nil {
		msg.done <- cmp.Or(msg.ctx.Err(), errNoTerminal)
		return nil
	}
	return tea.Exec(&terminal.Handover{Out: l.out, Use: func(t *ui.Terminal) {
		ctx, cancel := context.WithCancel(msg.ctx)
		defer cancel()
		defer context.AfterFunc(l.until, cancel)()
		msg.use(ctx, t)
	}}, func(err error) tea.Msg { msg.done <- err; return nil })
}

// errNoTerminal is the error of programs that want the terminal in plain mode.
var errNoTerminal = errors.New("the output is plain lines; a program cannot have the terminal")

// sight holds facts about the screen for code outside of Update. Its fields may be used from any
// goroutine.
type sight struct {
	width   atomic.Int64
	blurred atomic.Bool
	resized atomic.Pointer[func()]
	draft   atomic.Pointer[string] // the text in the editor, with what was pasted
	edits   atomic.Int64           // how often scripts have changed that text
}

// keepDraft keeps the text in the editor.
func (s *sight) keepDraft(e *editor) {
	text := e.value()
	if was := s.draft.Load(); was != nil && *was == text || was == nil && text == "" {
		return
	}
	text = e.chips.Expand(text)
	s.draft.Store(&text)
}

// copyMsg is text for the clipboard.
type copyMsg string

// desktopMsg is a notification for a user who is looking elsewhere.
type desktopMsg struct{ title, body string }

// resizeQuiet is how long the size must have been stable before the program is notified: while a
// window is dragged, it changes many times.
const resizeQuiet = 150 * time.Millisecond

// stillAfter is how long after a change of the size the next one may be on its way: tmux tells
// programs about one only every 250 ms, and has changed its lines already.
const stillAfter = 300 * time.Millisecond

// stillMsg says that stillAfter has passed since the n-th change of size.
type stillMsg int

// resizedMsg says that resizeQuiet has passed since the n-th change of size.
type resizedMsg int

// handleMsg implements component.
func (w *window) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return w.resize(msg)
	case resizedMsg:
		return w.resized(msg)
	case stillMsg:
		w.moving = w.moving && int(msg) != w.resizes
	case tea.FocusMsg:
		w.sight.blurred.Store(false)
	case tea.BlurMsg:
		w.sight.blurred.Store(true)
	case copyMsg:
		return w.copied(msg)
	case sayMsg:
		return w.toasts.addToast(msg.level, msg.text)
	case lendMsg:
		return w.lends.lend(msg)
	case desktopMsg:
		return desktop(w.info.Terminal, msg)
	}
	return nil
}

func (w *window) resize(msg tea.WindowSizeMsg) tea.Cmd {
	w.sight.resize(msg.Width)
	first := w.width == 0 && w.height == 0
	same := w.width == msg.Width && w.height == msg.Height
	w.width, w.height = msg.Width, msg.Height
	if first || same {
		return nil
	}
	w.moving = true
	w.resizes++
	n := w.resizes
	still := tea.Tick(stillAfter, func(time.Time) tea.Msg { return stillMsg(n) })
	if w.backend.Resized == nil {
		return still
	}
	return tea.Batch(still, tea.Tick(resizeQuiet, func(time.Time) tea.Msg { return resizedMsg(n) }))
}

func (w *window) resized(n resizedMsg) tea.Cmd {
	if int(n) != w.resizes {
		return nil
	}
	f, width, height := w.backend.Resized, w.width, w.height
	return func() tea.Msg { f(width, height); return nil }
}

// resize records the width of the screen and notifies listeners.
func (s *sight) resize(width int) {
	if s.width.Swap(int64(width)) == int64(width) {
		return
	}
	if f := s.resized.Load(); f != nil {
		go (*f)()
	}
}

// copied reports that text was copied to the clipboard: a script must not put something there
// unseen, nor text that would control the terminal that it is pasted into.
func (w *window) copied(text copyMsg) tea.Cmd {
	return tea.Batch(tea.SetClipboard(plain.Text(string(text))),
		w.toasts.addToast("info", "copied: "+cells.Fit(plain.OneLine(string(text)), sessionCells)))
}

// sayMsg is a toast.
type sayMsg struct{ level, text string }

// pasteImage keeps the image on the clipboard in a file, which it mentions in the editor.
func (w *window) pasteImage() tea.Cmd {
	keep := w.backend.KeepImage
	if keep == nil {
		return nil
	}
	return func() tea.Msg {
		path := ""
		data, err := clipboard.Image(context.Background())
		if err == nil {
			path, err = keep(data)
		}
		if err != nil {
			return sayMsg{"warn", plain.Error(err)}
		}
		return insertMsg(mentionText(path) + " ")
	}
}

// desktop notifies a user who is looking elsewhere, in a way that the terminal supports.
func desktop(terminal string, msg desktopMsg) tea.Cmd {
	title, body := plain.OneLine(msg.title), plain.OneLine(msg.body)
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
	case whole == "": // the bell
		return tea.Raw("\a")
	case has("kitty"):
		return tea.Raw(ansi.DesktopNotification(whole))
	case has("rxvt", "foot"):
		return tea.Raw(ansi.URxvtExt("notify", strings.ReplaceAll(title, ";", ","), body))
	case has("tmux", "screen", "linux", "dumb"): // no known sequence works in these
		return tea.Raw("\a")
	}
	return tea.Raw(ansi.Notify(whole))
}
