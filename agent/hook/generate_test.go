package hook

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
)

var update = flag.Bool("update", false, "write the files of events anew")

// TestEvents holds the types of events against the table: `go test ./agent/hook -run TestEvents -update` makes them anew.
func TestEvents(t *testing.T) {
	files := map[string]*bytes.Buffer{}
	var order []string
	for _, row := range spec.Events() {
		if row.Phase != engine.Intercept {
			continue
		}
		name := fileOf(row.Name)
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
			order = append(order, name)
			fmt.Fprintf(files[name], "// Code generated from the event table. DO NOT EDIT.\n\npackage hook\n\nimport (\n\"context\"\n\n\"github.com/agentscripts/agent/engine\"\n)\n")
		}
		write(files[name], &row)
	}
	for _, name := range order {
		want, err := format.Source(files[name].Bytes())
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, files[name])
		}
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the table says: go generate ./agent/hook", name)
		}
	}
}

// fileOf puts events that belong together into one file.
func fileOf(event string) string {
	group := "events_agent.go"
	for prefix, file := range map[string]string{"session": "session", "tool": "tool", "guard": "tool", "loop": "tool", "llm": "llm", "context": "llm", "assistant": "llm"} {
		if strings.HasPrefix(event, prefix) {
			group = "events_" + file + ".go"
		}
	}
	return group
}

// camel is a name of the table as Go writes it.
func camel(name string) string {
	out := ""
	for _, part := range strings.Split(name, "_") {
		switch part {
		case "id", "llm", "ms":
			out += strings.ToUpper(part)
		default:
			out += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return out
}

// reads is the Go type of a field, and what reads it.
func reads(f engine.Field) (goType, read string) {
	switch f.Name {
	case "messages":
		return "func() []*engine.Message", "messages"
	case "message":
		if strings.HasPrefix(f.Type, "table") {
			return "func() *engine.Message", "message"
		}
	case "content", "images":
		return "func() []engine.Block", "blocks"
	case "tool_calls":
		if f.Type == "list" {
			return "func() []engine.ToolUse", "uses"
		}
	}
	if f.Type == "number?" { // 0 is a number, too
		return "*float64", "known"
	}
	switch strings.TrimSuffix(f.Type, "?") {
	case "string":
		return "string", "text"
	case "boolean":
		return "bool", "truth"
	case "number":
		return "float64", "number"
	case "integer":
		return "int", "integer"
	case "table":
		return "map[string]any", "table"
	case "list":
		return "func() []any", "list"
	}
	panic("no Go type for " + f.Name + " " + f.Type)
}

// returns is the Go type of what is returned under a key, and the statement that writes it.
func returns(row *engine.EventRow, key string) (goType, write, doc string) {
	field := engine.Field{}
	for _, f := range row.Payload {
		if f.Name == key && key != "reason" {
			field = f
		}
	}
	name := "o." + camel(key)
	switch {
	case field.Name != "":
	case key == "block", key == "allow", key == "handled", key == "stop":
		return "bool", fmt.Sprintf("t.flag(%q, %s)", key, name), map[string]string{"block": "refuse", "allow": "spare the routine question",
			"handled": "no model call", "stop": "no further model call"}[key]
	case key == "summary":
		return "*string", fmt.Sprintf("pointer(t, %q, %s)", key, name), "nil = a model writes it"
	case key == "extend":
		return "float64", fmt.Sprintf("t.number(%q, %s)", key, name), "that much further"
	case key == "detail":
		return "map[string]any", fmt.Sprintf("t.table(%q, %s)", key, name), "shown in the dialog"
	case key == "respond":
		return "any", fmt.Sprintf("t.any(%q, %s)", key, name), "answer instead, as plain data"
	default:
		return "string", fmt.Sprintf("t.text(%q, %s)", key, name), map[string]string{"reason": "of Block, Ask or Stop", "ask": "let the user decide", "context": "one more text for the model",
			"notify": "shown to the user", "abort": "prompt or agent", "continue_with": "the model goes on with this text", "instructions": "for the summary"}[key]
	}
	switch goType, _ := reads(field); goType {
	case "func() []*engine.Message":
		return "[]*engine.Message", fmt.Sprintf("t.messages(%q, %s)", key, name), "nil = as it is"
	case "func() []engine.Block":
		return "[]engine.Block", fmt.Sprintf("t.blocks(%q, %s)", key, name), "nil = as it is"
	case "func() []engine.ToolUse":
		return "[]engine.ToolUse", fmt.Sprintf("t.uses(%q, %s)", key, name), "nil = as it is"
	case "func() []any":
		return "[]any", fmt.Sprintf("t.list(%q, %s)", key, name), "nil = as it is"
	case "map[string]any":
		return goType, fmt.Sprintf("t.table(%q, %s)", key, name), "merged one level; nil = as it is"
	default:
		return "*" + goType, fmt.Sprintf("pointer(t, %q, %s)", key, name), "nil = as it is"
	}
}

func write(b *bytes.Buffer, row *engine.EventRow) {
	name := camel(row.Name)
	fmt.Fprintf(b, "\n// %s is what %s tells. %s\ntype %s struct {\n*engine.Event\n", name, row.Name, row.Doc, name)
	var read strings.Builder
	for _, f := range row.Payload {
		goType, with := reads(f)
		fmt.Fprintf(b, "%s %s", camel(f.Name), goType)
		if doc := strings.Join(append([]string(nil), f.Values...), ", "); doc != "" || f.Doc != "" {
			fmt.Fprintf(b, " // %s", strings.Trim(f.Doc+"; "+doc, "; "))
		}
		b.WriteString("\n")
		fmt.Fprintf(&read, "%s: %s(ev, %q),\n", camel(f.Name), with, f.Name)
	}
	fmt.Fprintf(b, "}\n\n// %sOutcome is what a hook of %s decides; the zero one means: go on.\ntype %sOutcome struct {\n", name, row.Name, name)
	var table strings.Builder
	for _, key := range engine.OutcomeKeys(row) {
		goType, write, doc := returns(row, key)
		fmt.Fprintf(b, "%s %s // %s\n", camel(key), goType, doc)
		table.WriteString(write + "\n")
	}
	fmt.Fprintf(b, "}\n\nfunc (o %sOutcome) value() any {\nt := outcome{}\n%sreturn t.value()\n}\n", name, table.String())
	fmt.Fprintf(b, "\n// On%s adds a hook of %s. It runs until off is called.\nfunc On%s(e Engine, f func(ctx context.Context, ev %s) (%sOutcome, error), options ...Option) (off func(), err error) {\n",
		name, row.Name, name, name, name)
	fmt.Fprintf(b, "return on(e, %q, f == nil, func(ctx context.Context, ev *engine.Event) (any, error) {\nout, err := f(ctx, %s{Event: ev,\n%s})\nreturn out.value(), err\n}, options)\n}\n", row.Name, name, read.String())
}
