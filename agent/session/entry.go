// This file defines what a session is made of, and how it is written down.
package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agentscripts/agent/engine"
)

// The types of entries.
const (
	TypeMessage = "message"
	TypeContext = "context"
	TypeEvent   = "event"
)

// Entry is one node of a session: exactly one of Message, Context and Event is set.
type Entry struct {
	ID     string
	Parent string // "" = the first entry
	Time   time.Time

	Message *engine.Message // its ID is the entry's
	Tool    *ToolRun        // how the result of a tool message came about; nil otherwise
	Context *Context
	Event   *Event
}

// ToolRun is what is worth keeping of a tool call besides the message that the model sees.
type ToolRun struct {
	Tool    string         // what ran, if scripts or the user made it another one; else ""
	Args    map[string]any // what it ran with, if that was changed; else nil
	Skipped string         // engine.Result.Skipped
	Details map[string]any
	Display *engine.Display
	ForUser string
	Silent  bool
	Trail   engine.Trail // read back without errors
}

// Lifetime says how long a context is sent to the model.
type Lifetime string

// The lifetimes of contexts. Source: EVENTS, column "may return".
const (
	ForSession Lifetime = "session"
	ForPrompt  Lifetime = "prompt"
	ForTurn    Lifetime = "turn"
)

// Context is a text that a script added for the model.
type Context struct {
	engine.Context
	Lifetime Lifetime
	Prompt   string // entry id of the prompt it belongs to, "" for ForSession
	Turn     int    // of that prompt, for ForTurn
}

// Event is something that happened and is not part of the conversation: how a prompt ended, say.
type Event struct {
	Name string
	Data map[string]any
}

// line is an entry, or the header, as it stands in the file. Every key is part of the format.
type line struct {
	Type    string    `json:"type"`
	Version int       `json:"version,omitempty"`
	ID      string    `json:"id"`
	Parent  string    `json:"parent,omitempty"`
	Time    time.Time `json:"time"`
	CWD     string    `json:"cwd,omitempty"`

	Role      string      `json:"role,omitempty"`
	Content   []blockLine `json:"content,omitempty"`
	Reasoning string      `json:"reasoning,omitempty"`
	ToolCalls []useLine   `json:"tool_calls,omitempty"`
	CallID    string      `json:"call_id,omitempty"`
	Tool      string      `json:"tool,omitempty"`
	IsError   bool        `json:"is_error,omitempty"`

	RanTool string         `json:"ran_tool,omitempty"`
	RanArgs map[string]any `json:"ran_args,omitempty"`
	Skipped string         `json:"skipped,omitempty"`
	Details map[string]any `json:"details,omitempty"`
	Display *displayLine   `json:"display,omitempty"`
	ForUser string         `json:"for_user,omitempty"`
	Silent  bool           `json:"silent,omitempty"`
	Trail   []stepLine     `json:"trail,omitempty"`

	Script   string   `json:"script,omitempty"`
	Text     string   `json:"text,omitempty"`
	Lifetime Lifetime `json:"lifetime,omitempty"`
	Prompt   string   `json:"prompt,omitempty"`
	Turn     int      `json:"turn,omitempty"`

	Name string         `json:"name,omitempty"`
	Data map[string]any `json:"data,omitempty"`
}

type blockLine struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	MimeType string `json:"mime_type,omitempty"`
	Data     string `json:"data,omitempty"`
}

type useLine struct {
	ID   string         `json:"id"`
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

type displayLine struct {
	Title string `json:"title,omitempty"`
	Kind  string `json:"kind,omitempty"`
	Lang  string `json:"lang,omitempty"`
	Text  string `json:"text,omitempty"`
}

type stepLine struct {
	Script   string `json:"script,omitempty"`
	Path     string `json:"path,omitempty"`
	Hash     string `json:"hash,omitempty"`
	Line     int    `json:"line,omitempty"`
	Event    string `json:"event"`
	Outcome  string `json:"outcome"`
	Reason   string `json:"reason,omitempty"`
	Duration int64  `json:"duration_us"`
}

// encode returns the entry as one line with its newline. What a script put into details or arguments may
// not be JSON (NaN): that must not lose the entry, so it is left out and named.
func encode(e *Entry) ([]byte, error) {
	l := toLine(e)
	b, err := marshal(l)
	if err != nil {
		l.Details, l.RanArgs = map[string]any{"not_json": err.Error()}, nil
		b, err = marshal(l)
	}
	return b, err
}

func marshal(l *line) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // one line: it escapes newlines, and ends with one
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func toLine(e *Entry) *line {
	l := &line{ID: e.ID, Parent: e.Parent, Time: e.Time}
	switch {
	case e.Message != nil:
		l.Type = TypeMessage
		l.setMessage(e.Message)
		l.setRun(e.Tool)
	case e.Context != nil:
		c := e.Context
		l.Type, l.Script, l.Text = TypeContext, c.Script, c.Text
		l.Lifetime, l.Prompt, l.Turn = c.Lifetime, c.Prompt, c.Turn
	case e.Event != nil:
		l.Type, l.Name, l.Data = TypeEvent, e.Event.Name, e.Event.Data
	}
	return l
}

func (l *line) setMessage(m *engine.Message) {
	l.Role, l.Reasoning, l.CallID, l.Tool, l.IsError = m.Role, m.Reasoning, m.CallID, m.Tool, m.IsError
	for _, b := range m.Content {
		l.Content = append(l.Content, blockLine(b))
	}
	for _, u := range m.ToolCalls {
		l.ToolCalls = append(l.ToolCalls, useLine(u))
	}
}

func (l *line) setRun(r *ToolRun) {
	if r == nil {
		return
	}
	l.RanTool, l.RanArgs, l.Skipped = r.Tool, r.Args, r.Skipped
	l.Details, l.ForUser, l.Silent = r.Details, r.ForUser, r.Silent
	if r.Display != nil {
		d := displayLine(*r.Display)
		l.Display = &d
	}
	for _, s := range r.Trail {
		l.Trail = append(l.Trail, stepLine{s.Script, s.Path, s.Hash, s.Line, s.Event, s.Outcome, s.Reason, s.Duration.Microseconds()})
	}
}

// decode reads one line, without its newline. A type that this version does not know is kept as an event,
// so that its place in the tree is not lost.
func decode(b []byte) (*Entry, error) {
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return nil, err
	}
	if l.ID == "" || l.Type == "" {
		return nil, fmt.Errorf("entry: got no id or type")
	}
	e := &Entry{ID: l.ID, Parent: l.Parent, Time: l.Time}
	switch l.Type {
	case TypeMessage:
		e.Message, e.Tool = l.message(), l.run()
	case TypeContext:
		e.Context = &Context{Context: engine.Context{Script: l.Script, Text: l.Text}, Lifetime: l.Lifetime, Prompt: l.Prompt, Turn: l.Turn}
	case TypeEvent:
		e.Event = &Event{Name: l.Name, Data: l.Data}
	default:
		e.Event = &Event{Name: l.Type}
	}
	return e, nil
}

func (l *line) message() *engine.Message {
	m := &engine.Message{ID: l.ID, Role: l.Role, Reasoning: l.Reasoning, CallID: l.CallID, Tool: l.Tool, IsError: l.IsError}
	for _, b := range l.Content {
		m.Content = append(m.Content, engine.Block(b))
	}
	for _, u := range l.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, engine.ToolUse(u))
	}
	return m
}

func (l *line) run() *ToolRun {
	if l.Role != "tool" {
		return nil
	}
	r := &ToolRun{Tool: l.RanTool, Args: l.RanArgs, Skipped: l.Skipped, Details: l.Details, ForUser: l.ForUser, Silent: l.Silent}
	if l.Display != nil {
		d := engine.Display(*l.Display)
		r.Display = &d
	}
	for _, s := range l.Trail {
		r.Trail = append(r.Trail, engine.Step{Script: s.Script, Path: s.Path, Hash: s.Hash, Line: s.Line, Event: s.Event,
			Outcome: s.Outcome, Reason: s.Reason, Duration: time.Duration(s.Duration) * time.Microsecond})
	}
	return r
}
