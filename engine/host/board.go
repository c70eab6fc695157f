// This file holds the board: it shows the lines of scripts on the screen, and calls their render
// functions.

package host

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// usualWidth is the width of a screen that does not report one.
	usualWidth = 80
	// renderPause is the least time between two renderings of a piece. After each rendering the
	// script rests restFactor times as long as it took: continuous drawing takes at most a quarter
	// of a core.
	renderPause = 50 * time.Millisecond
	restFactor  = 3
	// mostFailures is the number of failures in a row after which a function of a drawing is not
	// called any more, and one of a piece only once in failurePause: it may work again.
	mostFailures = 3
	failurePause = 10 * time.Second
	// mostPieces is how many pieces of one kind a script can show: more than a screen has lines.
	mostPieces = 50
)

// board holds the pieces shown. Its methods may be called from any goroutine; none waits for a
// script or a front end.
type board struct {
	courier courier

	mu      sync.Mutex
	surface *ui.Surface // nil: nothing was shown yet
	pieces  map[pieceKey]*piece
	gens    map[*engine.Generation]bool // with a pending cleanup at their end
	dirty   []pieceKey                  // to be shown or removed
	tidying bool                        // a call of tidy is pending
	panels  map[*panel]bool             // open, or about to open
}

type pieceKey struct{ script, kind, key string }

// piece is something that a script shows under a key.
type piece struct {
	key     pieceKey
	gen     *engine.Generation
	shown   ui.Piece
	fn      engine.Func // nil: the lines are fixed
	line    int         // where it was set
	refresh time.Duration

	// Under the board's mu.
	running  bool
	drawing  bool // its function is running
	again    bool
	good     []ui.Line // what its function returned last
	failures int       // in a row
	failed   time.Time // when it failed last
	reported bool
	timer    vm.Timer
}

func (k pieceKey) label() string { return strings.TrimSpace("ui." + k.kind + " " + k.key) }

// put shows p once its generation is in force.
func (b *board) put(s *ui.Surface, p *piece) {
	if s == nil {
		return
	}
	p.gen.Live(func() { b.place(s, p) })
}

// place stores p under its key.
func (b *board) place(s *ui.Surface, p *piece) {
	b.mu.Lock()
	b.takeSurface(s)
	if p.gen.Retired() {
		b.mu.Unlock()
		return
	}
	if !b.gens[p.gen] {
		b.gens[p.gen] = true
		p.gen.Gone(func() { b.forget(p.gen) })
	}
	if old := b.pieces[p.key]; old != nil {
		old.stop()
	}
	b.pieces[p.key] = p
	if p.fn == nil {
		b.mark(p.key)
	}
	b.mu.Unlock()
	if p.fn != nil {
		b.render(p)
	}
}

// takeSurface stores the surface, once. Under mu.
func (b *board) takeSurface(s *ui.Surface) {
	if b.surface != nil {
		return
	}
	b.surface, b.pieces, b.gens = s, map[pieceKey]*piece{}, map[*engine.Generation]bool{}
	if s.OnResize != nil {
		s.OnResize(func() { b.redraw(func(pieceKey) bool { return true }) })
	}
}

// count returns how many pieces of a kind a script shows, not counting the one of key.
func (b *board) count(key pieceKey) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := range b.pieces {
		if k.script == key.script && k.kind == key.kind && k.key != key.key {
			n++
		}
	}
	return n
}

// remove removes a piece of g.
func (b *board) remove(g *engine.Generation, key pieceKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pieces[key]; p != nil && (p.gen == g || !g.Retired()) {
		p.stop()
		delete(b.pieces, key)
		b.mark(key)
	}
}

// forget removes all pieces of g.
func (b *board) forget(g *engine.Generation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.gens, g)
	for key, p := range b.pieces {
		if p.gen == g {
			p.stop()
			delete(b.pieces, key)
			b.mark(key)
		}
	}
}

// redraw calls the functions of the matching pieces.
func (b *board) redraw(fits func(pieceKey) bool) {
	b.mu.Lock()
	var found []*piece
	for key, p := range b.pieces {
		if p.fn != nil && fits(key) {
			found = append(found, p)
		}
	}
	b.mu.Unlock()
	for _, p := range found {
		b.render(p)
	}
}

func (p *piece) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

// mark schedules the piece under key to be shown. Under mu.
func (b *board) mark(key pieceKey) {
	for _, k := range b.dirty {
		if k == key {
			return
		}
	}
	if b.dirty = append(b.dirty, key); !b.tidying {
		b.tidying = b.courier.post(b.tidy)
	}
}

// tidy shows the pieces that have changed. The courier calls it.
func (b *board) tidy() {
	for {
		b.mu.Lock()
		if len(b.dirty) == 0 {
			b.tidying = false
			b.mu.Unlock()
			return
		}
		key := b.dirty[0]
		b.dirty = b.dirty[1:]
		out, p := ui.Piece{Script: key.script, Kind: key.kind, Key: key.key}, b.pieces[key]
		if p != nil {
			out = p.shown
		}
		b.mu.Unlock()
		if p != nil {
			out.Lines = maskLines(p.gen.Engine(), out.Lines)
		}
		if b.surface.Show != nil {
			b.surface.Show(out)
		}
	}
}

// render calls p's function for its lines, in a new goroutine. A request during a call is served by
// another call afterwards.
func (b *board) render(p *piece) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pieces[p.key] != p || p.rests() {
		return
	}
	if p.again = true; p.running {
		return
	}
	p.stop()
	p.running = true
	go b.draw(p)
}

// rests reports whether p's function is not called now because it has failed too often. Under mu.
func (p *piece) rests() bool {
	return p.failures >= mostFailures && p.gen.Engine().Clock().Now().Sub(p.failed) < failurePause
}

// draw calls p's function until no more calls are requested.
func (b *board) draw(p *piece) {
	for {
		b.mu.Lock()
		if b.pieces[p.key] != p || !p.again || p.rests() {
			p.running, p.again = false, false
			b.mu.Unlock()
			return
		}
		p.again, p.drawing = false, true
		b.mu.Unlock()
		begun := time.Now()
		lines, err := callRender(context.Background(), p.gen, p.key.label(), p.fn,
			float64(b.width()))
		if most := mostLines[p.key.kind]; most > 0 && len(lines) > most {
			err = fmt.Errorf("ui.%s returned %d lines, want at most %d", p.key.kind, len(lines),
				most)
		}
		b.drawn(p, lines, err)
		time.Sleep(max(renderPause, restFactor*time.Since(begun)))
	}
}

// drawn stores the result of p's function. After a failure a line says so above the last lines; the
// first failure is reported.
func (b *board) drawn(p *piece, lines []ui.Line, err error) {
	b.mu.Lock()
	p.drawing = false
	if b.pieces[p.key] != p {
		b.mu.Unlock()
		return
	}
	if err == nil {
		p.failures, p.good = 0, lines
		p.shown.Lines, p.shown.Failed = lines, false
		b.mark(p.key)
		b.later(p)
		b.mu.Unlock()
		return
	}
	p.failures++
	p.failed = p.gen.Engine().Clock().Now()
	p.shown.Lines, p.shown.Failed = p.stale(err), true
	b.mark(p.key)
	b.later(p)
	first := !p.reported
	p.reported = true
	b.mu.Unlock()
	if first {
		p.gen.Failed(err, p.key.label(), p.line)
	}
}

// stale returns what is shown after a failure: a line about it, and the last lines, as ones that
// may not be true any more.
func (p *piece) stale(err error) []ui.Line {
	out := []ui.Line{failureLine(p.gen, strings.TrimPrefix(p.key.label(), "ui."), err, p.line)}
	for _, l := range p.good {
		out = append(out, ui.Line{{Text: l.Text(), Style: "dim"}})
	}
	if most := mostLines[p.key.kind]; most > 0 {
		out = out[:min(len(out), most)]
	}
	return out
}

// failureLine describes a failed function that draws.
func failureLine(g *engine.Generation, what string, err error, line int) ui.Line {
	se := g.Describe(err, what, line)
	text := fmt.Sprintf("✗ %s of %s failed", what, g.Name)
	if se.Line > 0 {
		text += fmt.Sprintf(" at line %d", se.Line)
	}
	return ui.Line{{Text: text + ": " + plain.OneLine(se.Message), Style: "error"}}
}

// later schedules the next call of p's function: its refresh, or a try after it has failed too
// often. Under mu.
func (b *board) later(p *piece) {
	p.stop()
	wait := p.refresh
	if p.failures >= mostFailures {
		wait = max(wait, failurePause)
	}
	if wait > 0 {
		p.timer = p.gen.Engine().Clock().AfterFunc(wait, func() { b.render(p) })
	}
}

func (b *board) width() int {
	b.mu.Lock()
	s := b.surface
	b.mu.Unlock()
	if s.Width != nil {
		if n := s.Width(); n > 0 {
			return n
		}
	}
	return usualWidth
}

// callRender calls a function that returns lines.
func callRender(ctx context.Context, g *engine.Generation, label string, fn engine.Func,
	args ...any) ([]ui.Line, error) {
	v, err := runRender(ctx, g, label, fn, args...)
	if err != nil || v == nil {
		return nil, err
	}
	return rendered(label, v)
}

// runRender calls a function that draws.
func runRender(ctx context.Context, g *engine.Generation, label string, fn engine.Func,
	args ...any) (any, error) {
	return g.Run(engine.NewRun(ctx, g, vm.KindRender, label, g.Engine().Events.Envelope(), nil), fn,
		args...)
}

// rendered parses the result of a function that draws.
func rendered(label string, v any) ([]ui.Line, error) {
	lines, err := readLines(v)
	if err != nil {
		return nil, &fault.ScriptError{Message: label + " returned" +
			strings.TrimPrefix(err.Error(), ":")}
	}
	return lines, nil
}

// maskLines masks lines. A line that masking changes loses its styles, because their positions no
// longer apply.
func maskLines(e *engine.Engine, lines []ui.Line) []ui.Line {
	if len(lines) == 0 {
		return lines
	}
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text()
	}
	masked := strings.Split(e.Mask.Text(strings.Join(texts, "\n")), "\n")
	out := make([]ui.Line, 0, len(masked))
	for i, text := range masked {
		if len(masked) == len(lines) && text == texts[i] {
			out = append(out, lines[i])
		} else {
			out = append(out, ui.Line{{Text: text}})
		}
	}
	return out
}

// courier calls functions one after the other, on a goroutine that exists while there are any.
type courier struct {
	mu    sync.Mutex
	queue []func()
	busy  bool
}

// mostWaiting is how many messages may wait for the front end: a script that sends more repeats
// itself.
const mostWaiting = 1000

// post queues f; it returns false if too many wait.
func (c *courier) post(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) >= mostWaiting {
		return false
	}
	c.queue = append(c.queue, f)
	if !c.busy {
		c.busy = true
		go c.runCourier()
	}
	return true
}

func (c *courier) runCourier() {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 {
			c.busy = false
			c.mu.Unlock()
			return
		}
		f := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()
		f()
	}
}
