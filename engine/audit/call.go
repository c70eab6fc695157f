// This file defines the record of a decision about a tool call.

package audit

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/redact"
)

// Call is the data of a decision.
type Call struct {
	ID      string         `json:"call,omitempty"`
	Tool    string         `json:"tool,omitempty"`
	Args    map[string]any `json:"args,omitempty"`   // final; long values are shortened
	Before  *Before        `json:"before,omitempty"` // absent: no handler rewrote the call
	Origin  string         `json:"origin,omitempty"` // model, user, script:NAME, ...
	Agent   string         `json:"agent,omitempty"`  // main, or the kind of the sub-agent
	Mode    string         `json:"mode,omitempty"`   // permission mode
	CWD     string         `json:"cwd,omitempty"`
	Allowed bool           `json:"allowed"`
	By      string         `json:"by,omitempty"`    // as in the event tool_approval
	Cause   string         `json:"cause,omitempty"` // as in the event tool_skipped
	Told    string         `json:"told,omitempty"`  // the text for the model after a refusal
	Ruling  string         `json:"ruling,omitempty"`
	Rule    string         `json:"rule,omitempty"`
	IsError bool           `json:"is_error,omitempty"`
	Steps   []Step         `json:"steps,omitempty"`

	Lifted string `json:"lifted,omitempty"` // what the sandbox let it do, by the user's yes

	// Script is the script of a record of another kind.
	Script string `json:"script,omitempty"`
	// Refusals is what the sandbox refused to a program of the call, or of the script: see Fence.
	Refusals []Refusal `json:"refusals,omitempty"`
}

// Refusal is something that the sandbox refused to a program.
type Refusal struct {
	Verb    string `json:"verb"` // read, write, reach, make
	What    string `json:"what"` // a path, a host, "the network" or "a namespace"
	Why     string `json:"why,omitempty"`
	Guard   string `json:"guard,omitempty"` // the script whose guard forbids it
	Line    int    `json:"line,omitempty"`
	Version string `json:"version,omitempty"`
	Glob    string `json:"glob,omitempty"`
	Rule    string `json:"rule,omitempty"` // the user's rule that forbids it
}

// Refused records what the sandbox refused to a program. Secrets are masked when it is written.
func (l *Log) Refused(session string, c *Call, mask *redact.Mask) {
	l.AddLazy(Fence, session, func() any {
		for i := range c.Refusals {
			r := &c.Refusals[i]
			r.What, r.Why, r.Rule = mask.Text(r.What), mask.Text(r.Why), mask.Text(r.Rule)
		}
		data := map[string]any{"refused": c.refusedWords(), "refusals": c.Refusals}
		for key, v := range map[string]string{"call": c.ID, "tool": c.Tool, "script": c.Script} {
			if v != "" {
				data[key] = v
			}
		}
		return data
	})
}

// refusedWords returns "write /a, to read /b (guard.lua:3, reads **/b)".
func (c *Call) refusedWords() string {
	all := make([]string, len(c.Refusals))
	for i, r := range c.Refusals {
		if all[i] = r.Verb + " " + r.What; r.Why != "" {
			all[i] += " (" + r.Why + ")"
		}
	}
	return strings.Join(all, ", to ")
}

// Before is a call before handlers rewrote it.
type Before struct {
	Tool string         `json:"tool,omitempty"` // "" = not changed
	Args map[string]any `json:"args,omitempty"` // absent: not changed
}

// Step is the outcome of one handler; without a script, of the user or the engine.
type Step struct {
	Script  string   `json:"script,omitempty"`
	Path    string   `json:"path,omitempty"`
	Version string   `json:"version,omitempty"` // SHA-256 of the script's bytes
	Line    int      `json:"line,omitempty"`
	Event   string   `json:"event"`
	Outcome string   `json:"outcome"`
	Reason  string   `json:"reason,omitempty"`
	Changed []string `json:"changed,omitempty"`
	US      float64  `json:"us"` // microseconds
	Error   string   `json:"error,omitempty"`
}

// Decided records a decision. Secrets are masked when it is written.
func (l *Log) Decided(d engine.Decision, mask *redact.Mask) {
	session := ""
	if d.Env != nil {
		session = d.Env.SessionID
	}
	l.AddLazy(Decision, session, func() any { return Describe(d.Masked(mask)) })
}

// recorded maps the events that are recorded to the kinds of their records.
var recorded = map[string]string{"script_load": Load, "script_unload": Unload,
	"script_error": Failure}

// Hears selects the events that Heard records.
func Hears() event.Interest {
	return func(name string) bool { return recorded[name] != "" }
}

// Heard records an event of the stream if it is about loading, unloading or failing of a script. Of
// many failures of a script in a minute, it counts the later ones only.
func (l *Log) Heard(ev *event.Event) {
	kind := recorded[ev.Name()]
	if kind == "" {
		return
	}
	session := ""
	if env := ev.Env(); env != nil {
		session = env.SessionID
	}
	if kind == Failure && !l.takeFailure(ev.Text("script"), session) {
		return
	}
	l.AddLazy(kind, session, func() any { return payload(ev) })
}

// payload returns the fields of ev without the envelope.
func payload(ev *event.Event) map[string]any {
	m := map[string]any{}
	for _, f := range ev.Row().Payload {
		if v, ok := ev.Get(f.Name); ok {
			m[f.Name] = v
		}
	}
	return m
}

// Describe returns a decision as the log stores it.
func Describe(d engine.Decision) *Call {
	c := &Call{ID: d.CallID, Tool: d.Tool, Args: d.Args, Origin: d.Origin, Allowed: d.Allowed,
		By: d.By, Cause: d.Cause, Told: d.Told, Ruling: d.Ruling, Rule: d.Rule, IsError: d.IsError,
		Lifted: d.Lifted}
	if d.Env != nil {
		c.Agent, c.Mode, c.CWD = d.Env.Agent, string(d.Env.Permission), d.Env.CWD
	}
	if b := d.Before; b != nil {
		c.Before = &Before{b.Tool, b.Args}
	}
	for _, s := range d.Trail {
		step := Step{Script: s.Script, Path: s.Path, Version: s.Hash, Line: s.Line, Event: s.Event,
			Outcome: s.Outcome, Reason: s.Reason, Changed: s.Changed,
			US: float64(s.Duration.Nanoseconds()) / 1e3}
		if s.Error != nil {
			step.Error = s.Error.Message
		}
		c.Steps = append(c.Steps, step)
	}
	return c
}

// Call returns the data of a decision. For records of other kinds, at most Script is set.
func (r *Record) Call() (*Call, error) {
	var c Call
	if err := json.Unmarshal(r.Data, &c); err != nil {
		return nil, err
	}
	return &c, nil
}

// names reports whether the script took part in c.
func (c *Call) names(script string) bool {
	return option.NamesScript(script, c.Script) || slices.ContainsFunc(c.Steps,
		func(s Step) bool { return option.NamesScript(script, s.Script) }) ||
		slices.ContainsFunc(c.Refusals,
			func(r Refusal) bool { return option.NamesScript(script, r.Guard) })
}
