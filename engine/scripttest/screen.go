// This file implements the fake screen of a case.

package scripttest

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/ui"
)

// screen holds what the script shows.
type screen struct {
	mu      sync.Mutex
	width   int
	pieces  map[string]ui.Piece
	acts    []string // actions that showScreen has not printed yet
	resized func()
	panel   *ui.Panel // the one that was opened last
}

func (s *screen) surface() *ui.Surface {
	return &ui.Surface{Show: s.show, Width: s.cells, OnResize: func(f func()) { s.resized = f },
		Insert:    func(script, text string) { s.act("inserted by " + script + ": " + text) },
		Editor:    func() string { return "a draft" },
		SetEditor: func(script, text string) { s.act("written by " + script + ": " + text) },
		Copy:      func(script, text string) { s.act("copied by " + script + ": " + text) },
		Desktop: func(script, title, body string) {
			s.act("told the desktop by " + script + ": " + title + ": " + body)
		},
		CheckTheme: func(t ui.Theme) error {
			if t.Base == "wrong" {
				return errors.New("options.base: got wrong")
			}
			return nil
		},
		SetTheme: func(t ui.Theme) {
			s.act(fmt.Sprintf("theme %s of %s: %v, used: %t", t.Name, t.Script, t.Colors, t.Use))
		},
		Open:    s.open,
		Focused: func() bool { return true }}
}

func (s *screen) cells() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width
}

func (s *screen) show(p ui.Piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%s %s %s", p.Kind, p.Script, p.Key)
	if p.Lines == nil {
		delete(s.pieces, key)
		return
	}
	s.pieces[key] = p
}

func (s *screen) resize(t *testing.T, rest string) {
	n, err := strconv.Atoi(rest)
	if err != nil {
		t.Fatalf("input: resize %s: %v", rest, err)
	}
	s.mu.Lock()
	s.width = n
	f := s.resized
	s.mu.Unlock()
	if f != nil {
		f()
	}
}

// open opens a panel and adds its lines to the screen.
func (s *screen) open(p *ui.Panel) ui.PanelView {
	s.mu.Lock()
	s.panel = p
	s.mu.Unlock()
	piece := ui.Piece{Script: p.Script, Kind: "panel", Key: p.Title, Lines: []ui.Line{}}
	if p.Overlay {
		piece.Place = "over"
	}
	if p.Releases {
		piece.Side = "releases"
	}
	s.show(piece)
	p.Resize(30, 5)
	return ui.PanelView{Draw: func(lines []ui.Line) {
		piece.Lines = lines
		s.show(piece)
	}, Close: func() {
		piece.Lines = nil
		s.show(piece)
	}}
}

// key presses a key in the panel, given by its name and its text, or leaves the panel.
func (s *screen) key(rest string) {
	name, text, _ := strings.Cut(rest, " ")
	s.mu.Lock()
	p := s.panel
	s.mu.Unlock()
	switch {
	case p == nil:
	case name == "leave":
		p.Close()
	default:
		p.Key(name, text)
	}
}

// act records an action.
func (s *screen) act(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acts = append(s.acts, text)
}

// lines returns the screen as text: the pieces with their attributes, then the actions.
func (s *screen) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys, out []string
	for k := range s.pieces {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		p := s.pieces[k]
		out = append(out, strings.TrimRight(fmt.Sprintf("%s %s%s %v", k, p.Side, p.Place, p.Order),
			" "))
		for _, l := range p.Lines {
			text := "  |"
			for _, span := range l {
				if text += span.Text; span.Style != "" {
					text += "<" + span.Style + ">"
				}
			}
			out = append(out, text)
		}
	}
	return append(out, s.acts...)
}

// showScreen waits until the screen contains a text.
func (s *session) showScreen(text string) {
	s.flush(s.awaitScreen(text)...)
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	s.screen.acts = nil
}

func (s *session) awaitScreen(text string) []string {
	var lines []string
	for s.ctx.Err() == nil {
		lines = s.screen.lines()
		if all := strings.Join(lines, "\n"); all == text || text != "" &&
			strings.Contains(all, text) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return lines
}
