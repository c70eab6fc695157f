// This file lets scripts draw tool calls and entries without blocking the screen: until a drawing
// is ready, the previous content is shown. Images are read in the same way.

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/graphics"
)

const (
	// sketchesAtOnce is how many drawings are made concurrently: a script that waits must not delay
	// the others.
	sketchesAtOnce = 8
	// sketchesWaiting is how many requests wait: more than are visible on a large screen. A dropped
	// request is repeated when its entry is visible.
	sketchesWaiting = 200
)

// sketch is a script's drawing of a value. It is requested once per width and state, and again
// after scripts have changed.
type sketch struct {
	part    ui.DrawPart
	name    string
	value   any         // the value to draw
	partial bool        // the value is that of a call that runs
	size    int         // of the output that the value has, if it is partial
	drawing *ui.Drawing // nil: none, or none yet
	last    sketching   // the last request; its width is 0 before
	busy    bool        // it has not been answered
	none    bool        // nobody draws it, at the epoch of the last request
}

// draws reports whether a further value may be drawn now.
func (s *sketch) draws(epoch int) bool { return !s.busy && (!s.none || s.last.epoch != epoch) }

// sketches makes the drawings.
type sketches struct {
	// nil: no script draws
	draw func(q ui.DrawRequest) (ui.Drawing, bool)
	// counts changes of the scripts
	epoch int
	// the entry that is being laid out
	entry  *entry
	wanted []sketching
	busy   int

	images graphics.Shelf
	known  bool // the terminal draws images, as far as its environment says
	// keep lets the printer write a sequence in place of a mark
	keep func(mark, sequence string)
}

// sketching is a request for a drawing.
type sketching struct {
	*sketch
	entry             *entry
	width, epoch      int
	expanded, partial bool
	size              int // of the output so far
}

// drawnMsg is a finished drawing; nil: no script draws this.
type drawnMsg struct {
	sketching
	drawing *ui.Drawing
}

// sketch returns a script's drawing of s, nil if there is none, and requests one for this width if
// necessary. s may be nil.
func (c *canvas) sketch(s *sketch, width int) *ui.Drawing {
	if s == nil {
		return nil
	}
	k := c.sketches
	want := sketching{s, k.entry, width, k.epoch, c.expanded, s.partial, s.size}
	if k.draw != nil && width > 0 && s.last != want {
		s.last, s.busy = want, true
		k.want(want)
	}
	return s.drawing
}

func (k *sketches) want(s sketching) {
	if len(k.wanted) >= sketchesWaiting {
		k.wanted[0].sketch.last, k.wanted[0].sketch.busy = sketching{}, false
		k.wanted[0].entry.version++
		k.wanted = k.wanted[1:]
	}
	k.wanted = append(k.wanted, s)
}

// work makes the requested drawings.
func (k *sketches) work() tea.Cmd {
	var cmds []tea.Cmd
	for len(k.wanted) > 0 && k.busy < sketchesAtOnce {
		s, f := k.wanted[0], k.draw
		k.wanted = k.wanted[1:]
		k.busy++
		q := ui.DrawRequest{Part: s.part, Name: s.name, Value: s.value, Width: s.width,
			Expanded: s.expanded, Partial: s.partial}
		cmds = append(cmds, func() tea.Msg {
			d, ok := f(q)
			if !ok {
				return drawnMsg{s, nil}
			}
			return drawnMsg{s, &ui.Drawing{Lines: cleanLines(d.Lines),
				Markdown: cells.Clean(d.Markdown)}}
		})
	}
	if read := k.images.Next(); read != nil {
		cmds = append(cmds, func() tea.Msg { return imageMsg(read()) })
	}
	return tea.Batch(cmds...)
}

// takeSketch stores a finished drawing, unless a newer one has been requested.
func (k *sketches) takeSketch(msg drawnMsg) {
	k.busy--
	s := msg.sketch
	if s.last == msg.sketching {
		s.busy, s.none = false, msg.drawing == nil
	}
	if s.last != msg.sketching || s.drawing == nil && msg.drawing == nil {
		return
	}
	s.drawing = msg.drawing
	msg.entry.version++
}

// imageMsg is what was read of an image, and imageSentMsg reports that the terminal has got it.
type (
	imageMsg     graphics.Answer
	imageSentMsg graphics.Answer
)

// handleImages handles messages about images. The marks of an image have its id as their colour, so
// the terminal must have all colours.
func (k *sketches) handleImages(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		k.images.Paints = k.known && msg.Profile == colorprofile.TrueColor
	case imageMsg:
		owner, send := k.images.Take(graphics.Answer(msg))
		redraw(owner)
		if send != "" {
			return tea.Sequence(tea.Raw(send), func() tea.Msg { return imageSentMsg(msg) })
		}
	case imageSentMsg:
		redraw(k.images.Sent(graphics.Answer(msg)))
	}
	return nil
}

// redraw makes an entry to be drawn again.
func redraw(owner any) {
	if e, ok := owner.(*entry); ok && e != nil {
		e.version++
	}
}

// imageLines returns the lines of an image: its label and, in at most rows lines, the image.
func (c *canvas) imageLines(i *graphics.Item, rows int) []string {
	label, lines := c.sketches.images.Draw(i, c.sketches.entry, c.width, rows)
	if printed, mark, sequence := i.Printed(); c.printing && printed != nil {
		c.sketches.keep(mark, sequence)
		lines = printed
	}
	return append([]string{c.theme.dim.Render(cells.Fit(label, c.width))}, lines...)
}

// drawnLines returns the lines of a script's drawing.
func drawnLines(c *canvas, d *ui.Drawing) []string {
	if d.Markdown != "" {
		return c.markdown(d.Markdown, c.width)
	}
	out := make([]string, len(d.Lines))
	for i, l := range d.Lines {
		out[i] = drawLine(c.theme, l, c.width)
	}
	return out
}

// waitsForDrawing reports whether a script is drawing a part of a block, or an image in it is being
// read.
func waitsForDrawing(b block) bool {
	busy := func(list ...*sketch) bool {
		return slices.ContainsFunc(list, func(s *sketch) bool { return s != nil && s.busy })
	}
	switch b := b.(type) {
	case *userBlock:
		return slices.ContainsFunc(b.images, (*graphics.Item).Waits)
	case *toolBlock:
		return busy(b.drawsCall, b.drawsResult) || b.result != nil &&
			slices.ContainsFunc(b.result.images, (*graphics.Item).Waits)
	case *entryBlock:
		return busy(b.sketch)
	case *lateBlock:
		return slices.ContainsFunc(b.blocks, waitsForDrawing)
	}
	return false
}

// entryMsg is a script's entry to show.
type entryMsg struct {
	id string
	*entryBlock
}

// entryBlock is a script's entry. It shows only what a script draws.
type entryBlock struct{ sketch *sketch }

func newEntryBlock(kind string, data any) *entryBlock {
	return &entryBlock{&sketch{part: ui.DrawEntry, name: kind, value: data}}
}

func (b *entryBlock) compact() bool { return b.sketch.drawing == nil }
func (b *entryBlock) drawLines(c *canvas) []string {
	d := c.sketch(b.sketch, c.width)
	if d == nil {
		return nil
	}
	return fold(c, drawnLines(c, d))
}

// showEntry adds an entry, unless the loaded session already has it.
func (c *conversation) showEntry(msg entryMsg) {
	if !c.shown[msg.id] {
		c.shown[msg.id] = true
		c.reply.settleMessage()
		c.transcript.addEntry(msg.entryBlock)
	}
}
