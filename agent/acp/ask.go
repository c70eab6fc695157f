// This file asks the client's user about tool calls, and asks the questions of scripts.

package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// asking passes the questions of one session to the client's user.
type asking struct {
	t *thread

	mu     sync.Mutex
	number int // of dialogs
}

// Ask implements the Ask of a remote.Wire.
func (a *asking) Ask(ctx context.Context, q *remote.Question) (remote.Answer, error) {
	switch {
	case q.Kind == "approve":
		return a.approve(ctx, q.Approval)
	case q.Kind == "confirm":
		return a.confirm(ctx, q)
	case q.Kind == "input" && !q.Secret: // a form has no field for passwords
		return a.write(ctx, q)
	case q.Kind != "select": // a field of a form is one line
		return remote.Answer{}, ui.ErrHeadless
	case q.Many:
		return a.many(ctx, q)
	case q.Other && a.t.s.forms() || len(q.Choices) > mostOptions:
		return a.selectForm(ctx, q)
	}
	return a.choose(ctx, q)
}

// approve asks about a tool call.
func (a *asking) approve(ctx context.Context, m *remote.Approval) (remote.Answer, error) {
	t := a.t
	spec := t.p.Engine.Scripts.Snapshot().Tool(m.Tool)
	pending, kind := protocol.ToolCallStatusPending, kindOf(spec, m.Kind)
	name, whole := title(spec, m.Env, m.Tool, m.Args)
	about := protocol.ToolCallUpdate{ToolCallId: callID(m.CallID, m.Env), Status: &pending,
		Kind: &kind, Title: &name, RawInput: m.Args,
		Locations: t.locations(m.Tool, m.Args),
		Content: slices.Concat(rewriteText(m.Rewritten), risksText(m.Risks), asksText(m.Asks),
			proposal(spec, m, whole))}
	if m.Preview != nil && m.Preview.File != nil {
		about.Locations = []protocol.ToolCallLocation{{Path: m.Preview.File.Path}}
	}
	picked, err := a.askClient(ctx, about, answers(m))
	switch {
	case errors.Is(err, remote.ErrAway), errors.Is(err, jsonrpc.ErrGone), ctx.Err() != nil:
		return remote.Answer{}, err
	case err != nil: // the user was not asked, which the reader of the result should know
		return m.Decide(remote.Decision{Option: remote.Reject,
			Reason: "the editor did not ask: " + plain.Text(plain.Error(err))})
	}
	return m.Decide(remote.Decision{Option: picked})
}

// answers returns the possible answers to a question. Clients distinguish options by kind, so there
// is at most one lasting option: the rule to store or, without one, the rest of the session.
func answers(m *remote.Approval) []protocol.PermissionOption {
	list := []protocol.PermissionOption{{OptionId: remote.Once,
		Kind: protocol.PermissionOptionKindAllowOnce, Name: "Allow once"}}
	lasting := protocol.PermissionOption{Kind: protocol.PermissionOptionKindAllowAlways}
	switch {
	case slices.Contains(m.Options, remote.Always):
		lasting.OptionId, lasting.Name = remote.Always, "Always allow "+plain.Text(m.Always)
	case m.AnyEdit:
		lasting.OptionId, lasting.Name = remote.ForRest, "Allow edits of any file for this session"
	default:
		lasting.OptionId, lasting.Name = remote.ForRest, "Allow exactly this for the session"
	}
	if slices.Contains(m.Options, string(lasting.OptionId)) {
		list = append(list, lasting)
	}
	return append(list, protocol.PermissionOption{OptionId: remote.Reject,
		Kind: protocol.PermissionOptionKindRejectOnce, Name: "Reject"})
}

// risksText formats what the call does that is risky.
func risksText(risks []string) []protocol.ToolCallContent {
	var list []protocol.ToolCallContent
	for _, risk := range risks {
		list = append(list, asText(plain.Text("**Risk**: "+risk))...)
	}
	return list
}

// asksText formats who asks and why.
func asksText(asks []remote.Asked) []protocol.ToolCallContent {
	var list []protocol.ToolCallContent
	for i := range asks {
		a := &asks[i]
		text := a.Text
		if a.Script != "" {
			text = "**" + fault.Position{File: a.Script, Line: a.Line}.String() + "**: " + text
		}
		if a.Reason != "" && a.Reason != a.Text {
			text += "\n\n" + a.Reason
		}
		if len(a.Detail) > 0 {
			if b, err := json.MarshalIndent(a.Detail, "", "  "); err == nil {
				text += "\n\n" + fenced(string(b), "json")
			}
		}
		if a.Rest != "" {
			text += "\n\n" + fenced(a.Rest, "")
		}
		list = append(list, asText(plain.Text(text))...)
	}
	return list
}

// diffShown is the greatest size of a file, in bytes before and after together, whose change is
// shown completely.
const diffShown = 1 << 20

// proposal shows what the call would do beyond its title. whole means that the title contains all
// of the arguments.
func proposal(spec *engine.Tool, m *remote.Approval,
	whole bool) []protocol.ToolCallContent {
	args := m.Args
	if p := m.Preview; p != nil {
		switch list, f := notes(p), p.File; {
		case f != nil && f.Before == nil:
			return append(list, protocol.ToolDiffContent(f.Path, f.After))
		case f != nil && len(*f.Before)+len(f.After) <= diffShown:
			return append(list, protocol.ToolDiffContent(f.Path, f.After, *f.Before))
		case p.Display.Text != "":
			return append(list, asText(fenced(plain.Text(p.Display.Text), "diff"))...)
		default:
			return append(list, arguments(args)...)
		}
	}
	if !whole && spec != nil && spec.Subject != nil &&
		spec.Subject.Kind == subject.Command {
		command := spec.Subject.Arg
		if _, all := clip(value.Text(args, command)); !all {
			return append(asText(fenced(plain.Text(value.Text(args, command)), "sh")),
				arguments(without(args, command))...)
		}
	}
	if !whole {
		return arguments(args)
	}
	return nil
}

// notes returns the remarks of a preview.
func notes(p *ui.Preview) []protocol.ToolCallContent {
	var list []protocol.ToolCallContent
	if p.Note != "" {
		list = append(list, asText(plain.Text(p.Note))...)
	}
	if p.Fails != "" {
		list = append(list, asText(plain.Text("this would fail now: "+p.Fails))...)
	}
	return list
}

// arguments shows the arguments unchanged; nil if there are none.
func arguments(args map[string]any) []protocol.ToolCallContent {
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

// askClient asks the client and returns the id of the chosen option.
func (a *asking) askClient(ctx context.Context, about protocol.ToolCallUpdate,
	options []protocol.PermissionOption) (string, error) {
	text, err := a.t.request(ctx, protocol.ClientMethodSessionRequestPermission,
		shownDiffs{protocol.RequestPermissionRequest{SessionId: a.t.id, ToolCall: about,
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
		return "", remote.ErrAway
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

// request sends the client a request about this session, after the client has learnt of the session
// and of earlier updates.
func (t *thread) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	t.asks.give()
	select {
	case <-t.known.given:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.remote.Flush(ctx)
	return t.s.conn.Call(ctx, method, params)
}

// dialog asks a question that is not about a tool call. The protocol supports only questions about
// calls, so it is shown as a call that ends with the answer.
func (a *asking) dialog(ctx context.Context, q *remote.Question,
	options []protocol.PermissionOption) (string, error) {
	a.mu.Lock()
	a.number++
	id := protocol.ToolCallId("dialog-" + strconv.Itoa(a.number))
	a.mu.Unlock()
	name, kind, status := plain.Text(q.Title), protocol.ToolKindOther,
		protocol.ToolCallStatusPending
	if q.Script != "" {
		name = "[" + plain.Text(q.Script) + "] " + name
	}
	about := protocol.ToolCallUpdate{ToolCallId: id, Title: &name, Kind: &kind, Status: &status}
	if q.Detail != "" {
		about.Content = asText(plain.Text(q.Detail))
	}
	picked, err := a.askClient(ctx, about, options)
	answered, state := "no answer", protocol.ToolCallStatusFailed
	for _, o := range options {
		if o.OptionId == protocol.PermissionOptionId(picked) && err == nil {
			answered, state = o.Name, protocol.ToolCallStatusCompleted
		}
	}
	view := &a.t.view
	view.mu.Lock()
	view.close(id, state, asText(answered), nil)
	view.mu.Unlock()
	return picked, err
}

// confirm asks a yes-or-no question.
func (a *asking) confirm(ctx context.Context, q *remote.Question) (remote.Answer, error) {
	yes, no := cmp.Or(plain.Text(q.Yes), "Yes"), cmp.Or(plain.Text(q.No), "No")
	picked, err := a.dialog(ctx, q, []protocol.PermissionOption{
		{OptionId: "yes", Kind: protocol.PermissionOptionKindAllowOnce, Name: yes},
		{OptionId: "no", Kind: protocol.PermissionOptionKindRejectOnce, Name: no}})
	return remote.Answer{Yes: picked == "yes"}, err
}

// mostOptions is the greatest number of choices of a question: editors show each as a button. A
// question with more choices, or with free text, becomes a form.
const mostOptions = 100

// choose lets the user pick one of a few choices.
func (a *asking) choose(ctx context.Context, q *remote.Question) (remote.Answer, error) {
	options := make([]protocol.PermissionOption, 0, len(q.Choices)+1)
	for i := range q.Choices {
		options = append(options,
			protocol.PermissionOption{OptionId: protocol.PermissionOptionId(choiceID(i)),
				Kind: protocol.PermissionOptionKindAllowOnce, Name: label(&q.Choices[i])})
	}
	picked, err := a.dialog(ctx, q, append(options,
		protocol.PermissionOption{OptionId: remote.Reject,
			Kind: protocol.PermissionOptionKindRejectOnce, Name: "None of these"}))
	switch {
	case err != nil:
		return remote.Answer{}, err
	case picked == remote.Reject:
		return remote.Answer{}, remote.ErrAway
	}
	return choiceOf(q, picked)
}

// label returns the title of a choice.
func label(c *remote.Choice) string {
	if c.Description != "" {
		return plain.Text(c.Label + ": " + c.Description)
	}
	return plain.Text(c.Label)
}

func choiceID(i int) string { return "choice-" + strconv.Itoa(i) }

// choiceOf returns the answer for the choice with an id.
func choiceOf(q *remote.Question, id string) (remote.Answer, error) {
	for i := range q.Choices {
		if choiceID(i) == id {
			return remote.Answer{Values: []string{q.Choices[i].Value}}, nil
		}
	}
	return remote.Answer{}, fmt.Errorf("the client's answer %.80q is none of the choices", id)
}
