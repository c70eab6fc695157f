package ask

import (
	"testing"

	"github.com/agentscripts/agent/engine"
)

func TestWhatIsNotKnownCostsNotNothing(t *testing.T) {
	used, price := engine.Usage{Input: 1_000_000, Output: 1_000_000},
		&engine.Price{Input: 1, Output: 2}
	three, nothing := 3.0, 0.0
	tests := []struct {
		name  string
		price *engine.Price
		used  engine.Usage
		begun bool
		want  *float64
	}{
		{"priced and counted", price, used, true, &three},
		{"no price", nil, used, true, nil},
		{"nobody counted", price, engine.Usage{}, true, nil},
		{"free, and nobody counted", &engine.Price{}, engine.Usage{}, true, &nothing},
		{"the model said nothing", price, engine.Usage{}, false, &nothing},
		{"the model said nothing, at no price", nil, engine.Usage{}, false, &nothing},
	}
	for _, tt := range tests {
		r := &Reply{Model: engine.Model{Price: tt.price}, Usage: tt.used, begun: tt.begun}
		if got := r.Price(); (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
