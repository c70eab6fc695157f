// This file keeps reasoning_details: a model's reasoning, signed or encrypted, which OpenRouter,
// Vercel and others require back unchanged.

package llm

import (
	"encoding/json"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
)

// detail is one element; its keys depend on the server.
type detail map[string]any

// detailTexts are the keys whose text arrives in pieces.
var detailTexts = [...]string{"text", "summary", "data"}

// addDetails adds the details of one piece. A detail that continues the last one of the same kind
// and index is merged with it.
func addDetails(list []detail, raw []byte) []detail {
	var piece []detail
	if json.Unmarshal(raw, &piece) != nil {
		return list
	}
	for _, d := range piece {
		last := len(list) - 1
		if d == nil {
			continue
		}
		if last < 0 || !list[last].goesOn(d) {
			list = append(list, d)
			continue
		}
		for key, v := range d {
			if v != nil {
				list[last][key] = v
			}
		}
	}
	return list
}

// goesOn reports whether next continues d, so that their texts must be joined.
func (d detail) goesOn(next detail) bool {
	if d["type"] != next["type"] || d["index"] != next["index"] || d["id"] != nil &&
		next["id"] != nil && d["id"] != next["id"] {
		return false
	}
	if d["type"] == "reasoning.encrypted" && d["data"] != nil && next["data"] != nil &&
		next["index"] == nil {
		return false // each is complete
	}
	for _, key := range detailTexts {
		was, _ := d[key].(string)
		more, ok := next[key].(string)
		if ok {
			next[key] = was + more
		}
	}
	return true
}

// detailText returns the readable text in the details of one piece.
func detailText(raw []byte) string {
	var b strings.Builder
	for _, d := range addDetails(nil, raw) {
		b.WriteString(d.readDetail())
	}
	return b.String()
}

func (d detail) readDetail() string {
	text, _ := d["text"].(string)
	summary, _ := d["summary"].(string)
	return text + summary
}

// detailsOf returns the details to send back with a message. Their readable text must equal that of
// the message: if scripts or masks have changed it, only encrypted details are sent.
func detailsOf(list []detail, m *chat.Message) []detail {
	var text strings.Builder
	for _, d := range list {
		text.WriteString(d.readDetail())
	}
	if text.String() == m.Reasoning {
		return list
	}
	var sealed []detail
	for _, d := range list {
		if d.readDetail() == "" {
			sealed = append(sealed, d)
		}
	}
	return sealed
}
