// This file sends updates about tool calls.

package acp

import (
	"path/filepath"
	"reflect"
	"strings"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// resultShown is how many bytes of a result are sent to the client: more than people read in a
	// panel.
	resultShown = 64 << 10
	// outputShown is how much of a running tool's output each update contains: its end.
	outputShown = 4 << 10
	// outputEvery is the interval of these updates: people cannot follow more than a few screens of
	// text a second.
	outputEvery = 200 * time.Millisecond
	// titleShown is how many characters of a tool's arguments the title contains.
	titleShown = 120
)

// call is a running tool call.
type call struct {
	args   map[string]any
	output string    // the end of its output
	told   time.Time // when the output was last sent
}

// callID returns the client's id of a call: those of sub-agents have their own numbers.
func callID(id string, env *event.Envelope) protocol.ToolCallId {
	if env != nil && env.Depth > 0 {
		id = env.AgentID + ":" + id
	}
	return protocol.ToolCallId(id)
}

// tool handles an event of a tool call. Called under mu.
func (v *view) tool(ev *event.Event) {
	id := callID(ev.Text("call_id"), ev.Env())
	c := v.calls[string(id)]
	if c == nil {
		if ev.Name() == "tool_output" {
			return
		}
		c = &call{args: plainArgs(ev.Field("args"))}
		if v.calls == nil {
			v.calls = map[string]*call{}
		}
		v.calls[string(id)] = c
		v.part = ""
		v.sendUpdate(v.t.start(id, ev.Env(), ev.Text("tool"), ev.Text("kind"), c.args))
	}
	switch ev.Name() {
	case "tool_start":
		opts := []protocol.ToolCallUpdateOpt{protocol.WithUpdateStatus(
			protocol.ToolCallStatusInProgress)}
		// the arguments were rewritten, or edited
		if args := plainArgs(ev.Field("args")); !reflect.DeepEqual(args, c.args) {
			c.args = args
			name, _ := title(v.t.p.Engine.Scripts.Snapshot().Tool(ev.Text("tool")), ev.Env(),
				ev.Text("tool"), args)
			opts = append(opts, protocol.WithUpdateRawInput(args),
				protocol.WithUpdateTitle(name),
				protocol.WithUpdateLocations(v.t.locations(ev.Text("tool"), args)))
		}
		v.sendUpdate(protocol.UpdateToolCall(id, opts...))
	case "tool_output":
		c.addPart(ev.Text("chunk"))
		if ev.Time().Sub(c.told) >= outputEvery {
			c.told = ev.Time()
			v.sendUpdate(protocol.UpdateToolCall(id,
				protocol.WithUpdateContent(asText(fenced(plain.Text(c.output), "")))))
		}
	case "tool_skipped":
		v.close(id, protocol.ToolCallStatusFailed, asText(plain.Text(refusal(ev))), nil)
	case "tool_result":
		status := protocol.ToolCallStatusCompleted
		if failed, _ := ev.Field("is_error").(bool); failed {
			status = protocol.ToolCallStatusFailed
		}
		r := readResult(ev)
		told := append(rewriteText(engine.DecodeRewrite(ev.Field("rewritten"))),
			rewriteText(engine.DecodeRewrite(ev.Field("result_rewritten")))...)
		v.close(id, status, append(told, r.content(v.t.path(ev.Text("tool"), c.args))...), r.raw())
	}
}

// close reports the end of a call.
func (v *view) close(id protocol.ToolCallId, status protocol.ToolCallStatus,
	content []protocol.ToolCallContent, raw any) {
	delete(v.calls, string(id))
	v.part = ""
	if content == nil {
		content = []protocol.ToolCallContent{} // replaces the output shown while it ran
	}
	v.sendUpdate(protocol.UpdateToolCall(id, protocol.WithUpdateStatus(status),
		protocol.WithUpdateContent(content), protocol.WithUpdateRawOutput(raw)))
}

func (c *call) addPart(chunk string) {
	c.output = plain.Tail(c.output+chunk, outputShown)
}

// start announces a call that is new to the client.
func (t *thread) start(id protocol.ToolCallId, env *event.Envelope, tool, kind string,
	args map[string]any) protocol.SessionUpdate {
	spec := t.p.Engine.Scripts.Snapshot().Tool(tool)
	name, _ := title(spec, env, tool, args)
	return protocol.SessionUpdate{ToolCall: &protocol.SessionUpdateToolCall{ToolCallId: id,
		Title: name, Kind: kindOf(spec, kind),
		Status: protocol.ToolCallStatusPending, Locations: t.locations(tool, args), RawInput: args}}
}

func plainArgs(v any) map[string]any {
	p, err := value.Plain(v)
	if err != nil {
		return nil
	}
	args, _ := p.(map[string]any)
	return args
}

// kindOf converts a tool's kind to the protocol's.
func kindOf(spec *engine.Tool, kind string) protocol.ToolKind {
	switch {
	case spec != nil && spec.Subject != nil && spec.Subject.Kind == subject.URL:
		return protocol.ToolKindFetch
	case kind == "read" || kind == "edit" || kind == "execute" || kind == "search":
		return protocol.ToolKind(kind)
	}
	return protocol.ToolKindOther
}

// title describes a call: "Edit a.txt"; for bash the command itself, for tools without a title the
// name and arguments. whole reports whether the title contains all of the arguments.
func title(spec *engine.Tool, env *event.Envelope, tool string, args map[string]any) (text string,
	whole bool) {
	text = plain.Text(tool)
	said := spec.Title(args, clip)
	switch {
	case said.About == "":
	case said.Verb != "":
		text = said.Verb + " " + said.About
	case said.Declared:
		text = said.About
	default:
		text += ": " + said.About
	}
	if env != nil && env.Depth > 0 {
		text = "[" + plain.Text(env.Agent) + "] " + text
	}
	return text, said.Whole
}

// clip shortens an argument to one line; whole reports whether that is all of it.
func clip(text string) (line string, whole bool) {
	text = strings.TrimSpace(plain.Text(text))
	if line = plain.Chars(plain.FirstLine(text), titleShown); line != text {
		return line + " …", false
	}
	return text, true
}

// path returns the absolute path of the file that a call is about; "" = none.
func (t *thread) path(tool string, args map[string]any) string {
	var s *subject.Subject
	if spec := t.p.Engine.Scripts.Snapshot().Tool(tool); spec != nil {
		s = spec.Subject
	}
	switch path := s.PathIn(args); {
	case path == "" || strings.ContainsRune(path, 0):
		return ""
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	default:
		return filepath.Join(t.dir, path)
	}
}

func (t *thread) locations(tool string, args map[string]any) []protocol.ToolCallLocation {
	path := t.path(tool, args)
	if path == "" {
		return nil
	}
	at := protocol.ToolCallLocation{Path: path}
	if n, ok := value.Number(args["offset"]); ok && n >= 1 {
		at.Line = protocol.Ptr(int(n))
	}
	return []protocol.ToolCallLocation{at}
}

// refusal says who refused a call and why.
func refusal(ev *event.Event) string {
	text, script := ev.Text("reason"), ev.Text("script")
	switch {
	case text == "" && script != "":
		return "refused by " + script
	case text == "":
		return "it did not run: " + ev.Text("cause")
	}
	return text
}

func asText(text string) []protocol.ToolCallContent {
	return []protocol.ToolCallContent{protocol.ToolContent(protocol.TextBlock(text))}
}
