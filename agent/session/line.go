// This file defines the format of the file: one JSON object per line.

package session

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

// line is an entry, or the header, in the file. Every key is part of the format, and type comes
// first.
type line struct {
	Type    string `json:"type"`
	Version int    `json:"version,omitempty"`
	PID     int    `json:"pid,omitempty"` // of the process that writes from here on
	ID      string `json:"id,omitempty"`
	// entry; in the header: the session of the parent agent
	Parent string    `json:"parent,omitempty"`
	Time   time.Time `json:"time"`
	CWD    string    `json:"cwd,omitempty"`
	From   string    `json:"from,omitempty"` // id of the session that this one is a copy of

	Role      string        `json:"role,omitempty"`
	Hidden    bool          `json:"hidden,omitempty"`
	Content   []blockLine   `json:"content,omitempty"`   // as the user saw it
	Reasoning string        `json:"reasoning,omitempty"` // as the user saw it
	Original  *originalLine `json:"original,omitempty"`  // the model's words, if they differ
	ToolCalls []useLine     `json:"tool_calls,omitempty"`
	Own       *ownLine      `json:"own,omitempty"`
	CallID    string        `json:"call_id,omitempty"`
	Tool      string        `json:"tool,omitempty"`
	IsError   bool          `json:"is_error,omitempty"`

	RanTool string         `json:"ran_tool,omitempty"`
	RanArgs map[string]any `json:"ran_args,omitempty"`
	Skipped string         `json:"skipped,omitempty"`
	Source  string         `json:"source,omitempty"`
	Took    int64          `json:"duration_ms,omitempty"`
	Details map[string]any `json:"details,omitempty"`
	Display *displayLine   `json:"display,omitempty"`
	ForUser string         `json:"for_user,omitempty"`
	Silent  bool           `json:"silent,omitempty"`
	Trail   []stepLine     `json:"trail,omitempty"`
	By      []authorLine   `json:"rewritten_by,omitempty"`

	Script   string   `json:"script,omitempty"`
	Text     string   `json:"text,omitempty"`
	Lifetime Lifetime `json:"lifetime,omitempty"`
	Prompt   string   `json:"prompt,omitempty"`
	Turn     int      `json:"turn,omitempty"`
	Path     string   `json:"path,omitempty"`

	Name string          `json:"name,omitempty"`
	Kind string          `json:"kind,omitempty"`
	Key  string          `json:"key,omitempty"`
	Data json.RawMessage `json:"data,omitempty"` // absent = nil

	Purpose string     `json:"purpose,omitempty"`
	Model   string     `json:"model,omitempty"`
	AgentID string     `json:"agent_id,omitempty"`
	Usage   *usageLine `json:"usage,omitempty"`
	About   int        `json:"estimate,omitempty"`
	Cost    *float64   `json:"cost,omitempty"`
	Calls   int        `json:"calls,omitempty"`

	Summary      string `json:"summary,omitempty"` // as the user saw it
	KeepFrom     string `json:"keep_from,omitempty"`
	Pinned       string `json:"pinned,omitempty"`
	Cause        string `json:"cause,omitempty"`
	TokensBefore int    `json:"tokens_before,omitempty"`
	TokensAfter  int    `json:"tokens_after,omitempty"`
	Dropped      int    `json:"dropped,omitempty"`
	Kept         int    `json:"kept,omitempty"`

	Target string `json:"target,omitempty"`
	Before bool   `json:"before,omitempty"`
}

// originalLine holds the model's words; absent fields are as the user saw them.
type originalLine struct {
	Content   *[]blockLine `json:"content,omitempty"`
	Reasoning *string      `json:"reasoning,omitempty"`
	Summary   *string      `json:"summary,omitempty"`
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

// ownLine is data that only the provider of the message understands.
type ownLine struct {
	Provider string          `json:"provider"`
	Data     json.RawMessage `json:"data"`
}

type displayLine struct {
	Title string `json:"title,omitempty"`
	Kind  string `json:"kind,omitempty"`
	Lang  string `json:"lang,omitempty"`
	Text  string `json:"text,omitempty"`
}

type usageLine struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
}

type authorLine struct {
	Script  string   `json:"script,omitempty"`
	Line    int      `json:"line,omitempty"`
	Changed []string `json:"changed,omitempty"`
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

	Changed []string `json:"changed,omitempty"`
}

// encode returns the entry as one line with its newline. Values that a script put into details,
// arguments or data may be invalid in JSON (NaN): they are dropped with a note, so that the entry
// is not lost.
func encode(e *Entry) ([]byte, error) { return encodeFor(e, true) }

// encodeFor is encode, with the model's words or only with what the user saw of them.
func encodeFor(e *Entry, original bool) ([]byte, error) {
	l := toLine(e)
	if !original {
		l.Original = nil
	}
	b, err := marshal(l)
	if err != nil {
		l.Details, l.RanArgs, l.Data = map[string]any{"not_json": plain.Error(err)}, nil, nil
		b, err = marshal(l)
	}
	return b, err
}

func marshal(l *line) ([]byte, error) {
	b, err := plain.JSON(l, "") // one line: it escapes newlines
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// toData returns v as JSON; nil is omitted. It replaces an invalid value by a note.
func toData(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"not_json": plain.Error(err)})
	}
	return b
}

func toLine(e *Entry) *line {
	l := &line{Type: e.Type(), ID: e.ID, Parent: e.Parent, Time: e.Time}
	switch {
	case e.Message != nil:
		l.setMessage(e)
		l.setRun(e.Tool)
	case e.Context != nil:
		c := e.Context
		l.Script, l.Text, l.Lifetime, l.Prompt, l.Turn = c.Script, c.Text, c.Lifetime, c.Prompt,
			c.Turn
		l.Tool, l.Path = c.Tool, c.Path
	case e.Event != nil:
		l.Name = e.Event.Name
		if e.Event.Data != nil {
			l.Data = toData(e.Event.Data)
		}
	case e.Custom != nil:
		l.Kind, l.Data = e.Custom.Kind, toData(e.Custom.Data)
	case e.State != nil:
		l.Script, l.Key, l.Data = e.State.Script, e.State.Key, toData(e.State.Value)
	case e.Usage != nil:
		u := e.Usage
		t := usageLine(u.Tokens)
		l.Purpose, l.Model, l.AgentID, l.Usage, l.Cost, l.Calls = u.Purpose, u.Model, u.AgentID, &t,
			u.Cost, u.ToolCalls
		l.About = u.Estimate
	case e.Compaction != nil:
		c := e.Compaction
		if c.Shown != nil {
			l.Original = &originalLine{Summary: &c.Summary}
		}
		l.Summary, l.KeepFrom, l.Pinned, l.Cause = c.ShownSummary(), c.KeepFrom, c.Pinned, c.Cause
		l.TokensBefore, l.TokensAfter, l.Dropped, l.Kept = c.TokensBefore, c.TokensAfter, c.Dropped,
			c.Kept
	case e.Name != nil:
		l.Name = e.Name.Name
	case e.Label != nil:
		l.Target, l.Text = e.Label.Target, e.Label.Text
	case e.Fork != nil:
		l.Target, l.Before = e.Fork.Target, e.Fork.Before
	}
	return l
}

// setMessage stores what the user saw under the usual keys, and the model's words separately.
func (l *line) setMessage(e *Entry) {
	m := e.Message
	l.Role, l.Reasoning, l.CallID, l.Tool, l.IsError, l.Hidden = m.Role, m.Reasoning, m.CallID,
		m.Tool, m.IsError, e.Hidden
	if e.Call != "" {
		l.CallID = e.Call
	}
	l.Script = e.Sender
	l.Content = toBlockLines(m.Content)
	for _, a := range e.RewrittenBy {
		l.By = append(l.By, authorLine(a))
	}
	if shown := e.ShownText(); e.Hidden || e.Shown != nil {
		content := l.Content
		l.Original = &originalLine{Content: &content}
		if l.Content = nil; shown != "" {
			l.Content = []blockLine{{Type: "text", Text: shown}}
		}
	}
	if shown := e.ShownThoughts(); shown != m.Reasoning || e.ShownReasoning != nil {
		if l.Original == nil {
			l.Original = &originalLine{}
		}
		l.Original.Reasoning, l.Reasoning = &m.Reasoning, shown
	}
	for _, u := range m.ToolCalls {
		l.ToolCalls = append(l.ToolCalls, useLine(u))
	}
	if m.Own != nil && json.Valid(m.Own.Data) {
		l.Own = &ownLine{m.Own.Provider, m.Own.Data}
	}
}

func toBlockLines(blocks []chat.Block) []blockLine {
	var out []blockLine
	for _, b := range blocks {
		out = append(out, blockLine(b))
	}
	return out
}

func (l *line) setRun(r *ToolRun) {
	if r == nil {
		return
	}
	l.RanTool, l.RanArgs, l.Skipped, l.Source = r.Tool, r.Args, r.Skipped, r.Source
	l.Details, l.ForUser, l.Silent = r.Details, r.ForUser, r.Silent
	l.Took = r.Took.Milliseconds()
	if r.Display != nil {
		d := displayLine(*r.Display)
		l.Display = &d
	}
	for _, s := range r.Trail {
		l.Trail = append(l.Trail, stepLine{s.Script, s.Path, s.Hash, s.Line, s.Event, s.Outcome,
			s.Reason, s.Duration.Microseconds(), s.Changed})
	}
}

// decode parses one line into l, which may hold an earlier one. Entries share no memory with it.
func (l *line) decode(b []byte) error {
	*l = line{}
	if err := json.Unmarshal(b, l); err != nil {
		return err
	}
	if l.Type == "" || l.ID == "" && l.Type != typeOpen {
		return errors.New("entry: got no id or type")
	}
	return nil
}

// entry returns the entry of the line. An unknown type becomes an event, so that its place in the
// tree is not lost.
func (l *line) entry() *Entry {
	e := &Entry{ID: l.ID, Parent: l.Parent, Time: l.Time}
	switch l.Type {
	case TypeMessage:
		l.message(e)
		e.Tool = l.run()
	case TypeContext:
		e.Context = &Context{Context: engine.Context{Script: l.Script, Text: l.Text},
			Lifetime: l.Lifetime, Prompt: l.Prompt, Turn: l.Turn, Tool: l.Tool,
			Path: l.Path}
	case TypeEvent:
		data, _ := l.data().(map[string]any)
		e.Event = &Event{Name: l.Name, Data: data}
	case TypeCustom:
		e.Custom = &Custom{Kind: l.Kind, Data: l.data()}
	case TypeState:
		e.State = &State{Script: l.Script, Key: l.Key, Value: l.data()}
	case TypeUsage:
		e.Usage = &Usage{Purpose: l.Purpose, Model: l.Model, AgentID: l.AgentID, Estimate: l.About,
			Cost: l.Cost, ToolCalls: l.Calls}
		if l.Usage != nil {
			e.Usage.Tokens = chat.Usage(*l.Usage)
		}
	case TypeCompaction:
		e.Compaction = &Compaction{Summary: l.Summary, KeepFrom: l.KeepFrom, Pinned: l.Pinned,
			Cause:        l.Cause,
			TokensBefore: l.TokensBefore, TokensAfter: l.TokensAfter, Dropped: l.Dropped,
			Kept: l.Kept}
		if shown := l.Summary; l.Original != nil && l.Original.Summary != nil {
			e.Compaction.Shown, e.Compaction.Summary = &shown, *l.Original.Summary
		}
	case TypeName:
		e.Name = &Name{l.Name}
	case TypeLabel:
		e.Label = &Label{l.Target, l.Text}
	case TypeFork:
		e.Fork = &Fork{l.Target, l.Before}
	default:
		e.Event = &Event{Name: l.Type}
	}
	return e
}

// data decodes the data; it is valid JSON, because the line was.
func (l *line) data() any {
	if len(l.Data) == 0 {
		return nil
	}
	var v any
	_ = json.Unmarshal(l.Data, &v)
	return v
}

// message decodes the message: the model's words into Message, and what the user saw instead into
// the other fields.
func (l *line) message(e *Entry) {
	m := &chat.Message{ID: l.ID, Role: l.Role, Reasoning: l.Reasoning, CallID: l.CallID,
		Tool: l.Tool, IsError: l.IsError, Content: toBlocks(l.Content)}
	e.Message, e.Hidden = m, l.Hidden
	if m.Role == "user" {
		e.Call, m.CallID, e.Sender = l.CallID, "", l.Script
	}
	for _, a := range l.By {
		e.RewrittenBy = append(e.RewrittenBy, engine.Author(a))
	}
	for _, u := range l.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, chat.ToolUse(u))
	}
	if l.Own != nil {
		m.Own = &chat.ProviderData{Provider: l.Own.Provider, Data: l.Own.Data}
	}
	if o := l.Original; o != nil && o.Content != nil {
		if shown := chat.PlainText(m.Content); !l.Hidden {
			e.Shown = &shown
		}
		m.Content = toBlocks(*o.Content)
	}
	if o := l.Original; o != nil && o.Reasoning != nil {
		if shown := l.Reasoning; !l.Hidden {
			e.ShownReasoning = &shown
		}
		m.Reasoning = *o.Reasoning
	}
}

func toBlocks(lines []blockLine) []chat.Block {
	var out []chat.Block
	for _, b := range lines {
		out = append(out, chat.Block(b))
	}
	return out
}

func (l *line) run() *ToolRun {
	if l.Role != "tool" && (l.Role != "user" || l.CallID == "") {
		return nil
	}
	r := &ToolRun{Tool: l.RanTool, Args: l.RanArgs, Skipped: l.Skipped, Details: l.Details,
		ForUser: l.ForUser, Silent: l.Silent, Source: l.Source,
		Took: time.Duration(l.Took) * time.Millisecond}
	if l.Display != nil {
		d := ui.Display(*l.Display)
		r.Display = &d
	}
	for _, s := range l.Trail {
		r.Trail = append(r.Trail, engine.Step{Script: s.Script, Path: s.Path, Hash: s.Hash,
			Line: s.Line, Event: s.Event,
			Outcome: s.Outcome, Reason: s.Reason, Changed: s.Changed,
			Duration: time.Duration(s.Duration) * time.Microsecond})
	}
	return r
}
