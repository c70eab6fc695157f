// This file writes frames into a terminal without taking its whole screen: what is finished is
// printed once and belongs to the terminal from then on, and a few lines below it are drawn again
// and again.

package terminal

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// Frame is what is to be on the terminal. Its lines may have escape sequences for styles and links;
// others are removed.
type Frame struct {
	Above  []string // printed above the live lines, once
	Lines  []string // the live lines
	Cursor *Cell    // within the live lines; nil = hidden
	// the size of the terminal that the frame was made for: it is not drawn on another one
	Width, Height int
	Key           bool // a user waits for the effect of a key
	Whole         bool // something may have drawn over the live lines: all are drawn again
}

// Cell is a place in the live lines, from 0.
type Cell struct{ X, Y int }

// region is the live lines on the terminal. The terminal's cursor stays in them. It is only used
// with the lock of its output.
type region struct {
	lines  []drawnLine
	at     Cell // the terminal's cursor
	cursor bool // it is visible
	width  int  // of the terminal when they were drawn

	asked   bool // the terminal was asked for its version
	alt     bool // the terminal shows its alternate screen
	held    bool // the program has the terminal: it is not suspended, and has not ended
	dirty   bool // something else has drawn over them
	frozen  bool // the terminal does not wrap its lines again when its width changes
	profile colorprofile.Profile
}

// drawnLine is a line as it was passed, and the cells that it takes on the terminal.
type drawnLine struct {
	text  string
	cells int
}

// coming is what is to be written next. Show must not wait for a slow terminal, so it has a lock of
// its own.
type coming struct {
	mu    sync.Mutex
	frame *Frame
	above []string
	keyed bool
	// what is written in place of marks in printed lines
	images map[string]string
	wake   chan struct{} // capacity 1
	done   chan struct{} // closed by Finish; nil = Show has not been called
}

const (
	keepCursor              = ansi.SaveCursor
	autoWrapOff, autoWrapOn = ansi.ResetModeAutoWrap, ansi.SetModeAutoWrap
	// eraseBelow erases the line of the cursor and those below it. In the first cell of the
	// terminal, tmux takes EraseScreenBelow as clearing it, and moves all lines into the
	// scrollback.
	eraseBelow = ansi.SaveCursor + ansi.EraseLineRight + "\x1b[B" + ansi.EraseScreenBelow +
		ansi.RestoreCursor
	frameBegin     = ansi.SetModeSynchronizedOutput + ansi.ResetModeTextCursorEnable
	enterScreen    = ansi.SetModeAltScreenSaveCursor
	takesTerminal  = ansi.SetModeBracketedPaste
	leavesTerminal = ansi.ResetModeBracketedPaste
)

// Show draws a frame soon. It does not block. The alternate screen, and a program that has been
// suspended, keep it until they end.
func (o *Output) Show(f Frame) {
	c := &o.coming
	c.mu.Lock()
	c.above = append(c.above, f.Above...)
	f.Above = nil
	f.Whole = f.Whole || c.frame != nil && c.frame.Whole
	c.frame, c.keyed = &f, c.keyed || f.Key
	if c.done == nil {
		c.wake, c.done = make(chan struct{}, 1), make(chan struct{})
		go o.drawFrames(c.wake, c.done)
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// drawFrames draws what Show was given, at most once per Tick unless a key was pressed.
func (o *Output) drawFrames(wake, done <-chan struct{}) {
	var last time.Time
	for {
		select {
		case <-done:
			return
		case <-wake:
		}
		o.coming.mu.Lock()
		keyed := o.coming.keyed
		o.coming.keyed = false
		o.coming.mu.Unlock()
		if wait := Tick - time.Since(last); wait > 0 && !keyed {
			select {
			case <-done:
				return
			case <-time.After(wait):
			}
		}
		o.drawLast()
		last = time.Now()
	}
}

// drawLast writes what has come to the terminal.
func (o *Output) drawLast() {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b bytes.Buffer
	if o.paint(&b); b.Len() > 0 {
		o.writing.Store(true)
		defer o.writing.Store(false)
		_, _ = o.File.Write(b.Bytes()) // a terminal that is gone ends the program by a signal
	}
}

// Finish prints what has come and then more lines, in place of the live lines, after the program
// has ended.
func (o *Output) Finish(more []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.coming.mu.Lock()
	above := append(o.coming.above, more...)
	images := o.coming.images
	o.coming.above, o.coming.frame, o.coming.images = nil, nil, nil
	if o.coming.done != nil {
		close(o.coming.done)
		o.coming.done = nil
	}
	o.coming.mu.Unlock()
	var b bytes.Buffer
	o.region.erase(&b)
	o.region.print(&b, above, images, o.width())
	if b.Len() > 0 {
		_, _ = o.File.Write(b.Bytes())
	}
}

// SetProfile sets the colours that the terminal can show.
func (o *Output) SetProfile(p colorprofile.Profile) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.region.profile, o.region.dirty = p, true
}

// SetFrozen says that the terminal leaves its lines as they are when its width changes. Most
// terminals wrap long lines again, which moves the cursor.
func (o *Output) SetFrozen(frozen bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.region.frozen = frozen
}

// KeepImage makes a sequence to be written in place of a mark in printed lines: one that draws an
// image, and leaves the cursor where it is. Like Show, it does not wait for the terminal.
func (o *Output) KeepImage(mark, sequence string) {
	o.coming.mu.Lock()
	defer o.coming.mu.Unlock()
	if o.coming.images == nil {
		o.coming.images = map[string]string{}
	}
	o.coming.images[mark] = sequence
}

// width returns the width of the terminal, 0 if it is unknown.
func (o *Output) width() int {
	w, _, err := term.GetSize(o.Fd())
	if err != nil {
		return 0
	}
	return w
}

// paint writes to b what turns the terminal into the last frame that has come. The terminal may
// have changed its size a moment ago: then a frame of that size is about to come, and drawing this
// one would leave parts of it behind.
func (o *Output) paint(b *bytes.Buffer) {
	r := &o.region
	if r.alt || !r.held {
		return
	}
	o.coming.mu.Lock()
	defer o.coming.mu.Unlock()
	f := o.coming.frame
	w, h, err := term.GetSize(o.Fd())
	if f == nil || err == nil && w > 0 && (w != f.Width || h != f.Height) {
		return
	}
	above := o.coming.above
	o.coming.above = nil
	whole := len(above) > 0 || r.dirty || f.Whole || f.Width != r.width ||
		len(f.Lines) != len(r.lines)
	if !whole && r.shows(f) {
		return
	}
	if !r.asked {
		// Its answer comes before the keys of a user who has seen this frame. A later one could
		// reach an editor that these keys have opened.
		r.asked = true
		b.WriteString(ansi.RequestNameVersion)
	}
	b.WriteString(frameBegin)
	if whole {
		r.adapt(f.Width)
		r.erase(b)
		r.print(b, above, o.coming.images, f.Width)
		r.dirty, r.width, f.Whole = false, f.Width, false
		b.WriteString(autoWrapOff)
		r.paintLines(b, f)
	} else {
		b.WriteString(autoWrapOff)
		r.updateLines(b, f)
	}
	b.WriteString(autoWrapOn)
	if r.cursor = f.Cursor != nil; r.cursor {
		b.WriteString(ansi.SetModeTextCursorEnable)
	}
	b.WriteString(ansi.ResetModeSynchronizedOutput)
}

// shows reports whether the terminal already shows the live lines of a frame.
func (r *region) shows(f *Frame) bool {
	return r.at == r.place(f) && r.cursor == (f.Cursor != nil) &&
		slices.EqualFunc(r.lines, f.Lines, func(l drawnLine, text string) bool {
			return l.text == text
		})
}

// place returns where the terminal's cursor is to be. Without a cursor it is where a change of the
// size does not matter.
func (r *region) place(f *Frame) Cell {
	if f.Cursor == nil {
		return Cell{}
	}
	return Cell{max(0, min(f.Cursor.X, f.Width-1)), max(0, min(f.Cursor.Y, len(f.Lines)-1))}
}

// adapt finds the cursor again after the terminal has changed its width: lines that are longer than
// it is wide are now several.
func (r *region) adapt(width int) {
	if r.frozen || width <= 0 || r.width == 0 || width == r.width {
		return
	}
	y := 0
	for _, l := range r.lines[:min(r.at.Y, len(r.lines))] {
		y += max(1, (l.cells+width-1)/width)
	}
	r.at = Cell{r.at.X % width, y + r.at.X/width}
}

// erase removes the live lines, and leaves the cursor where they began.
func (r *region) erase(b *bytes.Buffer) {
	if len(r.lines) == 0 {
		return
	}
	r.moveCursor(b, Cell{})
	b.WriteString(eraseBelow)
	r.lines = nil
}

// print prints lines for good. The terminal wraps what does not fit: nothing may be lost. A mark in
// a line is replaced by its image.
func (r *region) print(b *bytes.Buffer, lines []string, images map[string]string, width int) {
	for _, text := range lines {
		image := ""
		for mark, sequence := range images {
			if before, _, ok := strings.Cut(text, mark); ok {
				text, image = before, sequence
				break
			}
		}
		keep := ansi.StringWidth(text)
		text, n := r.clean(text, max(width, keep))
		b.WriteString(text)
		if image != "" {
			b.WriteString(strings.Repeat(" ", max(0, keep-n))) // clean leaves out spaces at the end
			b.WriteString(image)
		}
		b.WriteString("\r\n")
	}
}

// paintLines draws all live lines, where they begin.
func (r *region) paintLines(b *bytes.Buffer, f *Frame) {
	for i, text := range f.Lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		r.lines = append(r.lines, r.paintLine(b, text, f.Width))
	}
	r.at = Cell{0, max(0, len(r.lines)-1)}
	r.moveCursor(b, r.place(f))
}

// updateLines draws the live lines that have changed, which are as many as before. Each is reached
// from where the cursor was: if the terminal has become lower, and tells it a moment later, the
// lines below its end are not reached, and the cursor must not lose its way.
func (r *region) updateLines(b *bytes.Buffer, f *Frame) {
	from := r.at
	b.WriteString(ansi.SaveCursor)
	for i, text := range f.Lines {
		if r.lines[i].text == text {
			continue
		}
		r.at = from
		b.WriteString(ansi.RestoreCursor)
		r.moveCursor(b, Cell{0, i})
		b.WriteString(ansi.EraseLineRight) // not afterwards: it would erase the last cell
		r.lines[i] = r.paintLine(b, text, f.Width)
	}
	r.at = from
	b.WriteString(ansi.RestoreCursor)
	r.moveCursor(b, r.place(f))
}

func (r *region) paintLine(b *bytes.Buffer, text string, width int) drawnLine {
	drawn, n := r.clean(text, width)
	b.WriteString(drawn)
	return drawnLine{text, n}
}

// moveCursor moves the cursor, which never leaves the live lines: only distances are known.
func (r *region) moveCursor(b *bytes.Buffer, to Cell) {
	b.WriteByte('\r')
	switch d := to.Y - r.at.Y; {
	case d < 0:
		b.WriteString(ansi.CursorUp(-d))
	case d > 0:
		b.WriteString(ansi.CursorDown(d))
	}
	if to.X > 0 {
		b.WriteString(ansi.CursorForward(to.X))
	}
	r.at = to
}

// clean returns a line in at most width cells, with the colours that the terminal can show, and how
// many cells it takes. Whatever is not a character, a style or a link is left out.
func (r *region) clean(text string, width int) (string, int) {
	if text == "" || width <= 0 {
		return "", 0
	}
	text, _, _ = strings.Cut(text, "\n")
	screen := uv.NewScreenBuffer(width, 1)
	screen.Method = ansi.GraphemeWidth
	uv.NewStyledString(text).Draw(screen, screen.Bounds())
	line := screen.Line(0)
	n := len(line)
	for n > 0 && line[n-1].Equal(&uv.EmptyCell) {
		n--
	}
	line = line[:n]
	for i := range line {
		line[i].Style = uv.ConvertStyle(line[i].Style, r.profile)
		line[i].Link = uv.ConvertLink(line[i].Link, r.profile)
	}
	return line.Render(), n
}

// pass prepares for what the program itself writes: before and after it, lines are erased and drawn
// again.
func (r *region) pass(drawn []byte) (before []byte, repaint bool) {
	has := func(s string) bool { return bytes.Contains(drawn, []byte(s)) }
	enters, leaves := has(enterScreen), has(leaveScreen)
	var b bytes.Buffer
	if !r.alt && (enters || has(leavesTerminal)) {
		r.erase(&b)
	}
	if leaves {
		r.alt = false
	}
	if enters {
		r.alt = true
	}
	if has(leavesTerminal) {
		r.held = false
	}
	if has(takesTerminal) {
		r.held = true
	}
	if r.alt || !r.held {
		return b.Bytes(), false
	}
	if leaves || has(takesTerminal) {
		r.dirty = true
		return b.Bytes(), true
	}
	return b.Bytes(), false
}
