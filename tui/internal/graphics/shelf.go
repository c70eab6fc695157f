package graphics

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// mostKept is how many bytes of images are kept to be drawn, in base64. Of later ones the names
	// and sizes are shown.
	mostKept = 32 << 20
	// readTime is how long an image may take to be decoded.
	readTime = 5 * time.Second
)

// Item is an image to show.
type Item struct {
	Name string // clean, "" = none
	Kind string // as its source says, clean

	owner any    // what shows the image, as of the last drawing
	size  int    // in bytes
	data  string // base64; unless it is whole, only the beginning; "" = it was read
	whole bool   // data is all of it
	kept  bool   // it was decided how much of it is kept
	asked job    // the last one
	busy  bool   // that one is not done
	sends bool   // it is being written to the terminal
	info  Info   // as far as it is known
	drawn Answer // what the terminal keeps; its id is 0 before
}

// NewItem returns an image in base64.
func NewItem(kind, data string) *Item {
	return &Item{Kind: kind, data: data, whole: true,
		size: len(strings.TrimRight(data, "=")) * 3 / 4}
}

// label describes the image in a line.
func (i *Item) label() string {
	what := i.Kind
	if i.info.Kind != "" {
		what = i.info.Kind
	}
	if i.Name != "" {
		what = i.Name
	}
	if i.info.Width > 0 {
		what += fmt.Sprintf(" %dx%d", i.info.Width, i.info.Height)
	}
	return "[image " + what + ", " + sizeText(i.size) + "]"
}

// sizeText formats a number of bytes.
func sizeText(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// job is what is to be read of an image.
type job struct {
	cols, rows int  // at most
	draw       bool // it is to be sent to the terminal
}

// Shelf holds the images of a screen. It reads one at a time, because an image takes much memory
// while it is decoded. It is not safe for concurrent use; the functions of Next are.
type Shelf struct {
	Paints bool // the terminal draws images for placeholders
	// Prints reports that the terminal draws images in printed lines only: see Printed.
	Prints bool

	queue   []*Item
	reading bool
	kept    int // bytes of data to draw
}

// Draw returns the label of an image and, if the terminal has it, the lines that show it in at most
// cols by rows cells. Take and Sent return the owner, which shows the
// image and has to be drawn again.
func (s *Shelf) Draw(i *Item, owner any, cols, rows int) (label string, lines []string) {
	i.owner = owner
	s.keepData(i)
	want := job{cols, rows, (s.Paints || s.Prints) && i.whole}
	if !want.draw { // the label does not depend on the width
		want = job{cols: 1}
	}
	if i.asked != want && !i.busy && i.data != "" {
		i.asked, i.busy = want, true
		s.queue = append(s.queue, i)
	}
	if i.drawn.id != 0 && s.Paints && i.drawn.cols <= cols {
		lines = Lines(i.drawn.id, i.drawn.cols, i.drawn.rows)
	}
	return i.label(), lines
}

// Printed returns the lines that show an image when they are printed, nil if it is not known yet,
// or the terminal does not draw it so. The last line holds mark, in place of which sequence is to
// be written.
func (i *Item) Printed() (lines []string, mark, sequence string) {
	if i.drawn.print == "" {
		return nil, "", ""
	}
	return printedLines(i.drawn.id, i.drawn.rows), printedMark(i.drawn.id), i.drawn.print
}

// keepData decides how much of the data is kept.
func (s *Shelf) keepData(i *Item) {
	if i.kept {
		return
	}
	i.kept = true
	if (s.Paints || s.Prints) && len(i.data) <= MostBytes && s.kept+len(i.data) <= mostKept {
		s.kept += len(i.data)
		return
	}
	i.data, i.whole = strings.Clone(plain.Head(i.data, headBytes)), false
}

// Answer is what was read of an image.
type Answer struct {
	item       *Item
	info       Info
	send       string // "" = nothing is drawn
	print      string // what draws it in printed lines
	id         uint32
	cols, rows int
}

// Next returns a function that reads the next image, which takes a while; nil if none is to be read
// now. Its answer is for Take.
func (s *Shelf) Next() func() Answer {
	if s.reading || len(s.queue) == 0 {
		return nil
	}
	i := s.queue[0]
	s.queue, s.reading = s.queue[1:], true
	want, data, paints := i.asked, i.data, s.Paints
	return func() Answer {
		a := Answer{item: i}
		a.info, _ = Inspect(data) // without a size the label is shorter
		if want.draw && a.info.Drawn {
			ctx, cancel := context.WithTimeout(context.Background(), readTime)
			defer cancel()
			a.cols, a.rows = a.info.Fit(want.cols, want.rows)
			if paints {
				a.send, a.id, _ = Send(ctx, data, a.cols, a.rows)
			} else if image, err := smaller(ctx, data, a.cols, a.rows); err == nil {
				a.id = idOf(image, a.cols, a.rows)
				a.print = printedSequence(image, a.cols, a.rows)
			}
		}
		return a
	}
}

// Take takes an answer. It returns the owner of the image, and what is to be written to the
// terminal, "" if nothing is; Sent must be called afterwards.
func (s *Shelf) Take(a Answer) (owner any, send string) {
	s.reading = false
	i := a.item
	i.busy, i.info = false, a.info
	if !i.whole {
		i.data = "" // what it says is known
	}
	if a.id == i.drawn.id {
		return i.owner, ""
	}
	if a.print != "" {
		i.drawn = a
		return i.owner, ""
	}
	i.sends = a.send != ""
	return i.owner, a.send
}

// Waits reports whether Draw is about to return lines that show the image.
func (i *Item) Waits() bool { return i.busy && i.asked.draw || i.sends }

// Sent reports that an image was written to the terminal. It returns the owner.
func (s *Shelf) Sent(a Answer) (owner any) {
	a.item.drawn = a
	a.item.drawn.send = "" // large
	a.item.sends = false
	return a.item.owner
}
