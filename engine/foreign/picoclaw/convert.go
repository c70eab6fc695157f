// This file converts messages, tools and tool calls to and from the form of OpenAI, in which
// picoclaw has them.

package picoclaw

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

// list is a list that is sent to a process. What comes back unchanged is taken from the engine's
// list, which knows more than the process gets: signatures, the kind of a tool.
type list struct {
	theirs []json.RawMessage
	ours   []any
	// convert converts an item that is not one of those that were sent
	convert func(back map[string]any) (any, error)
}

// addItem adds an item in both forms.
func (l *list) addItem(theirs map[string]any, ours any) error {
	line, err := encode(theirs) // sorted keys, so that items of the same content are equal
	l.theirs, l.ours = append(l.theirs, line), append(l.ours, ours)
	return err
}

// changed adds the list that came back to out, in the engine's form, if it was sent and differs.
func (l *list) changed(out map[string]any, key string, back map[string]any) error {
	if back[key] == nil {
		return nil
	}
	items, ok := back[key].([]any)
	if !ok {
		return fmt.Errorf("%s: got %s, want a list", key, value.TypeName(back[key]))
	}
	at := map[string][]int{} // the items that were sent and are not taken, by their content
	for i, line := range l.theirs {
		at[string(line)] = append(at[string(line)], i)
	}
	differ, list := len(items) != len(l.theirs), make([]any, len(items))
	for i, item := range items {
		line, err := encode(item)
		if same := at[string(line)]; err == nil && len(same) > 0 {
			at[string(line)] = same[1:]
			list[i], differ = l.ours[same[0]], differ || same[0] != i
			continue
		}
		differ = true
		if list[i], err = l.convert(table(item)); err != nil {
			return fmt.Errorf("%s[%d]: %w", key, i, err)
		}
	}
	if differ {
		out[key] = list
	}
	return nil
}

// sendMessages returns messages as a process gets them.
func sendMessages(v any) (*list, error) {
	messages, err := chat.DecodeMessages(v)
	if err != nil {
		return nil, fmt.Errorf("messages%w", err)
	}
	l := &list{theirs: []json.RawMessage{}, convert: func(back map[string]any) (any, error) {
		was := &chat.Message{}
		for _, m := range messages {
			if m.ID != "" && m.ID == back["id"] {
				was = m
			}
		}
		return changedMessage(was, back)
	}}
	for _, m := range messages {
		theirs := map[string]any{"role": m.Role, "content": textOf(m.Content)}
		for key, text := range map[string]string{"id": m.ID, "reasoning_content": m.Reasoning,
			"tool_call_id": m.CallID} {
			if text != "" {
				theirs[key] = text
			}
		}
		if media := mediaOf(m.Content); len(media) > 0 {
			theirs["media"] = media
		}
		if len(m.ToolCalls) > 0 {
			if theirs["tool_calls"], err = sendCalls(m.ToolCalls); err != nil {
				return nil, err
			}
		}
		if err := l.addItem(theirs, m); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// changedMessage returns a message that a process has changed or added, as scripts return it; was
// is the message that it was, empty if it is new. What it leaves out stays.
func changedMessage(was *chat.Message, back map[string]any) (any, error) {
	plain, err := value.Plain(was)
	if err != nil {
		return nil, err
	}
	out := table(plain)
	changed(out, nil, back, "id=id role=role reasoning_content=reasoning tool_call_id=call_id")
	if back["tool_calls"] != nil {
		if out["tool_calls"], err = receiveCalls(back["tool_calls"]); err != nil {
			return nil, fmt.Errorf("tool_calls%w", err)
		}
	}
	text, err := contentText(back)
	if err == nil {
		out["content"], err = withText(was.Content, text, back["media"])
	}
	if err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	return out, nil
}

// contentText returns the text of a message's content, which may be a list of parts, or null; nil
// if it has none.
func contentText(back map[string]any) (any, error) {
	content, has := back["content"]
	parts, ok := content.([]any)
	if !ok {
		if has && content == nil {
			content = ""
		}
		return content, nil
	}
	var texts []string
	for i, part := range parts {
		if table(part)["type"] != "text" {
			return nil, fmt.Errorf("[%d]: want a part of the type text; images are in media", i)
		}
		texts = append(texts, value.Text(table(part), "text"))
	}
	return strings.Join(texts, "\n"), nil
}

// sendCalls returns tool calls as a process gets them.
func sendCalls(uses []chat.ToolUse) ([]any, error) {
	calls := []any{}
	for _, u := range uses {
		plain, err := value.Plain(u.Args)
		if err != nil {
			return nil, err
		}
		args, err := json.Marshal(plain)
		if err != nil {
			return nil, err
		}
		calls = append(calls, map[string]any{"id": u.ID, "type": "function",
			"function": map[string]any{"name": u.Tool, "arguments": string(args)}})
	}
	return calls, nil
}

// receiveCalls returns tool calls as scripts return them. The error begins with ":" or "[i]".
func receiveCalls(back any) (any, error) {
	calls, ok := back.([]any)
	if !ok {
		return nil, fmt.Errorf(": got %s, want a list", value.TypeName(back))
	}
	uses := make([]any, len(calls))
	for i, call := range calls {
		function := table(table(call)["function"])
		args := function["arguments"]
		if text, ok := args.(string); ok { // it is usually JSON in a text
			args = nil
			if err := json.Unmarshal([]byte(text), &args); err != nil {
				return nil, fmt.Errorf("[%d].function.arguments: %w", i, err)
			}
		}
		use := map[string]any{"id": table(call)["id"], "tool": function["name"], "args": args}
		maps.DeleteFunc(use, func(_ string, v any) bool { return v == nil })
		uses[i] = use
	}
	return uses, nil
}

// sendTools returns tools as a process gets them.
func sendTools(v any) (*list, error) {
	plain, err := value.Plain(v)
	if err != nil {
		return nil, err
	}
	byName := map[any]map[string]any{}
	l := &list{theirs: []json.RawMessage{}, convert: func(back map[string]any) (any, error) {
		return changedTool(byName, table(back["function"]))
	}}
	tools, _ := plain.([]any)
	for _, tool := range tools {
		t := table(tool)
		if t == nil { // a handler has returned its name
			t = map[string]any{"name": tool}
		}
		byName[t["name"]] = t
		function := map[string]any{"name": t["name"]}
		changed(function, nil, t, "description=description schema=parameters")
		if err := l.addItem(map[string]any{"type": "function", "function": function},
			tool); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// changedTool returns a tool that a process has changed or added, as scripts return it. What it
// leaves out stays.
func changedTool(byName map[any]map[string]any, back map[string]any) (any, error) {
	name, ok := back["name"].(string)
	if !ok {
		return nil, fmt.Errorf(`a tool is {"type": "function", "function": {"name": "...", ` +
			`"description": "...", "parameters": {...}}}`)
	}
	out := map[string]any{"name": name, "schema": map[string]any{"type": "object"}}
	maps.Copy(out, byName[name])
	changed(out, nil, back, "description=description parameters=schema")
	if schema := table(out["schema"]); schema != nil && schema["type"] == nil {
		schema["type"] = "object"
	}
	return out, nil
}
