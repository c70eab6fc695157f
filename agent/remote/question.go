// This file passes the questions of scripts to a client's user.

package remote

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ui"
)

// ErrAway means that the user does not want to answer.
var ErrAway = errors.New("the user does not want to answer")

// Question is a question to the user, as the user may see it.
type Question struct {
	Kind     string    // approve, confirm, select, input or edit
	Approval *Approval // for approve, without the other fields; else nil
	Script   string    // who asks; "" = the agent
	Title    string
	Detail   string
	Yes, No  string // confirm: their labels; "" = the default ones
	Default  bool   // confirm: the answer of Enter
	Choices  []Choice
	Many     bool   // select: several may be chosen
	Other    bool   // select: the user may enter another text
	Text     string // input, edit: the initial text
	Secret   bool   // input: a password
}

// Choice is an item to select. The Values in a question are unique.
type Choice struct {
	Value, Label, Description string // no Label is empty
	Picked                    bool   // initially

	value string // the script's value
}

// Answer is the user's answer to a Question, depending on its kind.
type Answer struct {
	Approve engine.Answer
	Yes     bool     // confirm
	Text    string   // input, edit
	Values  []string // select: values of choices, or, with Other, the user's own
}

// asker passes questions to the user of a session.
type asker struct{ s *Session }

// askUser asks after all earlier events have arrived.
func (a *asker) askUser(ctx context.Context, q *Question) (Answer, error) {
	a.s.Flush(ctx)
	return a.s.wire.Ask(ctx, q)
}

// question converts a dialog, masked for the user.
func (a *asker) question(d *ui.Dialog) *Question {
	mask := a.s.Mask
	q := &Question{Kind: d.Kind, Script: d.Script, Title: mask(d.Title), Detail: mask(d.Detail),
		Yes: mask(d.Yes), No: mask(d.No), Default: d.Default, Other: d.Other, Text: mask(d.Text),
		Secret: d.Secret}
	taken := map[string]string{}
	for i := range d.Choices {
		x := &d.Choices[i]
		c := Choice{Value: mask(x.Value), Label: mask(x.Label), Description: mask(x.Description),
			Picked: slices.Contains(d.Picked, x.Value), value: x.Value}
		for n, masked := 2, c.Value; ; n++ { // masking can make two equal
			if other, used := taken[c.Value]; !used || other == x.Value {
				break
			}
			c.Value = masked + " (" + strconv.Itoa(n) + ")"
		}
		taken[c.Value] = x.Value
		if c.Label == "" {
			c.Label = c.Value
		}
		q.Choices = append(q.Choices, c)
	}
	return q
}

// Confirm implements ui.Dialogs.
func (a *asker) Confirm(ctx context.Context, d *ui.Dialog) (bool, error) {
	got, err := a.askUser(ctx, a.question(d))
	return got.Yes && err == nil, err
}

// Input implements ui.Dialogs.
func (a *asker) Input(ctx context.Context, d *ui.Dialog) (string, bool, error) {
	return a.write(ctx, d)
}

// Edit implements ui.Dialogs.
func (a *asker) Edit(ctx context.Context, d *ui.Dialog) (string, bool, error) {
	return a.write(ctx, d)
}

func (a *asker) write(ctx context.Context, d *ui.Dialog) (string, bool, error) {
	got, err := a.askUser(ctx, a.question(d))
	if err != nil {
		return "", false, away(err)
	}
	return got.Text, true, nil
}

// Select implements ui.Dialogs.
func (a *asker) Select(ctx context.Context, d *ui.Dialog) (string, bool, error) {
	values, ok, err := a.choose(ctx, a.question(d))
	if len(values) == 0 {
		return "", false, err
	}
	return values[0], ok, err
}

// Many implements ui.Dialogs.
func (a *asker) Many(ctx context.Context, d *ui.Dialog) ([]string, bool, error) {
	q := a.question(d)
	q.Many = true
	return a.choose(ctx, q)
}

// choose returns the script's values of the chosen items.
func (a *asker) choose(ctx context.Context, q *Question) ([]string, bool, error) {
	got, err := a.askUser(ctx, q)
	if err != nil {
		return nil, false, away(err)
	}
	values := []string{}
	for _, v := range got.Values {
		if c := q.Choice(v); c != nil {
			v = c.value
		}
		values = append(values, v)
	}
	return values, true, nil
}

// Choice returns the choice with a value; nil = there is none.
func (q *Question) Choice(value string) *Choice {
	for i := range q.Choices {
		if q.Choices[i].Value == value {
			return &q.Choices[i]
		}
	}
	return nil
}

// away returns the error of a dialog: ErrAway is not one.
func away(err error) error {
	if errors.Is(err, ErrAway) {
		return nil
	}
	return err
}
