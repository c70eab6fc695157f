// This file implements the methods of t, the object that tests use.

package trial

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

// last is the result of the last action, for t.blocked, t.asked and t.passed.
type last struct {
	what    string // "call of bash"; "" = no action yet
	blocked bool
	reason  string
	asked   []string
	acted   bool // the action has just happened
}

// method implements a method of t. It gets the result of the last action, and replaces it if it
// acts.
type method func(c *engine.HostCall, l *last) (any, error)

// methods returns the methods of t: the rows of spec.Testing with their implementations.
func (w *world) methods() map[string]any {
	does := map[string]method{"t.call": w.callTool, "t.emit": w.emit, "t.command": w.command,
		"t.complete": w.completeTyped,
		"t.key":      w.key, "t.clock": w.pass, "t.answer": w.answerCall, "t.stub": w.stub,
		"t.focus": w.focus, "t.env": w.env, "t.file": w.file, "t.screen": w.see, "t.equal": equal,
		"t.match": match, "t.blocked": blocked, "t.asked": asked, "t.passed": passed}
	var mu sync.Mutex
	var l last // in JavaScript several may run at once: the one that ends last counts
	m := map[string]any{}
	for _, row := range spec.Testing() {
		row.Placed = true
		f := does[row.Name]
		m[strings.TrimPrefix(row.Name, "t.")] = &engine.Builtin{Bare: true, Row: &row,
			Func: func(c *engine.HostCall) (any, error) {
				mu.Lock()
				mine := l
				mu.Unlock()
				mine.acted = false
				v, err := f(c, &mine)
				if mine.acted {
					mu.Lock()
					defer mu.Unlock()
					l = mine
				}
				return v, err
			}}
	}
	return m
}

// do runs an action, and records the questions and notices for the user meanwhile.
func (w *world) do(c *engine.HostCall, l *last, what string,
	act func(ctx context.Context) (map[string]any, error)) (any, error) {
	ctx, _, err := c.Run.Cause()
	if err != nil {
		return nil, err
	}
	w.beats.Add(1)
	w.user.questions()
	*l = last{what: what, acted: true}
	out, err := act(ctx)
	if err != nil {
		return nil, err
	}
	said, err := w.settle(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	l.asked = append(l.asked, w.user.questions()...)
	list := []any{}
	for _, q := range l.asked {
		list = append(list, q)
	}
	out["said"], out["asked"] = said, list
	return out, nil
}

// callTool implements t.call: it dispatches a tool call.
func (w *world) callTool(c *engine.HostCall, l *last) (any, error) {
	name := c.Args[0].(string)
	args, _ := c.Args[1].(map[string]any)
	return w.do(c, l, "the call of "+name, func(ctx context.Context) (map[string]any, error) {
		r := w.eng.Dispatch(ctx, &engine.Call{ID: "call_1", Tool: name, Args: args, Origin: "model",
			Env: w.agent.Envelope()})
		out := map[string]any{"content": chat.PlainText(r.Content), "is_error": r.IsError,
			"tool": r.Tool}
		if r.Args != nil {
			out["args"] = r.Args
		}
		if r.Details != nil {
			out["details"] = r.Details
		}
		if r.ForUser != "" {
			out["for_user"] = r.ForUser
		}
		var contexts []any
		for _, x := range r.Contexts {
			contexts = append(contexts, x.Text)
		}
		if contexts != nil {
			out["context"] = contexts
		}
		switch r.Skipped {
		case "":
		case "unknown", "invalid": // a mistake in the test
			return nil, errors.New(chat.PlainText(r.Content))
		default:
			out["skipped"] = r.Skipped
			l.blocked, l.reason = true, chat.PlainText(r.Content)
		}
		return out, nil
	})
}

// emit implements t.emit: it emits an event.
func (w *world) emit(c *engine.HostCall, l *last) (any, error) {
	name := c.Args[0].(string)
	fields, _ := c.Args[1].(map[string]any)
	return w.do(c, l, "the event "+name, func(ctx context.Context) (map[string]any, error) {
		m, err := NewMoment(w.eng, name, fields, w.agent.Envelope())
		if err != nil {
			return nil, err
		}
		out, _ := m.Run(ctx, w.eng)
		l.blocked = out["block"] == true || out["abort"] != nil
		l.reason, _ = out["reason"].(string)
		if ask, ok := out["ask"].(string); ok {
			l.asked = append(l.asked, strings.TrimSuffix(ask+"\n"+l.reason, "\n"))
		}
		return out, nil
	})
}

// command implements t.command: the user types a slash command.
func (w *world) command(c *engine.HostCall, l *last) (any, error) {
	line := strings.TrimPrefix(c.Args[0].(string), "/")
	name, rest, _ := strings.Cut(line, " ")
	return w.do(c, l, "the command /"+name, func(ctx context.Context) (map[string]any, error) {
		r, err := w.eng.Commands.Run(ctx, w.agent.Envelope(), name, rest)
		if err != nil {
			w.settle(ctx) // it has been reported there, too
			return nil, err
		}
		return outcome(r), nil
	})
}

// outcome returns the result of a command.
func outcome(r slash.Result) map[string]any {
	out := map[string]any{}
	for key, text := range map[string]string{"prompt": r.Prompt, "insert": r.Insert,
		"display": r.Display, "error": r.Error} {
		if text != "" {
			out[key] = text
		}
	}
	return out
}

// completeTyped implements t.complete: the user types something that the script completes.
func (w *world) completeTyped(c *engine.HostCall, l *last) (any, error) {
	typed := c.Args[0].(string)
	line, isCommand := strings.CutPrefix(typed, "/")
	name, prefix, _ := strings.Cut(line, " ")
	snap := w.eng.Scripts.Snapshot()
	switch {
	case isCommand && snap.Command(name) == nil:
		return nil, fmt.Errorf("t.complete: there is no command /%s", name)
	case !isCommand && snap.WordCompleter(typed) == nil:
		return nil, fmt.Errorf("t.complete: no ext.completion has a prefix of %q", typed)
	}
	return w.do(c, l, "completing "+typed, func(ctx context.Context) (map[string]any, error) {
		var list []slash.Completion
		if isCommand { // a failure is reported as that of a handler
			list, _ = w.eng.Commands.Complete(ctx, w.agent.Envelope(), name, prefix)
		} else {
			list = w.eng.Commands.CompleteWord(ctx, w.agent.Envelope(), typed)
		}
		choices := []any{}
		for _, x := range list {
			choices = append(choices,
				map[string]any{"value": x.Value, "description": x.Description})
		}
		return map[string]any{"choices": choices}, nil
	})
}

// key implements t.key: the user presses a key. The visible panel gets it, it runs a shortcut, or
// ext.keys takes it; else it waits for the next panel.
func (w *world) key(c *engine.HostCall, l *last) (any, error) {
	key, err := keyName(c.Args[0].(string))
	if err != nil {
		return nil, err
	}
	return w.do(c, l, "the key "+key, func(ctx context.Context) (map[string]any, error) {
		if p := w.screen.front(); p != nil {
			press(p, key)
			return map[string]any{}, nil
		}
		if w.eng.Scripts.Snapshot().Shortcut(key) != nil {
			r, err := w.eng.Commands.RunShortcut(ctx, w.agent.Envelope(), key)
			return outcome(r), err
		}
		if w.eng.Scripts.Snapshot().TakesKeys() &&
			w.eng.Commands.TakeKey(ctx, w.agent.Envelope(), key, keyText(key)) {
			return map[string]any{"taken": true}, nil
		}
		w.screen.lay(key)
		return map[string]any{}, nil
	})
}

// see implements t.screen.
func (w *world) see(c *engine.HostCall, _ *last) (any, error) {
	options, _ := c.Args[0].(map[string]any)
	return w.screen.shown(options["styles"] == true), nil
}

func (w *world) focus(c *engine.HostCall, _ *last) (any, error) {
	w.screen.focus(c.Args[0].(bool))
	return nil, nil
}

// pass implements t.clock: time passes, and functions that are due run.
func (w *world) pass(c *engine.HostCall, l *last) (any, error) {
	s, _ := value.Number(c.Args[0])
	if !(s >= 0 && s <= longest) {
		return nil, fmt.Errorf("t.clock: seconds: got %v, want 0 to 1000000000", s)
	}
	return w.do(c, l, "passing time", func(ctx context.Context) (map[string]any, error) {
		w.clock.move(ctx, seconds(s), w.quiet)
		return map[string]any{}, nil
	})
}

func (w *world) answerCall(c *engine.HostCall, _ *last) (any, error) {
	if err := w.user.lay(c.Args[0].(string), c.Args[1]); err != nil {
		return nil, fmt.Errorf("t.answer: %w", err)
	}
	return nil, nil
}

func (w *world) stub(c *engine.HostCall, _ *last) (any, error) {
	w.stubs.setStub(c.Args[0].(string), &stub{c.Args[1].(engine.Func), w.gen.Name, c.Pos.Line})
	return nil, nil
}

// nothing returns the error of a check without an action.
func (l *last) nothing(name string) error {
	if l.what == "" {
		return fmt.Errorf(
			"t.%s: nothing has happened yet: t.call, t.emit or t.command comes before it", name)
	}
	return nil
}

// blocked implements t.blocked: the last action was refused, and the reason contains the text.
func blocked(c *engine.HostCall, l *last) (any, error) {
	if err := l.nothing("blocked"); err != nil {
		return nil, err
	}
	want, _ := c.Args[0].(string)
	switch {
	case !l.blocked:
		return nil, fmt.Errorf("t.blocked: %s was not refused%s", l.what, l.questions())
	case !strings.Contains(l.reason, want):
		return nil, fmt.Errorf("t.blocked: %s was refused with another reason:\n%s", l.what,
			difference(l.reason, want))
	}
	return nil, nil
}

// asked implements t.asked: the user was asked during the last action, and the question or its
// reason contains the text.
func asked(c *engine.HostCall, l *last) (any, error) {
	if err := l.nothing("asked"); err != nil {
		return nil, err
	}
	want, _ := c.Args[0].(string)
	all := strings.Join(l.asked, "\n")
	switch {
	case len(l.asked) == 0:
		return nil, fmt.Errorf("t.asked: the user was not asked about %s%s", l.what, l.refusal())
	case !strings.Contains(all, want):
		return nil, fmt.Errorf("t.asked: something else was asked about %s:\n%s", l.what,
			difference(all, want))
	}
	return nil, nil
}

// passed implements t.passed: the user was not asked, and nothing was refused.
func passed(_ *engine.HostCall, l *last) (any, error) {
	if err := l.nothing("passed"); err != nil {
		return nil, err
	}
	if l.blocked || len(l.asked) > 0 {
		return nil, fmt.Errorf("t.passed: %s did not pass%s%s", l.what, l.refusal(), l.questions())
	}
	return nil, nil
}

func (l *last) refusal() string {
	if l.blocked {
		return ": it was refused: " + l.reason
	}
	return ""
}

func (l *last) questions() string {
	if len(l.asked) > 0 {
		return ": the user was asked: " + strings.Join(l.asked, "; ")
	}
	return ""
}

// equal implements t.equal: both values are the same plain data.
func equal(c *engine.HostCall, _ *last) (any, error) {
	got, err := value.Plain(c.Args[0])
	if err != nil {
		return nil, fmt.Errorf("t.equal: got: %w", err)
	}
	want, err := value.Plain(c.Args[1])
	if err != nil {
		return nil, fmt.Errorf("t.equal: want: %w", err)
	}
	if same(got, want) {
		return nil, nil
	}
	return nil, fmt.Errorf("t.equal: got and want differ\n%s",
		difference(pretty(got), pretty(want)))
}

// match implements t.match: the text matches the RE2 pattern.
func match(c *engine.HostCall, _ *last) (any, error) {
	re, err := regexp.Compile(c.Args[1].(string))
	if err != nil {
		return nil, fmt.Errorf("t.match: pattern: %w", err)
	}
	if text := c.Args[0].(string); !re.MatchString(text) {
		return nil, fmt.Errorf("t.match: nothing in the text matches %s\n%s", re,
			indent("got  ", text))
	}
	return nil, nil
}
