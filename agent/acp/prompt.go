// This file is a prompt: what the client sends, and how it ends.

package acp

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// turn is a prompt under way.
type turn struct {
	id      string
	r       *jsonrpc.Request
	command bool // it is a slash command: what is wrong with it is an answer
}

// prompt takes a prompt; it is answered when it has ended.
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
	if name := commandName(in.Text); slices.Contains(elsewhere, name) {
		t.view.notice("/" + name +
			" is not there in an editor: begin a new thread, or open an earlier one, in its panel")
		r.Answer(&protocol.PromptResponse{StopReason: protocol.StopReasonEndTurn}, nil)
		return
	}
	in.Source, in.ID = "rpc", t.p.Agent.Session().NewID()
	if err := t.send(in, r); err != nil {
		r.Answer(nil, asError(err))
	}
}

// send gives the agent a prompt. The lock is held until it has it: it is lost else, see lost.
func (t *thread) send(in agent.Input, r *jsonrpc.Request) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.life.Err() != nil:
		return context.Canceled
	case t.turn != nil:
		return jsonrpc.Errorf(jsonrpc.InvalidRequest,
			"session/prompt: a prompt is under way in this session: wait for its end, or send "+
				"session/cancel first")
	}
	if err := t.p.Agent.Send(in); err != nil {
		return err
	}
	t.prompted.Store(true)
	t.turn = &turn{id: in.ID, r: r, command: commandName(in.Text) != ""}
	return nil
}

var command = regexp.MustCompile(`^/([a-z][a-z0-9_-]*)(?:\s|$)`)

func commandName(text string) string {
	if m := command.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// interrupt ends what is worked on, and what waits.
func (t *thread) interrupt() {
	for _, in := range t.p.Agent.Interrupt("hard") {
		if in.ID != "" {
			t.finish(&in.ID, protocol.StopReasonCancelled, nil)
		}
	}
}

// finish answers the prompt under way, if id is nil or its own.
func (t *thread) finish(id *string, why protocol.StopReason, err error) {
	t.mu.Lock()
	now := t.turn
	if now == nil || id != nil && now.id != *id {
		t.mu.Unlock()
		return
	}
	t.turn = nil
	t.prompted.Store(false)
	t.mu.Unlock()
	if err != nil {
		now.r.Answer(nil, asError(err))
		return
	}
	now.r.Answer(&protocol.PromptResponse{StopReason: why}, nil)
}

// current is the prompt under way, if id is its own.
func (t *thread) current(id string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.turn == nil || t.turn.id != id {
		return nil
	}
	return t.turn
}

// lost ends a prompt that is no longer there though nobody has worked on it: a script has emptied
// the queue.
func (t *thread) lost() {
	t.mu.Lock()
	now := t.turn
	gone := now != nil && t.p.Agent.Idle()
	t.mu.Unlock()
	if gone {
		t.finish(&now.id, protocol.StopReasonCancelled, nil)
	}
}

// ended answers a prompt, behind all that was told of it.
func (t *thread) ended(in agent.Input, end agent.End) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.life), tellWait)
	defer cancel()
	t.p.Engine.Flush(ctx)
	if end.Insert != "" {
		t.view.notice("for your next prompt:\n\n" + t.mask(end.Insert))
	}
	now := t.current(in.ID)
	if in.ID == "" || now == nil {
		return
	}
	over := func(why protocol.StopReason, err error) {
		t.view.rest() // before the client hears of the end: it may be quick with what comes next
		t.finish(&in.ID, why, err)
	}
	reason := t.mask(end.Reason)
	t.view.late(end.Status == agent.Failed && !now.command, reason)
	switch end.Status {
	case agent.Cancelled:
		over(protocol.StopReasonCancelled, nil)
	case agent.Blocked:
		t.view.reason("the prompt was refused", reason)
		over(protocol.StopReasonRefusal, nil)
	case agent.Limit:
		t.view.reason("a limit was reached", reason)
		over(protocol.StopReasonMaxTurnRequests, nil)
	case agent.Failed:
		if !now.command {
			over("", jsonrpc.Errorf(jsonrpc.InternalError, "%s", plain.Text(reason)))
			return
		}
		t.view.reason("failed", reason)
		over(protocol.StopReasonEndTurn, nil)
	default:
		t.view.reason("stopped", reason)
		over(protocol.StopReasonEndTurn, nil)
	}
}

// content makes input of what the client sent: text, images, and as text what it refers to.
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
			var image engine.Block
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
	in.Text = text.String()
	if strings.TrimSpace(in.Text) == "" && len(in.Images) == 0 {
		return agent.Input{}, wrong("prompt: there is nothing in it to ask a model")
	}
	return in, nil
}

// embed writes a resource such that what is in it cannot end it.
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

// imageTypes are what providers take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

func readImage(at, mime, data string) (engine.Block, error) {
	if !slices.Contains(imageTypes, mime) {
		return engine.Block{}, wrong("%s: mimeType: got %.80q, want one of %s", at, mime,
			strings.Join(imageTypes, ", "))
	}
	image, err := tool.PictureOf(engine.Block{Data: data})
	if err != nil {
		return engine.Block{}, wrong("%s: data: %v", at, err)
	}
	return image, nil
}
