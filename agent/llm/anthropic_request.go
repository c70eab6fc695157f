// This file encodes requests to Anthropic's Messages API.

package llm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// usualOutput is max_tokens for an unknown model: every one of the last years accepts it.
	usualOutput = 8_192
	// mostOutput is the largest max_tokens, even if the model supports more: a longer reply is a
	// mistake, or expensive.
	mostOutput = 32_000
	// afterThought is the part of max_tokens for the answer after the thinking.
	afterThought = 8_192
)

// budget returns a level's thinking tokens, for models that require a number. The API's minimum is
// 1024.
func budget(level string) int64 {
	return map[string]int64{"low": 4_096, "medium": 16_384, "high": 32_768}[level]
}

// messagesBody converts req to the API's format. It drops, with a warning, what the API does not
// support.
func messagesBody(s server, req *chat.Request, m chat.Model,
	warn func(string)) *messagesRequest {
	p := &messagesRequest{Model: req.Model, MaxTokens: usualOutput,
		Messages: messageParams(s, req.Messages), Tools: req.Tools, memo: s.memo,
		Stream: true}
	if m.MaxOutput > 0 {
		p.MaxTokens = int64(min(m.MaxOutput, mostOutput))
	}
	if strings.TrimSpace(req.System) != "" {
		p.System = []*messagesBlock{textBlock(req.System)}
	}
	opts := wireOptions(s, req, messagesOptions, warn)
	setOptions(p, opts)
	setThinking(p, req, m, opts["max_tokens"] != nil, warn)
	setChoice(p, req.ToolChoice)
	if p.Thinking != nil && p.Thinking.Type != "disabled" {
		if p.Temperature != nil || p.TopK != nil {
			warn("temperature and top_k are left out: a model that thinks takes none")
			p.Temperature, p.TopK = nil, nil
		}
		if p.ToolChoice != nil && p.ToolChoice.Type != "none" {
			warn("tool_choice is left out: a model that thinks cannot be forced to call a tool")
			p.ToolChoice = nil
		}
	}
	cache(p)
	return p
}

// messagesOptions returns the options that a request may have, and their types. Source: the API's
// reference.
func messagesOptions(server) []value.Field {
	return []value.Field{{Name: "temperature", Type: "number?"}, {Name: "top_p", Type: "number?"},
		{Name: "top_k", Type: "integer?"},
		{Name: "max_tokens", Type: "integer?"}, {Name: "stop", Type: "string|list?"},
		{Name: "service_tier", Type: "string?"}}
}

func setOptions(p *messagesRequest, opts map[string]any) {
	number := func(key string) (float64, bool) { n, ok := opts[key].(float64); return n, ok }
	if n, ok := number("temperature"); ok {
		p.Temperature = &n
	}
	if n, ok := number("top_p"); ok {
		p.TopP = &n
	}
	if n, ok := number("top_k"); ok {
		k := int64(n)
		p.TopK = &k
	}
	if n, ok := number("max_tokens"); ok {
		p.MaxTokens = int64(n)
	}
	switch stop := opts["stop"].(type) {
	case string:
		p.Stop = []string{stop}
	case []any:
		for _, x := range stop {
			if text, ok := x.(string); ok {
				p.Stop = append(p.Stop, text)
			}
		}
	}
	if tier, ok := opts["service_tier"].(string); ok {
		p.ServiceTier = tier
	}
}

// version matches the version in the id of one of Anthropic's models: claude-opus-4-6,
// claude-sonnet-5-5-20260901.
var version = lazyregexp.New(`^claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?:-\d{8}|-latest|$)`)

// adapts reports whether a model takes a level of effort and decides by itself how long it thinks:
// all from 4.6 on.
func adapts(id string) bool {
	v := version().FindStringSubmatch(id)
	if v == nil {
		return false
	}
	major, _ := strconv.Atoi(v[1])
	minor, _ := strconv.Atoi(v[2])
	return major > 4 || major == 4 && minor >= 6
}

// setThinking sets the amount of thinking. fixed means that the user has set max_tokens.
func setThinking(p *messagesRequest, req *chat.Request, m chat.Model, fixed bool,
	warn func(string)) {
	level := req.Thinking
	switch {
	case level == "":
	case adapts(req.Model) && level == "off":
		p.Thinking = &messagesThinking{Type: "disabled"}
	case adapts(req.Model):
		p.Thinking = &messagesThinking{Type: "adaptive", Display: "summarized"}
		p.OutputConfig = &messagesOutput{Effort: level}
	case level == "off": // these think only on request
	case known(m) && !m.Thinking:
		warn(fmt.Sprintf("%s does not think: thinking = %q is left out", req.Model, level))
	default:
		n := budget(level)
		if !fixed {
			p.MaxTokens = max(p.MaxTokens, n+afterThought)
			if m.MaxOutput > 0 {
				p.MaxTokens = min(p.MaxTokens, int64(m.MaxOutput))
			}
		}
		const least = 1024
		if n = min(n, p.MaxTokens-least); n < least {
			warn(fmt.Sprintf("max_tokens = %d leaves no room to think: thinking = %q is left out",
				p.MaxTokens, level))
			return
		}
		p.Thinking = &messagesThinking{Type: "enabled", Budget: n}
	}
}

func setChoice(p *messagesRequest, choice string) {
	switch {
	case len(p.Tools) == 0:
	case choice == "none":
		p.ToolChoice = &messagesChoice{Type: "none"}
	case choice == "required":
		p.ToolChoice = &messagesChoice{Type: "any"}
	case choice != "" && choice != "auto":
		p.ToolChoice = &messagesChoice{Type: "tool", Name: choice}
	}
}

func toolParam(t chat.ToolSpec) messagesTool {
	schema := map[string]any{"properties": map[string]any{}}
	maps.Copy(schema, t.Schema)
	schema["type"] = "object"
	return messagesTool{Name: t.Name, Description: t.Description, InputSchema: schema}
}

// cache marks the parts that the server may cache: the tools, the system prompt, and the
// conversation up to its end and up to the end of the previous message, where the last request
// ended. The API allows four marks.
func cache(p *messagesRequest) {
	mark := &cacheControl{Type: "ephemeral"}
	p.ToolsMark = mark
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
	marked := 0
	for i := len(p.Messages) - 1; i >= 0 && marked < 2; i-- {
		if m := &p.Messages[i]; m.Role == "user" && len(m.Content) > 0 {
			// the cached blocks themselves must not be marked
			last := *m.Content[len(m.Content)-1]
			last.CacheControl = mark
			m.Content = append(slices.Clone(m.Content[:len(m.Content)-1]), &last)
			marked++
		}
	}
}
