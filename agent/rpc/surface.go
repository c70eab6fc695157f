// This file shows on the client what scripts put on a screen.

package rpc

import (
	"cmp"
	"context"
	"sync"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// pane is the client's screen. Its methods may be called from any goroutine.
type pane struct {
	s *server

	mu      sync.Mutex
	width   int  // 0 = unknown
	height  int  // of a panel; 0 = unknown
	away    bool // the user is looking elsewhere
	resized func()
	panels  map[string]*frame // the open ones
	number  int               // of panels opened so far
}

// surface returns the screen for scripts.
func (p *pane) surface(panels bool) *ui.Surface {
	tell := func(method string, fields map[string]any) { p.s.conn.Notify(method, fields) }
	surface := &ui.Surface{
		Show: func(x ui.Piece) { tell("ui.show", pieceFields(x)) },
		Width: func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.width
		},
		OnResize: func(f func()) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.resized = f
		},
		Insert: func(script, text string) {
			tell("ui.insert",
				map[string]any{"script": script, "text": text})
		},
		Copy: func(script, text string) {
			tell("ui.copy",
				map[string]any{"script": script, "text": text})
		},
		Desktop: func(script, title, body string) {
			tell("ui.desktop", map[string]any{"script": script, "title": title, "body": body})
		},
		Focused: func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return !p.away
		},
	}
	if panels {
		surface.Open = p.openPanel
	}
	return surface
}

// pieceFields describes a piece for the client; a piece without lines is removed.
func pieceFields(x ui.Piece) map[string]any {
	fields := map[string]any{"script": x.Script, "kind": x.Kind, "key": x.Key}
	if x.Lines == nil {
		return fields
	}
	fields["lines"], fields["order"] = lineValues(x.Lines), x.Order
	if x.Failed {
		fields["failed"] = true
	}
	if x.Side != "" {
		fields["side"] = x.Side
	}
	if x.Place != "" {
		fields["place"] = x.Place
	}
	return fields
}

func lineValues(lines []ui.Line) []any {
	out := make([]any, len(lines))
	for i, l := range lines {
		spans := make([]any, len(l))
		for j, s := range l {
			span := map[string]any{"text": s.Text}
			if s.Style != "" {
				span["style"] = s.Style
			}
			spans[j] = span
		}
		out[i] = spans
	}
	return out
}

const (
	// mostCells is the greatest width and height of a screen: more is a mistake.
	mostCells = 10000
	// usualWidth and usualHeight are the default size of a screen.
	usualWidth, usualHeight = 80, 24
)

// setScreen handles the client's data about its screen.
func setScreen(s *server, _ context.Context, p params) (any, error) {
	width, height := p.number("width", 0), p.number("height", 0)
	for _, side := range []struct {
		name string
		n    int
	}{{"width", width}, {"height", height}} {
		if _, said := value.Number(p[side.name]); said && (side.n < 1 || side.n > mostCells) {
			return nil, wrong("ui.screen", "%s: got %d, want 1 to %d", side.name, side.n, mostCells)
		}
	}
	s.pane.setPane(width, height, p["focused"])
	return nil, nil
}

// setPane stores the known values; 0 and nil are unknown.
func (p *pane) setPane(width, height int, focused any) {
	p.mu.Lock()
	f := p.resized
	if width == 0 || width == p.width {
		f = nil
	} else {
		p.width = width
	}
	if height > 0 {
		p.height = height
	}
	if on, ok := focused.(bool); ok {
		p.away = !on
	}
	width, height = p.size()
	var open []*ui.Panel
	for _, x := range p.panels {
		open = append(open, x.told)
	}
	p.mu.Unlock()
	if f != nil {
		f()
	}
	for _, x := range open {
		x.Resize(width, height)
	}
}

// size returns the size of a panel. Called under mu.
func (p *pane) size() (width, height int) {
	return cmp.Or(p.width, usualWidth), cmp.Or(p.height, usualHeight)
}
