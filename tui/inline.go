// This file connects the inline layout with the transcript.

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/agentscripts/agent/tui/internal/inline"
	"github.com/agentscripts/agent/tui/terminal"
)

// inlineLayout is the layout in which the screen takes a few lines of the terminal: entries that
// are finished are printed above them, once, and belong to the terminal from then on. It is off in
// the full-screen layout. What needs the whole screen gets it for as long as it is open.
type inlineLayout struct {
	unseen
	*shared
	transcript *transcript
	toasts     *toasts
	peek       func()      // lays out the whole screen, for a key that goes by what is visible
	covered    func() bool // reports whether something that needs the whole screen is open
	paper      paper       // nil before Run, and if the terminal is none
	printer    inline.Printer

	on       bool
	visiting bool // the user looks at the whole transcript, on the whole screen
}

// paper is what the inline layout is printed on. terminal.Output implements it.
type paper interface {
	Show(f terminal.Frame)
	SetProfile(p colorprofile.Profile)
	SetFrozen(frozen bool)
	// KeepImage makes a sequence to be written in place of a mark in printed lines.
	KeepImage(mark, sequence string)
}

func newInlineLayout(b *shared, t *transcript, w *work, toasts *toasts) *inlineLayout {
	p := &inlineLayout{shared: b, transcript: t, toasts: toasts,
		printer: inline.Printer{Source: &printedEntries{t, w}}}
	t.canvas.sketches.keep = func(mark, sequence string) {
		if p.paper != nil {
			p.paper.KeepImage(mark, sequence)
		}
	}
	return p
}

// configure chooses the layout. It returns what is wrong with the setting.
func (p *inlineLayout) configure(layout string) (problem string) {
	switch layout {
	case "", "inline":
		p.on = true
	case "fullscreen":
		p.on = false
	case "auto": // the console of Linux does not keep what leaves the screen
		p.on = !strings.HasPrefix(p.info.Terminal, "linux ")
	default:
		p.on = true
		return fmt.Sprintf("layout: got %q, want inline, fullscreen or auto", layout)
	}
	return ""
}

// showing reports whether the screen takes a few lines of the terminal now.
func (p *inlineLayout) showing() bool {
	return p.on && p.paper != nil && !p.visiting && !p.covered()
}

// handleMsg implements component.
func (p *inlineLayout) handleMsg(msg tea.Msg) tea.Cmd {
	if p.paper == nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		p.paper.SetProfile(msg.Profile)
		p.paper.SetFrozen(inline.KeepsLines(p.info.Terminal))
	case tea.TerminalVersionMsg:
		if strings.HasPrefix(msg.Name, "XTerm") { // others say so in $TERM, too
			p.paper.SetFrozen(true)
		}
	}
	return nil
}

// key implements component: keys that scroll or unfold the transcript show all of it.
func (p *inlineLayout) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	name := msg.String()
	switch {
	case p.showing() && (name == "ctrl+o" || name == "pgup" || name == "ctrl+home"):
		p.peek()
		p.visiting = true
	case p.showing():
		return nil, name == "pgdown" || name == "ctrl+end"
	case !p.visiting:
	case name == "esc", name == "ctrl+o" && p.transcript.canvas.expanded:
		p.visiting = false
		return nil, true
	case msg.Text != "": // it is for the editor
		p.visiting = false
	}
	return nil, false
}

// showFrom scrolls to the beginning of an entry that is higher than the screen. In the inline
// layout it shows the whole transcript for that, until the user types.
func (p *inlineLayout) showFrom(entry int) {
	visiting := p.showing()
	if visiting {
		p.peek()
	}
	t := p.transcript
	if len(t.lines(entry)) <= t.height {
		return
	}
	p.visiting = p.visiting || visiting
	t.top, t.line, t.follow = entry, 0, false
	if t.entries[entry].gap {
		t.line = 1
	}
}

// showLines draws the lines of a layout.
func (p *inlineLayout) showLines(lines []string, cursor *tea.Cursor, w *window, key bool) {
	if p.paper == nil {
		return
	}
	f, ok := p.printer.Frame(lines, cursor, inline.Size{Width: w.width, Height: w.height,
		Moving: w.moving}, key)
	if ok {
		p.paper.Show(f)
	}
}

// rest returns the lines that are printed when the screen ends.
func (p *inlineLayout) rest() []string {
	if !p.on || p.transcript.canvas.width <= 0 {
		return nil
	}
	return p.printer.Rest()
}

// toggle changes the layout.
func (p *inlineLayout) toggle() tea.Cmd {
	if p.paper == nil {
		return p.toasts.addToast("error", "there is no other layout here")
	}
	if p.on = !p.on; p.on {
		p.visiting, p.printer.Recent = false, true
		return nil
	}
	return p.toasts.addToast("info", "the whole screen; /fullscreen again goes back")
}

// printedEntries is the transcript as the inline layout prints it.
type printedEntries struct {
	transcript *transcript
	work       *work
}

var _ inline.Source = (*printedEntries)(nil)

// First implements inline.Source.
func (p *printedEntries) First() any {
	if len(p.transcript.entries) == 0 {
		return nil
	}
	return p.transcript.entries[0]
}

// Len implements inline.Source.
func (p *printedEntries) Len() int { return len(p.transcript.entries) }

// Live implements inline.Source.
func (p *printedEntries) Live(i int) []string { return p.transcript.lines(i) }

// Final implements inline.Source. It leaves out what the user has asked about the entry, which may
// not be answered yet.
func (p *printedEntries) Final(i int) []string {
	t := p.transcript
	e := t.entries[i]
	asked := e.answer
	e.answer, t.canvas.printing = nil, t.canvas.sketches.images.Prints
	again := asked != nil || t.canvas.printing
	if again {
		t.changed(i)
	}
	lines := t.lines(i)
	if e.answer, t.canvas.printing = asked, false; again {
		t.changed(i)
	}
	return lines
}

// Waits implements inline.Source.
func (p *printedEntries) Waits(i int) bool { return waitsForDrawing(p.transcript.entries[i].block) }

// Running implements inline.Source.
func (p *printedEntries) Running(i int) bool { return p.work.conversation.overtaken(i) }

// Late implements inline.Source.
func (p *printedEntries) Late(i int) bool {
	_, late := p.transcript.entries[i].block.(*lateBlock)
	return late
}

// Resize implements inline.Source.
func (p *printedEntries) Resize(width int) { p.transcript.canvas.width = width }

// Fold implements inline.Source.
func (p *printedEntries) Fold() {
	p.transcript.endEntry()
	if p.transcript.canvas.expanded {
		p.transcript.canvas.expanded = false
		p.transcript.folding++
	}
}

// Dim implements inline.Source.
func (p *printedEntries) Dim(text string) string {
	return p.transcript.canvas.theme.dim.Render(text)
}

// Settled implements inline.Source.
func (p *printedEntries) Settled() int {
	c := p.work.conversation
	if !c.scripts.begun { // many scripts may yet become one line
		return 0
	}
	end := c.firstUnfinished(p.work.busy())
	if last := p.transcript.lastSeen(len(p.transcript.entries) - 1); end > last && last >= 0 {
		switch b := p.transcript.entries[last].block.(type) {
		case *changeBlock: // the next change of the setting replaces it
			end = last
		case *noticeBlock:
			if b.level != "dim" { // the same once more is counted, not added
				end = last
			}
		}
	}
	return end
}
