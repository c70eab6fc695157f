// This file tests values that are refused because JSON cannot represent them.

package engine_test

import (
	"math"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/value"
)

func TestJSONData(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value any
		want  string // part of the error; "" = valid
	}{
		{map[string]any{"a": []any{1.0, "ä", nil, true}}, ""},
		{"\xff", "value: got text that is not UTF-8"},
		{map[string]any{"a": []any{"x", "\xff"}}, "value.a[2]: got text that is not UTF-8"},
		{map[string]any{"\xff": 1.0}, "value: got a key that is not UTF-8"},
		{map[string]any{"a": []any{math.NaN()}}, "value.a[1]: got NaN, which JSON does not have"},
		{math.Inf(1), "value: got infinity"},
		{struct{}{}, "value: got struct {}, want plain data"},
	}
	for _, tt := range tests {
		_, err := value.JSONData("value", tt.value)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%v: %v", tt.value, err)
		case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%v: got %v, want %s", tt.value, err, tt.want)
		}
	}
}

func TestGrantsAllow(t *testing.T) {
	t.Parallel()
	g := scriptfile.Grants{"tools:read", "tools:mcp__*", "tools", "tools:[", "exec:git"}
	for name, want := range map[string]bool{"read": true, "reader": false, "mcp__git__log": true,
		"git": false, "": false, "[": true} {
		if got := g.Allows("tools", name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}
