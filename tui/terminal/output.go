package terminal

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// output is the terminal that frames are written to. To scroll parts of the screen, the renderer
// sets margins and leaves the last of them at the end of the screen. If the terminal grows, they
// would stop the next drawing in the middle of the screen, so output resets them before the whole
// screen is drawn and before the screen ends.
type output struct {
	term.File
	writing atomic.Bool
}

const (
	wholeScreen = ansi.CursorHomePosition + ansi.EraseEntireScreen
	leaveScreen = ansi.ResetModeAltScreenSaveCursor
	noMargins   = "\x1b[r" // DECSTBM without parameters
)

// NewOutput returns out, which resets margins if it is a terminal, and a function that reports
// whether a write is in progress.
func NewOutput(out io.Writer) (_ io.Writer, writing func() bool) {
	if f, ok := out.(term.File); ok {
		frames := &output{File: f}
		return frames, frames.writing.Load
	}
	return out, func() bool { return false }
}

// Write implements io.Writer. The renderer writes a frame in one call.
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

// screenOff switches off everything that a screen switches on. It resets the keyboard protocols
// before it leaves the alternate screen, because each screen has its own.
const screenOff = ansi.ResetModeSynchronizedOutput + ansi.ResetStyle + ansi.ResetModifyOtherKeys +
	"\x1b[<u" +
	leaveScreen +
	ansi.ResetModeMouseNormal + ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
	ansi.ResetModeMouseExtSgr +
	ansi.ResetModeFocusEvent + ansi.ResetModeBracketedPaste + ansi.ResetModeUnicodeCore +
	ansi.ShowCursor + ansi.ResetStyle
