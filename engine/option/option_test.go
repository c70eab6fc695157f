package option_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/option"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typ  string
		set  option.Setting
		want any
		err  string
	}{
		{"string", option.Setting{Value: "a"}, "a", ""},
		{"string", option.Setting{Value: 1.0}, nil, "got number, want string"},
		{"integer", option.Setting{Value: 3}, 3.0, ""},
		{"integer", option.Setting{Value: 3.5}, nil, "got number, want integer"},
		{"number", option.Setting{Value: "3.5", Text: true}, 3.5, ""},
		{"number", option.Setting{Value: "NaN", Text: true}, nil, `got "NaN", want number`},
		{"boolean", option.Setting{Value: "On", Text: true}, true, ""},
		{"boolean", option.Setting{Value: "on"}, nil, "got string, want boolean"},
		{"list", option.Setting{Value: "a, b,", Text: true}, []any{"a", "b"}, ""},
		{"list", option.Setting{Value: map[string]any{}}, []any{}, ""},
		{"list", option.Setting{Value: []any{"a", 1.0}}, nil, "[2]: got number, want string"},
	} {
		got, err := (&option.Option{Type: tt.typ}).Read(tt.set)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) ||
			err == nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s %v: got %v, %v; want %v, %q", tt.typ, tt.set, got, err, tt.want, tt.err)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	if got := option.Variable("git-guard.lua", "max"); got != "AGENT_OPT_GIT_GUARD_MAX" {
		t.Error(got)
	}
	if !option.NamesScript("budget", "budget.js") || option.NamesScript("budge", "budget.js") {
		t.Error("a script is named by its file name, with the extension or without")
	}
}
