// This file lets scripts draw calls of tools and entries, beside the screen: what they draw is
// shown when it has come, until then what was there.

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/tui/cells"
)

const (
	// sketchesAtOnce is how many drawings are made at the same time: a script that waits in one
	// must not hold up those of others.
	sketchesAtOnce = 8
	// sketchesWaiting is how many wait: more than are in sight on a large screen. What is dropped
	// is asked for again when it is in sight.
	sketchesWaiting = 200
)

// sketch is what a script draws of something. Each width is asked for once, and again when scripts
// have changed.
type sketch struct {
	part    engine.DrawPart
	name    string
	value   any             // what is drawn
	drawing *engine.Drawing // nil: none, or none yet
	width   int             // that was asked for last
	epoch   int
}

// sketches are the drawings that are made.
type sketches struct {
	// nil: nobody draws
	draw func(part engine.DrawPart, name string, value any, width int) (engine.Drawing, bool)
	// counts changes of the scripts
	epoch int
	// that is laid out
	entry  *entry
	wanted []sketching
	busy   int
}

// sketching is a drawing that is made.
type sketching struct {
	*sketch
	entry        *entry
	width, epoch int
}

// drawnMsg is a drawing that was made; nil: no script draws this.
type drawnMsg struct {
	sketching
	drawing *engine.Drawing
}

// sketch returns what a script has drawn of s, nil if none has, and lets it be drawn for this width
// if that was not done. s may be nil.
func (c *canvas) sketch(s *sketch, width int) *engine.Drawing {
	if s == nil {
		return nil
	}
	k := c.sketches
	if k.draw != nil && width > 0 && (s.width != width || s.epoch != k.epoch) {
		s.width, s.epoch = width, k.epoch
		k.want(sketching{s, k.entry, width, k.epoch})
	}
	return s.drawing
}

func (k *sketches) want(s sketching) {
	if len(k.wanted) >= sketchesWaiting {
		k.wanted[0].sketch.width = 0
		k.wanted[0].entry.version++
		k.wanted = k.wanted[1:]
	}
	k.wanted = append(k.wanted, s)
}

// work makes the drawings that are wanted.
func (k *sketches) work() tea.Cmd {
	var cmds []tea.Cmd
	for len(k.wanted) > 0 && k.busy < sketchesAtOnce {
		s, f := k.wanted[0], k.draw
		k.wanted = k.wanted[1:]
		k.busy++
		part, name, value := s.part, s.name, s.value
		cmds = append(cmds, func() tea.Msg {
			d, ok := f(part, name, value, s.width)
			if !ok {
				return drawnMsg{s, nil}
			}
			return drawnMsg{s, &engine.Drawing{Lines: cleanLines(d.Lines),
				Markdown: cells.Clean(d.Markdown)}}
		})
	}
	return tea.Batch(cmds...)
}

// takeSketch takes over a drawing that was made, unless another one is wanted meanwhile.
func (k *sketches) takeSketch(msg drawnMsg) {
	k.busy--
	s := msg.sketch
	if s.width != msg.width || s.epoch != msg.epoch || s.drawing == nil && msg.drawing == nil {
		return
	}
	s.drawing = msg.drawing
	msg.entry.version++
}

// drawnLines are the lines of what a script has drawn.
func drawnLines(c *canvas, d *engine.Drawing) []string {
	if d.Markdown != "" {
		return c.markdown(d.Markdown, c.width)
	}
	out := make([]string, len(d.Lines))
	for i, l := range d.Lines {
		out[i] = drawLine(c.theme, l, c.width)
	}
	return out
}

// entryMsg is an entry of a script that is drawn.
type entryMsg struct {
	id string
	*entryBlock
}

// entryBlock is an entry of a script. Nothing of it is seen but what a script draws.
type entryBlock struct{ sketch *sketch }

func newEntryBlock(kind string, data any) *entryBlock {
	return &entryBlock{&sketch{part: engine.DrawEntry, name: kind, value: data}}
}

func (b *entryBlock) compact() bool { return b.sketch.drawing == nil }
func (b *entryBlock) drawLines(c *canvas) []string {
	d := c.sketch(b.sketch, c.width)
	if d == nil {
		return nil
	}
	return fold(c, drawnLines(c, d))
}

// showEntry adds an entry, unless the session that was loaded had it.
func (c *conversation) showEntry(msg entryMsg) {
	if !c.shown[msg.id] {
		c.shown[msg.id] = true
		c.reply.settleMessage()
		c.transcript.addEntry(msg.entryBlock)
	}
}
