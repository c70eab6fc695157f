package terminal

import (
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// Copy puts a text on the clipboard, if out is a terminal that does so when it is told to (OSC 52).
func Copy(out io.Writer, text string) {
	if IsTerminal(out) {
		fmt.Fprint(out, ansi.SetSystemClipboard(text))
	}
}

// Confirm asks a question that one key answers: y is yes, any other is no. ok is false if in or out
// is no terminal, so that there is nobody to ask.
func Confirm(in io.Reader, out io.Writer, question string) (yes, ok bool) {
	f, is := in.(*os.File)
	if !is || !IsTerminal(in) || !IsTerminal(out) {
		return false, false
	}
	before, err := term.MakeRaw(f.Fd())
	if err != nil {
		return false, false
	}
	discardTyped(f.Fd())
	fmt.Fprint(out, question+" (y/n) ")
	key := make([]byte, 1)
	_, err = f.Read(key)
	_ = term.Restore(f.Fd(), before)
	yes = err == nil && (key[0] == 'y' || key[0] == 'Y')
	answer := "no"
	if yes {
		answer = "yes"
	}
	fmt.Fprintln(out, answer)
	return yes, true
}
