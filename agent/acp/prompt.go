// This file handles prompts: the client's input, and its end.

package acp

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
)

// prompt handles a prompt; the request is answered when the prompt has ended.
func (s *server) prompt(r *jsonrpc.Request, p *protocol.PromptRequest) {
	t, err := s.thread(p.SessionId)
	var in agent.Input
	if err == nil {
		in, err = content(p.Prompt)
	}
	if err != nil {
		r.Answer(nil, err)
		return
	}
	name, _, isCommand := slash.Split(in.Text)
	if slices.Contains(elsewhere, name) {
		t.view.notice("/" + name + " is not available in an editor: start a new thread, or " +
			"open an earlier one, in its panel")
		r.Answer(&protocol.PromptResponse{StopReason: protocol.StopReasonEndTurn}, nil)
		return
	}
	if t.remote.Prompting() { // prompts are processed one after the other: see take
		r.Answer(nil, jsonrpc.Errorf(jsonrpc.InvalidRequest,
			"session/prompt: a prompt is under way in this session: wait for its end, or send "+
				"session/cancel first"))
		return
	}
	if _, err := t.remote.Send(in, t.ended(r, isCommand)); err != nil {
		r.Answer(nil, asError(err))
	}
}

// insert shows a text that a command wants to put into the user's editor.
func (t *thread) insert(text string) { t.view.notice("for your next prompt:\n\n" + text) }

// ended answers a prompt. An error of a command is a normal answer.
func (t *thread) ended(r *jsonrpc.Request, command bool) remote.Ended {
	return func(_ string, end agent.End) (answer func()) {
		why, reason := protocol.StopReasonEndTurn, end.Reason
		failed := end.Status == agent.Failed && !command
		t.view.late(failed, reason)
		switch end.Status {
		case agent.Cancelled:
			why = protocol.StopReasonCancelled
		case agent.Blocked:
			why = protocol.StopReasonRefusal
			t.view.reason("the prompt was refused", reason)
		case agent.Limit:
			why = protocol.StopReasonMaxTurnRequests
			t.view.reason("a limit was reached", reason)
		case agent.Failed:
			if command {
				t.view.reason("failed", reason)
			}
		default:
			t.view.reason("stopped", reason)
		}
		t.view.rest() // before the answer, after which the client may send more at once
		return func() {
			if failed {
				r.Answer(nil, jsonrpc.Errorf(jsonrpc.InternalError, "%s", plain.Text(reason)))
				return
			}
			r.Answer(&protocol.PromptResponse{StopReason: why}, nil)
		}
	}
}

// content converts the client's blocks to input: text, images, and resources as text.
func content(blocks []protocol.ContentBlock) (agent.Input, error) {
	var in agent.Input
	var text strings.Builder
	for i, b := range blocks {
		at := fmt.Sprintf("prompt[%d]", i)
		var err error
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
		case b.Image != nil:
			var image chat.Block
			if image, err = readImage(at, b.Image.MimeType, b.Image.Data); err == nil {
				in.Images = append(in.Images, image)
			}
		case b.ResourceLink != nil:
			fmt.Fprintf(&text, "[@%s](%s)", b.ResourceLink.Name, b.ResourceLink.Uri)
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			embed(&text, r.Uri, r.Text)
		case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
			err = embedBlob(&in, &text, at, b.Resource.Resource.BlobResourceContents)
		case b.Audio != nil:
			err = wrong("%s: audio is not supported", at)
		default:
			err = wrong("%s: got a block of an unknown type, want text, image, resource_link or "+
				"resource", at)
		}
		if err != nil {
			return agent.Input{}, err
		}
	}
	if in.Text = text.String(); remote.Empty(in) {
		return agent.Input{}, wrong("prompt: there is nothing in it to ask a model")
	}
	return in, nil
}

// embed writes a resource so that its contents cannot end it.
func embed(text *strings.Builder, uri, body string) {
	quote := strings.NewReplacer("\n", " ", `"`, "%22")
	fmt.Fprintf(text, "\n<context ref=\"%s\">\n%s\n</context>\n", quote.Replace(uri),
		strings.ReplaceAll(body, "</context>", "&lt;/context&gt;"))
}

func embedBlob(in *agent.Input, text *strings.Builder, at string,
	r *protocol.BlobResourceContents) error {
	if r.MimeType != nil && strings.HasPrefix(*r.MimeType, "image/") {
		image, err := readImage(at, *r.MimeType, r.Blob)
		in.Images = append(in.Images, image)
		return err
	}
	embed(text, r.Uri, fmt.Sprintf("(%d bytes that are no text)",
		base64.StdEncoding.DecodedLen(len(r.Blob))))
	return nil
}

func readImage(at, mime, data string) (chat.Block, error) {
	if types := remote.ImageTypes(); !slices.Contains(types, mime) {
		return chat.Block{}, wrong("%s: mimeType: got %.80q, want one of %s", at, mime,
			strings.Join(types, ", "))
	}
	image, err := remote.Image(data)
	if err != nil {
		return chat.Block{}, wrong("%s: data: %v", at, err)
	}
	return image, nil
}
