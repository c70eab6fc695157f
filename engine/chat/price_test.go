package chat

import (
	"math"
	"strings"
	"testing"
)

func TestDecodePrice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   map[string]any
		want Price
		err  string
	}{
		{map[string]any{"input": 1.0, "output": 2}, Price{1, 2, 1, 1}, ""},
		{map[string]any{"input": 1.0, "output": 2.5, "cache_read": 0.0, "cache_write": 3.0},
			Price{1, 2.5, 0, 3}, ""},
		{map[string]any{"input": 0, "output": 0}, Price{}, ""},
		{map[string]any{"output": 1.0}, Price{}, "input is missing"},
		{map[string]any{"input": 1.0}, Price{}, "output is missing"},
		{map[string]any{"input": 1.0, "output": -1.0}, Price{}, "output: got -1, want 0 or more"},
		{map[string]any{"input": math.NaN(), "output": 1.0}, Price{}, "input: got NaN"},
		{map[string]any{"input": 1.0, "output": math.Inf(1)}, Price{}, "output: got +Inf"},
	} {
		got, err := DecodePrice(tt.in)
		if tt.err != "" {
			if got != nil || err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v: got %v, %v, want %s", tt.in, got, err, tt.err)
			}
			continue
		}
		if err != nil || *got != tt.want {
			t.Errorf("%v: got %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}
