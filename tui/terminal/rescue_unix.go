//go:build unix

// This file restores the terminal after a program that has died.

package terminal

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// Modes returns the modes of a terminal, for Rescue. Call it before Run, which changes them.
func Modes(terminal *os.File) (json.RawMessage, error) {
	state, err := term.GetState(terminal.Fd())
	if err != nil {
		return nil, fmt.Errorf("modes of the terminal: %w", err)
	}
	return json.Marshal(state)
}

// Rescue restores the terminal in after another process, which must be dead or dying, has shown a
// screen on it: it sets the modes that the terminal had before. If the modes are no longer those of
// a screen, it leaves them alone: the shell may have set its own after the process died.
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
