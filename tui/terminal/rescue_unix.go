//go:build unix

// This file leaves the screen of a program that has died on it.

package terminal

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// Modes returns the modes of a terminal, for Rescue. Ask before Run, which changes them.
func Modes(terminal *os.File) (json.RawMessage, error) {
	state, err := term.GetState(terminal.Fd())
	if err != nil {
		return nil, fmt.Errorf("modes of the terminal: %w", err)
	}
	return json.Marshal(state)
}

// Rescue leaves the screen that another process has shown on the terminal in, which must be dead or
// dying, and gives the terminal the modes that it had before. They are left alone if they are not
// those of a screen any more: the shell that has seen the process die may have set its own.
func Rescue(in, out *os.File, modes json.RawMessage) error {
	var before term.State
	if err := json.Unmarshal(modes, &before); err != nil {
		return fmt.Errorf("modes of the terminal: %w", err)
	}
	_, _ = out.WriteString(screenOff) // the modes matter more
	now, err := term.GetState(in.Fd())
	if err != nil {
		return fmt.Errorf("modes of the terminal: %w", err)
	}
	if now.Lflag&(syscall.ICANON|syscall.ISIG) != 0 || now.Oflag&syscall.OPOST != 0 {
		return nil
	}
	if err := term.Restore(in.Fd(), &before); err != nil {
		return fmt.Errorf("restore the terminal: %w", err)
	}
	return nil
}

// screenOff switches off all that a screen switches on. The protocols of the keyboard come before
// the alternate screen is left: each screen has its own.
const screenOff = ansi.ResetModeSynchronizedOutput + ansi.ResetStyle + ansi.ResetModifyOtherKeys +
	"\x1b[<u" +
	leaveScreen +
	ansi.ResetModeMouseNormal + ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
	ansi.ResetModeMouseExtSgr +
	ansi.ResetModeFocusEvent + ansi.ResetModeBracketedPaste + ansi.ResetModeUnicodeCore +
	ansi.ShowCursor + ansi.ResetStyle
