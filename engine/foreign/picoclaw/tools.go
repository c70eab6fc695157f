// This file asks a process about tool calls and their results.

package picoclaw

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/value"
)

// aCall are the parameters of a request about a tool call.
const aCall fields = "tool=tool arguments=args"

// beforeTool asks about a tool call, which the process may refuse, change or answer.
func (h *hook) beforeTool(run *engine.Run, ev *event.Event) (d extapi.Decision, err error) {
	a, err := h.consult(run, ev, "before_tool", aCall, nil)
	if a == nil {
		return d, err
	}
	d.Abort, d.Reason, d.Block = a.aborts(), h.reason(a), a.Action == "deny_tool"
	if a.Call != nil {
		d.Tool, d.Args = a.Call.Tool, a.Call.Arguments
	}
	if a.Action == "respond" {
		d.Answer, err = changedResult(nil, nil, a.Result)
		if err == nil && d.Answer["content"] == nil {
			err = errors.New(`respond needs {"for_llm": "..."}`)
		}
	}
	if err != nil {
		err = h.wrong("before_tool: result", err)
	}
	return d, err
}

// approveTool asks whether a call may run, with its final arguments.
func (h *hook) approveTool(run *engine.Run, args []any) (any, error) {
	a, err := h.consult(run, args[0].(*event.Event), "approve_tool", aCall, nil)
	if a == nil || *a.Approved {
		return nil, err
	}
	return h.ext.api.Refusal(h.reason(a)), nil
}

// afterTool asks about a result that is about to be sent to the model. One with which a process of
// the file has answered is not sent to it.
func (h *hook) afterTool(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	if ev.Text("answered_by") == h.ext.api.Bind.Gen.Name {
		return nil, nil
	}
	content, err := value.Plain(ev.Field("content"))
	if err != nil {
		return nil, err
	}
	blocks := chat.DecodeBlocks(content)
	sent, _ := fields("for_user=for_user silent=silent is_error=is_error").of(ev) // plain
	sent["for_llm"], sent["media"] = textOf(blocks), mediaOf(blocks)
	sent["async"], sent["response_handled"], sent["artifact_tags"] = false, false, []any{}
	a, err := h.consult(run, ev, "after_tool", aCall+" duration=~duration_ms",
		map[string]any{"result": sent})
	if a == nil || a.aborts() != "" {
		return h.aborted(a), err
	}
	out, err := changedResult(blocks, sent, inside(a.Result, "result"))
	if err != nil {
		return nil, h.wrong("after_tool: result", err)
	}
	return outcome(out)
}

// changedResult returns how a tool's result that came back differs from the one that was sent,
// whose content is given. What it leaves out stays.
func changedResult(content []chat.Block, sent, back map[string]any) (map[string]any, error) {
	out := map[string]any{}
	changed(out, sent, back, "for_user=for_user silent=silent is_error=is_error")
	changed(out, sent, back, "for_llm=content media=content")
	if out["content"] != nil {
		var err error
		if out["content"], err = withText(content, back["for_llm"], back["media"]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// textOf returns the text of content.
func textOf(content []chat.Block) string {
	var texts []string
	for _, b := range content {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// mediaOf returns the images of content as addresses with the data.
func mediaOf(content []chat.Block) []any {
	media := []any{}
	for _, b := range content {
		if b.Type == "image" {
			media = append(media, "data:"+b.MimeType+";base64,"+b.Data)
		}
	}
	return media
}

// withText returns content, as scripts return it, with another text and other images; nil leaves
// those of content.
func withText(content []chat.Block, text, media any) ([]any, error) {
	var blocks []chat.Block
	addresses, ok := media.([]any)
	if media != nil && !ok {
		return nil, fmt.Errorf("media: got %s, want a list of texts", value.TypeName(media))
	}
	if text != nil {
		s, ok := text.(string)
		if !ok {
			return nil, fmt.Errorf("got %s, want a text", value.TypeName(text))
		}
		blocks = chat.Text(s)
	}
	for _, b := range content {
		if b.Type == "text" && text == nil || b.Type == "image" && media == nil {
			blocks = append(blocks, b)
		}
	}
	for _, address := range addresses {
		blocks = append(blocks, medium(fmt.Sprint(address)))
	}
	return chat.BlockValues(blocks), nil
}

// medium returns the block of a reference to media. Only data in the address is an image; nothing
// else is opened.
func medium(address string) chat.Block {
	if rest, ok := strings.CutPrefix(address, "data:image/"); ok {
		if kind, data, ok := strings.Cut(rest, ";base64,"); ok {
			return chat.Block{Type: "image", MimeType: "image/" + kind, Data: data}
		}
	}
	return chat.Block{Type: "text", Text: "[media: " + address + "]"}
}

// inside returns the value of a key of an object if it is an object too, otherwise the object:
// picoclaw takes a changed result only inside of the parameters that it has sent.
func inside(outer map[string]any, key string) map[string]any {
	if inner := table(outer[key]); inner != nil {
		return inner
	}
	return outer
}
