// This file formats records as text: who decided about a call, and why.

package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

// versionLen is how many digits of a version's hash are shown.
const versionLen = 12

// longestCall is how long before the decision about a call it is recorded what the sandbox refused:
// the record of the decision is written when the call has ended.
const longestCall = 24 * time.Hour

// Why returns in words who decided about the call of a record of the log in dir, and why, and what
// the sandbox refused to the call, as lines of text.
func Why(dir string, r *Record) (string, error) {
	text, err := r.decided()
	if err != nil {
		return "", err
	}
	c, err := r.Call()
	if err != nil || c.ID == "" {
		return text, err
	}
	refused, err := Read(dir, Query{Kind: Fence, Session: r.Session, Call: c.ID,
		Since: r.Time.Add(-longestCall)})
	for _, one := range refused {
		at, err := one.Call()
		if err != nil {
			continue
		}
		for _, refusal := range at.Refusals {
			text += "\n" + plain.Text("  "+refusal.words())
		}
	}
	return text, err
}

// decided returns in words who decided about the call, and why.
func (r *Record) decided() (string, error) {
	if r.Kind != Decision {
		return "", fmt.Errorf("record %d is a %s, not a decision", r.N, r.Kind)
	}
	c, err := r.Call()
	if err != nil {
		return "", fmt.Errorf("record %d: %w", r.N, err)
	}
	w := &words{}
	w.line("%s %s: %s", c.Tool, c.ID, c.verdict())
	w.line("  %s, session %s, agent %s, permission mode %s, called by %s",
		r.Time.Local().Format("2006-01-02 15:04:05"), or(r.Session, "-"), or(c.Agent, "main"),
		or(c.Mode, "-"), or(c.Origin, "-"))
	switch {
	case c.Before != nil:
		tool := or(c.Before.Tool, c.Tool)
		args := c.Before.Args
		if args == nil {
			args = c.Args
		}
		w.line("  asked for: %s %s", tool, compact(args))
		w.line("  became:    %s %s", c.Tool, compact(c.Args))
	default:
		w.line("  asked for: %s %s", c.Tool, compact(c.Args))
	}
	if c.Rule != "" {
		w.line("  rule: %s %s", c.Ruling, c.Rule)
	}
	if len(c.Steps) == 0 {
		w.line("  no script took part")
	}
	for i, s := range c.Steps {
		w.line("  %d. %s", i+1, s.words())
	}
	if c.Lifted != "" {
		w.line("  by the user's yes, the sandbox let it %s", c.Lifted)
	}
	if c.Told != "" {
		w.line("  the model was told: %s", plain.Line(c.Told, 500))
	}
	return strings.TrimSuffix(w.String(), "\n"), nil
}

// verdict says how the call ended, and who decided.
func (c *Call) verdict() string {
	who := c.who()
	switch {
	case !c.Allowed:
		return "did not run: " + who
	case c.IsError:
		return "ran and failed; it was allowed: " + who
	}
	return "ran: " + who
}

// deciders describe the sources of decisions.
var deciders = map[string]string{
	"yolo":          "the permission mode yolo allows all calls that no guard or rule stops",
	"mode":          "the permission mode decided",
	"session_allow": "the user had allowed it for the session",
	"rule_allow":    "a rule of the user allows it",
	"rule_deny":     "a rule of the user denies it",
	"read_only":     "it only reads, and no script asked about it",
	"only_reads":    "its programs only read, and the sandbox lets them do nothing else",
	"user_once":     "the user said yes",
	"user_session":  "the user said yes, for the whole session",
	"user_always":   "the user said yes, always",
	"user_rejected": "the user said no",
	"cancelled":     "it was cancelled",
	"sandbox":       "the sandbox would refuse what it does",
	"headless":      "it needed approval in a non-interactive run",
	"unknown":       "there is no such tool",
	"invalid":       "its arguments do not fit the tool",
}

// Decider says in words who decided, by the source of the decision as in the event tool_approval.
func Decider(source string) string {
	switch source {
	case "script", "guard":
		return "a " + source + " decided"
	}
	if text, ok := deciders[source]; ok {
		return text
	}
	return or(source, "no guard, rule or user decided about it")
}

func (c *Call) who() string {
	switch c.By {
	case "script", "guard":
		for i := len(c.Steps) - 1; i >= 0; i-- {
			if s := c.Steps[i]; s.Script != "" && s.Outcome != "pass" {
				return s.place() + " decided (" + outcome(s.Outcome) + ")"
			}
		}
	}
	if _, ok := deciders[c.By]; ok {
		return Decider(c.By) + c.askers()
	}
	return Decider(c.By)
}

// askers returns the scripts whose guards asked the user: " (guard.lua:3 had asked)".
func (c *Call) askers() string {
	var names []string
	for _, s := range c.Steps {
		if s.Script != "" && s.Outcome == "ask" && !slices.Contains(names, s.place()) {
			names = append(names, s.place())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + " had asked)"
}

// words describes a step: "guard.lua:12 (version 3fa2c1d0e4b5), guard: blocked it: no push".
func (s *Step) words() string {
	var b strings.Builder
	b.WriteString(s.place())
	if s.Version != "" {
		b.WriteString(" (version " + plain.Head(s.Version, versionLen) + ")")
	}
	fmt.Fprintf(&b, ", %s: %s", s.Event, outcome(s.Outcome))
	if len(s.Changed) > 0 {
		b.WriteString(" " + strings.Join(s.Changed, ", "))
	}
	if s.Reason != "" {
		b.WriteString(": " + plain.Line(s.Reason, 300))
	}
	if s.Error != "" && !strings.HasSuffix(s.Reason, s.Error) {
		b.WriteString(": " + plain.Line(s.Error, 300))
	}
	if s.Script != "" {
		fmt.Fprintf(&b, " (%s)", time.Duration(s.US*1e3).Round(time.Microsecond))
	}
	return b.String()
}

// words describes a refusal: "the sandbox refused to read /p/.env: guard.lua:3 (version
// 3fa2c1d0e4b5), reads **/.env".
func (r *Refusal) words() string {
	text := "the sandbox refused to " + r.Verb + " " + r.What
	switch {
	case r.Guard != "":
		text += ": " + fault.Position{File: r.Guard, Line: r.Line}.String()
		if r.Version != "" {
			text += " (version " + plain.Head(r.Version, versionLen) + ")"
		}
		_, filter, _ := strings.Cut(r.Why, ", ")
		return text + ", " + filter
	case r.Why != "":
		text += ": " + r.Why
	}
	return text
}

// place returns "guard.lua:12", or "the user" for a step without a script.
func (s *Step) place() string {
	if s.Script == "" {
		return "the user"
	}
	return fault.Position{File: s.Script, Line: s.Line}.String()
}

// outcome describes an outcome.
func outcome(o string) string {
	switch o {
	case "pass":
		return "let it pass"
	case "block":
		return "blocked it"
	case "ask":
		return "asked the user"
	case "allow":
		return "allowed it"
	case "rewrite":
		return "changed"
	case "respond":
		return "answered instead of the tool"
	case "error":
		return "failed"
	}
	return o
}

// Line returns a record as one line.
func (r *Record) Line() string {
	at := r.Time.Local().Format("2006-01-02 15:04:05")
	c, err := r.Call()
	if err != nil {
		return fmt.Sprintf("%s %s: %s", at, r.Kind, err)
	}
	if r.Kind == Decision {
		return plain.Line(fmt.Sprintf("%s %s %s %s: %s", at, c.ID, c.Tool, compact(c.Args),
			c.verdict()), 300)
	}
	return plain.Line(at+" "+r.Kind+" "+r.summary(), 300)
}

// Brief returns a decision as a line for those who know which script it is about: how the call
// ended comes before its arguments, which may be long.
func (r *Record) Brief() string {
	c, err := r.Call()
	if err != nil {
		return r.Line()
	}
	return plain.Line(fmt.Sprintf("%s %s %s: %s", r.Time.Local().Format("01-02 15:04:05"), c.Tool,
		c.verdict(), compact(c.Args)), 300)
}

// summary describes a record that is not a decision.
func (r *Record) summary() string {
	var d struct {
		Script, Cause, Version, Handler, File, Message string
		Line, Count                                    int
		Grants                                         []string
		KeptPrevious                                   bool `json:"kept_previous"`
		Refused, Call, Tool, Replaced                  string
		Decision, Path, SHA256, Source, Why            string
		From                                           []string
	}
	err := json.Unmarshal(r.Data, &d)
	if err == nil && d.Refused != "" {
		who := "a program"
		switch {
		case d.Call != "":
			who = d.Tool + " " + d.Call
		case d.Script != "":
			who = "a program of " + d.Script
		}
		return "the sandbox refused " + who + " to " + d.Refused
	}
	if err == nil && d.Replaced != "" {
		return d.Replaced
	}
	if err == nil && d.Decision != "" && d.Path != "" { // of Trust
		text := d.Decision + " " + d.Path
		if d.Source != "" {
			d.From = append(d.From, d.Source)
		}
		if len(d.From) > 0 {
			text += " from " + strings.Join(d.From, ", ")
		}
		if d.SHA256 != "" {
			text += " (version " + plain.Head(d.SHA256, versionLen) + ")"
		}
		text += mayUse(d.Grants)
		if d.Why != "" {
			text += ": " + d.Why
		}
		return text
	}
	if err != nil || d.Script == "" {
		return string(r.Data)
	}
	text := d.Script
	switch r.Kind {
	case Load, Unload:
		text += " (" + d.Cause + ", version " + plain.Head(d.Version, versionLen) + ")" +
			mayUse(d.Grants)
	case Lost:
		text += fmt.Sprintf(" failed %d more times", d.Count)
	case Failure:
		where := fault.Position{File: d.File, Line: d.Line}.String()
		text += " at " + d.Handler + ": " + where + ": " + d.Message
		if d.KeptPrevious {
			text += " (the last good version stays in force)"
		}
	}
	return text
}

// mayUse names grants after the script that has them; "" if there are none.
func mayUse(grants []string) string {
	if len(grants) == 0 {
		return ""
	}
	return ", may use " + strings.Join(grants, ", ")
}

// JSON returns the line of the record in the log.
func (r *Record) JSON() ([]byte, error) {
	return json.Marshal(struct {
		*Record
		Hash string `json:"hash"`
	}{r, r.Hash})
}

type words struct{ strings.Builder }

func (w *words) line(format string, args ...any) {
	w.WriteString(plain.Text(fmt.Sprintf(format, args...)) + "\n")
}

func compact(args map[string]any) string {
	b, err := plain.JSON(args, "")
	if err != nil || len(args) == 0 {
		return ""
	}
	return plain.Line(string(b), 500)
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
