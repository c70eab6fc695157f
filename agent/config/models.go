// This file reads [models."provider/id"]: the user's own description of a model.

package config

import (
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

// Model is the settings of a model; zero and nil fields are not set.
type Model struct {
	Name             string // "provider/id"
	Line             int    // its line in the file, 1-based
	Context          int    // tokens
	MaxOutput        int    // tokens
	Images, Thinking *bool
	Price            *chat.Price // US dollars per million tokens
}

var modelFields = []value.Field{{Name: "context", Type: "integer?"},
	{Name: "max_output", Type: "integer?"}, {Name: "images", Type: "boolean?"},
	{Name: "thinking", Type: "boolean?"}, {Name: "price", Type: "table?"}}

var priceFields = []value.Field{{Name: "input", Type: "number?"},
	{Name: "output", Type: "number?"}, {Name: "cache_read", Type: "number?"},
	{Name: "cache_write", Type: "number?"}}

func (r *reader) setModels(v any) {
	all := r.table("models", v, `[models."provider/id"] and below it context = 200000`)
	for _, name := range value.SortedKeys(all) {
		path := []string{"models", name}
		if provider, id, _ := strings.Cut(name, "/"); provider == "" || id == "" {
			r.warn(path, "models: got %q, want the name of a provider, a slash, and the id of a "+
				"model", name)
			continue
		}
		m, ok := r.fields(path, all[name], modelFields)
		if !ok {
			continue
		}
		out := Model{Name: name, Line: line(r.source, path), Images: flag(m["images"]),
			Thinking: flag(m["thinking"])}
		out.Context, out.MaxOutput = r.count(append(path, "context"), m["context"]),
			r.count(append(path, "max_output"), m["max_output"])
		if m["price"] != nil {
			out.Price = r.price(append(path, "price"), m["price"])
		}
		r.Models = append(r.Models, out)
	}
}

// price returns a price; nil if it is invalid.
func (r *reader) price(path []string, v any) *chat.Price {
	m, ok := r.fields(path, v, priceFields)
	if !ok || len(m) == 0 {
		return nil
	}
	p, err := chat.DecodePrice(m)
	if err != nil {
		r.warn(path, "price: %v; the price stays as it is known", err)
	}
	return p
}

func flag(v any) *bool {
	b, ok := v.(bool)
	if !ok {
		return nil
	}
	return &b
}

// count returns a number of tokens, 0 if it is missing or invalid.
func (r *reader) count(path []string, v any) int {
	const most = 1 << 30 // more than any model has, and an int everywhere
	n, ok := value.Number(v)
	if ok && (n <= 0 || n > most) {
		r.warn(path, "%s: got %v, want a number of tokens", path[len(path)-1], n)
		return 0
	}
	return int(n)
}
