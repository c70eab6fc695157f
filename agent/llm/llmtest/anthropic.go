// This file implements Anthropic's Messages API. Source: docs.anthropic.com, "Messages", "Streaming
// Messages".

package llmtest

import (
	"net/http"
	"strings"
)

type object = map[string]any

// Anthropic returns a handler for Anthropic's API: POST /v1/messages and GET /v1/models.
func (s *Server) Anthropic() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("GET /v1/models", s.anthropicModels)
	return mux
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	reply := s.nextReply(r)
	if reply.failed(w) {
		return
	}
	st := s.stream(w, r, reply)
	u := reply.Usage
	st.sendEvent("message_start", object{"type": "message_start",
		"message": object{"id": "msg_1", "type": "message", "role": "assistant",
			"model":   "claude-test",
			"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
			"usage": object{"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead,
				"cache_creation_input_tokens": u.CacheWrite, "output_tokens": 1}}})
	st.sendEvent("ping", object{"type": "ping"})
	b := &blocks{st: st}
	if reply.Thinking != "" || reply.Signature != "" {
		b.beginBlock(object{"type": "thinking", "thinking": "", "signature": ""})
		for _, p := range pieces(reply.Thinking) {
			b.delta(object{"type": "thinking_delta", "thinking": p})
		}
		b.delta(object{"type": "signature_delta", "signature": reply.Signature})
		b.endBlock()
	}
	if reply.Redacted != "" {
		b.beginBlock(object{"type": "redacted_thinking", "data": reply.Redacted})
		b.endBlock()
	}
	b.text(reply)
	if reply.Hang {
		st.hang()
	}
	for _, c := range reply.Calls {
		b.beginBlock(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}})
		for _, p := range append([]string{""}, pieces(c.Args)...) {
			b.delta(object{"type": "input_json_delta", "partial_json": p})
		}
		b.endBlock()
	}
	if reply.Error != "" {
		st.sendEvent("error",
			object{"type": "error", "error": object{"type": reply.Error,
				"message": "it is " + reply.Error}})
		return
	}
	finish := reply.Finish
	if finish == "" {
		finish = map[bool]string{true: "tool_use", false: "end_turn"}[len(reply.Calls) > 0]
	}
	st.sendEvent("message_delta", object{"type": "message_delta",
		"delta": object{"stop_reason": finish, "stop_sequence": nil},
		"usage": object{"output_tokens": u.Output}})
	st.sendEvent("message_stop", object{"type": "message_stop"})
}

// blocks returns the content blocks of a message.
type blocks struct {
	st    *stream
	index int
}

func (b *blocks) beginBlock(block object) {
	b.st.sendEvent("content_block_start", object{"type": "content_block_start", "index": b.index,
		"content_block": block})
}

func (b *blocks) delta(delta object) {
	b.st.sendEvent("content_block_delta", object{"type": "content_block_delta", "index": b.index,
		"delta": delta})
}

func (b *blocks) endBlock() {
	b.st.sendEvent("content_block_stop", object{"type": "content_block_stop", "index": b.index})
	b.index++
}

func (b *blocks) text(reply Reply) {
	if reply.Text == "" && reply.Flood == 0 {
		return
	}
	b.beginBlock(object{"type": "text", "text": ""})
	for _, p := range reply.words() {
		b.delta(object{"type": "text_delta", "text": p})
	}
	b.endBlock()
}

// words returns the pieces of the text.
func (r *Reply) words() []string {
	if r.Flood == 0 {
		return pieces(r.Text)
	}
	const size = 1 << 16
	piece, out := strings.Repeat("flood ", size/6), make([]string, r.Flood<<20/size)
	for i := range out {
		out[i] = piece
	}
	return out
}

func (s *Server) anthropicModels(w http.ResponseWriter, r *http.Request) {
	data := []any{}
	for _, m := range s.Models {
		data = append(data, object{"type": "model", "id": m.ID, "display_name": m.ID,
			"created_at": "2026-01-01T00:00:00Z", "max_input_tokens": m.Context})
	}
	sendJSON(w, object{"data": data, "has_more": false, "first_id": nil, "last_id": nil})
}
