// This file is the interactive program: the screen, and the queue of prompts behind it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/tui"
)

func runScreen(f *flags, stdin io.Reader, stdout, stderr io.Writer) int {
	if !tui.IsTerminal(stdin) || !tui.IsTerminal(stdout) {
		return usageError(stderr, errors.New("no terminal here: use agent -p \"...\" or --json"))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT) // none leaves the terminal raw
	defer stop()
	s := newScreen()
	dir, _ := os.Getwd() // newApp tells if there is none
	ui := tui.New(s.backend(), tui.Info{Version: version, Dir: dir})
	a, err := newApp(f, front{mode: "tui", emit: ui.Emit, approver: ui, dialogs: ui, confirm: func(ctx context.Context, q string) (bool, error) {
		return ui.Confirm(ctx, &engine.Dialog{Kind: "confirm", Title: q})
	}})
	if err != nil {
		fmt.Fprintf(stderr, "agent: %v\n", err)
		return exitError
	}
	s.app, s.ui = a, ui
	go s.work(ctx, strings.Join(f.words, " "))
	err = ui.Run(ctx, stdin, stdout)
	s.stop()
	cause := "exit"
	if ctx.Err() != nil {
		cause = "signal"
	}
	a.close(context.Background(), cause)
	if err != nil && ctx.Err() == nil { // a signal is no error
		fmt.Fprintf(stderr, "agent: %v\n", err)
		return exitError
	}
	return exitOK
}

// screen is what stands between the keyboard and the agent: one prompt at a time, the rest wait.
type screen struct {
	app *app
	ui  *tui.UI

	mu     sync.Mutex
	queue  []string
	cancel context.CancelFunc // of the prompt that is being worked on
	wake   chan struct{}
	done   chan struct{}
	closed bool
}

// shutdownWait is how long the program waits for a cancelled prompt to end before it goes.
const shutdownWait = 3 * time.Second

func newScreen() *screen {
	return &screen{wake: make(chan struct{}, 1), done: make(chan struct{})}
}

func (s *screen) backend() tui.Backend {
	return tui.Backend{
		Submit:        s.submit,
		Interrupt:     s.interrupt,
		Reload:        func() { go s.app.loader.Reload(context.Background()) },
		Clear:         func() { s.submit("/clear") },
		Scripts:       func() string { return listing(s.app.loader.Scripts()) },
		Commands:      s.commands,
		Complete:      s.complete,
		SetPermission: func(p engine.Permission) { _ = s.app.agent.Set(engine.Settings{Permission: p}, "user") },
		Broken: func() (names []string) {
			for _, h := range s.app.engine.Snapshot().Broken() {
				names = append(names, h.ScriptName())
			}
			return names
		},
	}
}

func (s *screen) commands() []tui.Command {
	snap := s.app.engine.Snapshot()
	var out []tui.Command
	for _, name := range snap.CommandNames() {
		c := snap.Command(name)
		out = append(out, tui.Command{Name: name, Description: c.Description, Script: c.Gen.Name})
	}
	return out
}

// complete asks a script's command how its arguments may go on. What is wrong with it has been told.
func (s *screen) complete(line string) (out []tui.Completion) {
	name, prefix, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	list, _ := s.app.engine.Complete(context.Background(), s.app.agent.Envelope(), name, prefix)
	for _, c := range list {
		out = append(out, tui.Completion(c))
	}
	return out
}

// submit puts a line into the queue. It returns at once.
func (s *screen) submit(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, text)
	s.poke()
}

func (s *screen) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// interrupt cancels the prompt that is being worked on, and empties the queue behind it.
func (s *screen) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = nil
	if s.cancel != nil {
		s.cancel()
	}
}

// work loads the scripts, begins the session and works on the queue until stop.
func (s *screen) work(ctx context.Context, first string) {
	defer close(s.done)
	if err := s.app.start(ctx); err != nil {
		s.app.engine.Notify(nil, "agent", engine.Notice{Text: err.Error(), Level: "error"})
	}
	if m := s.app.model(); strings.HasPrefix(m, "offline/") {
		s.app.engine.Notify(nil, "agent", engine.Notice{Text: "no model is set up: the offline model answers, it does what the lines of a prompt say; try: run echo hello", Level: "info"})
	}
	if first != "" {
		s.submit(first)
	}
	for range s.wake {
		for {
			text, ctx, ok := s.next(ctx)
			if !ok {
				break
			}
			s.prompt(ctx, text)
		}
		s.mu.Lock()
		closed := s.closed
		s.mu.Unlock()
		if closed {
			return
		}
	}
}

// next takes the next line and makes it the one that interrupt cancels.
func (s *screen) next(ctx context.Context) (string, context.Context, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = nil
	if len(s.queue) == 0 || s.closed {
		return "", nil, false
	}
	text := s.queue[0]
	s.queue = s.queue[1:]
	ctx, s.cancel = context.WithCancel(ctx)
	return text, ctx, true
}

func (s *screen) prompt(ctx context.Context, text string) {
	if text == "/clear" {
		_ = s.app.agent.NewSession(ctx, "clear", "")
		return
	}
	s.ui.Begin(text)
	end := s.app.agent.Prompt(ctx, agent.Input{Text: text, Kind: "prompt", Source: "interactive"})
	s.ui.End(end.Status == agent.Cancelled)
	if end.Insert != "" {
		s.ui.Insert(end.Insert)
	}
}

// stop cancels what runs and waits for it, not for ever.
func (s *screen) stop() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.interrupt()
	s.poke()
	select {
	case <-s.done:
	case <-time.After(shutdownWait):
	}
}
