// This file shows the panels of scripts on the client, and passes on the keys that its user presses
// in them.

package rpc

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// mostKeyName is the greatest length of a key's name, in bytes: the longest one has all modifiers.
const mostKeyName = 100

// frame is an open panel on the client.
type frame struct {
	told  *ui.Panel
	shown []ui.Line // used by the drawing goroutine
}

// openPanel opens a panel on the client's screen.
func (p *pane) openPanel(told *ui.Panel) ui.PanelView {
	x := &frame{told: told, shown: []ui.Line{}}
	p.mu.Lock()
	p.number++
	id := "panel" + strconv.Itoa(p.number)
	p.panels[id] = x
	width, height := p.size()
	p.mu.Unlock()
	told.Resize(width, height)
	tell := func(fields map[string]any) {
		fields["id"], fields["script"] = id, told.Script
		p.s.conn.Notify("ui.panel", fields)
	}
	draw := func(lines []ui.Line) {
		fields := map[string]any{"title": told.Title, "lines": lineValues(lines)}
		if told.Overlay {
			fields["overlay"] = true
		}
		tell(fields)
	}
	draw(nil)
	return ui.PanelView{
		Draw: func(lines []ui.Line) {
			if !reflect.DeepEqual(lines, x.shown) {
				x.shown = lines
				draw(lines)
			}
		},
		Close: func() {
			p.mu.Lock()
			delete(p.panels, id)
			p.mu.Unlock()
			tell(map[string]any{})
		},
	}
}

// panel returns the open panel of an id; an error is the client's mistake.
func (p *pane) panel(method, id string) (*ui.Panel, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.panels[id]; x != nil {
		return x.told, nil
	}
	return nil, failure("not_found", fmt.Sprintf("%s: no panel %.40q is open", method, id))
}

// pressKey handles a key that the user presses in a panel.
func pressKey(s *server, _ context.Context, p params) (any, error) {
	const method = "ui.key"
	name, text := p.text("key"), p.text("text")
	if name == "" || len(name) > mostKeyName {
		return nil, wrong(method, "key: got %d bytes, want 1 to %d", len(name), mostKeyName)
	}
	if err := value.CheckSize(text); err != nil {
		return nil, wrong(method, "text: %v", err)
	}
	x, err := s.pane.panel(method, p.text("id"))
	if err == nil {
		x.Key(name, text)
	}
	return nil, err
}

// leavePanel closes a panel regardless of its script.
func leavePanel(s *server, _ context.Context, p params) (any, error) {
	x, err := s.pane.panel("ui.leave", p.text("id"))
	if err == nil {
		x.Close()
	}
	return nil, err
}
