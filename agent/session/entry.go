// This file defines what a session is made of.

package session

import (
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// The types of entries.
const (
	TypeMessage    = "message"
	TypeContext    = "context"
	TypeEvent      = "event"
	TypeCustom     = "custom"
	TypeState      = "state"
	TypeUsage      = "usage"
	TypeCompaction = "compaction"
	TypeName       = "name"
	TypeLabel      = "label"
	TypeFork       = "fork"
)

// Entry is one node of a session: exactly one of Message, Context, Event, Custom, State, Usage,
// Compaction, Name, Label and Fork is set. Entries never change once they are in a session.
type Entry struct {
	ID     string
	Parent string // "" = the first entry, or a fork before it
	Time   time.Time

	Message *chat.Message // the model's words; its ID is the entry's
	// Shown and ShownReasoning are what the user saw of the message's text and reasoning; nil = the
	// very same.
	Shown, ShownReasoning *string
	// Hidden says that the user did not see the message at all; its tool calls were seen all the
	// same.
	Hidden bool
	// RewrittenBy are the handlers that changed what the model said, or what the user saw of it.
	RewrittenBy []engine.Author
	Tool        *ToolRun // how the result of a tool message came about; nil otherwise

	Context    *Context
	Event      *Event
	Custom     *Custom
	State      *State
	Usage      *Usage
	Compaction *Compaction
	Name       *Name
	Label      *Label
	Fork       *Fork

	// what stands in the conversation for a context or a compaction: the same one each time
	sent *chat.Message
}

// Type is one of the types of entries.
func (e *Entry) Type() string {
	switch {
	case e.Message != nil:
		return TypeMessage
	case e.Context != nil:
		return TypeContext
	case e.Custom != nil:
		return TypeCustom
	case e.State != nil:
		return TypeState
	case e.Usage != nil:
		return TypeUsage
	case e.Compaction != nil:
		return TypeCompaction
	case e.Name != nil:
		return TypeName
	case e.Label != nil:
		return TypeLabel
	case e.Fork != nil:
		return TypeFork
	}
	return TypeEvent
}

// ShownText is the text of the message as the user saw it; "" if it was hidden, or is none.
func (e *Entry) ShownText() string {
	switch {
	case e.Message == nil || e.Hidden:
		return ""
	case e.Shown != nil:
		return *e.Shown
	}
	return chat.PlainText(e.Message.Content)
}

// ShownThoughts is the reasoning of the message as the user saw it.
func (e *Entry) ShownThoughts() string {
	switch {
	case e.Message == nil || e.Hidden:
		return ""
	case e.ShownReasoning != nil:
		return *e.ShownReasoning
	}
	return e.Message.Reasoning
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

// The lifetimes of contexts. Source: docs/events.md, "The table".
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

// Custom is an entry of a script's own kind. It is not sent to the model.
type Custom struct {
	Kind string
	Data any // plain data
}

// State sets a value of a script's state; it holds for the entries behind it, so it follows the
// branch.
type State struct {
	Script, Key string
	Value       any // plain data; nil = deleted
}

// Usage is what one request to a model used.
type Usage struct {
	Purpose   string // one of chat.Purposes
	Model     string // provider/id
	AgentID   string // of the sub-agent that asked; "" = the main agent
	Tokens    chat.Usage
	Estimate  int      // about how many tokens it was together, where the server did not count them
	Cost      *float64 // US dollars; nil = unknown price
	ToolCalls int      // that the reply asked for
}

// Compaction replaces what stands before it by a summary, in what the model is sent; the entries
// stay.
type Compaction struct {
	Summary string
	Shown   *string // the summary as the user saw it; nil = the very same
	// id of the first message that is sent besides the summary; "" = those behind this entry
	KeepFrom string
	// Pinned is the id of a prompt that stands before KeepFrom and is sent all the same: it is
	// still worked on. "" = none.
	Pinned       string
	Cause        string // manual, threshold, overflow
	TokensBefore int
	TokensAfter  int // an estimate
	Dropped      int // messages that are no longer sent
	Kept         int // messages that are sent besides the summary
}

// ShownSummary is the summary as the user saw it.
func (c *Compaction) ShownSummary() string {
	if c.Shown != nil {
		return *c.Shown
	}
	return c.Summary
}

// Name names the session; the last one counts, on whatever branch.
type Name struct{ Name string }

// Label labels an entry; the last one counts, on whatever branch. "" takes the label away.
type Label struct{ Target, Text string }

// Fork begins a branch: the entries that follow it follow its parent. It says what its user chose.
type Fork struct {
	Target string // id of the entry that was chosen
	Before bool   // the branch begins before that entry, not behind it
}
