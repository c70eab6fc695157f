// This file holds the dialogs of scripts: ext.ui.confirm, select, input, edit.

package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxQuestions is how many dialogs of a script can be open: they are shown one after the other,
	// and no user answers more.
	maxQuestions = 20
	// maxAsked is how long the title or the detail of a dialog can be, in bytes: many screens full.
	// Cutting it would hide part of the question.
	maxAsked = 64 << 10
	// maxChoices is how many items there can be to select from: with more, the screen could not
	// keep up with typing.
	maxChoices = 20_000
	// choicesNamed is how many of the choices an error lists.
	choicesNamed = 20
)

// question is one dialog: its texts, and the function that shows it. ok is false if the user closed
// it without an answer.
type question struct {
	name    string
	opts    map[string]any
	texts   []sized           // besides options.detail
	otherOK func(v any) error // checks the values of default and headless
	ask     func(ctx context.Context, d ui.Dialogs, patience *ui.Patience) (answer any,
		ok bool, err error)
}

// sized is a text of at most most bytes.
type sized struct {
	name, text string
	most       int
}

// check returns what is wrong with the question.
func (q *question) check() error {
	for _, key := range []string{"default", "headless"} {
		if v, ok := q.opts[key]; ok && q.otherOK != nil {
			if err := q.otherOK(v); err != nil {
				return fmt.Errorf("%s: options.%s: %w", q.name, key, err)
			}
		}
	}
	if s := number(q.opts["timeout"]); s < 0 {
		return fmt.Errorf("%s: options.timeout: got %v, want seconds, 0 for none", q.name, s)
	}
	for _, d := range append(q.texts, sized{"options.detail", text(q.opts["detail"]), maxAsked}) {
		if len(d.text) > d.most {
			return fmt.Errorf("%s: %s: got %d bytes, want at most %d", q.name, d.name, len(d.text),
				d.most)
		}
	}
	return nil
}

// dialogs holds the functions that ask the user.
type dialogs struct{ open counter }

func (u *dialogs) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"ui.confirm": u.confirm, "ui.select": u.choose, "ui.input": u.input, "ui.edit": u.edit,
	}
}

// put shows the question to the user; the run's wall clock is stopped meanwhile.
func (u *dialogs) put(c *engine.HostCall, q *question) (any, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	dialogs := c.Gen.Engine().User.Dialogs()
	if dialogs == nil {
		return q.headless()
	}
	if !u.open.addCount(c.Gen, 1, maxQuestions) {
		return nil, fmt.Errorf("%s: the script already waits for the answers to %d questions",
			q.name, maxQuestions)
	}
	defer u.open.addCount(c.Gen, -1, maxQuestions)
	ctx := c.Run.Context()
	var patience *ui.Patience
	if s := number(q.opts["timeout"]); s > 0 {
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		patience = ui.NewPatience(time.Duration(min(s, maxSleep)*float64(time.Second)),
			func() { cancel(context.DeadlineExceeded) })
		defer patience.Hold()
		ctx = inner
	}
	var answer any
	var ok bool
	var err error
	c.Gen.Engine().Notices.Waiting(c.Run.Env, "question")
	c.Run.OffClock(func() { answer, ok, err = q.ask(ctx, dialogs, patience) })
	switch {
	case c.Run.Err() != nil:
		return nil, c.Run.Err()
	case err == nil && ok: // the answer was in time, even if the timeout has passed since
		return answer, nil
	case err == nil:
		return nil, &fault.WorldError{Code: "cancelled",
			Message: q.name + ": the user closed the dialog"}
	case errors.Is(err, ui.ErrHeadless):
		return q.headless()
	case ctx.Err() != nil: // the timeout
		if v, given := q.opts["default"]; given {
			return v, nil
		}
		return nil, &fault.WorldError{Code: "timeout",
			Message: q.name + ": no answer in time"}
	}
	return nil, &fault.WorldError{Code: "cancelled", Message: q.name + ": " + plain.Error(err)}
}

// headless returns the answer to use if there is no user to ask.
func (q *question) headless() (any, error) {
	if answer, ok := q.opts["headless"]; ok {
		return answer, nil
	}
	return nil, &fault.WorldError{Code: "headless",
		Message: q.name +
			": no user is available in a non-interactive run; set {headless = ...} to the " +
			"answer to use"}
}

func (u *dialogs) confirm(c *engine.HostCall) (any, error) {
	opts := table(c.Args[1])
	q := question{name: "ext.ui.confirm", texts: []sized{{"text", c.Args[0].(string), maxAsked}},
		opts: map[string]any{"default": false}}
	for k, v := range opts {
		q.opts[k] = v
	}
	q.ask = func(ctx context.Context, dialogs ui.Dialogs, patience *ui.Patience) (any, bool,
		error) {
		yes, err := dialogs.Confirm(ctx, &ui.Dialog{Script: c.Gen.Name, Kind: "confirm",
			Title: c.Args[0].(string), Detail: text(opts["detail"]),
			Yes: text(opts["yes"]), No: text(opts["no"]), Default: truth(opts["default"]),
			Patience: patience})
		return yes, true, err
	}
	return u.put(c, &q)
}

func (u *dialogs) choose(c *engine.HostCall) (any, error) {
	const name = "ext.ui.select"
	opts := table(c.Args[2])
	choices, err := readChoices(c.Args[1].([]any))
	if err != nil {
		return nil, fmt.Errorf("%s: items%w", name, err)
	}
	var values []string
	for _, choice := range choices {
		values = append(values, choice.Value)
	}
	other := truth(opts["other"])
	one := func(v any) error {
		s, ok := v.(string)
		if ok && (other || has(values, s)) {
			return nil
		}
		got := value.TypeName(v)
		if ok {
			got = fmt.Sprintf("%.80q", s)
		}
		want := strings.Join(values[:min(len(values), choicesNamed)], ", ")
		if n := len(values) - choicesNamed; n > 0 {
			want += fmt.Sprintf(" and %d more", n)
		}
		return fmt.Errorf("got %s, want one of %s%s", got, want, suggest.DidYouMean(s, values))
	}
	d := &ui.Dialog{Script: c.Gen.Name, Kind: "select", Title: c.Args[0].(string),
		Detail: text(opts["detail"]), Choices: choices, Other: other}
	q := question{name: name, texts: []sized{{"title", d.Title, maxAsked}}, opts: opts,
		otherOK: one}
	q.ask = func(ctx context.Context, dialogs ui.Dialogs, patience *ui.Patience) (any, bool,
		error) {
		d.Patience = patience
		return dialogs.Select(ctx, d)
	}
	if value, ok := opts["default"].(string); ok {
		d.Picked = []string{value}
	}
	if truth(opts["multi"]) {
		list, _ := opts["default"].([]any)
		for _, v := range list {
			d.Picked = append(d.Picked, text(v))
		}
		q.otherOK = func(v any) error { return each(v, one) }
		q.ask = func(ctx context.Context, dialogs ui.Dialogs, patience *ui.Patience) (any,
			bool, error) {
			d.Patience = patience
			picked, ok, err := dialogs.Many(ctx, d)
			return value.TextList(picked), ok, err
		}
	}
	return u.put(c, &q)
}

// each calls check for all items of a list.
func each(v any, check func(v any) error) error {
	l, ok := v.([]any)
	if !ok {
		return fmt.Errorf("got %s, want a list of values", value.TypeName(v))
	}
	for i, e := range l {
		if err := check(e); err != nil {
			return fmt.Errorf("[%d]: %w", i+1, err)
		}
	}
	return nil
}

var choiceFields = []value.Field{{Name: "label", Type: "string?"}, {Name: "value", Type: "string"},
	{Name: "description", Type: "string?"}}

// readChoices parses the items to select from. The error begins with ": " or "[i]".
func readChoices(items []any) ([]ui.Choice, error) {
	if len(items) == 0 {
		return nil, errors.New(": got an empty list, want at least one item")
	}
	if len(items) > maxChoices {
		return nil, fmt.Errorf(": got %d, want at most %d", len(items), maxChoices)
	}
	if err := value.CheckSize(items); err != nil {
		return nil, fmt.Errorf(": %w", err)
	}
	choices := make([]ui.Choice, len(items))
	for i, v := range items {
		if s, ok := v.(string); ok {
			choices[i] = ui.Choice{Value: s}
			continue
		}
		args, err := value.CheckArgs("item", []value.Field{
			{Name: "item", Type: "table", Fields: choiceFields}}, []any{v})
		if err != nil {
			return nil, fmt.Errorf("[%d]: %s; want text, or {label, value, description}", i+1,
				strings.ReplaceAll(plain.Error(err), "item: ", ""))
		}
		m := table(args[0])
		choices[i] = ui.Choice{Label: text(m["label"]), Value: text(m["value"]),
			Description: text(m["description"])}
	}
	return choices, nil
}

func (u *dialogs) input(c *engine.HostCall) (any, error) {
	opts := table(c.Args[1])
	q := question{name: "ext.ui.input", texts: []sized{{"title", c.Args[0].(string), maxAsked},
		{"options.default", text(opts["default"]), maxInsert}}, opts: opts}
	q.ask = func(ctx context.Context, dialogs ui.Dialogs, patience *ui.Patience) (any, bool,
		error) {
		return dialogs.Input(ctx, &ui.Dialog{Script: c.Gen.Name, Kind: "input",
			Title: c.Args[0].(string), Detail: text(opts["detail"]), Text: text(opts["default"]),
			Secret: truth(opts["secret"]), Patience: patience})
	}
	answer, err := u.put(c, &q)
	if secret := text(answer); secret != "" && truth(opts["secret"]) {
		c.Gen.Engine().Mask.NewSecret(q.name, secret, "%s") // masked from now on
	}
	return answer, err
}

func (u *dialogs) edit(c *engine.HostCall) (any, error) {
	opts := table(c.Args[1])
	d := &ui.Dialog{Script: c.Gen.Name, Kind: "edit", Title: text(opts["title"]),
		Detail: text(opts["detail"]), Text: c.Args[0].(string)}
	if d.Title == "" {
		d.Title = "Edit"
	}
	q := question{name: "ext.ui.edit", texts: []sized{{"text", d.Text, maxInsert},
		{"options.title", d.Title, maxAsked}}, opts: opts}
	q.ask = func(ctx context.Context, dialogs ui.Dialogs, patience *ui.Patience) (any, bool,
		error) {
		d.Patience = patience
		return dialogs.Edit(ctx, d)
	}
	return u.put(c, &q)
}
