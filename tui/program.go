// This file runs the screen on a terminal, and as lines on one that only prints.

package tui

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/terminal"
)

// Run shows the screen on a terminal until the user quits or ctx ends, and restores the terminal,
// on an error and after a panic too, which it returns as an error. It returns nil if the user quit
// and ctx's error if ctx ended. The caller handles signals and should end ctx on them. Run may be
// called once.
func (u *UI) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	defer close(u.done)
	defer u.feed.close()
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	drawn, writing := terminal.NewOutput(out)
	p := tea.NewProgram(u.model, tea.WithInput(in), tea.WithOutput(drawn),
		tea.WithoutSignalHandler())
	u.model.window.lends = lender{out, ctx}
	u.model.ticker, u.model.pace = terminal.NewRest(p, writing), terminal.Tick
	return u.runProgram(ctx, inner, cancel, p)
}

// runProgram runs a program of the screen, with what feeds it, until the user quits or ctx ends.
// inner ends with it.
func (u *UI) runProgram(ctx, inner context.Context, cancel func(), p *tea.Program) error {
	stop := context.AfterFunc(ctx, func() { quit(p, inner) })
	defer stop()
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	workers.Go(func() { u.feed.pump(inner, func(b batch) { p.Send(b) }) })
	// not waited for: a Send of the program around us may block
	go submitAll(inner, p, u.model.work.submits, u.model.backend.Send)

	_, err := p.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("run screen: %w", err)
	}
	return nil
}

// quitWait is how long the program may take to quit by itself.
const quitWait = 2 * time.Second

// quit ends the program as if the user had quit, and kills it only if it does not end. A killed
// program does not wait for its reader of keys, and can wait forever for its handler of signals; a
// program with a context of its own is killed when that ends. inner ends with Run.
func quit(p *tea.Program, inner context.Context) {
	t := time.AfterFunc(quitWait, p.Kill)
	context.AfterFunc(inner, func() { t.Stop() })
	p.Quit()
}

// submitsWaiting is how many texts may wait while Send blocks: more than people type.
const submitsWaiting = 256

// submitAll calls send for one text after the other, in the order in which the user sent them. It
// passes a panic to the program, which restores the terminal before the panic is reported.
func submitAll(ctx context.Context, p *tea.Program, texts <-chan submission,
	send func(text, kind string) error) {
	failed := apart.Catch(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-texts:
				if send != nil {
					p.Send(sentMsg{s, send(s.text, s.kind)})
				}
			}
		}
	})
	if failed != nil {
		p.Send(panicMsg{failed.Value})
	}
}

// panicMsg is a panic of another goroutine.
type panicMsg struct{ value any }

// RunLines is Run for a terminal that only prints, and for screen readers: what the user sends is
// read line by line, and everything is printed once, in lines, without colours. A question is
// answered by a line. breaks are the user's interrupts, as by ctrl+c; the end of in ends the
// program.
func (u *UI) RunLines(ctx context.Context, in io.Reader, out io.Writer,
	breaks <-chan os.Signal) error {
	defer close(u.done)
	defer u.feed.close()
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	screen := newLineScreen(u.model, out)
	defer func() {
		if screen.prompted {
			fmt.Fprintln(out)
		}
	}()
	p := tea.NewProgram(screen, tea.WithInput(nil),
		tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler())
	// nothing is drawn, but the ticker would go on
	u.model.ticker = terminal.NewRest(p, func() bool { return false })
	go readLines(in, p.Send) // it may wait for a line forever
	go func() {
		for {
			select {
			case <-inner.Done():
				return
			case <-breaks:
				p.Send(breakMsg{})
			}
		}
	}()
	return u.runProgram(ctx, inner, cancel, p)
}

// lineMsg is a line that the user has sent.
type lineMsg string

// breakMsg is an interrupt of the user.
type breakMsg struct{}

// longestLine is the most bytes of a line that is read: more than a terminal hands over.
const longestLine = 1 << 20

// readLines sends the lines of in, and then the end of the program.
func readLines(in io.Reader, send func(tea.Msg)) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		send(lineMsg(lines.Text()))
	}
	send(quitMsg{})
}

// lineScreen prints what the model holds: each entry of the transcript once, when it is complete,
// and the message of the model line by line as it comes.
type lineScreen struct {
	*model
	out io.Writer

	from     int            // the entries before it are printed
	printed  map[*entry]int // of the others; for a message: how many bytes, for all: printedWhole
	first    *entry         // of the transcript: another one if the transcript was replaced
	begun    string         // lines that go on
	typed    map[string]int // texts that the user has typed and that the transcript will show
	prompted bool           // the last line is the mark at which the user types
	asked    *dialog        // the question that was printed
	askedAt  time.Time
	lines    bytes.Buffer // printed in this update
	listing  bool         // the list of scripts is on its way
	told     int          // the last toast that was printed
}

// printedWhole stands in printed for an entry that has been printed to its end.
const printedWhole = math.MaxInt

func newLineScreen(m *model, out io.Writer) *lineScreen {
	return &lineScreen{model: m, out: out, printed: map[*entry]int{}, typed: map[string]int{}}
}

// Update implements tea.Model.
func (s *lineScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case lineMsg:
		s.prompted = false
		cmd = s.takeLine(cells.Clean(string(msg)))
	case breakMsg:
		cmd = s.interrupt()
	case listedMsg:
		s.listing = false
		s.printLine(string(msg))
	case greetMsg:
		s.printLine(cells.Clean(welcomeLines(msg.facts)))
	case tea.WindowSizeMsg: // nothing is laid out
		return s, nil
	default:
		_, cmd = s.model.Update(msg)
		s.printNews()
		return s, cmd
	}
	_, more := s.model.Update(nil) // what the line has changed
	s.printNews()
	return s, tea.Batch(cmd, more)
}

// View implements tea.Model. Nothing draws it.
func (s *lineScreen) View() tea.View {
	s.ticker.Drawn()
	return tea.NewView("")
}

// answerAfter is how soon after a question a line can be its answer. One that comes sooner was
// typed before the user could read the question.
const answerAfter = 400 * time.Millisecond

// takeLine answers the question, or sends a line to the agent.
func (s *lineScreen) takeLine(line string) tea.Cmd {
	if d := s.overlays.dialogs.front(); d != nil && d == s.asked &&
		s.now().Sub(s.askedAt) >= answerAfter {
		return s.answerLine(d, line)
	}
	if begun, more := strings.CutSuffix(line, `\`); more { // as in the editor
		s.begun += begun + "\n"
		return nil
	}
	line, s.begun = s.begun+line, ""
	switch strings.TrimSpace(line) {
	case "":
		return nil
	case "/scripts":
		s.listing = true
		return func() tea.Msg { return listedMsg(scriptLines(s.backend.Scripts)) }
	case "/theme":
		s.printLine("no colours are used here")
		return nil
	case "/help":
		s.printLine(lineHelp)
	}
	s.typed[line]++
	return s.commands.submit(line, kindPrompt)
}

// lineHelp says what differs from the keys that the help lists.
const lineHelp = "Here, a line is a prompt, and the answer to a question if one is asked. Ctrl+C " +
	"interrupts, Ctrl+D ends the program. The keys below are those of the screen.\n"

// answerLine passes a line to the form of a question.
func (s *lineScreen) answerLine(d *dialog, line string) tea.Cmd {
	if problem := d.form.(lineForm).readAnswer(line); problem != "" {
		s.printLine(problem)
		return nil
	}
	if !d.onSheet().done { // more lines follow
		return nil
	}
	return s.overlays.dialogs.close(d.onSheet().answer)
}

// interrupt closes the question, or stops the agent.
func (s *lineScreen) interrupt() tea.Cmd {
	d := s.overlays.dialogs.front()
	switch {
	case d != nil && s.work.busy() && d.then == nil:
		return s.overlays.dialogs.stopAt(d)
	case d != nil:
		return s.overlays.dialogs.close(nil)
	case s.work.busy():
		return s.work.interrupt()
	}
	s.printLine("nothing runs; Ctrl+D ends the program")
	return nil
}

// printLine prints clean text.
func (s *lineScreen) printLine(text string) {
	text = strings.TrimRight(ansi.Strip(text), "\n ")
	s.lines.WriteString(text + "\n")
}

// printNews prints what is new, asks the question that is in front, and marks that the user may
// type.
func (s *lineScreen) printNews() {
	s.printEntries()
	s.printToasts()
	if text := s.editor.value(); text != "" { // there is no editor to put it into
		s.printLine("not sent: " + text)
		s.editor.setText("")
	}
	d := s.overlays.dialogs.front()
	if d != nil && d != s.asked {
		s.asked, s.askedAt = d, s.now()
		d.patience.Go()
		d.onSheet().theme = s.theme
		for _, l := range d.form.(lineForm).listAnswers() {
			s.printLine(l)
		}
	}
	if s.lines.Len() > 0 {
		if s.prompted {
			fmt.Fprintln(s.out)
		}
		_, _ = s.out.Write(s.lines.Bytes()) // a terminal that is gone ends the program by a signal
		s.lines.Reset()
		s.prompted = false
	}
	waits := s.listing || d == nil && s.work.busy()
	if !s.prompted && !waits && s.work.conversation.scripts.begun {
		fmt.Fprint(s.out, "> ")
		s.prompted = true
	}
}

// printEntries prints the entries of the transcript that are complete.
func (s *lineScreen) printEntries() {
	entries := s.transcript.entries
	if len(entries) == 0 || s.first != entries[0] { // another session
		s.from, s.printed = 0, map[*entry]int{}
	}
	if len(entries) > 0 {
		s.first = entries[0]
	}
	for i := s.from; i < len(entries); i++ {
		s.printEntry(entries[i])
		if i == s.from && s.printed[entries[i]] == printedWhole {
			delete(s.printed, entries[i])
			s.from++
		}
	}
}

// printEntry prints what is new of one entry.
func (s *lineScreen) printEntry(e *entry) {
	if n := s.printed[e]; n != printedWhole {
		s.printed[e] = s.printBlock(e.block, n)
	}
}

// printBlock prints what is new of a block, after the part n that has been printed. It returns how
// much has been printed now.
func (s *lineScreen) printBlock(b block, n int) int {
	switch b := b.(type) {
	case goneBlock:
		if n > 0 {
			s.printLine("(the answer was withdrawn)")
		}
	case *noticeBlock:
		if b.level == "dim" && !s.work.conversation.scripts.begun {
			return n // one line for many scripts may replace it
		}
		s.printLine(levelWords[b.level] + b.text)
	case *failureBlock:
		s.printLine(strings.Join(nonEmpty(levelWords["error"]+b.message, b.excerpt, b.hint), "\n"))
	case *changeBlock:
		s.printLine(levelWords[b.level] + b.text)
	case *userBlock:
		if s.typed[b.text]--; s.typed[b.text] < 0 {
			delete(s.typed, b.text)
			s.printLine("you: " + b.text)
		}
	case *messageBlock:
		return s.printMessage(b, n)
	case *toolBlock:
		return s.printCall(b, n)
	case *lateBlock:
		for _, x := range b.openItem() {
			s.printBlock(x, 0)
		}
	case *sayBlock:
		s.printLine(strings.TrimPrefix("["+b.source+"] ", "[] ") + b.text)
	case *subagentBlock:
		if b.status == "" {
			return n
		}
		s.printDrawn(b)
	case *thoughtBlock:
		if !b.finished {
			return n
		}
		s.printDrawn(b)
	default:
		s.printDrawn(b)
	}
	return printedWhole
}

// levelWords precede notices by their level: a mark would not be read out.
var levelWords = map[string]string{"warn": "warning: ", "error": "error: "}

// lineWidth is the width for what is drawn as on a screen.
const lineWidth = 100

// printDrawn prints a block as it is drawn on a screen.
func (s *lineScreen) printDrawn(b block) {
	c := s.transcript.canvas
	c.width, c.times = lineWidth, 1
	for _, l := range b.drawLines(&c) {
		s.printLine(l)
	}
}

// printMessage prints the complete lines of a message after its first n bytes, and all of them if
// it is finished. It returns how much has been printed.
func (s *lineScreen) printMessage(b *messageBlock, n int) int {
	text := b.stream.Text()
	switch {
	case b.finished && !strings.HasPrefix(b.final, plain.Head(text, n)):
		s.printLine("(the answer was changed; this is all of it)")
		text, n = b.final+"\n", 0
	case b.finished:
		text = strings.TrimRight(b.final, "\n") + "\n"
	}
	end := strings.LastIndexByte(text, '\n') + 1
	if end > n {
		part := strings.TrimRight(text[n:end], "\n")
		if n == 0 {
			part = "agent: " + part
		}
		s.lines.WriteString(part + strings.Repeat("\n", end-n-len(strings.TrimRight(text[n:end],
			"\n"))))
		n = end
	}
	if b.finished {
		return printedWhole
	}
	return n
}

// The parts of a call that have been printed.
const (
	callPrinted = iota + 1
	outcomePrinted
)

// printCall prints a call when it runs, and what became of it unless it went well.
func (s *lineScreen) printCall(b *toolBlock, n int) int {
	if b.state < toolRunning {
		return n
	}
	about := "tool " + cells.Clean(b.tool)
	title := b.title
	if title == "" {
		title, _ = argsTitle(s.transcript.canvas.toolOf(b.tool), b.args)
	}
	line := about
	if title != "" {
		line += ": " + title
	}
	why := ""
	switch b.state {
	case toolFailed:
		why = "failed: " + plain.FirstLine(b.said)
	case toolRefused:
		why = "refused: " + plain.OneLine(b.why)
	case toolCancelled:
		why = "cancelled: " + plain.OneLine(b.why)
	}
	switch {
	case n == 0 && why != "":
		s.printLine(line + ", " + why)
	case n == 0:
		s.printLine(line)
	case why != "":
		s.printLine(about + " " + why)
	}
	if b.state == toolRunning {
		return callPrinted
	}
	if b.byUser {
		s.printLine(b.said)
	}
	if b.forUser != "" {
		s.printLine(b.forUser)
	}
	return printedWhole
}

// printToasts prints the remarks that no entry has.
func (s *lineScreen) printToasts() {
	for _, x := range s.toasts.list {
		if x.id > s.told && x.level == "error" && !strings.Contains(s.lines.String(), x.text) {
			s.printLine(levelWords[x.level] + x.text)
		}
		s.told = max(s.told, x.id)
	}
}

// welcomeLines returns what the panel of the first start tells, without keys.
func welcomeLines(w Welcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Scripts say what the agent may do, and what it can. They are files in %s, in "+
		"Lua or JavaScript, and in force from the moment they are saved. In a shell, agent ext "+
		"add NAME adds one of the gallery, for example:\n", w.Folder)
	for _, s := range w.Starters {
		fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Summary)
	}
	return b.String() + "/welcome prints this again."
}

// listedMsg is the list of scripts.
type listedMsg string

// scriptLines returns a line for each script.
func scriptLines(list func() ([]Script, string)) string {
	if list == nil {
		return ""
	}
	var b strings.Builder
	scripts, foot := list()
	for _, x := range scripts {
		fmt.Fprintf(&b, "%s: %s, from %s", plain.OneLine(x.Name), x.State, plain.OneLine(x.Source))
		if x.Problem != "" {
			b.WriteString(", " + plain.FirstLine(cells.Clean(x.Problem)))
		}
		b.WriteString("\n")
	}
	return b.String() + cells.Clean(foot)
}
