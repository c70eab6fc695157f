// This file holds what scripts show around the conversation: in the status line, above and below
// the editor, and in the footer.

package tui

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/feed"
)

const (
	// widgetShare is the fraction of the screen, as a divisor, that the widgets above the editor
	// may fill, and those below it. The conversation keeps the rest.
	widgetShare = 4
	// statusCells is the greatest width of one script's piece of the status line.
	statusCells = 40
	// lineCells is the greatest width of a status line of a script.
	lineCells = 500
	// titleLetters is the greatest length of a window title: windows show no more.
	titleLetters = 120
)

// board holds what scripts show. Its texts are clean.
type board struct {
	keyless
	unseen // its boardPlaces are laid out
	*shared
	pieces []ui.Piece // in display order
	titles []ui.Piece // of the window; the last one is shown
	words  []ui.Piece // in place of working; the last one is shown
}

// boardPlace is a part of the board with lines of its own.
type boardPlace struct {
	*board
	kind  string
	place string // of widgets; "" = any
}

// handleMsg implements component. It does nothing: the board itself handles the messages.
func (boardPlace) handleMsg(tea.Msg) tea.Cmd { return nil }

// layout implements component: it draws the pieces of the place in at most height lines.
func (p boardPlace) layout(width, height int) ([]string, *tea.Cursor) {
	fits := func(x *ui.Piece) bool {
		return x.Kind == p.kind &&
			(p.place == "" || x.Place == p.place)
	}
	return p.lines(width, height, fits), nil
}

// handleMsg implements component.
func (b *board) handleMsg(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(feed.Piece); ok {
		b.showPiece(p)
	}
	return nil
}

// showPiece replaces the earlier version of a piece, or adds the piece.
func (b *board) showPiece(msg feed.Piece) {
	p := ui.Piece(msg)
	list := &b.pieces
	switch p.Kind {
	case ui.PieceTitle:
		list = &b.titles
	case ui.PieceWorking:
		list = &b.words
	}
	*list = slices.DeleteFunc(*list, msg.Same)
	if p.Lines == nil {
		return
	}
	p.Lines = cleanLines(p.Lines)
	*list = append(*list, p)
	if list == &b.pieces {
		sort.SliceStable(b.pieces, func(i, j int) bool {
			x, y := &b.pieces[i], &b.pieces[j]
			return cmp.Or(cmp.Compare(x.Order, y.Order), cmp.Compare(x.Script, y.Script),
				cmp.Compare(x.Key, y.Key)) < 0
		})
	}
}

// cleanLines returns lines without control characters, which scripts may have used.
func cleanLines(lines []ui.Line) []ui.Line {
	out := make([]ui.Line, len(lines))
	for i, l := range lines {
		out[i] = make(ui.Line, len(l))
		for j, s := range l {
			out[i][j] = ui.Span{Text: strings.ReplaceAll(cells.Clean(s.Text), "\n", " "),
				Style: s.Style}
		}
	}
	return out
}

// span returns the style of a span that a script shows.
func (t *theme) span(style string) lipgloss.Style {
	switch style {
	case "dim":
		return t.dim
	case "bold":
		return t.bold
	case "accent":
		return t.accent
	case "code":
		return t.code
	case "ok":
		return t.ok
	case "warn":
		return t.warn
	case "error":
		return t.err
	case "alarm":
		return t.alarm
	case "added":
		return t.added
	case "removed":
		return t.removed
	case "user":
		return t.user
	case "choice":
		return t.choice
	}
	return lipgloss.NewStyle()
}

// drawLine draws a clean line in at most width cells.
func drawLine(th *theme, l ui.Line, width int) string {
	var b strings.Builder
	for _, s := range l {
		if s.Style == "" {
			b.WriteString(s.Text)
		} else {
			b.WriteString(th.span(s.Style).Render(s.Text))
		}
	}
	return cells.Fit(b.String(), width)
}

// lines draws the pieces for which fits returns true, in at most the given number of lines.
func (b *board) lines(width, most int, fits func(p *ui.Piece) bool) []string {
	var out []string
	more := 0
	for i := range b.pieces {
		if !fits(&b.pieces[i]) {
			continue
		}
		for _, l := range b.pieces[i].Lines {
			if len(out) < most {
				out = append(out, drawLine(b.theme, l, width))
			} else {
				more++
			}
		}
	}
	if more > 0 && most > 0 {
		out[most-1] = b.theme.dim.Render(cells.Fit(fmt.Sprintf("… %d more lines", more+1), width))
	}
	return out
}

// statuses returns the pieces on one side of the status line.
func (b *board) statuses(side string) (parts []string) {
	for i := range b.pieces {
		p := &b.pieces[i]
		shown := p.Kind == ui.PieceStatus && p.Side == side ||
			p.Kind == ui.PieceStatusLine && p.Failed && side == "left"
		if shown && len(p.Lines) > 0 && p.Lines[0].Text() != "" {
			parts = append(parts, drawLine(b.theme, p.Lines[0], statusCells))
		}
	}
	return parts
}

// statusLine returns the line of the script that has replaced the facts of the status line last, ""
// if none has. The facts come back if its function fails.
func (b *board) statusLine() (line string) {
	for i := range b.pieces {
		if p := &b.pieces[i]; p.Kind == ui.PieceStatusLine && !p.Failed && len(p.Lines) > 0 {
			line = drawLine(b.theme, p.Lines[0], lineCells)
		}
	}
	return line
}

// title returns the window title; "" = the terminal's own.
func (b *board) title() string {
	if len(b.titles) == 0 {
		return ""
	}
	return cells.Fit(plain.OneLine(b.titles[len(b.titles)-1].Lines[0].Text()), titleLetters)
}

// mostWords is the share of the status line that the words of a script may take, in cells.
const mostWords = 24

// working returns what the status says while the agent works: the words of the script that has set
// them last.
func (b *board) working() string {
	if len(b.words) == 0 {
		return "working"
	}
	return cells.Fit(plain.OneLine(b.words[len(b.words)-1].Lines[0].Text()), mostWords)
}

// Surface returns the screen as scripts use it, for engine.Options.
func (u *UI) Surface() *ui.Surface {
	s := &u.model.window.sight
	return &ui.Surface{
		Show:     func(p ui.Piece) { u.feed.PushPiece(feed.Piece(p)) },
		Width:    func() int { return int(s.width.Load()) },
		OnResize: func(f func()) { s.resized.Store(&f) },
		Insert: func(_, text string) {
			s.edits.Add(1)
			u.Insert(text)
		},
		Editor: func() string {
			if text := s.draft.Load(); text != nil {
				return *text
			}
			return ""
		},
		SetEditor: func(_, text string) {
			s.edits.Add(1)
			u.feed.Push(draftTextMsg(text))
		},
		Copy:     func(_, text string) { u.feed.Push(copyMsg(text)) },
		Desktop:  func(script, title, body string) { u.feed.Push(desktopMsg{title, body}) },
		Open:     u.openPanel,
		Handover: u.lendTerminal,
		CheckTheme: func(t ui.Theme) error {
			_, err := readTheme(t)
			return err
		},
		SetTheme: u.setTheme,
		Entry: func(id, kind string,
			data any) {
			u.feed.Push(entryMsg{id, newEntryBlock(kind, data)})
		},
		Focused: func() bool { return !s.blurred.Load() },
	}
}
