// This file shows panels whose lines a program sends.

package zot

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
)

// panels are the open panels of an extension, by id.
type panels struct {
	mu   sync.Mutex
	byID map[string]*panel
}

// panel is an open panel. Its fields are guarded by the mutex of its panels.
type panel struct {
	spec          panelSpec
	handle        map[string]any // redraw and close, as ext.ui.panel returns them
	escaped       bool           // the last key was Esc, which the program got
	width, height int            // as the program knows them
}

// openFor opens a panel as the result of a command.
func (ps *panels) openFor(l *link, run *engine.Run, spec panelSpec) (any, error) {
	if l.api.Bind.Gen.Engine().Screen.Surface() == nil { // the command then says so
		return map[string]any{"panel": ps.options(l, &panel{spec: spec})}, nil
	}
	return nil, ps.openPanel(l, run, spec)
}

// openPanel opens a panel, or changes the open one that has its id.
func (ps *panels) openPanel(l *link, run *engine.Run, spec panelSpec) error {
	if ps.render(spec) {
		return nil
	}
	p := &panel{spec: spec}
	v, err := l.api.Invoke(run, "ui.panel", ps.options(l, p))
	if err != nil {
		return err
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.byID == nil {
		ps.byID = map[string]*panel{}
	}
	p.handle, _ = v.(map[string]any)
	ps.byID[spec.ID] = p
	return nil
}

// options returns the argument of ext.ui.panel.
func (ps *panels) options(l *link, p *panel) map[string]any {
	id := p.spec.ID
	return map[string]any{"title": p.spec.Title,
		"render": l.api.Func(func(_ *engine.Run, args []any) (any, error) {
			w, _ := args[0].(float64)
			h, _ := args[1].(float64)
			lines, resized := ps.drawPanel(p, int(w), int(h))
			if resized {
				return lines, l.send(message{"type": "panel_resize", "panel_id": id,
					"width": int(w), "height": int(h)})
			}
			return lines, nil
		}),
		"key": l.api.Func(func(_ *engine.Run, args []any) (any, error) {
			name, _ := args[0].(string)
			text, _ := args[1].(string)
			key, text := keyName(name, text)
			if !ps.takes(p, key) {
				return false, nil
			}
			m := message{"type": "panel_key", "panel_id": id, "key": key}
			if text != "" {
				m["text"] = text
			}
			return true, l.send(m)
		}),
		"on_close": l.api.Func(func(*engine.Run, []any) (any, error) {
			ps.mu.Lock()
			if ps.byID[id] == p {
				delete(ps.byID, id)
			}
			ps.mu.Unlock()
			return nil, l.send(message{"type": "panel_close", "panel_id": id})
		})}
}

// drawPanel returns the lines of a panel, and whether the program does not know its size yet.
func (ps *panels) drawPanel(p *panel, width, height int) (lines []any, resized bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, text := range p.spec.Lines {
		lines = append(lines, text)
	}
	if p.spec.Footer != "" {
		lines = append(lines, "", p.spec.Footer)
	}
	resized = p.width != width || p.height != height
	p.width, p.height = width, height
	return lines, resized
}

// takes reports whether the program gets a key: not a second Esc, which closes the panel.
func (ps *panels) takes(p *panel, key string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	again := key == "esc" && p.escaped
	p.escaped = key == "esc"
	return !again
}

// render replaces the content of an open panel; it returns false if there is none with the id. An
// empty title keeps the old one.
func (ps *panels) render(spec panelSpec) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.byID[spec.ID]
	if p == nil {
		return false
	}
	if spec.Title == "" {
		spec.Title = p.spec.Title
	}
	p.spec = spec
	p.call("redraw")
	return true
}

// close closes the panel with an id, if it is open.
func (ps *panels) close(id string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p := ps.byID[id]; p != nil {
		delete(ps.byID, id)
		p.call("close")
	}
}

// call calls a function of the panel's handle: neither of them waits.
func (p *panel) call(name string) {
	if f, ok := p.handle[name].(*engine.Builtin); ok {
		_, _ = f.Func(&engine.HostCall{Args: []any{nil}}) // they have no errors
	}
}

// keyNames are the names of keys in the protocol, besides rune.
const keyNames = " up down left right enter esc tab backspace delete home end pageup pagedown "

// keyName returns the name of a key in the protocol, and its text.
func keyName(name, text string) (string, string) {
	switch name {
	case "pgup":
		name = "pageup"
	case "pgdown":
		name = "pagedown"
	}
	switch {
	case strings.Contains(keyNames, " "+name+" "):
		return name, ""
	case name == "space":
		return "rune", " "
	case name == "paste" && text != "":
		return "rune", text
	case utf8.RuneCountInString(name) == 1:
		return "rune", name
	case text != "":
		return "rune", text
	}
	return "unknown", ""
}
