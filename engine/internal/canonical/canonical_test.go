package canonical

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestArgs(t *testing.T) {
	t.Parallel()
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	is := func(typ string) map[string]any { return map[string]any{"type": typ} }
	tool := struct {
		Schema  map[string]any
		Aliases *Aliases
	}{
		Schema: object(map[string]any{"path": is("string"), "n": is("integer"), "x": is("number"),
			"on": is("boolean"), "either": map[string]any{"type": []any{"string", "integer"}},
			"open": map[string]any{}, "names": map[string]any{"type": "array",
				"items": is("string")}, "o": is("object"),
			"edits": map[string]any{"type": "array",
				"items": object(map[string]any{"old": is("string"), "new": is("string"),
					"all": is("boolean")})}}),
		Aliases: &Aliases{Names: map[string]string{"file_path": "path", "file": "path"},
			Idle: []string{"note", "path"}, List: "edits",
			Items: map[string]string{"old_string": "old", "new_string": "new"}}}
	for _, tt := range []struct{ in, want, notes string }{
		{`{"path": "a", "n": 5, "x": 1.5, "on": true, "either": "5", "open": "5", "edits": ` +
			`[{"old": "a", "new": "b"}]}`, "", ""},
		{`{"file_path": "a"}`, `{"path": "a"}`, "took file_path as path"},
		{`{"file_path": "a", "note": "b"}`, `{"path": "a"}`,
			"left out note, which has no effect here; took file_path as path"},
		{`{"file_path": "a", "path": "a"}`, `{"path": "a"}`, "took file_path as path"},
		{`{"file_path": "a", "path": "b"}`, "", ""},
		{`{"file_path": "a", "file": "b"}`, `{"path": "b", "file_path": "a"}`, "took file as path"},
		{`{"n": "5", "x": "-1.5", "on": "true"}`, `{"n": 5, "x": -1.5, "on": true}`,
			"took n, which was a string, as a number; took on, which was a string, as a boolean; " +
				"took x, which was a string, as a number"},
		{`{"n": "5.5", "x": "many", "on": "yes", "names": "a", "o": "b"}`, "", ""},
		{`{"n": "0x10", "x": "1e3"}`, "", ""},
		{`{"n": "05", "x": "NaN"}`, "", ""},
		{`{"o": "{\"a\": 1}", "names": "[\"a\"]"}`, `{"o": {"a": 1}, "names": ["a"]}`,
			"took names, which was JSON in a string, as a list; took o, which was JSON in a " +
				"string, as an object"},
		{`{"edits": "[{\"old\": \"a\", \"new\": \"b\"}]"}`, `{"edits": [{"old": "a", "new": "b"}]}`,
			"took edits, which was JSON in a string, as a list"},
		{`{"edits": "{\"old\": \"a\"}"}`, `{"edits": [{"old": "a"}]}`,
			"took edits, which was JSON in a string, as a list of one"},
		{`{"edits": {"old_string": "a", "all": "false"}}`,
			`{"edits": [{"old": "a", "all": false}]}`,
			"took edits, which was not a list, as a list of one; took edits.all, which was a " +
				"string, as a boolean; took old_string as old"},
		{`{"edits": [{"old": "a"}, {"old_string": "a", "new_string": "b"}]}`,
			`{"edits": [{"old": "a"}, {"old": "a", "new": "b"}]}`,
			"took new_string as new; took old_string as old"},
		{`{"file": "a", "old_string": "a", "new": "b"}`,
			`{"path": "a", "edits": [{"old": "a", "new": "b"}]}`,
			"took file as path; took new, old_string as edits; took old_string as old"},
		{`{"old": "a", "edits": []}`, "", ""},
		{`{"edits": "[{", "o": null, "n": null, "names": {"a": 1}}`, "", ""},
	} {
		in, want := map[string]any{}, map[string]any{}
		if tt.want == "" {
			tt.want = tt.in
		}
		for text, m := range map[string]*map[string]any{tt.in: &in, tt.want: &want} {
			if err := json.Unmarshal([]byte(text), m); err != nil {
				t.Fatal(err)
			}
		}
		if tt.want == tt.in {
			want = in
		}
		before, _ := json.Marshal(in)
		got, notes := Args(tool.Schema, tool.Aliases, in)
		if !reflect.DeepEqual(got, want) || strings.Join(notes, "; ") != tt.notes {
			t.Errorf("%s: got %v, %q\nwant %v, %q", tt.in, got, notes, want, tt.notes)
		}
		if after, _ := json.Marshal(in); string(after) != string(before) {
			t.Errorf("%s: the arguments were changed to %s", tt.in, after)
		}
	}
}

// BenchmarkArgs measures arguments that need no conversion.
func BenchmarkArgs(b *testing.B) {
	schema := map[string]any{"properties": map[string]any{
		"command": map[string]any{"type": "string"}, "timeout": map[string]any{"type": "number"}}}
	aliases := &Aliases{Names: map[string]string{"cmd": "command"}}
	args := map[string]any{"command": "ls", "timeout": 5.0}
	for b.Loop() {
		Args(schema, aliases, args)
	}
}
