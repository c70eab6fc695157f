// This file converts a session for a screen.

package session

import (
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// ItemKind is the kind of an Item.
type ItemKind string

// The kinds of items.
const (
	ItemUser      ItemKind = "user"      // a text of the user
	ItemAssistant ItemKind = "assistant" // a message of the model, as the user saw it
	ItemTool      ItemKind = "tool"      // a tool call with its result
	ItemSummary   ItemKind = "summary"   // a compaction
	ItemEnd       ItemKind = "end"       // of a prompt; without Transcript only a premature one
	ItemEntry     ItemKind = "entry"     // an entry of a script's own kind; only in Transcript
)

// Item is an entry of a session as a screen shows it.
type Item struct {
	ID    string // of the entry; "" for a tool call without a result
	Kind  ItemKind
	Time  time.Time
	Label string

	Text      string // of the user, the model, the summary; why a prompt ended
	Reasoning string
	Images    []chat.Block // attached by the user
	Sender    string       // the script that sent a text of the user; "" = the user

	CallID string // of a tool call, or of the user's shell command
	Tool   string // the tool that ran, if any did
	// read, edit, execute, ...; "" = unknown. The session does not store it: the agent sets it
	ToolKind string
	Args     map[string]any
	Content  []chat.Block
	Details  map[string]any
	Display  *ui.Display
	ForUser  string
	Silent   bool
	IsError  bool
	Took     time.Duration
	Skipped  string // engine.Result.Skipped; "aborted" if there was no result

	// the call before scripts or the user changed it, nil = unchanged; for a message, only the
	// authors
	Rewritten       *engine.Rewrite
	ResultRewritten *engine.Rewrite // the authors of a changed result; the original is not stored
	// "answered by x.lua:3": the script that acted in place of the tool or of the user
	Why string

	Status string         // of ItemEnd: as in agent_end
	Used   map[string]any // of ItemEnd: usage, cost, turns and duration_ms, as in agent_end
	Custom *Custom        // of ItemEntry
}

// History returns the branch for a screen, in order. It contains the model's messages as the user
// saw them.
func (s *Session) History() []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history(false)
}

// Transcript is History with the entries of scripts, and with what each prompt has used.
func (s *Session) Transcript() []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := history{open: map[string]int{}, labels: s.tree.labels, entries: true}
	for _, e := range s.tree.branch {
		h.entry(e)
	}
	return h.items
}

// history includes hidden messages, without text, if hidden is set.
func (s *Session) history(hidden bool) []Item {
	h := history{open: map[string]int{}, labels: s.tree.labels, hidden: hidden}
	for _, e := range s.tree.branch {
		h.entry(e)
	}
	return h.items
}

type history struct {
	items   []Item
	open    map[string]int // indexes of the items of calls without a result yet
	labels  map[string]string
	hidden  bool
	entries bool
}

func (h *history) addEvent(e *Entry, i Item) {
	i.ID, i.Time, i.Label = e.ID, e.Time, h.labels[e.ID]
	h.items = append(h.items, i)
}

func (h *history) entry(e *Entry) {
	switch {
	case e.Compaction != nil:
		h.addEvent(e, Item{Kind: ItemSummary, Text: e.Compaction.ShownSummary()})
	case e.Event != nil:
		h.endPrompt(e)
	case e.Custom != nil:
		if h.entries {
			h.addEvent(e, Item{Kind: ItemEntry, Custom: e.Custom})
		}
	case e.Context != nil && e.Context.Tool != "":
		h.attached(e)
	case e.Message == nil:
	case e.Message.Role == "user":
		h.user(e)
	case e.Message.Role == "assistant":
		h.assistant(e)
	case e.Message.Role == "tool":
		h.result(e)
	}
}

func (h *history) user(e *Entry) {
	i := Item{Kind: ItemUser, CallID: e.Call, Sender: e.Sender, IsError: e.Message.IsError}
	if e.Tool != nil {
		i.Took = e.Tool.Took
	}
	for _, b := range e.Message.Content {
		if b.Type == "image" {
			i.Images = append(i.Images, b)
			continue
		}
		i.Text += b.Text
	}
	h.addEvent(e, i)
}

// attached adds the call that has read what the user attached.
func (h *history) attached(e *Entry) {
	_, text, _ := strings.Cut(e.Context.Text, "\n")
	h.addEvent(e, Item{Kind: ItemTool, CallID: e.ID, Tool: e.Context.Tool,
		Args: map[string]any{"path": e.Context.Path}, Content: chat.Text(text)})
}

func (h *history) assistant(e *Entry) {
	if text, thoughts := e.ShownText(), e.ShownThoughts(); text != "" || thoughts != "" ||
		h.hidden && e.rewritten() {
		i := Item{Kind: ItemAssistant, Text: text, Reasoning: thoughts}
		if len(e.RewrittenBy) > 0 {
			i.Rewritten = &engine.Rewrite{By: e.RewrittenBy}
		}
		h.addEvent(e, i)
	}
	clear(h.open)
	for _, u := range e.Message.ToolCalls {
		h.open[u.ID] = len(h.items)
		h.items = append(h.items, Item{Kind: ItemTool, Time: e.Time, CallID: u.ID, Tool: u.Tool,
			Args: u.Args, IsError: true, Skipped: "aborted"})
	}
}

func (h *history) result(e *Entry) {
	at, ok := h.open[e.Message.CallID]
	if !ok {
		return
	}
	delete(h.open, e.Message.CallID)
	i := &h.items[at]
	i.ID, i.Time, i.Label = e.ID, e.Time, h.labels[e.ID]
	i.Content, i.IsError, i.Skipped = e.Message.Content, e.Message.IsError, ""
	r := e.Tool
	if r == nil {
		return
	}
	i.Details, i.Display, i.ForUser, i.Silent, i.Skipped = r.Details, r.Display, r.ForUser,
		r.Silent, r.Skipped
	tool, args := i.Tool, i.Args
	if r.Tool != "" {
		i.Tool = r.Tool
	}
	if r.Args != nil {
		i.Args = r.Args
	}
	i.Rewritten = engine.RewriteOf(r.Trail, tool, args, i.Tool, i.Args)
	if by := r.Trail.Authors("tool_result"); len(by) > 0 {
		i.ResultRewritten = &engine.Rewrite{By: by}
	}
	i.Why, i.Took = because(r), r.Took
}

// because names the script that answered a call or, failing that, who allowed it.
func because(r *ToolRun) string {
	allowed, asked := "", false
	for _, s := range r.Trail {
		who := fault.Position{File: s.Script, Line: s.Line}.String()
		switch {
		case s.Outcome == "respond":
			return "answered by " + who
		case s.Outcome == "allow" && allowed == "":
			allowed = "allowed by " + who
		}
		asked = asked || s.Outcome == "ask"
	}
	if by := engine.UserApproval(r.Source); asked || by != "" { // then the user decided
		return by
	}
	return allowed
}

// endPrompt adds an item for the end of a prompt, unless the model completed it.
func (h *history) endPrompt(e *Entry) {
	status := value.Text(e.Event.Data, "status")
	if e.Event.Name != "agent_end" || status == "" || status == "completed" && !h.entries {
		return
	}
	h.addEvent(e, Item{Kind: ItemEnd, Status: status, Text: value.Text(e.Event.Data, "error"),
		Used: e.Event.Data})
}
