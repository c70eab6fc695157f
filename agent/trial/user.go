// This file simulates the user of a world, who gives only the answers that the test has prepared.

package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// approve is the dialog about a tool call, beside those of ext.ui.
const approve = "approve"

// dialogKinds returns the dialogs that a test can answer.
func dialogKinds() []string { return []string{approve, "confirm", "select", "input", "edit"} }

// user answers dialogs. Without a prepared answer, no one can answer.
type user struct {
	mu      sync.Mutex
	answers map[string][]any // by dialog, in order
	asked   []string         // questions since the last action
}

func newUser() *user { return &user{answers: map[string][]any{}} }

// lay prepares an answer to the next dialog of that kind without one. nil: the user leaves the
// dialog.
func (u *user) lay(dialog string, val any) error {
	switch val.(type) {
	case nil:
	case bool:
		if dialog != approve && dialog != "confirm" {
			return fmt.Errorf("value: got boolean, want text, or nothing if the user goes away")
		}
	default:
		if dialog == approve || dialog == "confirm" {
			return fmt.Errorf("value: got %s, want true or false", value.TypeName(val))
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answers[dialog] = append(u.answers[dialog], val)
	return nil
}

// left returns the kind of a prepared answer that was not used; "" = none.
func (u *user) left() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, kind := range dialogKinds() {
		if len(u.answers[kind]) > 0 {
			return kind
		}
	}
	return ""
}

// takeAnswer records a question and returns the answer to it.
func (u *user) takeAnswer(dialog, question string) (value any, there bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, question)
	laid := u.answers[dialog]
	if len(laid) == 0 {
		return nil, false
	}
	u.answers[dialog] = laid[1:]
	return laid[0], true
}

// questions returns the questions since the last call.
func (u *user) questions() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	asked := slices.Clone(u.asked)
	u.asked = nil
	return asked
}

// Approve implements engine.Approver.
func (u *user) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	var texts []string
	for _, a := range q.Asks {
		texts = append(texts, strings.TrimSuffix(a.Text+"\n"+a.Reason, "\n"))
	}
	value, there := u.takeAnswer(approve, strings.Join(texts, "\n"))
	yes, _ := value.(bool)
	if !there {
		return engine.Answer{Reason: "no answer was given: t.answer(\"approve\", true) says " +
			"yes"}, nil
	}
	return engine.Answer{Allow: yes}, nil
}

// Confirm implements ui.Dialogs.
func (u *user) Confirm(_ context.Context, d *ui.Dialog) (bool, error) {
	value, there := u.takeAnswer("confirm", d.Title)
	if !there {
		return false, ui.ErrHeadless
	}
	yes, _ := value.(bool)
	return yes, nil
}

// Select implements ui.Dialogs.
func (u *user) Select(_ context.Context, d *ui.Dialog) (string, bool, error) {
	value, ok, err := u.text("select", d)
	if err != nil || !ok {
		return "", false, err
	}
	var values []string
	for _, c := range d.Choices {
		values = append(values, c.Value)
	}
	if !d.Other && !slices.Contains(values, value) {
		return "", false, fmt.Errorf("the test answers %q, want one of %s%s", value,
			strings.Join(values, ", "), suggest.DidYouMean(value, values))
	}
	return value, true, nil
}

// Many implements ui.Dialogs: the values in the answer are separated by commas.
func (u *user) Many(_ context.Context, d *ui.Dialog) ([]string, bool, error) {
	text, ok, err := u.text("select", d)
	if err != nil || !ok {
		return nil, false, err
	}
	values := []string{}
	for _, v := range strings.Split(text, ",") {
		if v = strings.TrimSpace(v); v != "" {
			values = append(values, v)
		}
	}
	return values, true, nil
}

// Edit implements ui.Dialogs.
func (u *user) Edit(_ context.Context, d *ui.Dialog) (string, bool, error) {
	return u.text("edit", d)
}

// Input implements ui.Dialogs.
func (u *user) Input(_ context.Context, d *ui.Dialog) (string, bool, error) {
	return u.text("input", d)
}

func (u *user) text(kind string, d *ui.Dialog) (string, bool, error) {
	value, there := u.takeAnswer(kind, d.Title)
	if !there {
		return "", false, ui.ErrHeadless
	}
	text, ok := value.(string)
	return text, ok, nil
}
