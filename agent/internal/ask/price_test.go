package ask

import (
	"testing"

	"github.com/agentscripts/agent/engine/chat"
)

func TestUnknownPrice(t *testing.T) {
	used, price := chat.Usage{Input: 1_000_000, Output: 1_000_000},
		&chat.Price{Input: 1, Output: 2}
	three, nothing := 3.0, 0.0
	tests := []struct {
		name  string
		price *chat.Price
		used  chat.Usage
		begun bool
		want  *float64
	}{
		{"priced and counted", price, used, true, &three},
		{"no price", nil, used, true, nil},
		{"nobody counted", price, chat.Usage{}, true, nil},
		{"free, and nobody counted", &chat.Price{}, chat.Usage{}, true, &nothing},
		{"the model said nothing", price, chat.Usage{}, false, &nothing},
		{"the model said nothing, at no price", nil, chat.Usage{}, false, &nothing},
	}
	for _, tt := range tests {
		r := &Reply{Model: chat.Model{Price: tt.price}, Usage: tt.used, begun: tt.begun}
		if got := r.Price(); (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
