// This file implements OpenAI's two APIs, chat completions and responses. Source: OpenAI's API
// references.

package llmtest

import (
	"fmt"
	"net/http"
)

// OpenAI returns a handler for OpenAI's API: POST /v1/chat/completions, POST /v1/responses and GET
// /v1/models.
func (s *Server) OpenAI() http.Handler {
	mux := http.NewServeMux()
	s.openAI(mux)
	return mux
}

func (s *Server) openAI(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/responses", s.responses)
	mux.HandleFunc("GET /v1/models", s.openAIModels)
}

func (s *Server) openAIModels(w http.ResponseWriter, r *http.Request) {
	data := []any{}
	for _, m := range s.Models {
		data = append(data, object{"id": m.ID, "object": "model", "created": 1770000000,
			"owned_by": "test"})
	}
	sendJSON(w, object{"object": "list", "data": data})
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	reply := s.nextReply(r)
	if reply.failed(w) {
		return
	}
	st := s.stream(w, r, reply)
	chunk := func(delta object, finish any) object {
		return object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1770000000,
			"model": "test",
			"choices": []any{object{"index": 0, "delta": delta, "logprobs": nil,
				"finish_reason": finish}}, "usage": nil}
	}
	st.sendEvent("", chunk(object{"role": "assistant", "content": ""}, nil))
	for _, p := range pieces(reply.Thinking) {
		st.sendEvent("", chunk(object{"reasoning_content": p}, nil))
	}
	for _, p := range reply.words() {
		st.sendEvent("", chunk(object{"content": p}, nil))
	}
	if reply.Hang {
		st.hang()
	}
	for i, c := range reply.Calls {
		st.sendEvent("", chunk(object{"tool_calls": []any{object{"index": i, "id": c.ID,
			"type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil))
		for _, p := range pieces(c.Args) {
			st.sendEvent("", chunk(object{"tool_calls": []any{object{"index": i,
				"function": object{"arguments": p}}}}, nil))
		}
	}
	if reply.Error != "" {
		st.sendEvent("", object{"error": object{"message": "it is " + reply.Error,
			"type": reply.Error, "param": nil, "code": reply.Error}})
		return
	}
	finish := reply.Finish
	if finish == "" {
		finish = map[bool]string{true: "tool_calls", false: "stop"}[len(reply.Calls) > 0]
	}
	st.sendEvent("", chunk(object{}, finish))
	if u := reply.Usage; !reply.Uncounted {
		last := chunk(object{}, nil)
		last["choices"], last["usage"] = []any{}, object{"prompt_tokens": u.Input + u.CacheRead,
			"completion_tokens":     u.Output,
			"total_tokens":          u.Input + u.CacheRead + u.Output,
			"prompt_tokens_details": object{"cached_tokens": u.CacheRead}}
		st.sendEvent("", last)
	}
	st.sendEvent("", "[DONE]")
}

// output sends the events of one response.
type output struct {
	st       *stream
	sequence int
	at       int // position of the item
}

// sendItem sends an event of the item.
func (o *output) sendItem(kind string, fields object) {
	e := object{"type": kind, "sequence_number": o.sequence, "output_index": o.at}
	o.sequence++
	for k, v := range fields {
		e[k] = v
	}
	o.st.sendEvent(kind, e)
}

func (s *Server) responses(w http.ResponseWriter, r *http.Request) {
	reply := s.nextReply(r)
	if reply.failed(w) {
		return
	}
	o := &output{st: s.stream(w, r, reply)}
	response := func(status string) object {
		return object{"id": "resp_1", "object": "response", "created_at": 1770000000,
			"status": status, "error": nil, "incomplete_details": nil,
			"model": "test", "output": []any{}, "store": false, "usage": nil}
	}
	o.sendItem("response.created", object{"response": response("in_progress")})
	o.sendItem("response.in_progress", object{"response": response("in_progress")})
	if reply.Thinking != "" || reply.Signature != "" {
		o.reasoning(reply)
	}
	if words := reply.words(); len(words) > 0 {
		o.message(reply.Text, words)
	}
	if reply.Hang {
		o.st.hang()
	}
	for _, c := range reply.Calls {
		o.sendCall(c)
	}
	if reply.Error != "" {
		failed := response("failed")
		failed["error"] = object{"code": reply.Error, "message": "it is " + reply.Error}
		o.sendItem("response.failed", object{"response": failed})
		return
	}
	kind, last := "response.completed", response("completed")
	if reply.Finish != "" {
		kind, last = "response.incomplete", response("incomplete")
		last["incomplete_details"] = object{"reason": reply.Finish}
	}
	if u := reply.Usage; !reply.Uncounted {
		last["usage"] = object{"input_tokens": u.Input + u.CacheRead,
			"input_tokens_details": object{"cached_tokens": u.CacheRead}, "output_tokens": u.Output,
			"output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens":          u.Input + u.CacheRead + u.Output}
	}
	o.sendItem(kind, object{"response": last})
}

// reasoning sends the model's reasoning: a summary, and all of it, encrypted, as Signature says.
func (o *output) reasoning(reply Reply) {
	id := fmt.Sprintf("rs_%d", o.at)
	o.sendItem("response.output_item.added",
		object{"item": object{"id": id, "type": "reasoning", "summary": []any{},
			"encrypted_content": "half"}})
	summary := []any{}
	if reply.Thinking != "" {
		part := object{"type": "summary_text", "text": reply.Thinking}
		summary = append(summary, part)
		o.sendItem("response.reasoning_summary_part.added",
			object{"item_id": id, "summary_index": 0,
				"part": object{"type": "summary_text", "text": ""}})
		for _, p := range pieces(reply.Thinking) {
			o.sendItem("response.reasoning_summary_text.delta",
				object{"item_id": id, "summary_index": 0, "delta": p})
		}
		o.sendItem("response.reasoning_summary_text.done",
			object{"item_id": id, "summary_index": 0, "text": reply.Thinking})
		o.sendItem("response.reasoning_summary_part.done",
			object{"item_id": id, "summary_index": 0, "part": part})
	}
	o.sendItem("response.output_item.done",
		object{"item": object{"id": id, "type": "reasoning", "summary": summary,
			"encrypted_content": reply.Signature}})
	o.at++
}

func (o *output) message(text string, words []string) {
	id := fmt.Sprintf("msg_%d", o.at)
	item := func(status string, content ...any) object {
		return object{"id": id, "type": "message", "status": status, "role": "assistant",
			"content": append([]any{}, content...)}
	}
	o.sendItem("response.output_item.added", object{"item": item("in_progress")})
	o.sendItem("response.content_part.added", object{"item_id": id, "content_index": 0,
		"part": object{"type": "output_text", "text": "", "annotations": []any{}}})
	for _, p := range words {
		o.sendItem("response.output_text.delta", object{"item_id": id, "content_index": 0,
			"delta": p, "logprobs": []any{}})
	}
	part := object{"type": "output_text", "text": text, "annotations": []any{}}
	o.sendItem("response.output_text.done", object{"item_id": id, "content_index": 0, "text": text,
		"logprobs": []any{}})
	o.sendItem("response.content_part.done", object{"item_id": id, "content_index": 0,
		"part": part})
	o.sendItem("response.output_item.done", object{"item": item("completed", part)})
	o.at++
}

func (o *output) sendCall(c Call) {
	id := fmt.Sprintf("fc_%d", o.at)
	item := func(status, args string) object {
		return object{"id": id, "type": "function_call", "status": status, "call_id": c.ID,
			"name": c.Name, "arguments": args}
	}
	o.sendItem("response.output_item.added", object{"item": item("in_progress", "")})
	for _, p := range pieces(c.Args) {
		o.sendItem("response.function_call_arguments.delta", object{"item_id": id, "delta": p})
	}
	o.sendItem("response.function_call_arguments.done", object{"item_id": id, "arguments": c.Args})
	o.sendItem("response.output_item.done", object{"item": item("completed", c.Args)})
	o.at++
}

// OpenAIError returns the body of an error response; empty fields are null.
func OpenAIError(kind, code, param, message string) string {
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return marshal(object{"error": object{"message": message, "type": kind, "param": null(param),
		"code": null(code)}})
}
