// This file defines the verbs, the keys of an outcome that are not payload fields, as the rows of
// one table.

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// verb is a key that handlers may return: how it is parsed, recorded, and combined with the
// decisions of earlier handlers.
type verb struct {
	value.Field
	set func(o *Outcome, row *event.Row, v any) error // v has the type of Field
	// step is its name in a trail, "" if it is not recorded; given reports whether o has it.
	step  string
	given func(o *Outcome) bool
	// add adds it to the verdict; nil if it is part of another verb.
	add func(v *Verdict, h *Handler, o *Outcome)
	// told returns the values of this key in the verdict: one for each handler that counts.
	told func(v *Verdict) []any
	// beside lists the verbs with which it may be returned, if the row permits one of them; {""}
	// means any key.
	beside []string
	// undecided: it is not a decision that can have a reason.
	undecided bool
}

// verbs are in the order of precedence for naming an outcome in a trail. The row without a name
// stands for payload fields.
var verbs = []verb{
	{Field: field("block", "boolean", "true: refuse it; then all other keys except notify are "+
		"ignored"),
		step:  "block",
		told:  func(v *Verdict) []any { return onlyIf(v.Blocked, true) },
		set:   func(o *Outcome, _ *event.Row, v any) error { o.Block = v.(bool); return nil },
		given: func(o *Outcome) bool { return o.Block },
		add: func(v *Verdict, h *Handler, o *Outcome) {
			v.Blocked, v.Reason, v.By = true,
				o.Reason, h
		}},
	{Field: field("ask", "string",
		"a question to the user, in every permission mode; if no one can answer, the call is "+
			"refused"), step: "ask",
		told: func(v *Verdict) []any { return ofAsks(v, func(a *Ask) any { return a.Text }) },
		set: func(o *Outcome, _ *event.Row, v any) error {
			o.Ask = v.(string)
			return nonEmpty("ask", o.Ask, "the question")
		},
		given: func(o *Outcome) bool { return o.Ask != "" },
		add:   func(v *Verdict, h *Handler, o *Outcome) { v.Asks = append(v.Asks, h.asks(*o)) }},
	{Field: field("abort", "string",
		`"prompt" ends the prompt with an error at once; "agent" also forgets what waits, and `+
			`ends sub-agents`), step: "abort",
		told:  func(v *Verdict) []any { return onlyIf(v.Abort != "", v.Abort) },
		set:   setAbort,
		given: func(o *Outcome) bool { return o.Abort != "" },
		add: func(v *Verdict, h *Handler, o *Outcome) {
			v.Abort, v.Reason, v.By = o.Abort,
				o.Reason, h
		}},
	{Field: field("respond", "any",
		"the result instead of the event's; for a tool call, as a tool's run returns "+
			"it"), step: "respond",
		told:  func(v *Verdict) []any { return onlyIf(v.Answerer != nil, v.Respond) },
		set:   setRespond,
		given: func(o *Outcome) bool { return o.Responds },
		add: func(v *Verdict, h *Handler, o *Outcome) {
			if v.Answerer == nil {
				v.Respond, v.Answerer = o.Respond, h
			}
		}},
	{Field: field("handled", "boolean", "true: the handler has handled it, and no model request "+
		"is made"),
		step:  "handled",
		told:  func(v *Verdict) []any { return onlyIf(v.Handled, true) },
		set:   func(o *Outcome, _ *event.Row, v any) error { o.Handled = v.(bool); return nil },
		given: func(o *Outcome) bool { return o.Handled },
		add: func(v *Verdict, h *Handler, o *Outcome) {
			v.Handled, v.Reason, v.By = true,
				o.Reason, h
		}},
	{Field: field("stop", "boolean", "true: running calls end, and no further model request is "+
		"made"),
		step:  "stop",
		told:  func(v *Verdict) []any { return onlyIf(v.Stop, true) },
		set:   func(o *Outcome, _ *event.Row, v any) error { o.Stop = v.(bool); return nil },
		given: func(o *Outcome) bool { return o.Stop },
		add: func(v *Verdict, h *Handler, o *Outcome) {
			if !v.Stop {
				v.Stop, v.Reason, v.By = true, o.Reason, h
			}
		}},
	{Field: field("continue_with", "string",
		"a message with which the model continues, at most 8 times in a row"), step: "continue",
		told: func(v *Verdict) []any { return onlyIf(v.Continue != "", v.Continue) },
		set: func(o *Outcome, _ *event.Row, v any) error {
			o.Continue = v.(string)
			return nonEmpty("continue_with", o.Continue, "a message with which the model continues")
		},
		given: func(o *Outcome) bool { return o.Continue != "" },
		add: func(v *Verdict, _ *Handler, o *Outcome) {
			if v.Continue == "" {
				v.Continue = o.Continue
			}
		}},
	{Field: field("summary", "string", "used instead of a model's summary"),
		step: "summary",
		told: func(v *Verdict) []any {
			if v.Summary == nil {
				return nil
			}
			return []any{*v.Summary}
		},
		set: func(o *Outcome, _ *event.Row,
			v any) error {
			s := v.(string)
			o.Summary = &s
			return nil
		},
		given: func(o *Outcome) bool { return o.Summary != nil },
		add: func(v *Verdict, _ *Handler, o *Outcome) {
			if v.Summary == nil {
				v.Summary = o.Summary
			}
		}},
	{Field: field("extend", "number", "the amount by which the limit is raised"), step: "extend",
		told:  func(v *Verdict) []any { return onlyIf(v.Extend > 0, v.Extend) },
		set:   setExtend,
		given: func(o *Outcome) bool { return o.Extend > 0 },
		add: func(v *Verdict, _ *Handler, o *Outcome) {
			if v.Extend == 0 {
				v.Extend = o.Extend
			}
		}},
	{step: "rewrite", given: func(o *Outcome) bool { return len(o.Changes) > 0 }},
	{Field: field("allow", "boolean",
		"true: skips the permission mode's question (needs the grant permission.allow); guards, "+
			"rules and questions of handlers still apply"), step: "allow",
		told:  func(v *Verdict) []any { return onlyIf(v.Allowed != nil, true) },
		set:   func(o *Outcome, _ *event.Row, v any) error { o.Allow = v.(bool); return nil },
		given: func(o *Outcome) bool { return o.Allow },
		add: func(v *Verdict, h *Handler, _ *Outcome) {
			if v.Allowed == nil {
				v.Allowed = h
			}
		}},
	{Field: field("context", "string", "an additional text for the model, with the script's name"),
		step: "context", undecided: true,
		told: func(v *Verdict) (texts []any) {
			for _, c := range v.Contexts {
				texts = append(texts, c.Text)
			}
			return texts
		},
		set:   func(o *Outcome, _ *event.Row, v any) error { o.Context = v.(string); return nil },
		given: func(o *Outcome) bool { return o.Context != "" },
		add: func(v *Verdict, h *Handler, o *Outcome) {
			v.Contexts = append(v.Contexts, Context{h.ScriptName(), o.Context})
		}},
	{Field: field("reason", "string",
		"the reason, for the model, or for the user if no tool is called"), undecided: true,
		beside: []string{"block", "ask", "stop", "allow"},
		told:   (*Verdict).reasons,
		set:    func(o *Outcome, _ *event.Row, v any) error { o.Reason = v.(string); return nil }},
	{Field: field("detail", "table", "shown in the dialog of ask"), beside: []string{"ask"},
		told: func(v *Verdict) []any {
			return ofAsks(v, func(a *Ask) any {
				if a.Detail == nil {
					return nil
				}
				return a.Detail
			})
		},
		set: func(o *Outcome, _ *event.Row,
			v any) error {
			o.Detail = v.(map[string]any)
			return nil
		}},
	{Field: field("notify", "string|table", "shown to the user: text, or {text, level}"),
		undecided: true,
		beside:    []string{""},
		set:       func(o *Outcome, _ *event.Row, v any) error { return o.setNotify(v) }},
}

func field(name, typ, doc string) value.Field {
	return value.Field{Name: name, Type: typ, Doc: doc}
}

// verbNamed returns the verb with the given key.
var verbNamed = func() map[string]*verb {
	named := map[string]*verb{}
	for i := range verbs {
		if verbs[i].Name != "" {
			named[verbs[i].Name] = &verbs[i]
		}
	}
	return named
}()

// Verbs describes the keys that handlers may return besides payload fields.
func Verbs() []value.Field {
	var fields []value.Field
	for i := range verbs {
		if verbs[i].Name != "" {
			fields = append(fields, verbs[i].Field)
		}
	}
	return fields
}

// verbOf returns the verb with the given key for the row, nil if there is none: some verbs
// (context, messages) are names of payload fields elsewhere.
func verbOf(row *event.Row, key string) *verb {
	v := verbNamed[key]
	if v == nil || key == "reason" {
		return v
	}
	if _, field := value.FieldNamed(row.Payload, key); field {
		return nil
	}
	return v
}

// comesWith reports whether the verb is permitted together with another one that the row permits.
func (v *verb) comesWith(row *event.Row) bool {
	for _, other := range v.beside {
		if other == "" || slices.Contains(row.Returns, other) {
			return true
		}
	}
	return false
}

// verb names an outcome for the trail. It does not allocate for zero outcomes, which are most.
func (o *Outcome) verb() string {
	if !o.decided {
		return "pass"
	}
	decided := *o
	for i := range verbs {
		if v := &verbs[i]; v.step != "" && v.given(&decided) {
			return v.step
		}
	}
	return "pass"
}

// addVerbs adds h's decision to the verdict. If it blocks, the rest of its outcome is ignored.
func (v *Verdict) addVerbs(h *Handler, o *Outcome) {
	for i := range verbs {
		if verb := &verbs[i]; verb.add != nil && verb.given(o) {
			verb.add(v, h, o)
			if o.Block {
				return
			}
		}
	}
}

// Table returns the verdict in the form in which a handler would return it. Texts of several
// handlers are joined as lines; other values of several handlers are a list.
func (v *Verdict) Table() map[string]any {
	table := map[string]any{}
	for i := range verbs {
		verb := &verbs[i]
		if verb.told == nil {
			continue
		}
		switch values := verb.told(v); {
		case len(values) == 1:
			table[verb.Name] = values[0]
		case len(values) > 1 && verb.Type == "string":
			lines := make([]string, len(values))
			for i, value := range values {
				lines[i] = value.(string)
			}
			table[verb.Name] = strings.Join(lines, "\n")
		case len(values) > 1:
			table[verb.Name] = values
		}
	}
	return table
}

// reasons returns the reasons of the verdict: of its decision or, without one, of the questions or
// of skipping the routine question.
func (v *Verdict) reasons() []any {
	if v.Reason != "" {
		return []any{v.Reason}
	}
	reasons := ofAsks(v, func(a *Ask) any {
		if a.Reason == "" {
			return nil
		}
		return a.Reason
	})
	if len(reasons) > 0 || v.Allowed == nil {
		return reasons
	}
	for _, s := range v.Trail {
		if s.Outcome == "allow" && s.Reason != "" {
			return []any{s.Reason}
		}
	}
	return nil
}

// onlyIf returns a list of value, empty unless there is true.
func onlyIf(there bool, value any) []any {
	if !there {
		return nil
	}
	return []any{value}
}

// ofAsks returns the results of get for each question, without nil.
func ofAsks(v *Verdict, get func(a *Ask) any) (list []any) {
	for i := range v.Asks {
		if value := get(&v.Asks[i]); value != nil {
			list = append(list, value)
		}
	}
	return list
}

func nonEmpty(key, text, want string) error {
	if text == "" {
		return fmt.Errorf("returned %s: got \"\", want %s", key, want)
	}
	return nil
}

func setAbort(o *Outcome, _ *event.Row, v any) error {
	if o.Abort = v.(string); o.Abort != "prompt" && o.Abort != "agent" {
		return fmt.Errorf("returned abort: got %q, want \"prompt\" or \"agent\"", o.Abort)
	}
	return nil
}

func setRespond(o *Outcome, row *event.Row, v any) error {
	if row.Respond != nil {
		if err := row.Respond(v); err != nil {
			return fmt.Errorf("returned respond: %w", err)
		}
	}
	o.Respond, o.Responds = v, true
	return nil
}

func setExtend(o *Outcome, _ *event.Row, v any) error {
	if o.Extend = v.(float64); o.Extend <= 0 {
		return fmt.Errorf("returned extend: got %v, want a number above 0", o.Extend)
	}
	return nil
}

func (o *Outcome) setNotify(v any) error {
	n, err := ui.DecodeNotice(v)
	if err != nil {
		return fmt.Errorf("returned notify%w", err)
	}
	o.Notify = n
	return nil
}
