// This file generates the types of package event, and compares them with the table.

package spec_test

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

// TestConstructors checks that package event agrees with the table: `go generate ./engine/spec`
// updates it.
func TestConstructors(t *testing.T) {
	files := map[string]*bytes.Buffer{}
	for _, row := range spec.Events() {
		if row.Name == event.Custom {
			continue
		}
		name := filepath.Join("../event", constructorFile(row.Name))
		if files[name] == nil {
			files[name] = bytes.NewBufferString(
				"// Code generated from the event table. DO NOT EDIT.\n\npackage event\n")
		}
		writeConstructor(files[name], &row)
	}
	for name, b := range files {
		want, err := format.Source(b.Bytes())
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, b)
		}
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date (%v): run go generate ./engine/spec",
				name, err)
		}
	}
}

// constructorFile returns the file for an event: related events are in one file.
func constructorFile(event string) string {
	word, _, _ := strings.Cut(event, "_")
	switch word {
	case "session", "script", "subagent":
		return word + ".go"
	case "llm", "context", "message", "assistant", "turn":
		return "model.go"
	case "tool", "guard", "loop":
		return "tool.go"
	case "agent", "input", "steering", "interrupt", "user", "busy", "wait":
		return "agent.go"
	}
	return "runtime.go"
}

// writeConstructor writes the type of one event.
func writeConstructor(b *bytes.Buffer, row *event.Row) {
	name := goName(row.Name)
	fmt.Fprintf(b, "\n%stype %s struct {\n", comment(name+" is the event "+row.Name+". "+row.Doc),
		name)
	var put strings.Builder
	for _, f := range ownFields(row) {
		typ, when := goField(f)
		doc := strings.Trim(f.Doc+"; "+strings.Join(f.Values, ", "), "; ")
		if line := fmt.Sprintf("%s %s // %s\n", goName(f.Name), typ, doc); doc != "" &&
			len(line) < 80 {
			b.WriteString(line)
		} else {
			if doc != "" {
				b.WriteString(comment(doc))
			}
			fmt.Fprintf(b, "%s %s\n", goName(f.Name), typ)
		}
		value := "x." + goName(f.Name)
		set := fmt.Sprintf("put(%q, %s)\n", f.Name,
			strings.Repeat("*", strings.Count(typ, "*"))+value)
		if when != "" {
			set = "if " + value + when + " {\n" + set + "}\n"
		}
		put.WriteString(set)
	}
	fmt.Fprintf(b, "}\n\n// Event returns the name of the event.\nfunc (%s) Event() string { "+
		"return %q }\n", name, row.Name)
	receiver, param := "x "+name, "put"
	if put.Len() == 0 {
		receiver, param = name, "_"
	}
	fmt.Fprintf(b, "\n// Put calls field for each field that is present.\nfunc (%s) Put(%s "+
		"func(field "+
		"string, value any)) {\n%s}\n", receiver, param, put.String())
}

// ownFields returns the fields of a row except for those that the engine sets in each event of a
// tool call.
func ownFields(row *event.Row) (own []value.Field) {
	for _, f := range row.Payload {
		if !f.OfCall {
			own = append(own, f)
		}
	}
	return own
}

// goField returns the Go type of a field, and the condition for its presence: "" means always.
// Fields that may be lazy have the type any.
func goField(f value.Field) (typ, when string) {
	t, optional := strings.CutSuffix(f.Type, "?")
	switch {
	case t == "list", t == "any", strings.Contains(t, "|"), f.Unshown && !optional:
		return "any", " != nil"
	case t == "table":
		return "map[string]any", " != nil"
	case t == "number" && optional: // 0 is a valid value
		return "*float64", " != nil"
	}
	typ, zero := map[string]string{"string": "string", "boolean": "bool", "number": "float64",
		"integer": "int"}[t], ""
	if optional {
		zero = map[string]string{"string": ` != ""`, "boolean": "", "integer": " != 0"}[t]
	}
	if typ == "" {
		panic("no Go type for " + f.Name + " " + f.Type)
	}
	return typ, zero
}

// goName converts a name of the table to Go's style.
func goName(name string) string {
	out := ""
	for _, part := range strings.Split(name, "_") {
		switch part {
		case "id", "llm", "ms", "us", "url":
			out += strings.ToUpper(part)
		default:
			out += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return out
}

// comment formats text as comment lines of at most 90 columns.
func comment(text string) string {
	out, line := "", "//"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 90 {
			out, line = out+line+"\n", "//"
		}
		line += " " + word
	}
	return out + line + "\n"
}
