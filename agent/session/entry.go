// This file defines the entries of a session.

package session

import (
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/ui"
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
	Parent string // "" = this is the first entry, or a fork before that
	Time   time.Time

	Message *chat.Message // the model's words; its ID is the entry's
	// Shown and ShownReasoning are what the user saw of the message's text and reasoning; nil =
	// unchanged.
	Shown, ShownReasoning *string
	// Hidden means that the user did not see the message at all, except its tool calls.
	Hidden bool
	// RewrittenBy are the handlers that changed the message, or what the user saw of it.
	RewrittenBy []engine.Author
	// Call is the id of the call of the user's shell command that the message tells of; "" = none.
	Call string
	// Sender is the script that sent a message of the user; "" = the user.
	Sender string
	// Tool is how the result of a tool message was produced or, with Call, what the command took;
	// nil otherwise.
	Tool *ToolRun

	Context    *Context
	Event      *Event
	Custom     *Custom
	State      *State
	Usage      *Usage
	Compaction *Compaction
	Name       *Name
	Label      *Label
	Fork       *Fork

	// the cached message of a context or a compaction
	sent *chat.Message
}

// Type returns one of the types of entries.
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

// ShownText returns the text of the message as the user saw it; "" if it was hidden, or there is
// none.
func (e *Entry) ShownText() string {
	switch {
	case e.Message == nil || e.Hidden:
		return ""
	case e.Shown != nil:
		return *e.Shown
	}
	return chat.PlainText(e.Message.Content)
}

// ShownThoughts returns the reasoning of the message as the user saw it.
func (e *Entry) ShownThoughts() string {
	switch {
	case e.Message == nil || e.Hidden:
		return ""
	case e.ShownReasoning != nil:
		return *e.ShownReasoning
	}
	return e.Message.Reasoning
}

// ToolRun is additional data about a tool call that the model does not see.
type ToolRun struct {
	Tool    string         // the tool that ran, if it was replaced; else ""
	Args    map[string]any // the arguments, if they were changed; else nil
	Skipped string         // engine.Result.Skipped
	Source  string         // engine.Result.Source, if the user allowed it
	Took    time.Duration  // in milliseconds
	Details map[string]any
	Display *ui.Display
	ForUser string
	Silent  bool
	Trail   engine.Trail // read back without errors
}

// Lifetime is how long a context is sent to the model.
type Lifetime string

// The lifetimes of contexts. Source: docs/events.md, "The table".
const (
	ForSession Lifetime = "session"
	ForPrompt  Lifetime = "prompt"
	ForTurn    Lifetime = "turn"
)

// Context is a text that a script, or the agent, added for the model.
type Context struct {
	engine.Context
	Lifetime Lifetime
	Prompt   string // entry id of the prompt it belongs to, "" for ForSession
	Turn     int    // of that prompt, for ForTurn

	// of a file or directory that the user attached: the tool that has read it, and its path
	Tool, Path string
}

// Event is an event outside of the conversation, such as the end of a prompt.
type Event struct {
	Name string
	Data map[string]any
}

// Custom is an entry of a script's own kind. It is not sent to the model.
type Custom struct {
	Kind string
	Data any // plain data
}

// State sets a value of a script's state for the entries after it, so that the state depends on the
// branch.
type State struct {
	Script, Key string
	Value       any // plain data; nil = deleted
}

// Usage is the usage of one request to a model.
type Usage struct {
	Purpose   string // one of chat.Purposes
	Model     string // provider/id
	AgentID   string // of the sub-agent that made it; "" = the main agent
	Tokens    chat.Usage
	Estimate  int      // estimated total of tokens, if the server did not count them
	Cost      *float64 // US dollars; nil = unknown price
	ToolCalls int      // in the reply
}

// Compaction replaces the entries before it by a summary, in requests to the model; the entries are
// kept.
type Compaction struct {
	Summary string
	Shown   *string // the summary as the user saw it; nil = unchanged
	// id of the first message after the summary; "" = those after this entry
	KeepFrom string
	// Pinned is the id of a prompt before KeepFrom that is sent as well, because it is in progress.
	// "" = none.
	Pinned       string
	Cause        string // manual, threshold, overflow
	TokensBefore int
	TokensAfter  int // an estimate
	Dropped      int // messages that are no longer sent
	Kept         int // messages that are sent in addition to the summary
}

// ShownSummary returns the summary as the user saw it.
func (c *Compaction) ShownSummary() string {
	if c.Shown != nil {
		return *c.Shown
	}
	return c.Summary
}

// Name names the session; the last one on any branch counts.
type Name struct{ Name string }

// Label labels an entry; the last one on any branch counts. "" removes the label.
type Label struct{ Target, Text string }

// Fork begins a branch: it is the predecessor of the entries after it. It records the user's
// choice.
type Fork struct {
	Target string // id of the chosen entry
	Before bool   // the branch begins before that entry, not after it
}
