// This file parses the return value of a handler, strictly by its event's row.

package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// Outcome is the decision of one handler. The zero Outcome means: go on.
type Outcome struct {
	Block, Allow, Handled, Stop bool
	Reason, Ask, Abort, Context string
	Detail                      map[string]any
	Respond                     any
	Responds                    bool
	Notify                      *ui.Notice
	Continue                    string   // agent_before_end: text with which the model continues
	Summary                     *string  // session_before_compact: replaces the model's
	Extend                      float64  // limit_reached: the additional amount
	Changes                     []Change // fields returned under their own names

	decided bool // set if it is not the zero Outcome
}

// Change is a new value for a payload field.
type Change struct {
	Key   string
	Value any
}

// OutcomeKeys lists the keys that handlers of the row may return.
func OutcomeKeys(row *event.Row) []string {
	if len(row.Returns) == 0 {
		return nil
	}
	keys := append([]string(nil), row.Returns...)
	for i := range verbs {
		if v := &verbs[i]; v.comesWith(row) && !slices.Contains(keys, v.Name) {
			keys = append(keys, v.Name)
		}
	}
	return keys
}

// OutcomeField describes what handlers of the row may return under a key: a payload field, or a
// verb.
func OutcomeField(row *event.Row, key string) value.Field {
	if f, ok := value.FieldNamed(row.Payload, key); ok && verbOf(row, key) == nil {
		return f
	}
	f := value.Field{Name: key}
	if v := verbNamed[key]; v != nil {
		f = v.Field
	}
	if key == "context" {
		f.Doc += lifetimes[row.Lifetime]
	}
	return f
}

// lifetimes describe how long a context stays, by event.Row.Lifetime.
var lifetimes = map[string]string{
	event.ForSession: "; it stays in the session",
	event.ForPrompt:  "; it stays until the prompt ends",
	event.ForTurn:    "; it applies to this model call only",
}

// CheckOutcome returns the error in an outcome that a script registers instead of a function.
func CheckOutcome(row *event.Row, outcome map[string]any) error {
	if len(outcome) == 0 {
		return errors.New("got an empty table, want one such as {block = true, reason = \"...\"}")
	}
	_, err := decodeOutcome(row, outcome)
	return err
}

// decodeOutcome parses a handler's return value. nil and false mean go on; anything that is not a
// table with permitted keys and right types is an error that says what to return instead.
func decodeOutcome(row *event.Row, v any) (Outcome, error) {
	var o Outcome
	switch t := v.(type) {
	case nil:
		return o, nil
	case bool:
		if !t {
			return o, nil
		}
		return o, fmt.Errorf(
			"returned true, want nil or a table such as {block = true, reason = \"...\"}")
	case map[string]any:
		return decodeTable(row, t)
	case []any:
		if len(t) == 0 {
			return o, nil
		}
	}
	return o, fmt.Errorf(
		"returned a %s, want nil or a table such as {block = true, reason = \"...\"}",
		value.TypeName(v))
}

func decodeTable(row *event.Row, t map[string]any) (Outcome, error) {
	var o Outcome
	if len(t) == 0 {
		return o, nil
	}
	o.decided = true
	permitted := OutcomeKeys(row)
	if permitted == nil {
		return o, fmt.Errorf("returned a table, but %s can only be observed: return nothing",
			row.Name)
	}
	for _, key := range value.SortedKeys(t) {
		if !slices.Contains(permitted, key) {
			return o, unknownKey(row, key, permitted)
		}
		v := t[key]
		if key != "messages" { // only in messages may a message be kept as itself
			v = chat.Plain(v)
		}
		if err := o.setKey(row, key, v); err != nil {
			return o, err
		}
		if err := value.CheckJSON(v); err != nil {
			return o, fmt.Errorf("returned %s%w", key, err)
		}
		if err := value.CheckSize(v); err != nil {
			return o, fmt.Errorf("returned %s: %w", key, err)
		}
	}
	if o.Reason != "" && !decides(t) {
		return o, fmt.Errorf(
			"returned a reason without a decision: add block = true or ask = \"...\"")
	}
	if o.Detail != nil && t["ask"] == nil {
		return o, fmt.Errorf("returned detail without ask = \"...\", whose dialog would show it")
	}
	return o, nil
}

// decides reports whether t contains a decision that can have a reason; block = false counts.
func decides(t map[string]any) bool {
	for k, v := range t {
		if verb := verbNamed[k]; v != nil && (verb == nil || !verb.undecided) {
			return true
		}
	}
	return false
}

func unknownKey(row *event.Row, key string, permitted []string) error {
	if verbNamed[key] != nil {
		return fmt.Errorf("returned %q, which %s does not permit; permitted: %s", key, row.Name,
			strings.Join(permitted, ", "))
	}
	if _, field := value.FieldNamed(row.Payload, key); field {
		return fmt.Errorf("returned %q, which cannot be changed in %s; permitted: %s", key,
			row.Name, strings.Join(permitted, ", "))
	}
	return fmt.Errorf("returned unknown key %q%s; permitted: %s", key,
		suggest.DidYouMeanFor(suggest.ForeignReturn, key, permitted), strings.Join(permitted, ", "))
}

func (o *Outcome) setKey(row *event.Row, key string, v any) error {
	verb := verbOf(row, key)
	if verb == nil {
		return o.change(row, key, v)
	}
	if v == nil { // ext.null or null: treated as absent
		if key == "respond" {
			return fmt.Errorf("respond: got null, want an answer")
		}
		return nil
	}
	v, err := value.CheckType(verb.Type, v)
	if err != nil {
		return fmt.Errorf("returned %s: %w", key, err)
	}
	return verb.set(o, row, v)
}

func (o *Outcome) change(row *event.Row, key string, v any) error {
	f, ok := value.FieldNamed(row.Payload, key)
	if !ok { // a bug in the table: a permitted key that is neither verb nor field
		return fmt.Errorf("returned %q, which %s does not have", key, row.Name)
	}
	if _, ok := v.(chat.MessageList); !ok { // it is a list already, and must stay itself
		var err error
		if v, err = value.CheckType(f.Type, v); err != nil {
			return fmt.Errorf("returned %s: %w", key, err)
		}
	}
	if s, ok := v.(string); ok && len(f.Values) > 0 && !slices.Contains(f.Values, s) {
		return fmt.Errorf("returned %s: got %q, want one of %s%s", key, s,
			strings.Join(f.Values, ", "), suggest.DidYouMean(s, f.Values))
	}
	if key == "content" || key == "images" {
		if err := chat.CheckBlocks(key, v); err != nil {
			return fmt.Errorf("returned %w", err)
		}
	}
	if f.Check != nil {
		if err := f.Check(v); err != nil {
			return fmt.Errorf("returned %s%w", key, err)
		}
	}
	o.Changes = append(o.Changes, Change{key, v})
	return nil
}
