// This file implements the screen functions other than dialogs: ext.ui.status, widget, footer,
// header, title, redraw, insert, copy, desktop and focused. It reports when everything is shown,
// which tests of scripts wait for.

package host

import (
	"context"
	"fmt"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ui"
)

const (
	// maxPieceKey is how long the key of a piece can be, in bytes.
	maxPieceKey = 256
	// leastRefresh is the shortest refresh interval of a function, in seconds: ten times a second
	// looks smooth.
	leastRefresh = 0.1
	// usualOrder is the order of a piece without one.
	usualOrder = 50
)

// mostLines is how many lines a piece can have that is always visible.
var mostLines = map[string]int{ui.PieceFooter: 3, ui.PieceHeader: 3, ui.PieceStatusLine: 1}

// screen implements the functions that show something.
type screen struct {
	board  board
	panels counter
	themes themes
}

func (x *screen) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"ui.status": x.status, "ui.widget": x.widget, "ui.footer": x.footer,
		"ui.header": x.header, "ui.status_line": x.statusLine,
		"ui.theme": x.theme, "ui.title": x.title, "ui.working": x.working, "ui.redraw": x.redraw,
		"ui.panel":  x.openPanel,
		"ui.insert": x.insert, "ui.copy": x.copyText, "ui.desktop": x.desktop,
		"keys": x.keys, "ui.focused": uiFocused, "ui.editor_text": uiEditorText,
		"ui.set_editor_text": x.setEditorText,
	}
}

// newPiece makes a piece of the calling script.
func newPiece(c *engine.HostCall, kind, key string, opts map[string]any) *piece {
	k := pieceKey{c.Gen.Name, kind, key}
	p := &piece{key: k, gen: c.Gen, line: c.Pos.Line,
		shown: ui.Piece{Script: k.script, Kind: kind, Key: key, Order: usualOrder}}
	if n, ok := opts["order"]; ok {
		p.shown.Order = number(n)
	}
	return p
}

// show puts p on the board, or removes the piece under its key if there is nothing to show.
func (x *screen) show(c *engine.HostCall, name string, p *piece, gone bool) error {
	if len(p.key.key) > maxPieceKey {
		return fmt.Errorf("%s: key: got %d bytes, want at most %d", name, len(p.key.key),
			maxPieceKey)
	}
	s := c.Gen.Engine().Screen.Surface()
	if gone {
		if s != nil {
			c.Gen.Live(func() { x.board.remove(c.Gen, p.key) })
		}
		return nil
	}
	if x.board.count(p.key) >= mostPieces {
		return fmt.Errorf("%s: key: the script already shows %d of them", name, mostPieces)
	}
	x.board.put(s, p)
	return nil
}

func (x *screen) status(c *engine.HostCall) (any, error) {
	const name = "ext.ui.status"
	opts := table(c.Args[2])
	p := newPiece(c, ui.PieceStatus, text(c.Args[0]), opts)
	if p.shown.Side = text(opts["side"]); p.shown.Side == "" {
		p.shown.Side = "left"
	}
	if v := c.Args[1]; v != nil {
		line, err := readLine(v)
		if err != nil {
			return nil, fmt.Errorf("%s: line%w", name, err)
		}
		if n := len(line.Text()); n > maxLineText {
			return nil, fmt.Errorf("%s: line: got %d bytes, want at most %d", name, n, maxLineText)
		}
		p.shown.Lines = []ui.Line{line}
	}
	return nil, x.show(c, name, p, c.Args[1] == nil)
}

func (x *screen) widget(c *engine.HostCall) (any, error) {
	return nil, x.putWidget(c, "ext.ui.widget", text(c.Args[0]))
}

// putWidget implements ui.widget for another name and key.
func (x *screen) putWidget(c *engine.HostCall, name, key string) error {
	opts := table(c.Args[2])
	p := newPiece(c, ui.PieceWidget, key, opts)
	if p.shown.Place = text(opts["place"]); p.shown.Place == "" {
		p.shown.Place = "above"
	}
	if err := p.content(name, "lines", c.Args[1], opts); err != nil {
		return err
	}
	return x.show(c, name, p, c.Args[1] == nil)
}

// content parses the content of p: lines, or a function that returns them.
func (p *piece) content(name, param string, v any, opts map[string]any) (err error) {
	fn, isFunc := v.(engine.Func)
	if r, ok := opts["refresh"]; ok && !isFunc && v != nil {
		return fmt.Errorf("%s: options.refresh: %s is not a function", name, param)
	} else if p.refresh, err = refresh(name+": options.refresh", r); err != nil {
		return err
	}
	if isFunc {
		p.fn = fn
		return nil
	}
	if v == nil {
		return nil
	}
	if p.shown.Lines, err = readLines(v); err != nil {
		return fmt.Errorf("%s: %s%w", name, param, err)
	}
	return nil
}

// refresh parses the refresh interval; nil = none.
func refresh(name string, v any) (time.Duration, error) {
	s := number(v)
	if v != nil && !(s >= leastRefresh && s <= maxSleep) {
		return 0, fmt.Errorf("%s: got %v, want %v seconds or more", name, s, leastRefresh)
	}
	return time.Duration(s * float64(time.Second)), nil
}

func (x *screen) footer(c *engine.HostCall) (any, error) {
	return x.showEdge(c, ui.PieceFooter)
}

func (x *screen) header(c *engine.HostCall) (any, error) {
	return x.showEdge(c, ui.PieceHeader)
}

func (x *screen) statusLine(c *engine.HostCall) (any, error) {
	return x.showEdge(c, ui.PieceStatusLine)
}

// showEdge shows the lines that a function returns, at the head or the foot of the screen.
func (x *screen) showEdge(c *engine.HostCall, kind string) (any, error) {
	name := "ext.ui." + kind
	p := newPiece(c, kind, "", nil)
	if err := p.content(name, "fn", c.Args[0], table(c.Args[1])); err != nil {
		return nil, err
	}
	return nil, x.show(c, name, p, c.Args[0] == nil)
}

func (x *screen) title(c *engine.HostCall) (any, error) {
	return nil, x.showText(c, "ext.ui.title", ui.PieceTitle)
}

func (x *screen) working(c *engine.HostCall) (any, error) {
	return nil, x.showText(c, "ext.ui.working", ui.PieceWorking)
}

// showText shows a piece that is one text, of which a script has one.
func (x *screen) showText(c *engine.HostCall, name, kind string) error {
	p := newPiece(c, kind, "", nil)
	p.shown.Lines = []ui.Line{{{Text: joinLines(text(c.Args[0]))}}}
	if n := len(text(c.Args[0])); n > maxPieceKey {
		return fmt.Errorf("%s: text: got %d bytes, want at most %d", name, n, maxPieceKey)
	}
	return x.show(c, name, p, c.Args[0] == nil)
}

func (x *screen) redraw(c *engine.HostCall) (any, error) {
	key := c.Args[0]
	x.board.redraw(func(k pieceKey) bool {
		return k.script == c.Gen.Name &&
			(key == nil || k.key == key)
	})
	return nil, nil
}

// Settled reports whether all pieces and panels of scripts are up to date on the screen. A function
// that draws repeatedly, or at its refresh, is settled in between.
func (t *Table) Settled() bool { return t.screen.board.settled() }

// wait waits until all that was posted has been done, or until ctx ends.
func (c *courier) wait(ctx context.Context) {
	done := make(chan struct{})
	if !c.post(func() { close(done) }) {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (b *board) settled() bool {
	if b.courier.under() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pieces {
		if p.drawing || p.again {
			return false
		}
	}
	for p := range b.panels {
		if p.pending.Load() > 0 || p.isOver() {
			return false
		}
	}
	return len(b.dirty) == 0 && !b.tidying
}

// opening registers a panel that is about to open, in place of one that is closed.
func (b *board) opening(p *panel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.panels == nil {
		b.panels = map[*panel]bool{}
	}
	b.panels[p] = true
	p.pending.Add(1)
}

func (b *board) over(p *panel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.panels, p)
}

// under reports whether messages to the front end are being delivered or wait.
func (c *courier) under() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}

const (
	// maxInsert is how much text a script can put into the editor at once, in bytes: a large file.
	maxInsert = 1 << 20
	// maxCopy is how many bytes of text terminals accept for the clipboard: xterm and others cut
	// off 100,000 characters of base64.
	maxCopy = 64 << 10
	// maxDesktop is how long a desktop notification can be, in bytes: it shows a few lines.
	maxDesktop = 1000
)

// act passes a masked text to the screen, if there is one. do is called with the screen later.
func (x *screen) act(c *engine.HostCall, name, param, text string, most int,
	do func(s *ui.Surface, text string)) error {
	if len(text) > most {
		return fmt.Errorf("%s: %s: got %d bytes, want at most %d", name, param, len(text), most)
	}
	e := c.Gen.Engine()
	s := e.Screen.Surface()
	if s == nil {
		return nil
	}
	if !x.board.courier.post(func() { do(s, e.Mask.Text(text)) }) {
		return fmt.Errorf("%s: %d of these are still waiting for the screen", name, mostWaiting)
	}
	return nil
}

// keys registers a function that gets the editor's keys.
func (x *screen) keys(c *engine.HostCall) (any, error) {
	return nil, c.Gen.Registry.AddKeyTaker(&engine.KeyTaker{Line: c.Pos.Line,
		Take: c.Args[0].(engine.Func), After: x.board.courier.wait})
}

func (x *screen) insert(c *engine.HostCall) (any, error) {
	return nil, x.act(c, "ext.ui.insert", "text", text(c.Args[0]), maxInsert,
		func(s *ui.Surface, text string) {
			if s.Insert != nil {
				s.Insert(c.Gen.Name, text)
			}
		})
}

func (x *screen) setEditorText(c *engine.HostCall) (any, error) {
	return nil, x.act(c, "ext.ui.set_editor_text", "text", text(c.Args[0]), maxInsert,
		func(s *ui.Surface, text string) {
			if s.SetEditor != nil {
				s.SetEditor(c.Gen.Name, text)
			}
		})
}

func uiEditorText(c *engine.HostCall) (any, error) {
	if s := c.Gen.Engine().Screen.Surface(); s != nil && s.Editor != nil {
		return s.Editor(), nil
	}
	return "", nil
}

func (x *screen) copyText(c *engine.HostCall) (any, error) {
	return nil, x.act(c, "ext.ui.copy", "text", text(c.Args[0]), maxCopy,
		func(s *ui.Surface, text string) {
			if s.Copy != nil {
				s.Copy(c.Gen.Name, text)
			}
		})
}

func (x *screen) desktop(c *engine.HostCall) (any, error) {
	const name = "ext.ui.desktop"
	title := text(c.Args[0])
	if len(title) > maxDesktop {
		return nil, fmt.Errorf("%s: title: got %d bytes, want at most %d", name, len(title),
			maxDesktop)
	}
	return nil, x.act(c, name, "body", text(c.Args[1]), maxDesktop,
		func(s *ui.Surface, body string) {
			if s.Desktop != nil {
				s.Desktop(c.Gen.Name, c.Gen.Engine().Mask.Text(title), body)
			}
		})
}

func uiFocused(c *engine.HostCall) (any, error) {
	s := c.Gen.Engine().Screen.Surface()
	return s != nil && s.Focused != nil && s.Focused(), nil
}
