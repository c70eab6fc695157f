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
