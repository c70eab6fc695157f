// Package inline prints the entries of a conversation above the live lines of a screen, each once,
// when it has ended. The terminal owns them from then on.
//
//	p := &inline.Printer{Source: conversation}
//	p.Begin(width, true)  // prints what has ended since
//	live := p.Tail(room)  // what has not, drawn again for each frame
//	frame, ok := p.Frame(lines, cursor, size, key)
//
// It knows neither what entries are, nor the terminal: it only counts what is printed.
package inline

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/terminal"
)

// Source is the conversation that is printed.
type Source interface {
	// First identifies the conversation: another one has another first entry. It returns nil if
	// there are no entries.
	First() any
	Len() int
	// Settled returns how many entries, from the first, will not change any more.
	Settled() int
	// Live returns the lines of an entry that is not printed.
	Live(i int) []string
	// Final returns the lines of an entry as they are printed.
	Final(i int) []string
	// Waits reports whether the lines of an entry are not known yet.
	Waits(i int) bool
	// Running reports whether an entry that is settled goes on changing. It is printed now, and
	// once more when it has ended.
	Running(i int) bool
	// Late reports whether an entry is the program's remark about the conversation.
	Late(i int) bool
	// Resize sets the width of the lines.
	Resize(width int)
	// Fold folds all entries, as they are printed, and goes to the last one.
	Fold()
	// Dim draws a remark of the printer.
	Dim(text string) string
}

// RecentShown is how many entries of a session are printed that was loaded, or that took place on
// the whole screen: what was said last.
const RecentShown = 20

// Printer prints a conversation. The zero Printer needs a Source.
type Printer struct {
	Source Source
	// Recent makes that of what comes next, only the last entries are printed.
	Recent bool

	live    bool // the last layout was inline
	width   int
	first   any  // of the conversation: another one if it was replaced
	printed int  // the entries before it are printed
	any     bool // something has been printed
	// replaced reports that of what was loaded, only the last entries are printed
	replaced bool
	running  []int // entries that are printed and were running then
	above    []string
	whole    bool // all live lines are drawn again
}

// Redraw makes the next frame draw all live lines again.
func (p *Printer) Redraw() { p.whole = true }

// Begin begins a layout: it collects the lines of the entries that are to be printed. live reports
// whether the layout is inline.
func (p *Printer) Begin(width int, live bool) {
	was := p.live
	if p.live, p.width = live, width; !live {
		return
	}
	if p.Source.Resize(width); !was {
		p.Source.Fold()
	}
	if p.Source.Len() == 0 {
		return
	}
	if first := p.Source.First(); p.first != first {
		p.first, p.printed, p.replaced, p.running = first, 0, true, nil
	}
	p.printEnded()
	end := p.Source.Settled()
	p.skip(end)
	for ; p.printed < end; p.printed++ {
		lines := p.Source.Final(p.printed)
		if p.Source.Waits(p.printed) {
			return
		}
		p.addLines(lines)
		if p.Source.Running(p.printed) {
			p.running = append(p.running, p.printed)
		}
	}
}

// printEnded prints once more the entries that were printed while they were running, and have
// ended.
func (p *Printer) printEnded() {
	p.running = slices.DeleteFunc(p.running, func(i int) bool {
		if p.Source.Running(i) {
			return false
		}
		p.addLines(p.Source.Final(i))
		return true
	})
}

// addLines prints lines of an entry.
func (p *Printer) addLines(lines []string) {
	if p.printed == 0 && p.any { // another session
		p.above = append(p.above, "")
	}
	p.above = append(p.above, lines...)
	p.any = p.any || len(lines) > 0
}

// skip leaves out all entries before end but the last ones, if only these are to be printed: of a
// session that was loaded, and what was on the whole screen.
func (p *Printer) skip(end int) {
	if end <= p.printed {
		return
	}
	if p.replaced && !p.Recent {
		for end > p.printed && !p.Source.Late(end-1) {
			end-- // what the program says about the session
		}
	} else if !p.Recent {
		return
	}
	p.Recent, p.replaced = false, false
	if n := end - RecentShown - p.printed; n > 1 {
		note := "… " + plain.Count(n, "earlier entry is", "earlier entries are") +
			" not printed; ctrl+o shows all"
		p.addLines([]string{p.Source.Dim(cells.Fit(note, p.width))})
		p.printed += n
	}
}

// Tail returns the last n lines of the entries that are not printed.
func (p *Printer) Tail(n int) (lines []string) {
	cut := false
	for i := p.Source.Len() - 1; i >= p.printed && !cut; i-- {
		whole := p.Source.Live(i)
		less := len(whole) - (n - len(lines))
		cut = less > 0
		lines = append(slices.Clone(whole[max(0, less):]), lines...)
	}
	if note := "… more, printed when it has ended"; cut && n > 1 {
		lines[0] = p.Source.Dim(cells.Fit(note, p.width))
	}
	return lines
}

// Size is the size of the terminal.
type Size struct {
	Width, Height int
	Moving        bool // it has just changed, and may go on changing
}

// Frame returns what the terminal draws for a layout; key reports whether a key has led to it.
// While the size of the terminal changes, nothing is drawn, and Frame returns false: the terminal
// moves the lines, and it may be ahead of what it tells.
func (p *Printer) Frame(lines []string, cursor *tea.Cursor, s Size, key bool) (terminal.Frame,
	bool) {
	if p.whole = p.whole || s.Moving; s.Moving || !p.live || s.Width <= 0 || s.Height <= 0 {
		return terminal.Frame{}, false
	}
	f := terminal.Frame{Above: p.above, Lines: slices.Clone(lines), Width: s.Width,
		Height: s.Height, Key: key, Whole: p.whole}
	if p.above, p.whole = nil, false; cursor != nil {
		f.Cursor = &terminal.Cell{X: cursor.X, Y: cursor.Y}
	}
	return f, true
}

// Rest returns the lines that are printed when the screen ends: those of entries that are not
// printed yet, finished or not.
func (p *Printer) Rest() []string {
	p.Source.Fold()
	p.skip(p.Source.Len())
	for ; p.printed < p.Source.Len(); p.printed++ {
		p.addLines(p.Source.Final(p.printed))
	}
	lines := p.above
	p.above = nil
	return lines
}

// KeepsLines reports whether a terminal, by its $TERM and $TERM_PROGRAM, is known to leave its
// lines as they are when its width changes.
func KeepsLines(terminal string) bool {
	name, _, _ := strings.Cut(terminal, " ")
	tmux := strings.HasSuffix(terminal, "tmux")
	return strings.HasPrefix(name, "screen") && !tmux || name == "linux" ||
		strings.HasPrefix(name, "st-")
}
