package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// Run shows the screen on a terminal until the user quits or ctx ends, and leaves the terminal as it
// found it: on an error and after a panic too, which comes back as an error. It returns nil when the user
// quit and ctx's error when ctx ended. It may be called once.
func (u *UI) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	defer close(u.done)
	defer u.feed.close()
	inner, cancel := context.WithCancel(ctx)
	p := tea.NewProgram(u.model, tea.WithContext(inner), tea.WithInput(in), tea.WithOutput(out))
	u.model.wake = (&rest{program: p}).wake

	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	workers.Go(func() { u.feed.pump(inner, func(b batch) { p.Send(b) }) })
	go submitAll(inner, p, u.model.submits, u.model.backend.Submit) // not waited for: Submit is not ours

	_, err := p.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrInterrupted): // SIGINT from outside: the user's wish
		return nil
	case err != nil:
		return fmt.Errorf("run screen: %w", err)
	}
	return nil
}

// submitsWaiting is how many texts may wait for a Submit that does not return at once: more than
// anybody types.
const submitsWaiting = 256

// submitAll calls submit for one text after the other, so that they arrive in the order in which they
// were sent. A panic is handed to the program: only the program can restore the terminal before it is
// reported.
func submitAll(ctx context.Context, p *tea.Program, texts <-chan string, submit func(string)) {
	defer func() {
		if r := recover(); r != nil {
			p.Send(panicMsg{r})
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case text := <-texts:
			if submit != nil {
				submit(text)
			}
		}
	}
}

// panicMsg is a panic of another goroutine.
type panicMsg struct{ value any }
