// This file simulates the screen of a world, for the test's view of it and its keys.

package trial

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/chord"
	"github.com/agentscripts/agent/engine/ui"
)

const (
	// cells and rows are the size of the screen: the default of terminals.
	cells = 80
	rows  = 24
)

// screen holds what scripts show. Its methods may be called from any goroutine.
type screen struct {
	mu       sync.Mutex
	pieces   map[[2]string]ui.Piece // by kind and key
	panels   []*window              // the last one is visible
	laid     []string               // keys for the next panel
	inserted string
	editor   string
	copied   string
	desktop  []any
	looks    bool // the test reads the screen
	opened   func()
}

// window is an open panel.
type window struct {
	told  *ui.Panel
	lines []ui.Line
}

func newScreen() *screen { return &screen{pieces: map[[2]string]ui.Piece{}} }

// surface returns the screen for scripts.
func (s *screen) surface() *ui.Surface {
	locked := func(f func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		f()
	}
	return &ui.Surface{
		Show: func(p ui.Piece) {
			locked(func() {
				if s.pieces[[2]string{p.Kind, p.Key}] = p; p.Lines == nil {
					delete(s.pieces, [2]string{p.Kind, p.Key})
				}
			})
		},
		Width: func() int { return cells },
		Insert: func(_, text string) {
			locked(func() { s.inserted, s.editor = s.inserted+text, s.editor+text })
		},
		Editor: func() (text string) {
			locked(func() { text = s.editor })
			return text
		},
		SetEditor: func(_, text string) { locked(func() { s.editor = text }) },
		Copy:      func(_, text string) { locked(func() { s.copied = text }) },
		Desktop: func(_, title, body string) {
			locked(func() {
				s.desktop = append(s.desktop,
					strings.TrimSuffix(title+": "+body, ": "))
			})
		},
		Open: s.openDialog,
		Focused: func() (looks bool) {
			locked(func() { looks = s.looks })
			return looks
		},
	}
}

func (s *screen) openDialog(told *ui.Panel) ui.PanelView {
	told.Resize(cells, rows)
	x := &window{told: told}
	s.mu.Lock()
	s.panels = append(s.panels, x)
	s.mu.Unlock()
	s.opened()
	return ui.PanelView{
		Draw: func(lines []ui.Line) {
			s.mu.Lock()
			defer s.mu.Unlock()
			x.lines = lines
		},
		Close: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.panels = slices.DeleteFunc(s.panels, func(y *window) bool { return y == x })
		},
	}
}

// front returns the visible panel, nil if there is none.
func (s *screen) front() *ui.Panel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.panels) == 0 {
		return nil
	}
	return s.panels[len(s.panels)-1].told
}

// lay stores a key for the next panel.
func (s *screen) lay(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.laid = append(s.laid, key)
}

// takeDialog removes and returns the next stored key and its panel, if one is open.
func (s *screen) takeDialog() (p *ui.Panel, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.laid) == 0 || len(s.panels) == 0 {
		return nil, ""
	}
	key, s.laid = s.laid[0], s.laid[1:]
	return s.panels[len(s.panels)-1].told, key
}

// left returns a stored key that no panel got; "" = there is none.
func (s *screen) left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.laid) == 0 {
		return ""
	}
	return s.laid[0]
}

func (s *screen) focus(looks bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks = looks
}

// press sends a panel a key, with its text.
func press(p *ui.Panel, key string) { p.Key(key, keyText(key)) }

// keyText returns the text that a key types.
func keyText(key string) string {
	switch {
	case key == "space":
		return " "
	case utf8.RuneCountInString(key) == 1:
		return key
	}
	return ""
}

// keyName returns the name of a key for panels: a letter names itself, in either case.
func keyName(name string) (string, error) {
	if utf8.RuneCountInString(name) == 1 && name != " " {
		return name, nil
	}
	key, err := chord.KeyName(name)
	if err != nil {
		return "", fmt.Errorf("t.key: name: %w", err)
	}
	return key, nil
}

// shown returns the contents of the screen for t.screen; styles: lines are spans, {text, style}.
func (s *screen) shown(styles bool) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := func(l ui.Line) any { return l.Text() }
	if styles {
		line = spans
	}
	all := func(lines []ui.Line) []any {
		out := []any{}
		for _, l := range lines {
			out = append(out, line(l))
		}
		return out
	}
	status, widgets, sides, places := map[string]any{}, map[string]any{}, map[string]any{},
		map[string]any{}
	out := map[string]any{"status": status, "widgets": widgets, "sides": sides, "places": places,
		"inserted": s.inserted, "editor": s.editor,
		"copied": s.copied, "desktop": append([]any{}, s.desktop...)}
	for at, p := range s.pieces {
		switch at[0] {
		case ui.PieceStatus:
			status[at[1]], sides[at[1]] = line(slices.Concat(p.Lines...)), p.Side
		case ui.PieceWidget:
			widgets[at[1]], places[at[1]] = all(p.Lines), p.Place
		case ui.PieceFooter, ui.PieceHeader, ui.PieceStatusLine:
			out[p.Kind] = all(p.Lines)
		case ui.PieceTitle:
			out["title"] = ui.Line(slices.Concat(p.Lines...)).Text()
		case ui.PieceWorking:
			out["working"] = ui.Line(slices.Concat(p.Lines...)).Text()
		}
	}
	if n := len(s.panels); n > 0 {
		told := s.panels[n-1].told
		panel := map[string]any{"title": told.Title, "lines": all(s.panels[n-1].lines)}
		if told.Overlay {
			panel["overlay"] = true
		}
		out["panel"] = panel
	}
	return out
}

// spans returns a line with its styles.
func spans(l ui.Line) any {
	out := []any{}
	for _, s := range l {
		out = append(out, []any{s.Text, s.Style})
	}
	return out
}
