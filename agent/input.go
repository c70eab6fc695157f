// This file defines input, sends it, and runs its handlers and commands.

package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
)

// Input is a text from the user or a script to the agent.
type Input struct {
	Text   string
	Images []chat.Block
	Kind   string // prompt, steer or follow_up; "" = prompt
	Source string // interactive, cli, queue, rpc, script or script:NAME; "" = interactive
	// ID is chosen by the sender, from Session.NewID: it is the id of the entry, and the prompt_id
	// of its events. The end of an input with an ID is reported even if it became steering. "" =
	// the agent chooses one.
	ID string

	idle    bool // a follow_up after all others
	asked   bool // the handlers of input have seen it
	by      string
	line    int               // the line in the script by that sent it; 0 = unknown
	files   []session.Context // that the text names; see mentions.go
	counted bool              // from a script, and within the limit in queue_bound.go
}

// Kinds of input, and the source of inputs from scripts.
const (
	kindPrompt   = "prompt"
	kindSteer    = "steer"
	kindFollowUp = "follow_up"
	sourceScript = "script"
)

// complete sets omitted fields.
func (in Input) complete() Input {
	if in.Kind == "" {
		in.Kind = kindPrompt
	}
	if in.Source == "" {
		in.Source = "interactive"
	}
	if strings.HasPrefix(in.Source, sourceScript+":") {
		in.Source, in.by = sourceScript, in.Source
	}
	return in
}

// script returns the name of the script that sent the input; "" if none did.
func (in *Input) script() string { return strings.TrimPrefix(in.by, sourceScript+":") }

// Send sends input to the agent. It returns at once; Work processes the input. While the agent
// works, a prompt or steer reaches the model before its next call, and the calls of its message
// that have not begun are skipped; a follow_up waits for the prompt to end. A slash command, and
// the user's !command, run at once. Send may be called from any goroutine.
func (a *Agent) Send(in Input) error {
	if a.life.closed.Load() {
		return errors.New("the session has ended")
	}
	if empty(in.Text, in.Images) {
		return errors.New("the input is empty")
	}
	in = in.complete()
	if a.parent != nil { // a sub-agent has only one prompt: nothing can follow it
		in.Kind = kindSteer
	}
	a.queue.sending.Lock()
	defer a.queue.sending.Unlock()
	if a.parent == nil {
		if err := a.queue.admit(&in); err != nil {
			return err
		}
	}
	if a.queue.waiting() >= maxWaiting {
		return &fault.WorldError{Code: "busy", Message: fmt.Sprintf("%d inputs wait already",
			maxWaiting)}
	}
	if atOnce(in) && a.queue.beside(in, a.worker.handle) {
		return nil
	}
	a.queue.enqueue(in)
	return nil
}

// input runs the handlers of input. It returns an End if the input has ended already.
func (w *worker) input(ctx context.Context, in *Input) ([]engine.Context, *End) {
	if in.asked {
		return nil, nil
	}
	env := w.a.Envelope()
	if in.by != "" {
		e := *env
		e.Origin = in.by
		env = &e
	}
	mentioned := w.mentions(in)
	fired := event.Input{Kind: in.Kind, Text: in.Text, Source: in.Source}
	if len(in.Images) > 0 {
		fired.Images = chat.BlockValues(in.Images)
	}
	ev, v := w.a.engine.Intercept(ctx, w.a.engine.Events.New(env, fired))
	in.Text = ev.Text("text")
	in.Images = w.a.attached.usable(images(ev.Field("images")))
	switch {
	case ctx.Err() != nil:
		return nil, &End{Status: Cancelled}
	case v.Blocked:
		why := report.Reason("refused", v)
		// no agent_end reports it
		w.a.engine.Notices.Notify(w.a.Envelope(), "agent",
			ui.Notice{Text: "the prompt was " + why,
				Level: "warn"})
		return nil, &End{Status: Blocked, Reason: why, Refused: 1}
	case v.Handled:
		return nil, &End{Status: Handled, Reason: v.Reason}
	case empty(in.Text, in.Images):
		why := "nothing is left of the input: a model cannot be asked nothing"
		if by := report.Rewriters(v); by != "" {
			why = by + " left nothing of the input: a model cannot be asked nothing; {handled = " +
				"true} leaves it out"
		}
		w.a.report.Fail("input", why, false)
		return nil, failed(why)
	}
	return v.Contexts, w.attachMentions(ctx, in, mentioned)
}

// empty reports whether a message has neither text nor images: providers refuse such a message.
func empty(text string, images []chat.Block) bool {
	return strings.TrimSpace(text) == "" && len(images) == 0
}

// images reads image blocks back from an event's field.
func images(v any) []chat.Block {
	return slices.DeleteFunc(ask.DecodeBlocks(v), func(b chat.Block) bool {
		return b.Type != "image" ||
			b.Data == ""
	})
}

// command runs a slash command, of the agent or of a script. Without an End, its result holds a
// prompt for the model. typed means that the user typed it unchanged. Events report errors:
// script_error if the script failed, else error.
func (w *worker) command(ctx context.Context, name, rest string, typed bool) (slash.Result,
	*End) {
	if c := ownCommand(name); c != nil {
		return slash.Result{}, c.answer(ctx, w.a, rest, typed)
	}
	w.a.Refresh()
	names := w.a.engine.Scripts.Snapshot().CommandNames()
	command := w.a.engine.Scripts.Snapshot().Command(name)
	if command == nil {
		for _, c := range Commands() {
			names = append(names, c.Name)
		}
		names = append(names, w.a.o.Scripts.Reserved...)
		why := "unknown command /" + name + suggest.DidYouMean(name, names)
		if slices.Contains(w.a.o.Scripts.Reserved, name) {
			why = "/" + name + " is a command of the screen, and there is none here"
		}
		w.a.report.Fail("command", why, false)
		return slash.Result{}, failed(why)
	}
	if command.GoRun == nil { // a script's command may use what prompts wait for
		w.ready(ctx)
	}
	c, err := w.a.engine.Commands.Run(ctx, w.a.Envelope(), name, rest)
	switch {
	case ctx.Err() != nil:
		return c, &End{Status: Cancelled}
	case err != nil:
		return c, failed(plain.Error(err))
	case c.Error != "":
		w.a.report.Fail("command", "/"+name+": "+c.Error, false)
		return c, failed(c.Error)
	case c.Prompt == "":
		return c, &End{Status: Handled, Insert: c.Insert}
	}
	return c, nil
}

// ready waits until everything that prompts need is there.
func (w *worker) ready(ctx context.Context) {
	if w.a.parent == nil && w.a.o.Ready != nil {
		w.a.o.Ready(ctx)
	}
}

func isCommand(text string) bool {
	_, _, ok := slash.Split(text)
	return ok
}

// atOnce reports whether an input runs without waiting for the current work to end.
func atOnce(in Input) bool {
	_, _, shell := shellLine(in)
	return shell || isCommand(in.Text)
}
