// This file converts the options of a request and the thinking level to the parameters of
// OpenAI-compatible servers.

package llm

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

// chatOptions and responsesOptions return the options that a request may have, and their types.
// Source: the two API references.
func chatOptions(s server) []value.Field {
	fields := []value.Field{{Name: "temperature", Type: "number?"},
		{Name: "top_p", Type: "number?"}, {Name: "max_tokens", Type: "integer?"},
		{Name: "stop", Type: "string|list?"}, {Name: "seed", Type: "integer?"},
		{Name: "presence_penalty", Type: "number?"},
		{Name: "frequency_penalty", Type: "number?"},
		{Name: "parallel_tool_calls", Type: "boolean?"},
		{Name: "reasoning_effort", Type: "string?"},
		{Name: "verbosity", Type: "string?"}, {Name: "service_tier", Type: "string?"},
		{Name: "prompt_cache_key", Type: "string?"}}
	if !s.official() { // additional options of local servers
		fields = append(fields, value.Field{Name: "top_k", Type: "integer?"},
			value.Field{Name: "min_p", Type: "number?"},
			value.Field{Name: "repeat_penalty", Type: "number?"},
			value.Field{Name: "chat_template_kwargs", Type: "table?"})
	}
	return fields
}

func responsesOptions(server) []value.Field {
	return []value.Field{{Name: "temperature", Type: "number?"}, {Name: "top_p", Type: "number?"},
		{Name: "max_tokens", Type: "integer?"},
		{Name: "parallel_tool_calls", Type: "boolean?"}, {Name: "service_tier", Type: "string?"},
		{Name: "prompt_cache_key", Type: "string?"}}
}

// wireOptions returns the options of req under their names in the request. It drops, with a
// warning, those that the API does not have, or of another type.
func wireOptions(s server, req *chat.Request, fields func(server) []value.Field,
	warn func(string)) map[string]any {
	out := map[string]any{}
	for _, name := range value.SortedKeys(req.Options) {
		all := []value.Field{{Name: "options", Type: "table", Fields: fields(s)}}
		v, err := value.CheckArgs(s.name, all, []any{map[string]any{name: req.Options[name]}})
		if err != nil {
			warn(fmt.Sprintf("%v; it is left out", err))
			continue
		}
		if value := v[0].(map[string]any)[name]; value != nil {
			out[name] = value
		}
	}
	return out
}

// effort returns the parameter for how much a model thinks; "" = the model decides, or cannot
// think.
func effort(m chat.Model, req *chat.Request, warn func(string)) string {
	if req.Thinking == "" {
		return ""
	}
	id := baseName(m.ID)
	switch {
	case known(m) && !m.Thinking:
		if req.Thinking != "off" {
			warn(fmt.Sprintf("%s does not think: thinking = %q is left out", m.ID, req.Thinking))
		}
		return ""
	case req.Thinking != "off":
		return req.Thinking
	case slices.ContainsFunc([]string{"o1", "o3", "o4"},
		func(p string) bool { return strings.HasPrefix(id, p) }):
		warn(m.ID + " always thinks: thinking = \"off\" is as little as it can")
		return "low"
	case id == "gpt-5" || strings.HasPrefix(id, "gpt-5-"):
		return "minimal"
	}
	return "none"
}

// newerOpenAI reports whether a model is one of OpenAI's for which max_tokens is called
// max_completion_tokens.
func newerOpenAI(id string) bool {
	id = baseName(id)
	return strings.HasPrefix(id, "gpt-5") || len(id) > 1 && id[0] == 'o' && '1' <= id[1] &&
		id[1] <= '9'
}

// baseName returns a model's id without its maker: gpt-5 of openai/gpt-5.
func baseName(id string) string { return path.Base(id) }

// warnings are the warnings of one provider. Each is given once.
type warnings struct{ said sync.Map }

func (w *warnings) to(emit func(chat.Chunk)) func(string) {
	return func(text string) {
		if _, known := w.said.LoadOrStore(text, true); !known {
			emit(chat.Chunk{Warning: text})
		}
	}
}
