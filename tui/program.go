package tui

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/apart"
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
	drawn, writing := terminal.NewOutput(out)
	p := tea.NewProgram(u.model, tea.WithInput(in), tea.WithOutput(drawn),
		tea.WithoutSignalHandler())
	stop := context.AfterFunc(ctx, func() { quit(p, inner) })
	defer stop()
	u.model.ticker, u.model.pace = terminal.NewRest(p, writing), terminal.Tick

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
