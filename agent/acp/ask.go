// This file asks the user of the client: about tool calls, and what scripts want to know.

package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/agentscripts/agent/engine/value"
	"maps"
	"strconv"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// The answers to a question about a tool call.
const (
	answerOnce    = "once"
	answerSession = "session"
	answerAlways  = "always"
	answerReject  = "reject"
)

var errAway = errors.New("the user does not want to answer")

// Approve implements engine.Approver.
func (t *thread) Approve(ctx context.Context, q *engine.Question) (engine.Answer, error) {
	args := t.maskArgs(q.Call.Args)
	spec := t.p.Engine.Scripts.Snapshot().Tool(q.Call.Tool)
	pending, kind := protocol.ToolCallStatusPending, kindOf(spec, q.Kind)
	name, _ := title(spec, q.Call.Env, q.Call.Tool, args)
	about := protocol.ToolCallUpdate{ToolCallId: callID(q.Call.ID, q.Call.Env), Status: &pending,
		Kind: &kind, Title: &name, RawInput: args,
		Locations: t.locations(args),
		Content: append(append(rewriteText(q.Rewritten.Masked(t.p.Engine.Mask)),
			t.asks2text(q.Asks)...), t.proposal(q, args)...)}
	if f := q.Preview.Masked(t.p.Engine.Mask); f != nil && f.File != nil {
		about.Locations = []protocol.ToolCallLocation{{Path: f.File.Path}}
	}
	picked, err := t.ask(ctx, about, t.answers(q))
	switch {
	case errors.Is(err, errAway), errors.Is(err, jsonrpc.ErrGone), ctx.Err() != nil:
		return engine.Answer{}, err
	case err != nil: // the user was not asked: who reads the result should know
		return engine.Answer{Reason: "the editor did not ask: " + plain.Text(plain.Error(err))}, nil
	case picked == answerReject:
		return engine.Answer{}, nil
	}
	return engine.Answer{Allow: true, Session: picked == answerSession,
		Always: picked == answerAlways}, nil
}

// answers are the answers that a question takes. Clients know options by their kind, so there is
// one at most that holds for longer than this call: the rule that would be stored or, if there is
// none, until the session ends. What a failed guard asks is asked anew each time.
func (t *thread) answers(q *engine.Question) []protocol.PermissionOption {
	failed, session := false, "Allow exactly this for the session"
	if q.AnyEdit() {
		session = "Allow edits of any file for this session"
	}
	for i := range q.Asks {
		failed = failed || q.Asks[i].Failure != nil
	}
	list := []protocol.PermissionOption{{OptionId: answerOnce,
		Kind: protocol.PermissionOptionKindAllowOnce, Name: "Allow once"}}
	switch {
	case failed:
	case q.Always != "":
		list = append(list, protocol.PermissionOption{OptionId: answerAlways,
			Kind: protocol.PermissionOptionKindAllowAlways,
			Name: "Always allow " + plain.Text(t.mask(q.Always))})
	default:
		list = append(list, protocol.PermissionOption{OptionId: answerSession,
			Kind: protocol.PermissionOptionKindAllowAlways, Name: session})
	}
	return append(list, protocol.PermissionOption{OptionId: answerReject,
		Kind: protocol.PermissionOptionKindRejectOnce, Name: "Reject"})
}

// asks2text shows who asks and why.
func (t *thread) asks2text(asks []engine.Ask) []protocol.ToolCallContent {
	var list []protocol.ToolCallContent
	for i := range asks {
		a := &asks[i]
		text := t.mask(a.Text)
		if a.Script != "" {
			text = "**" + engine.Position{File: a.Script, Line: a.Line}.String() + "**: " + text
		}
		if a.Reason != "" && a.Reason != a.Text {
			text += "\n\n" + t.mask(a.Reason)
		}
		if len(a.Detail) > 0 {
			if b, err := json.MarshalIndent(t.maskArgs(a.Detail), "", "  "); err == nil {
				text += "\n\n" + fenced(string(b), "json")
			}
		}
		if failure := a.FailureText(); failure != "" {
			text += "\n\n" + fenced(t.mask(failure), "")
		}
		list = append(list, asText(plain.Text(text))...)
	}
	return list
}

// diffShown is how long a file may be, in bytes before and after together, whose change is shown as
// a whole.
const diffShown = 1 << 20

// proposal shows what the call would do: all that its title does not.
func (t *thread) proposal(q *engine.Question, args map[string]any) []protocol.ToolCallContent {
	if p := q.Preview.Masked(t.p.Engine.Mask); p != nil {
		switch list, f := t.notes(p), p.File; {
		case f != nil && f.Before == nil:
			return append(list, protocol.ToolDiffContent(f.Path, f.After))
		case f != nil && len(*f.Before)+len(f.After) <= diffShown:
			return append(list, protocol.ToolDiffContent(f.Path, f.After, *f.Before))
		case p.Display.Text != "":
			return append(list, asText(fenced(plain.Text(p.Display.Text), "diff"))...)
		default:
			return append(list, t.arguments(args)...)
		}
	}
	spec := t.p.Engine.Scripts.Snapshot().Tool(q.Call.Tool)
	_, whole := title(spec, q.Call.Env, q.Call.Tool, args)
	if !whole && spec != nil && spec.Subject != nil &&
		spec.Subject.Kind == engine.SubjectCommand {
		command := spec.Subject.Arg
		if _, all := clip(value.Text(args, command)); !all {
			return append(asText(fenced(plain.Text(value.Text(args, command)), "sh")),
				t.arguments(without(args, command))...)
		}
	}
	if !whole {
		return t.arguments(args)
	}
	return nil
}

// notes are the remarks of a preview.
func (t *thread) notes(p *engine.Preview) []protocol.ToolCallContent {
	var list []protocol.ToolCallContent
	if p.Note != "" {
		list = append(list, asText(plain.Text(p.Note))...)
	}
	if p.Fails != "" {
		list = append(list, asText(plain.Text("as things are now, this fails: "+p.Fails))...)
	}
	return list
}

// arguments shows arguments as they are; nothing if there are none.
func (t *thread) arguments(args map[string]any) []protocol.ToolCallContent {
	if len(args) == 0 {
		return nil
	}
	b, err := json.MarshalIndent(args, "", "  ")
	if err != nil {
		return nil
	}
	return asText(fenced(plain.Text(string(b)), "json"))
}

func without(args map[string]any, key string) map[string]any {
	rest := maps.Clone(args)
	delete(rest, key)
	return rest
}

// ask asks the client, and returns the id of the option that was picked.
func (t *thread) ask(ctx context.Context, about protocol.ToolCallUpdate,
	options []protocol.PermissionOption) (string, error) {
	text, err := t.request(ctx, protocol.ClientMethodSessionRequestPermission,
		shownDiffs{protocol.RequestPermissionRequest{SessionId: t.id, ToolCall: about,
			Options: options}, "toolCall"})
	if err != nil {
		return "", err
	}
	var r protocol.RequestPermissionResponse
	if err := json.Unmarshal(text, &r); err != nil {
		return "", fmt.Errorf("the client's answer is not understood: %w", plain.Wrap(err))
	}
	switch o := r.Outcome; {
	case o.Cancelled != nil:
		return "", errAway
	case o.Selected != nil:
		for _, option := range options {
			if option.OptionId == o.Selected.OptionId {
				return string(option.OptionId), nil
			}
		}
		return "", fmt.Errorf("the client's answer %.80q is none of the options",
			string(o.Selected.OptionId))
	}
	return "", errors.New("the client's answer has no outcome")
}

// request sends the client a request about this session, when it knows the session and all that was
// told before.
func (t *thread) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	t.asks.give()
	select {
	case <-t.known.given:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.view.flush(ctx)
	return t.s.conn.Call(ctx, method, params)
}

// flush lets what was told before a question arrive before it.
func (v *view) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, tellWait)
	defer cancel()
	v.t.p.Engine.Flush(ctx)
}

// dialog asks something that is not about a tool call. The protocol knows such questions only: so
// it is shown as a call, which ends with the answer.
func (t *thread) dialog(ctx context.Context, d *engine.Dialog,
	options []protocol.PermissionOption) (string, error) {
	t.mu.Lock()
	t.number++
	id := protocol.ToolCallId("dialog-" + strconv.Itoa(t.number))
	t.mu.Unlock()
	name, kind, status := plain.Text(t.mask(d.Title)), protocol.ToolKindOther,
		protocol.ToolCallStatusPending
	if d.Script != "" {
		name = "[" + plain.Text(d.Script) + "] " + name
	}
	about := protocol.ToolCallUpdate{ToolCallId: id, Title: &name, Kind: &kind, Status: &status}
	if d.Detail != "" {
		about.Content = asText(plain.Text(t.mask(d.Detail)))
	}
	picked, err := t.ask(ctx, about, options)
	answered, state := "no answer", protocol.ToolCallStatusFailed
	for _, o := range options {
		if o.OptionId == protocol.PermissionOptionId(picked) && err == nil {
			answered, state = o.Name, protocol.ToolCallStatusCompleted
		}
	}
	t.view.mu.Lock()
	t.view.close(id, state, asText(answered), nil)
	t.view.mu.Unlock()
	return picked, err
}

// Confirm implements engine.Dialogs.
func (t *thread) Confirm(ctx context.Context, d *engine.Dialog) (bool, error) {
	yes, no := "Yes", "No"
	if d.Yes != "" {
		yes = plain.Text(t.mask(d.Yes))
	}
	if d.No != "" {
		no = plain.Text(t.mask(d.No))
	}
	picked, err := t.dialog(ctx, d, []protocol.PermissionOption{
		{OptionId: "yes", Kind: protocol.PermissionOptionKindAllowOnce, Name: yes},
		{OptionId: "no", Kind: protocol.PermissionOptionKindRejectOnce, Name: no}})
	return picked == "yes", err
}

func (t *thread) confirm(ctx context.Context, question string) (bool, error) {
	return t.Confirm(ctx, &engine.Dialog{Kind: "confirm", Title: question})
}

// mostOptions is how many choices a question can have: editors show each as a button.
const mostOptions = 100

// Select implements engine.Dialogs. A choice of very many, or with something else that the user may
// write, is a form.
func (t *thread) Select(ctx context.Context, d *engine.Dialog) (string, bool, error) {
	if d.Other && t.s.forms() || len(d.Choices) > mostOptions {
		return t.selectForm(ctx, d)
	}
	options := make([]protocol.PermissionOption, 0, len(d.Choices)+1)
	for i := range d.Choices {
		options = append(options,
			protocol.PermissionOption{OptionId: protocol.PermissionOptionId(choiceID(i)),
				Kind: protocol.PermissionOptionKindAllowOnce, Name: t.label(&d.Choices[i])})
	}
	picked, err := t.dialog(ctx, d, append(options,
		protocol.PermissionOption{OptionId: answerReject,
			Kind: protocol.PermissionOptionKindRejectOnce, Name: "None of these"}))
	if errors.Is(err, errAway) || picked == answerReject {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	return choiceOf(d, picked)
}

// label is what a choice is called.
func (t *thread) label(c *engine.Choice) string {
	name := c.Label
	if name == "" {
		name = c.Value
	}
	if c.Description != "" {
		name += ": " + c.Description
	}
	return plain.Text(t.mask(name))
}

func choiceID(i int) string { return "choice-" + strconv.Itoa(i) }

// choiceOf is the value of the choice with an id.
func choiceOf(d *engine.Dialog, id string) (string, bool, error) {
	for i := range d.Choices {
		if choiceID(i) == id {
			return d.Choices[i].Value, true, nil
		}
	}
	return "", false, fmt.Errorf("the client's answer %.80q is none of the choices", id)
}
