// This file generates the types of the lines of --json: a JSON Schema, and a file for TypeScript.

package spec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// StreamSchema returns the JSON Schema of a line of --json. It permits fields that it does not
// know, as a later agent may add some.
func StreamSchema() string {
	envelope := Envelope()
	envelope = slices.DeleteFunc(slices.Clone(envelope),
		func(f value.Field) bool { return f.Name == "event" })
	lines := []any{map[string]any{"title": "the first line",
		"properties": map[string]any{"event": map[string]any{"const": "stream"},
			"version":       map[string]any{"const": StreamVersion},
			"agent_version": map[string]any{"type": "string"}},
		"required": []string{"event", "version", "agent_version"}}}
	for _, row := range Streamed() {
		line := objectSchema(row.Payload)
		name := map[string]any{"const": row.Name}
		if row.Name == event.Custom {
			name = map[string]any{"pattern": "^" + customPrefix}
		}
		line["properties"].(map[string]any)["event"] = name
		line["description"] = row.Doc
		line["allOf"] = []any{map[string]any{"$ref": "#/$defs/envelope"}}
		lines = append(lines, line)
	}
	b, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "A line of agent --json, or an event of agent rpc",
		"type":    "object", "required": []string{"event"}, "anyOf": lines,
		"$defs": map[string]any{"envelope": objectSchema(envelope)}}, "", " ")
	if err != nil {
		panic(err) // all of it is made here
	}
	return string(b) + "\n"
}

// customPrefix begins the names of the events that scripts send.
const customPrefix = "custom:"

// objectSchema returns the schema of an object with these fields.
func objectSchema(fields []value.Field) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range fields {
		properties[f.Name] = fieldSchema(f)
		if !strings.HasSuffix(f.Type, "?") {
			required = append(required, f.Name)
		}
	}
	out := map[string]any{"properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// schemaTypes are the JSON types of the types of fields. Others may be anything.
var schemaTypes = map[string]string{"string": "string", "number": "number", "integer": "integer",
	"boolean": "boolean", "table": "object", "list": "array", "null": "null"}

// fieldSchema returns the schema of a field.
func fieldSchema(f value.Field) map[string]any {
	out := map[string]any{}
	if f.Doc != "" {
		out["description"] = f.Doc
	}
	if len(f.Values) > 0 {
		out["enum"] = f.Values
		return out
	}
	var types []string
	for t := range strings.SplitSeq(strings.TrimSuffix(f.Type, "?"), "|") {
		if schemaTypes[t] == "" {
			return out
		}
		types = append(types, schemaTypes[t])
	}
	out["type"] = types
	if len(types) == 1 {
		out["type"] = types[0]
	}
	if len(f.Fields) == 0 {
		return out
	}
	if kids := objectSchema(f.Fields); slices.Contains(types, "array") {
		out["items"] = map[string]any{"properties": kids["properties"]}
	} else {
		out["properties"] = kids["properties"]
		if kids["required"] != nil {
			out["required"] = kids["required"]
		}
	}
	return out
}

// StreamTypes returns the types of the lines of --json for TypeScript.
func StreamTypes() string {
	var b strings.Builder
	b.WriteString("// The lines of agent --json, and the events of agent rpc, made from the " +
		"tables of the program.\n\n/** The first line. */\nexport interface StreamHeader {\n" +
		fmt.Sprintf("  event: \"stream\";\n  version: %d;\n  agent_version: string;\n}\n",
			StreamVersion) +
		"\n/** What every event has. */\nexport interface StreamEvent {\n" +
		tsFields(Envelope(), "  ", "") + "}\n")
	names := []string{"StreamHeader"}
	for _, row := range Streamed() {
		name, is := "CustomLine", "`"+customPrefix+"${string}`"
		if row.Name != event.Custom {
			name, is = tsName(row.Name, "Line"), fmt.Sprintf("%q", row.Name)
		}
		names = append(names, name)
		fmt.Fprintf(&b, "\n/** %s */\nexport interface %s extends StreamEvent {\n"+
			"  event: %s;\n%s}\n",
			strings.ReplaceAll(row.Doc, "*/", "* /"), name, is, tsFields(row.Payload, "  ", ""))
	}
	b.WriteString("\n/** A line. Ignore events and fields that you do not know. */\nexport type " +
		"StreamLine =\n  | " + strings.Join(names, "\n  | ") + ";\n")
	return b.String()
}
