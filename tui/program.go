// This file runs the screen on a terminal, and as lines on one that only prints.

package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/lineprint"
	"github.com/agentscripts/agent/tui/internal/scriptlist"
	"github.com/agentscripts/agent/tui/terminal"
)

// Run shows the screen on a terminal until the user quits or ctx ends, and restores the terminal,
// on an error and after a panic too, which it returns as an error. It returns nil if the user quit
// and ctx's error if ctx ended. The caller handles signals and should end ctx on them. Run may be
// called once.
func (u *UI) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	defer close(u.done)
	defer u.feed.Close()
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	u.model.window.lends = lender{out, ctx}
	drawn := terminal.NewOutput(out)
	if drawn != nil {
		out, u.model.inline.paper = drawn, drawn
	}
	p := tea.NewProgram(u.model, tea.WithInput(in), tea.WithOutput(out),
		tea.WithoutSignalHandler())
	u.model.ticker, u.model.pace = terminal.NewRest(p, drawn.Writing), terminal.Tick
	err := u.runProgram(ctx, inner, cancel, p)
	if drawn != nil {
		var rest []string
		if err == nil || ctx.Err() != nil {
			rest = u.model.inline.rest()
		}
		drawn.Finish(rest)
	}
	return err
}

// runProgram runs a program of the screen, with what feeds it, until the user quits or ctx ends.
// inner ends with it.
func (u *UI) runProgram(ctx, inner context.Context, cancel func(), p *tea.Program) error {
	stop := context.AfterFunc(ctx, func() { quit(p, inner) })
	defer stop()
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	workers.Go(func() { u.feed.Pump(inner, func(b feed.Batch) { p.Send(b) }) })
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
	defer u.feed.Close()
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	printer := lineprint.New(&lineSource{model: u.model}, out, u.model.now)
	defer printer.End()
	p := tea.NewProgram(printer, tea.WithInput(nil),
		tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler())
	// nothing is drawn, but the ticker would go on
	u.model.ticker = terminal.NewRest(p, func() bool { return false })
	go lineprint.Read(in, p.Send, quitMsg{}) // it may wait for a line forever
	go func() {
		for {
			select {
			case <-inner.Done():
				return
			case <-breaks:
				p.Send(lineprint.Break{})
			}
		}
	}()
	return u.runProgram(ctx, inner, cancel, p)
}

// lineSource is the model as lines print it.
type lineSource struct {
	model   *model
	listing bool // the list of scripts is on its way
	told    int  // the last toast that was printed
}

// Tell implements lineprint.Source.
func (s *lineSource) Tell(msg tea.Msg) (text string, told bool) {
	switch msg := msg.(type) {
	case listedMsg:
		s.listing = false
		return string(msg), true
	case greetMsg:
		return cells.Clean(msg.facts.Text()), true
	}
	return "", false
}

// Init implements lineprint.Source.
func (s *lineSource) Init() tea.Cmd { return s.model.Init() }

// Update implements lineprint.Source.
func (s *lineSource) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return s.model.Update(msg) }

// Drawn implements lineprint.Source.
func (s *lineSource) Drawn() { s.model.ticker.Drawn() }

// Send implements lineprint.Source.
func (s *lineSource) Send(line string) (first string, sent bool, cmd tea.Cmd) {
	switch strings.TrimSpace(line) {
	case "/scripts":
		s.listing = true
		return "", false, s.listScripts
	case "/theme":
		return "no colours are used here", false, nil
	case "/help":
		first = lineHelp
	}
	return first, true, s.model.commands.submit(line, kindPrompt)
}

// listedMsg is the list of scripts.
type listedMsg string

func (s *lineSource) listScripts() tea.Msg {
	if s.model.backend.Scripts == nil {
		return listedMsg("")
	}
	list, foot := s.model.backend.Scripts()
	return listedMsg(scriptlist.Text(list) + cells.Clean(foot))
}

// lineHelp says what differs from the keys that the help lists.
const lineHelp = "Here, a line is a prompt, and the answer to a question if one is asked. Ctrl+C " +
	"interrupts, Ctrl+D ends the program. The keys below are those of the screen.\n"

// Question implements lineprint.Source.
func (s *lineSource) Question() lineprint.Question {
	if d := s.model.overlays.dialogs.front(); d != nil {
		return lineQuestion{s.model, d}
	}
	return nil
}

// Interrupt implements lineprint.Source.
func (s *lineSource) Interrupt() (cmd tea.Cmd, did bool) {
	d := s.model.overlays.dialogs.front()
	switch {
	case d != nil && s.model.overlays.dialogs.stopsAgent(d):
		return s.model.overlays.dialogs.stopAt(d), true
	case d != nil:
		return s.model.overlays.dialogs.close(nil), true
	case s.model.work.busy():
		return s.model.work.interrupt(), true
	}
	return nil, false
}

// Waits implements lineprint.Source.
func (s *lineSource) Waits() bool {
	return s.listing || s.model.overlays.dialogs.front() == nil && s.model.work.busy() ||
		!s.model.work.conversation.scripts.begun
}

// Remarks implements lineprint.Source: toasts that no entry has, and a text for the editor, which
// there is not.
func (s *lineSource) Remarks(printed string) (list []string) {
	for _, x := range s.model.toasts.list {
		if x.id > s.told && x.level == "error" && !strings.Contains(printed, x.text) {
			list = append(list, levelWords[x.level]+x.text)
		}
		s.told = max(s.told, x.id)
	}
	if text := s.model.editor.value(); text != "" {
		list = append(list, "not sent: "+text)
		s.model.editor.setText("")
	}
	return list
}

// Entries implements lineprint.Source.
func (s *lineSource) Entries() (n int, first any) {
	if n = len(s.model.transcript.entries); n > 0 {
		first = s.model.transcript.entries[0]
	}
	return n, first
}

// Entry implements lineprint.Source.
func (s *lineSource) Entry(i int) (id any, parts []lineprint.Entry) {
	e := s.model.transcript.entries[i]
	late, ok := e.block.(*lateBlock)
	if !ok {
		return e, []lineprint.Entry{s.lineEntry(e.block)}
	}
	for _, b := range late.openItem() {
		parts = append(parts, s.lineEntry(b))
	}
	return e, parts
}
