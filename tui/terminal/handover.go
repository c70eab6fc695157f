package terminal

import (
	"fmt"
	"io"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/agentscripts/agent/engine/ui"
)

// Handover gives the terminal to Use for as long as it runs. It implements tea.ExecCommand.
type Handover struct {
	Use func(t *ui.Terminal)
	// Out is the terminal. What the program writes is not changed on its way there.
	Out io.Writer

	in io.Reader
}

// SetStdin implements tea.ExecCommand.
func (h *Handover) SetStdin(in io.Reader) { h.in = in }

// SetStdout implements tea.ExecCommand. It does nothing: see Out.
func (h *Handover) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand. It does nothing: see Out.
func (h *Handover) SetStderr(io.Writer) {}

// usualWidth and usualHeight are the size of a terminal that does not tell its own.
const usualWidth, usualHeight = 80, 24

// programOff undoes what a program that was killed may have left and the screen never switches on:
// an unfinished string, a region that scrolls, insert mode, no wrapping, keys of the keypad and the
// characters for lines. Setting the region moves the cursor. Source: ctlseqs.txt of xterm.
const programOff = "\x1b\\" + ansi.SaveCursor + "\x1b[r" + ansi.RestoreCursor +
	ansi.ResetModeInsertReplace + ansi.ResetModeLineFeedNewLine + ansi.SetModeAutoWrap +
	ansi.ResetModeCursorKeys + ansi.KeypadNumericMode + "\x1b[?5l" + "\x1b(B" + "\x0f"

// Run implements tea.ExecCommand. The modes and what the program has switched on are restored.
func (h *Handover) Run() error {
	keys, err := cancelreader.NewReader(h.in)
	if err != nil {
		return fmt.Errorf("read the terminal: %w", err)
	}
	in := &input{keys: keys}
	defer in.end()
	if f, ok := h.in.(term.File); ok && term.IsTerminal(f.Fd()) {
		before, err := term.MakeRaw(f.Fd())
		if err != nil {
			return fmt.Errorf("modes of the terminal: %w", err)
		}
		defer func() { _ = term.Restore(f.Fd(), before) }() // the terminal may be gone
	}
	defer func() { _, _ = io.WriteString(h.Out, programOff+screenOff) }()
	h.Use(&ui.Terminal{In: in, Out: h.Out, Size: func() (width, height int) {
		if f, ok := h.Out.(term.File); ok {
			if width, height, err := term.GetSize(f.Fd()); err == nil && width > 0 && height > 0 {
				return width, height
			}
		}
		return usualWidth, usualHeight
	}})
	return nil
}

// input reads the terminal until end.
type input struct {
	keys    cancelreader.CancelReader
	reading sync.Mutex // held by Read
}

// Read implements io.Reader.
func (in *input) Read(b []byte) (int, error) {
	in.reading.Lock()
	defer in.reading.Unlock()
	return in.keys.Read(b)
}

// end makes a waiting Read, and all later ones, return. A Read that still waited would take the
// next keys from the screen.
func (in *input) end() {
	in.keys.Cancel()
	in.reading.Lock()
	defer in.reading.Unlock()
	in.keys.Close()
}
