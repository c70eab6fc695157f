package ask

import (
	"math"

	"github.com/agentscripts/agent/engine/chat"
)

const (
	// BytesPerToken is the average length of a token: in English and in programs, with the usual
	// models.
	BytesPerToken = 4
	// imageTokens is the count of an image of any size: providers scale images down to about that.
	imageTokens = 1500
	// messageTokens is the count of a message without its text.
	messageTokens = 8
)

// Estimate estimates the number of tokens of a message.
func Estimate(m *chat.Message) int {
	n := len(m.Reasoning)
	images := 0
	for _, b := range m.Content {
		if b.Type == "image" {
			images++
		}
		n += len(b.Text)
	}
	for _, u := range m.ToolCalls {
		n += len(u.ID) + len(u.Tool) + sizeOf(u.Args)
	}
	return messageTokens + n/BytesPerToken + images*imageTokens
}

// sizeOf estimates the length of v as JSON, in bytes.
func sizeOf(v any) int {
	const other = 4
	switch v := v.(type) {
	case string:
		return len(v) + other
	case map[string]any:
		n := other
		for k, e := range v {
			n += len(k) + other + sizeOf(e)
		}
		return n
	case []any:
		n := other
		for _, e := range v {
			n += sizeOf(e)
		}
		return n
	}
	return other
}

// mostTokens is more than any request uses, and keeps sums exact.
const mostTokens = math.MaxInt32

// clampUsage returns a provider's usage counts without impossible values, because sums and limits
// depend on them.
func clampUsage(u chat.Usage) chat.Usage {
	for _, n := range []*int{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite} {
		*n = min(max(*n, 0), mostTokens)
	}
	return u
}

// Estimate estimates the number of tokens of the request.
func (q *Request) Estimate() int {
	n := len(q.System) / BytesPerToken
	for _, t := range q.Tools {
		n += (len(t.Name) + len(t.Description) + sizeOf(t.Schema)) / BytesPerToken
	}
	for _, m := range q.Messages {
		n += Estimate(m)
	}
	return n
}

// Estimate estimates the number of tokens of the reply.
func (r *Reply) Estimate() int {
	n := len(r.Said) + len(r.Thought)
	for _, u := range r.Uses {
		n += len(u.Tool) + sizeOf(u.Args)
	}
	return messageTokens + n/BytesPerToken
}
