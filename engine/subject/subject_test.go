package subject

import "testing"

// TestPathIn: a tool's own description decides which file a call is about; without one, the names
// of the arguments do.
func TestPathIn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		subject *Subject
		args    map[string]any
		want    string
	}{
		"the tool says": {&Subject{Kind: Path, Arg: "doc"}, map[string]any{"doc": "a",
			"path": "b"}, "a"},
		"the tool is about no file": {&Subject{Kind: Command, Arg: "command"},
			map[string]any{"path": "b"}, ""},
		"the call does not name it": {&Subject{Kind: Path, Arg: "doc", Absent: "."},
			map[string]any{}, ""},
		"by the argument's name": {nil, map[string]any{"city": "Rome", "file": "a"}, "a"},
		"the likeliest argument": {nil, map[string]any{"dir": "d", "file_path": "a"}, "a"},
		"not a text":             {nil, map[string]any{"path": 7.0, "paths": []any{"a"}}, ""},
		"no such argument":       {nil, map[string]any{"city": "Rome"}, ""},
	} {
		if got := tt.subject.PathIn(tt.args); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
