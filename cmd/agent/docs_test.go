// This file checks docs/ against the code.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/schemas"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

// checkSection compares the part of a file between <!-- name --> and <!-- end --> with text or,
// with UPDATE=1, replaces it: go generate ./cmd/agent does that.
func checkSection(t *testing.T, file, name, text string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
	head, rest, ok := strings.Cut(string(b), begin)
	was, tail, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		t.Fatalf("%s: no %s followed by %s", file, strings.TrimSpace(begin), end)
	case was == text:
	case os.Getenv("UPDATE") != "":
		if err := os.WriteFile(file, []byte(head+begin+text+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s: %s is not what the code says (go generate ./cmd/agent writes it): "+
			"got\n%s\nwant\n%s", file, name, was, text)
	}
}

// fieldRows returns the rows of a Markdown table of fields.
func fieldRows(fields []value.Field, indent string) string {
	var b strings.Builder
	for _, f := range fields {
		doc := f.Doc
		if len(f.Values) > 0 {
			if doc != "" {
				doc = ": " + doc
			}
			doc = "one of " + strings.Join(f.Values, ", ") + doc
		}
		fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", indent, f.Name,
			strings.ReplaceAll(f.Type, "|", " or "), doc)
		b.WriteString(fieldRows(f.Fields, indent+f.Name+"."))
	}
	return b.String()
}

// TestGuideTools checks that docs/scripts.md lists the built-in tools with their arguments.
func TestGuideTools(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("| tool | kind | arguments |\n|---|---|---|\n")
	for _, tl := range tool.Builtin(tool.Options{}) {
		properties, _ := tl.Schema["properties"].(map[string]any)
		required, _ := tl.Schema["required"].([]any)
		var args []string
		for _, name := range value.SortedKeys(properties) {
			mark := "?"
			if slices.Contains(required, any(name)) {
				mark = ""
			}
			p, _ := properties[name].(map[string]any)
			typ, _ := p["type"].(string)
			if items, ok := p["items"].(map[string]any); ok {
				typ = "list of {" +
					strings.Join(value.SortedKeys(items["properties"].(map[string]any)), ", ") +
					"}"
			}
			args = append(args, "`"+name+mark+"` "+typ)
		}
		slices.SortStableFunc(args, func(a, b string) int { // required ones first
			return strings.Count(a, "?") - strings.Count(b, "?")
		})
		kind := tl.Kind
		if tl.ReadOnly {
			kind += ", only reads"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", tl.Name, kind, strings.Join(args, ", "))
	}
	checkSection(t, "../../docs/scripts.md", "tools", b.String())
}

func TestJSONDocs(t *testing.T) {
	t.Parallel()
	const file = "../../docs/json.md"
	const head = "| field | type | what |\n|---|---|---|\n"
	checkSection(t, file, "envelope", head+fieldRows(spec.Envelope(), ""))
	var b strings.Builder
	for _, row := range spec.Streamed() {
		fmt.Fprintf(&b, "### %s\n%s\n", row.Name, spec.Wrapped(row.Doc))
		if len(row.Payload) > 0 {
			b.WriteString("\n" + head + fieldRows(row.Payload, ""))
		}
		b.WriteString("\n")
	}
	checkSection(t, file, "events", b.String())
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if first := streamHeader(); !strings.Contains(string(text), string(first)) {
		t.Errorf("%s does not show the first line: %s", file, first)
	}
	var keys []string
	for _, f := range spec.Envelope() {
		keys = append(keys, f.Name)
	}
	if got, want := strings.Join(keys, " "), strings.Join(event.EnvelopeKeys(), " "); got != want {
		t.Errorf("the envelope is described as %s, and is %s", got, want)
	}
}

// TestEventsDocs checks that docs/events.md has the table of what handlers may do with each event.
func TestEventsDocs(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("\n| event | phase | may return | if it fails | filters | context stays |\n")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, row := range spec.Events() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s | %s |\n", row.Name, row.Phase,
			strings.Join(row.Returns, ", "),
			row.Failure, strings.Join(row.Filters, ", "), row.Lifetime)
	}
	b.WriteString("\n")
	checkSection(t, "../../docs/events.md", "table", b.String())
}

// streamSchema is the published schema of the lines of --json.
var streamSchema = sync.OnceValues(func() (engine.Validator, error) {
	var schema map[string]any
	if err := json.Unmarshal([]byte(spec.StreamSchema()), &schema); err != nil {
		return nil, err
	}
	return schemas.Compiler{}.Compile(schema)
})

// checkLines checks each line of --json against the documentation and the schema.
func checkLines(t *testing.T, lines string) {
	t.Helper()
	schema, err := streamSchema()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]event.Row{}
	for _, row := range spec.Streamed() {
		rows[row.Name] = row
	}
	for line := range strings.Lines(lines) {
		var ev map[string]any
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Errorf("not JSON: %.200s", line)
			continue
		}
		if err := schema.Validate(ev); err != nil {
			t.Errorf("the schema does not fit: %v in %.2000s", err, line)
		}
		name, _ := ev["event"].(string)
		row, ok := rows[name]
		if strings.HasPrefix(name, "custom:") {
			row, ok = rows[event.Custom]
		}
		if !ok {
			t.Errorf("undocumented event: %.200s", line)
			continue
		}
		for _, key := range []string{"prompt_id", "turn"} { // the user's own calls have neither
			if ev["origin"] == "user" && ev[key] == nil {
				ev[key] = 0
			}
		}
		if wrong := checkFields(&row, ev); len(wrong) > 0 {
			t.Errorf("%s: %s in %.2000s", name, strings.Join(wrong, "; "), line)
		}
	}
}

// TestStreamSchema checks that the schema refuses what is no line of --json.
func TestStreamSchema(t *testing.T) {
	t.Parallel()
	schema, err := streamSchema()
	if err != nil {
		t.Fatal(err)
	}
	for line, fits := range map[string]bool{
		`{"event": "stream", "version": 1, "agent_version": "0.1.0"}`: true,
		`{"event": "stream", "version": 2, "agent_version": "0.1.0"}`: false,
		`{"event": "nothing"}`:                     false,
		`{"version": 1, "agent_version": "0.1.0"}`: false,
		`{"event": "notification", "level": 3}`:    false,
	} {
		var ev map[string]any
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(ev); (err == nil) != fits {
			t.Errorf("%s: got %v", line, err)
		}
	}
}

// TestEmbeddingDocs checks that the samples of docs/embedding.md are examples that run.
func TestEmbeddingDocs(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../agent/program/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"whole", "guard"} {
		_, rest, ok := strings.Cut(string(b), "\t// "+name+"\n")
		code, _, closed := strings.Cut(rest, "\n\t// end\n")
		if !ok || !closed {
			t.Fatalf("there is no example between // %s and // end", name)
		}
		lines := strings.Split(code, "\n")
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "\t")
		}
		if n := len(lines); name == "guard" && n > 15 {
			t.Errorf("%s: %d lines, want at most 15", name, n)
		}
		checkSection(t, "../../docs/embedding.md", name,
			"\n```go\n"+strings.Join(lines, "\n")+"\n```\n\n")
	}
}
