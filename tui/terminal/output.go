package terminal

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// output is the terminal that frames are written to. The renderer scrolls parts of the screen and
// leaves the margins that it set for that where the screen ended then. On a terminal that has grown
// meanwhile they would stop the lines of the next drawing in the middle of the screen, so they are
// taken away before the whole screen is drawn, and before it is left.
type output struct {
	term.File
	writing atomic.Bool
}

const (
	wholeScreen = ansi.CursorHomePosition + ansi.EraseEntireScreen
	leaveScreen = ansi.ResetModeAltScreenSaveCursor
	noMargins   = "\x1b[r" // DECSTBM without parameters
)

// NewOutput returns out, with margins taken away if it is a terminal, and a function that tells
// whether something is being written to it.
func NewOutput(out io.Writer) (_ io.Writer, writing func() bool) {
	if f, ok := out.(term.File); ok {
		frames := &output{File: f}
		return frames, frames.writing.Load
	}
	return out, func() bool { return false }
}

// Write implements io.Writer. The renderer writes a frame at once.
func (f *output) Write(b []byte) (int, error) {
	f.writing.Store(true)
	defer f.writing.Store(false)
	drawn := b
	for _, before := range []string{wholeScreen, leaveScreen} {
		if bytes.Contains(drawn, []byte(before)) {
			drawn = bytes.ReplaceAll(drawn, []byte(before), []byte(noMargins+before))
		}
	}
	n, err := f.File.Write(drawn)
	if err != nil {
		return min(n, len(b)), err
	}
	return len(b), nil
}
