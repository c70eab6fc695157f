// This file holds the board: what scripts show on the screen at the moment, and how functions are
// asked for it.

package host

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// usualWidth is the width of a screen that does not say.
	usualWidth = 80
	// renderPause is the least time between two renderings of a piece, and restFactor how many
	// times as long as it took a script rests before the next one: what is drawn all the time takes
	// a quarter of a core at most.
	renderPause = 50 * time.Millisecond
	restFactor  = 3
	// mostFailures is after how many failures in a row a function is not asked any more, until it
	// is given anew.
	mostFailures = 3
	// mostPieces is how many pieces of one kind a script can show: more than a screen has lines.
	mostPieces = 50
)

// board is what is shown. Its methods may be called from any goroutine; none waits for a script or
// a front end.
type board struct {
	courier courier

	mu      sync.Mutex
	surface *engine.Surface // nil: nothing was shown yet
	pieces  map[pieceKey]*piece
	gens    map[*engine.Generation]bool // whose end is waited for
	dirty   []pieceKey                  // to be shown, or taken away
	tidying bool                        // a visit for them is under way
	panels  map[*panel]bool             // that are open, or about to be
}

type pieceKey struct{ script, kind, key string }

// piece is what a script shows under a key.
type piece struct {
	key     pieceKey
	gen     *engine.Generation
	shown   engine.Piece
	fn      engine.Func // nil: the lines are given
	line    int         // where it was given
	refresh time.Duration

	// Under the board's mu.
	running  bool
	drawing  bool // its function is asked at the moment
	again    bool
	failures int // in a row
	reported bool
	timer    engine.Timer
}

func (k pieceKey) label() string { return strings.TrimSpace("ui." + k.kind + " " + k.key) }

// put shows p once its generation is in force.
func (b *board) put(s *engine.Surface, p *piece) {
	if s == nil {
		return
	}
	p.gen.Live(func() { b.place(s, p) })
}

// place puts p where it belongs.
func (b *board) place(s *engine.Surface, p *piece) {
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

// takeSurface takes over the surface, once. Under mu.
func (b *board) takeSurface(s *engine.Surface) {
	if b.surface != nil {
		return
	}
	b.surface, b.pieces, b.gens = s, map[pieceKey]*piece{}, map[*engine.Generation]bool{}
	if s.OnResize != nil {
		s.OnResize(func() { b.redraw(func(pieceKey) bool { return true }) })
	}
}

// count is how many pieces of a kind a script shows besides the one of key.
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

// remove takes a piece of g away.
func (b *board) remove(g *engine.Generation, key pieceKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pieces[key]; p != nil && (p.gen == g || !g.Retired()) {
		p.stop()
		delete(b.pieces, key)
		b.mark(key)
	}
}

// forget takes everything of g away.
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

// redraw asks the functions of the pieces that fit.
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

// mark lets what is under key be shown as it is then. Under mu.
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

// tidy shows what has changed. The courier calls it.
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
		out, p := engine.Piece{Script: key.script, Kind: key.kind, Key: key.key}, b.pieces[key]
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

// render asks p's function for its lines, on a goroutine of its own. Who asks while that is under
// way is answered by the next time.
func (b *board) render(p *piece) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pieces[p.key] != p || p.failures >= mostFailures {
		return
	}
	if p.again = true; p.running {
		return
	}
	p.stop()
	p.running = true
	go b.draw(p)
}

// draw asks p's function until nobody wants it asked again.
func (b *board) draw(p *piece) {
	for {
		b.mu.Lock()
		if b.pieces[p.key] != p || !p.again || p.failures >= mostFailures {
			p.running = false
			b.mu.Unlock()
			return
		}
		p.again, p.drawing = false, true
		b.mu.Unlock()
		begun := time.Now()
		lines, err := callRender(context.Background(), p.gen, p.key.label(), p.fn,
			float64(b.width()))
		if p.key.kind == engine.PieceFooter && len(lines) > maxFooter {
			err = fmt.Errorf("ui.footer returned %d lines, want at most %d", len(lines), maxFooter)
		}
		b.drawn(p, lines, err)
		time.Sleep(max(renderPause, restFactor*time.Since(begun)))
	}
}

// drawn takes over what p's function came to. After a failure the last lines stay; the first one is
// reported.
func (b *board) drawn(p *piece, lines []engine.Line, err error) {
	b.mu.Lock()
	p.drawing = false
	if b.pieces[p.key] != p {
		b.mu.Unlock()
		return
	}
	if err == nil {
		p.failures, p.shown.Lines = 0, lines
		b.mark(p.key)
		b.later(p)
		b.mu.Unlock()
		return
	}
	p.failures++
	b.later(p)
	first := !p.reported
	p.reported = true
	b.mu.Unlock()
	if first {
		p.gen.Failed(err, p.key.label(), p.line)
	}
}

// later lets p's function be asked when it is to be refreshed. Under mu.
func (b *board) later(p *piece) {
	if p.stop(); p.refresh > 0 && p.failures < mostFailures {
		p.timer = p.gen.Engine().Clock().AfterFunc(p.refresh, func() { b.render(p) })
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

// callRender asks a function for lines.
func callRender(ctx context.Context, g *engine.Generation, label string, fn engine.Func,
	args ...any) ([]engine.Line, error) {
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

// rendered reads what a function that draws has returned.
func rendered(label string, v any) ([]engine.Line, error) {
	lines, err := readLines(v)
	if err != nil {
		return nil, &engine.ScriptError{Message: label + " returned" +
			strings.TrimPrefix(err.Error(), ":")}
	}
	return lines, nil
}

// maskLines masks lines. One that is changed by it loses its styles: nobody knows any more what
// they stood for.
func maskLines(e *engine.Engine, lines []engine.Line) []engine.Line {
	if len(lines) == 0 {
		return lines
	}
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text()
	}
	masked := strings.Split(e.Mask.Text(strings.Join(texts, "\n")), "\n")
	out := make([]engine.Line, 0, len(masked))
	for i, text := range masked {
		if len(masked) == len(lines) && text == texts[i] {
			out = append(out, lines[i])
		} else {
			out = append(out, engine.Line{{Text: text}})
		}
	}
	return out
}

// courier calls functions one after the other, on a goroutine that is there while there are any.
type courier struct {
	mu    sync.Mutex
	queue []func()
	busy  bool
}

// mostWaiting is how many things wait to be told to the front end: more is a script that repeats
// itself.
const mostWaiting = 1000

// post lets f be called; false if too many wait.
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
