// This file reads the tool calls of a model's reply.

package ask

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// ToolUse is a tool call as the model requested it; Invalid says what is wrong with its arguments.
type ToolUse struct {
	chat.ToolUse
	Invalid string
}

// partCall is a tool call that is arriving in pieces. Its id and name are final once it has begun.
type partCall struct {
	index    int
	id, name string
	kind     string // of the tool
	begun    bool   // it was announced
	args     words
}

// words is text that arrives in pieces: a piece may end in the middle of a character. Invalid UTF-8
// becomes U+FFFD, which every file and every provider accepts.
type words struct {
	strings.Builder
	rest string // the beginning of a character
}

// addWords adds a piece and returns the complete characters.
func (w *words) addWords(piece string) string {
	piece = w.rest + piece
	n := len(piece) - plain.Unfinished(piece)
	piece, w.rest = strings.ToValidUTF8(piece[:n], "\uFFFD"), piece[n:]
	w.WriteString(piece)
	return piece
}

// endWords returns the remaining incomplete character, replaced.
func (w *words) endWords() string {
	if w.rest == "" {
		return ""
	}
	w.rest = ""
	w.WriteString("\uFFFD")
	return "\uFFFD"
}

// validUTF8 returns s with invalid UTF-8 replaced.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// toolUses decodes the calls of a complete reply.
func toolUses(calls []*partCall, ids callIDs) []ToolUse {
	slices.SortStableFunc(calls, func(x, y *partCall) int { return x.index - y.index })
	uses := make([]ToolUse, 0, len(calls))
	for _, c := range calls {
		if !c.begun {
			c.id = ids.claim(c.id)
		}
		u := ToolUse{ToolUse: chat.ToolUse{ID: c.id, Tool: c.name}}
		var err error
		if u.Args, err = parseArgs(c.args.String()); err != nil {
			u.Args, u.Invalid = map[string]any{}, fmt.Sprintf("invalid arguments for %s: %v",
				c.name, err)
		}
		if c.name == "" {
			u.Invalid = "a tool call without the name of a tool"
		}
		uses = append(uses, u)
	}
	return uses
}

// callIDs makes ids of tool calls unique: some models omit or repeat them, and a result must find
// its call.
type callIDs struct {
	taken map[string]bool // of the session
	fresh func() string
}

// claim returns id if it is free, else a similar one that is.
func (ids callIDs) claim(id string) string {
	own := id
	for n := 2; own == "" || ids.taken[own]; n++ {
		if own = fmt.Sprintf("%s-%d", id, n); id == "" {
			own = "call_" + ids.fresh()
		}
	}
	ids.taken[own] = true
	return own
}

// rewritten applies a script's rewrite of uses. A call that keeps its id remains Invalid, unless
// its arguments were changed.
func rewritten(uses []ToolUse, calls []chat.ToolUse, ids callIDs) []ToolUse {
	old := map[string]ToolUse{}
	for _, u := range uses {
		old[u.ID] = u
	}
	out := make([]ToolUse, len(calls))
	for i, c := range calls {
		was, same := old[c.ID]
		delete(old, c.ID)
		if !same {
			c.ID = ids.claim(c.ID)
		}
		out[i].ToolUse = c
		if same && was.Tool == c.Tool && SameArgs(was.Args, c.Args) {
			out[i].Invalid = was.Invalid
		}
	}
	for id := range old {
		delete(ids.taken, id)
	}
	return out
}

// SameArgs reports whether two calls have the same arguments.
func SameArgs(x, y map[string]any) bool {
	return maps.EqualFunc(x, y, func(x, y any) bool { return reflect.DeepEqual(x, y) })
}

// parseArgs parses the JSON text of a call's arguments: an object; an empty text is an empty one.
func parseArgs(text string) (map[string]any, error) {
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return map[string]any{}, nil
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, fmt.Errorf("%w in %s", plain.Wrap(err), quoteEnd(text))
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("got %s, want an object", value.TypeName(v))
	}
	if _, err := value.Plain(m); err != nil {
		return nil, err
	}
	return m, nil
}

// quoteEnd returns the end of a text, where a cut-off part is missing.
func quoteEnd(text string) string {
	const most = 80
	if end := plain.Tail(text, most); len(end) < len(text) {
		return fmt.Sprintf("...%q", end)
	}
	return fmt.Sprintf("%q", text)
}
