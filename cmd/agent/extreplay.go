// This file implements agent ext replay, which says what today's scripts would have decided in a
// session.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

// extReplay implements agent ext replay SESSION [-e FILE].
func extReplay(f *flags, words []string, stdout, stderr io.Writer) (code int) {
	if len(words) != 1 {
		return usageError(stderr, fmt.Errorf("ext replay: got %d words, want the id of a session, "+
			"or its beginning: agent session list shows them", len(words)))
	}
	if err := f.checkPaths(); err != nil {
		return usageError(stderr, err)
	}
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	s, err := at.findSession(words[0])
	if err != nil {
		return failure(stderr, fmt.Errorf("ext replay: %w", err))
	}
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	a, err := newApp(f, front{mode: "print", emit: func(ev *event.Event) {
		if ev.Name() == "script_error" {
			showNotice(stderr, ev)
		}
	}})
	if err != nil {
		return failure(stderr, err)
	}
	defer a.closeScripts()
	if err := a.agent.LoadScripts(ctx); err != nil {
		return failure(stderr, err)
	}
	list := trial.Replay(ctx, a.engine, *a.agent.Envelope(), s)
	a.engine.Emitter.Drain(ctx)
	if ctx.Err() != nil {
		return failure(stderr, errors.New("ext replay: interrupted"))
	}
	return printReplay(f, s, list, stdout, stderr)
}

// findSession returns the session with an id, or its beginning.
func (p place) findSession(id string) (*session.Session, error) {
	path, err := session.Find(p.sessions(), id)
	if err != nil {
		return nil, err
	}
	return session.Load(path)
}

// printReplay prints the calls that would be decided differently, and how many there are.
func printReplay(f *flags, s *session.Session, list []*trial.Replayed, stdout,
	stderr io.Writer) int {
	changed := []any{}
	var text strings.Builder
	for _, r := range list {
		if !r.Changed() {
			continue
		}
		changed = append(changed, map[string]any{"call": r.CallID, "tool": r.Tool, "args": r.Args,
			"then": effectValue(&r.Then), "now": effectValue(&r.Now)})
		fmt.Fprintf(&text, "%s %s %s\n  then: %s\n  now:  %s\n", plain.Text(r.Tool),
			plain.Text(r.CallID), shortArgs(r.Args), effectText(r, &r.Then),
			effectText(r, &r.Now))
	}
	if f.json {
		b, err := json.Marshal(map[string]any{"session": s.ID(), "calls": len(list),
			"changed": changed})
		if err != nil {
			return failure(stderr, fmt.Errorf("ext replay: %w", err))
		}
		return printText(stdout, stderr, string(b))
	}
	fmt.Fprintf(&text, "session %s: %d of %d tool calls would be decided otherwise", s.ID(),
		len(changed), len(list))
	return printText(stdout, stderr, text.String())
}

func effectValue(e *trial.Effect) map[string]any {
	m := map[string]any{"outcome": e.Outcome, "tool": e.Tool, "args": e.Args}
	if e.Script != "" {
		m["script"], m["line"] = e.Script, e.Line
	}
	if e.Reason != "" {
		m["reason"] = e.Reason
	}
	return m
}

// effectText describes the scripts' decision about a call: "blocked by guard.lua:3: no push".
func effectText(r *trial.Replayed, e *trial.Effect) string {
	text := map[string]string{"pass": "no objection", "block": "blocked", "abort": "aborted",
		"ask": "asked about", "respond": "answered", "allow": "allowed"}[e.Outcome]
	if e.Script != "" {
		text += " by " + plain.Text(fault.Position{File: e.Script, Line: e.Line}.String())
	}
	if e.Reason != "" {
		text += ": " + plain.Line(e.Reason, 200)
	}
	if e.Tool != r.Tool {
		text += "; it became " + plain.Text(e.Tool)
	}
	if now := shortArgs(e.Args); now != shortArgs(r.Args) {
		text += "; its arguments became " + now
	}
	return text
}

func shortArgs(args map[string]any) string {
	b, err := plain.JSON(args, "")
	if err != nil || len(args) == 0 {
		return "{}"
	}
	return plain.Line(string(b), 200)
}
