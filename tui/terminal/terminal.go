package terminal

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// IsTerminal reports whether v is a file that is a terminal.
func IsTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// Width returns the width of the terminal that a file is, or another one if it is none.
func Width(f *os.File, other int) int {
	if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
		return width
	}
	return other
}
