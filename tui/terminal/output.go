package terminal

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// Output is the terminal that frames are written to: those of the program's renderer, which has the
// whole screen, and those of Show.
//
// To scroll parts of the screen, the renderer sets margins and leaves the last of them at the end
// of the screen. If the terminal grows, they would stop the next drawing in the middle of the
// screen, so Output resets them before the whole screen is drawn and before the screen ends.
type Output struct {
	term.File
	writing atomic.Bool

	mu     sync.Mutex // held while something is written
	region region
	coming coming
}

const (
	wholeScreen = ansi.CursorHomePosition + ansi.EraseEntireScreen
	leaveScreen = ansi.ResetModeAltScreenSaveCursor
	noMargins   = "\x1b[r" // DECSTBM without parameters
)

// NewOutput returns out as an Output, nil if it is no terminal.
func NewOutput(out io.Writer) *Output {
	f, ok := out.(term.File)
	if !ok {
		return nil
	}
	return &Output{File: f, region: region{profile: colorprofile.TrueColor}}
}

// Writing reports whether a write is in progress.
func (o *Output) Writing() bool { return o != nil && o.writing.Load() }

// Write implements io.Writer. The renderer writes a frame in one call.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing.Store(true)
	defer o.writing.Store(false)
	drawn := b
	for _, before := range []string{wholeScreen, leaveScreen} {
		if bytes.Contains(drawn, []byte(before)) {
			drawn = bytes.ReplaceAll(drawn, []byte(before), []byte(noMargins+before))
		}
	}
	if o.region.held && len(o.region.lines) > 0 {
		// the renderer has an empty frame there, and clears it when the size changes
		drawn = bytes.ReplaceAll(drawn, []byte(ansi.EraseScreenBelow), nil)
	}
	first, repaint := o.region.pass(drawn)
	if len(first) > 0 {
		drawn = append(first, drawn...)
	}
	if repaint {
		more := bytes.NewBuffer(bytes.Clone(drawn))
		o.paint(more)
		drawn = more.Bytes()
	}
	n, err := o.File.Write(drawn)
	if err != nil {
		return min(n, len(b)), err
	}
	return len(b), nil
}

// screenOff switches off everything that a screen switches on. It resets the keyboard protocols
// before it leaves the alternate screen, because each screen has its own. Leaving it puts the
// cursor where it was saved last, also in a terminal that does not show it: therefore keepCursor.
const screenOff = ansi.ResetModeSynchronizedOutput + ansi.ResetStyle + ansi.ResetModifyOtherKeys +
	"\x1b[<u" +
	keepCursor + leaveScreen + autoWrapOn +
	ansi.ResetModeMouseNormal + ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
	ansi.ResetModeMouseExtSgr +
	ansi.ResetModeFocusEvent + ansi.ResetModeBracketedPaste + ansi.ResetModeUnicodeCore +
	ansi.ShowCursor + ansi.ResetStyle
