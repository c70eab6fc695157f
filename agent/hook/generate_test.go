package hook

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

var update = flag.Bool("update", false, "write the files of events anew")

// TestEvents compares the types of events with the table. `go test ./agent/hook -run TestEvents
// -update` rewrites them.
func TestEvents(t *testing.T) {
	files := map[string]*bytes.Buffer{}
	var order []string
	for _, row := range spec.Events() {
		if row.Phase != event.Intercept {
			continue
		}
		name := fileOf(row.Name)
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
			order = append(order, name)
		}
		write(files[name], &row)
	}
	for _, name := range order {
		want, err := format.Source(append(header(files[name].Bytes()), files[name].Bytes()...))
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
			t.Errorf("%s differs from the table: run go generate ./agent/hook", name)
		}
	}
}

// header returns the beginning of a file, which imports the packages that the code uses.
func header(code []byte) []byte {
	text := "// Code generated from the event table. DO NOT EDIT.\n\npackage hook\n\nimport " +
		"(\n\"context\"\n\n"
	for _, pkg := range []string{"engine", "engine/chat", "engine/event"} {
		if bytes.Contains(code, []byte(path.Base(pkg)+".")) {
			text += "\"github.com/agentscripts/agent/" + pkg + "\"\n"
		}
	}
	return []byte(text + ")\n")
}

// fileOf returns the file of an event; related events share one.
func fileOf(event string) string {
	group := "events_agent.go"
	for prefix, file := range map[string]string{"session": "session", "tool": "tool",
		"guard": "tool", "loop": "tool", "llm": "llm", "context": "llm", "assistant": "llm"} {
		if strings.HasPrefix(event, prefix) {
			group = "events_" + file + ".go"
		}
	}
	return group
}

// camel returns a name of the table in Go's spelling.
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

// reads returns the Go type of a field, and the expression that reads it.
func reads(f value.Field) (goType, read string) {
	switch f.Name {
	case "messages":
		return "func() []*chat.Message", "messages"
	case "message":
		if strings.HasPrefix(f.Type, "table") {
			return "func() *chat.Message", "message"
		}
	case "content", "images":
		return "func() []chat.Block", "blocks"
	case "tool_calls":
		if f.Type == "list" {
			return "func() []chat.ToolUse", "uses"
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

// returns returns the Go type of the value under a key, and the statement that writes it.
func returns(row *event.Row, key string) (goType, write, doc string) {
	field, name := engine.OutcomeField(row, key), "o."+camel(key)
	if isVerb(field) {
		if key == "summary" { // "" is a summary, too
			return "*string", fmt.Sprintf("pointer(t, %q, %s)", key, name),
				"nil = a model writes it"
		}
		as := map[string][2]string{"boolean": {"bool", "flag"}, "number": {"float64", "number"},
			"string":       {"string", "text"},
			"string|table": {"string", "text"}, "table": {"map[string]any", "table"},
			"any": {"any", "any"}}[field.Type]
		return as[0], fmt.Sprintf("t.%s(%q, %s)", as[1], key, name), field.Doc
	}
	switch goType, _ := reads(field); goType {
	case "func() []*chat.Message":
		return "[]*chat.Message", fmt.Sprintf("t.messages(%q, %s)", key, name), "nil = as it is"
	case "func() []chat.Block":
		return "[]chat.Block", fmt.Sprintf("t.blocks(%q, %s)", key, name), "nil = as it is"
	case "func() []chat.ToolUse":
		return "[]chat.ToolUse", fmt.Sprintf("t.uses(%q, %s)", key, name), "nil = as it is"
	case "func() []any":
		return "[]any", fmt.Sprintf("t.list(%q, %s)", key, name), "nil = as it is"
	case "map[string]any":
		return goType, fmt.Sprintf("t.table(%q, %s)", key, name), "merged one level; nil = as it is"
	default:
		return "*" + goType, fmt.Sprintf("pointer(t, %q, %s)", key, name), "nil = as it is"
	}
}

// wrap writes doc as comment lines of at most 90 columns.
func wrap(doc string) string {
	out, line := "", "//"
	for _, word := range strings.Fields(doc) {
		if len(line)+1+len(word) > 90 {
			out, line = out+line+"\n", "//"
		}
		line += " " + word
	}
	return out + line + "\n"
}

// isVerb reports whether the field of an outcome is a verb, and not a payload field.
func isVerb(field value.Field) bool {
	return slices.ContainsFunc(engine.Verbs(),
		func(v value.Field) bool { return v.Name == field.Name && v.Type == field.Type })
}

func write(b *bytes.Buffer, row *event.Row) {
	name := camel(row.Name)
	fmt.Fprintf(b, "\n%stype %s struct {\n*event.Event\n",
		wrap(fmt.Sprintf("%s is what %s tells. %s", name, row.Name, row.Doc)), name)
	var read strings.Builder
	for _, f := range row.Payload {
		goType, with := reads(f)
		doc := strings.Trim(f.Doc+"; "+strings.Join(f.Values, ", "), "; ")
		b.WriteString(field(camel(f.Name)+" "+goType, doc))
		fmt.Fprintf(&read, "%s: %s(ev, %q),\n", camel(f.Name), with, f.Name)
	}
	fmt.Fprintf(b, "}\n\n%stype %sOutcome struct {\n", wrap(fmt.Sprintf("%sOutcome is what a hook "+
		"of %s decides; the zero one means: go on.", name, row.Name)), name)
	var table strings.Builder
	for _, key := range engine.OutcomeKeys(row) {
		goType, write, doc := returns(row, key)
		b.WriteString(field(camel(key)+" "+goType, doc))
		table.WriteString(write + "\n")
	}
	fmt.Fprintf(b, "}\n\nfunc (o %sOutcome) value() any {\nt := outcome{}\n%sreturn t.value()\n}\n",
		name, table.String())
	fmt.Fprintf(b, "\n// On%s adds a hook of %s. It runs until off is called.\nfunc On%s(e "+
		"*engine.Engine,\nf func(ctx context.Context, ev %s) (%sOutcome, error),\noptions "+
		"...Option) (off func(), err error) {\n",
		name, row.Name, name, name, name)
	fmt.Fprintf(b, "return on(e, %q, f == nil,\nfunc(ctx context.Context, ev *event.Event) (any, "+
		"error) {\nout, err := f(ctx, %s{Event: ev,\n%s})\nreturn out.value(), err\n}, "+
		"options)\n}\n", row.Name, name, read.String())
}

// field returns a field of a struct with its comment, above it if it is long.
func field(name, doc string) string {
	switch line := name + " // " + doc + "\n"; {
	case doc == "":
		return name + "\n"
	case len(line) <= 70:
		return line
	}
	return wrap(doc) + name + "\n"
}
