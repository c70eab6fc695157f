// Package lineprint prints a conversation on a terminal that only prints, and for screen readers:
// each entry once, when it is complete, and a message of the model line by line as it comes. What
// the user sends is read line by line, and a question is answered by a line.
//
// It promises that nothing is printed twice, that colours are left out, and that a line which was
// typed before a question does not answer it. Other control characters are the source's to remove.
package lineprint

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/cells"
)

// Line is a line that the user has sent.
type Line string

// Break is an interrupt of the user.
type Break struct{}

// Source is the conversation that is printed. Its texts are clean.
type Source interface {
	// Init and Update are those of the model of the screen.
	Init() tea.Cmd
	Update(msg tea.Msg) (tea.Model, tea.Cmd)
	// Tell returns what to print for a message that is not passed to Update.
	Tell(msg tea.Msg) (text string, told bool)
	// Entries returns how many entries there are, and the first of them: another one means that the
	// conversation was replaced.
	Entries() (n int, first any)
	// Entry returns entry i, which is any comparable value, and its parts.
	Entry(i int) (id any, parts []Entry)
	// Question returns the question in front, nil if there is none.
	Question() Question
	// Send handles a line of the user, and returns what to print first. It reports whether the line
	// was sent to the agent, and may become an entry.
	Send(line string) (first string, sent bool, cmd tea.Cmd)
	// Interrupt closes the question, or stops the work; it reports false if there is neither.
	Interrupt() (cmd tea.Cmd, did bool)
	// Remarks returns what to print that is no entry; printed has the lines of this round.
	Remarks(printed string) []string
	// Waits reports whether the user cannot usefully send anything now.
	Waits() bool
	// Drawn is called when everything is printed.
	Drawn()
}

// Question is a question that lines answer. It is compared by identity.
type Question interface {
	// Ask returns what is asked, and how to answer it.
	Ask() []string
	// Answer takes a line. It says what is wrong with it, or returns what is to be done; more
	// lines may follow.
	Answer(line string) (problem string, cmd tea.Cmd)
}

// ran reports that the command of a line has ended.
type ran struct{}

// Longest is the most bytes of a line that is read: more than a terminal hands over.
const Longest = 1 << 20

// Read sends the lines of in, and then end.
func Read(in io.Reader, send func(tea.Msg), end tea.Msg) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, Longest)
	for lines.Scan() {
		send(Line(lines.Text()))
	}
	send(end)
}

// Printer prints what a source holds.
type Printer struct {
	source Source
	out    io.Writer
	now    func() time.Time

	from     int            // the entries before it are printed
	printed  map[any]int    // of the others; for a message: how many bytes, for all: printedWhole
	first    any            // entry: another one if the conversation was replaced
	begun    string         // lines that go on
	typed    map[string]int // texts that the user has typed and that the conversation will show
	prompted bool           // the last line is the mark at which the user types
	running  int            // commands of lines: what they bring is printed before the mark
	asked    Question       // that was printed
	askedAt  time.Time
	lines    bytes.Buffer // printed in this update
}

// New returns a printer of a source, which prints to out. now is the clock.
func New(source Source, out io.Writer, now func() time.Time) *Printer {
	return &Printer{source: source, out: out, now: now, printed: map[any]int{},
		typed: map[string]int{}}
}

// Init implements tea.Model.
func (p *Printer) Init() tea.Cmd { return p.source.Init() }

// Update implements tea.Model.
func (p *Printer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case Line:
		p.prompted = false
		if cmd = p.takeLine(cells.Clean(string(msg))); cmd != nil {
			p.running++
			cmd = tea.Sequence(cmd, func() tea.Msg { return ran{} })
		}
	case ran:
		p.running--
	case Break:
		var did bool
		if cmd, did = p.source.Interrupt(); !did {
			p.printLine("nothing runs; Ctrl+D ends the program")
		}
	case tea.WindowSizeMsg: // nothing is laid out
		return p, nil
	default:
		text, told := p.source.Tell(msg)
		if !told {
			_, cmd = p.source.Update(msg)
			p.printNews()
			return p, cmd
		}
		p.printLine(text)
	}
	_, more := p.source.Update(nil) // what the line has changed
	p.printNews()
	return p, tea.Batch(cmd, more)
}

// View implements tea.Model. Nothing draws it.
func (p *Printer) View() tea.View {
	p.source.Drawn()
	return tea.NewView("")
}

// End ends the line at which the user types.
func (p *Printer) End() {
	if p.prompted {
		fmt.Fprintln(p.out)
	}
}

// AnswerAfter is how soon after a question a line can be its answer. One that comes sooner was
// typed before the user could read the question.
const AnswerAfter = 400 * time.Millisecond

// takeLine answers the question, or sends a line.
func (p *Printer) takeLine(line string) tea.Cmd {
	if q := p.source.Question(); q != nil && q == p.asked &&
		p.now().Sub(p.askedAt) >= AnswerAfter {
		problem, cmd := q.Answer(line)
		if problem != "" {
			p.printLine(problem)
		}
		return cmd
	}
	if begun, more := strings.CutSuffix(line, `\`); more { // as in the editor
		p.begun += begun + "\n"
		return nil
	}
	line, p.begun = p.begun+line, ""
	if strings.TrimSpace(line) == "" {
		return nil
	}
	first, sent, cmd := p.source.Send(line)
	if first != "" {
		p.printLine(first)
	}
	if sent {
		p.typed[line]++
	}
	return cmd
}

// printLine prints clean text.
func (p *Printer) printLine(text string) {
	text = strings.TrimRight(ansi.Strip(text), "\n ")
	p.lines.WriteString(text + "\n")
}

// printNews prints what is new, asks the question that is in front, and marks that the user may
// type.
func (p *Printer) printNews() {
	p.printEntries()
	for _, text := range p.source.Remarks(p.lines.String()) {
		p.printLine(text)
	}
	q := p.source.Question()
	if q != nil && q != p.asked {
		p.asked, p.askedAt = q, p.now()
		for _, l := range q.Ask() {
			p.printLine(l)
		}
	}
	if p.lines.Len() > 0 {
		if p.prompted {
			fmt.Fprintln(p.out)
		}
		_, _ = p.out.Write(p.lines.Bytes()) // a terminal that is gone ends the program by a signal
		p.lines.Reset()
		p.prompted = false
	}
	if !p.prompted && p.running == 0 && !p.source.Waits() {
		fmt.Fprint(p.out, "> ")
		p.prompted = true
	}
}
