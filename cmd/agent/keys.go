// This file runs the keyboard shortcuts of scripts.

package main

import (
	"context"
	"sync"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui"
)

// keys are the running shortcuts.
type keys struct {
	mu      sync.Mutex
	next    int
	running map[int]context.CancelFunc
}

// beginShortcut returns the context of a shortcut and a function to call at its end.
func (k *keys) beginShortcut() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == nil {
		k.running = map[int]context.CancelFunc{}
	}
	k.next++
	n := k.next
	k.running[n] = cancel
	return ctx, func() {
		cancel()
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.running, n)
	}
}

// stopShortcuts ends all shortcuts.
func (k *keys) stopShortcuts() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, cancel := range k.running {
		cancel()
	}
}

// shortcut returns the function of a key that a script has registered, nil if there is none.
func (s *screen) shortcut(key string) func() {
	if s.app.engine.Scripts.Snapshot().Shortcut(key) == nil {
		return nil
	}
	return func() {
		ctx, end := s.keys.beginShortcut()
		defer end()
		r, err := s.app.engine.Commands.RunShortcut(ctx, s.app.agent.Envelope(), key)
		if err != nil { // a script's failure has been reported
			return
		}
		tell := func(text string) {
			s.app.engine.Notices.Notify(nil, "agent", ui.Notice{Text: key + ": " + text,
				Level: "error"})
		}
		switch {
		case r.Error != "":
			tell(r.Error)
		case r.Insert != "":
			s.ui.Insert(r.Insert)
		case r.Prompt != "":
			if err := s.app.agent.Send(agent.Input{Text: r.Prompt,
				Source: "interactive"}); err != nil {
				tell(plain.Error(err))
			}
		}
	}
}

func (s *screen) shortcuts() (out []tui.Shortcut) {
	for _, x := range s.app.engine.Scripts.Snapshot().Shortcuts() {
		out = append(out, tui.Shortcut{Key: x.Key, Description: x.Description, Script: x.Gen.Name})
	}
	return out
}
