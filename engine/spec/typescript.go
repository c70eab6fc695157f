// This file generates ext.d.ts, the types of the API for JavaScript editors.

package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// TypeScript returns ext.d.ts.
func TypeScript() string {
	var b strings.Builder
	b.WriteString("// The types of ext, made from the tables of the program: agent ext types " +
		"rewrites this file.\n\n")
	b.WriteString("/** What every event has. */\ninterface AgentEvent {\n" + tsFields(Envelope(),
		"  ", "readonly ") + "}\n")
	var events, outcomes strings.Builder
	for _, row := range Events() {
		if row.Name == event.Custom {
			continue
		}
		fmt.Fprintf(&b, "\n/** %s */\ninterface %s extends AgentEvent {\n%s}\n", row.Doc,
			tsName(row.Name, "Event"), tsFields(asRead(row.Payload), "  ", "readonly "))
		outcome := "void"
		if keys := engine.OutcomeKeys(&row); len(keys) > 0 {
			outcome = tsName(row.Name, "Outcome")
			fields := make([]value.Field, len(keys))
			for i, key := range keys {
				fields[i] = engine.OutcomeField(&row, key)
				fields[i].Type = strings.TrimSuffix(fields[i].Type, "?") + "?"
			}
			fmt.Fprintf(&b, "\n/** What a handler of %s may return. */\ninterface %s {\n%s}\n",
				row.Name, outcome, tsFields(fields, "  ", ""))
		}
		fmt.Fprintf(&events, "  %s: %s;\n", row.Name, tsName(row.Name, "Event"))
		fmt.Fprintf(&outcomes, "  %s: %s;\n", row.Name, outcome)
	}
	fmt.Fprintf(&b, "\ninterface AgentEvents {\n%s  [custom: `custom:${string}`]: "+
		"CustomEvent_;\n}\n", events.String())
	b.WriteString("\n/** An event that a script sends with ext.emit. */\ninterface CustomEvent_ " +
		"extends AgentEvent {\n" + tsFields(eventNamed(event.Custom).Payload, "  ",
		"readonly ") + "}\n")
	fmt.Fprintf(&b, "\ninterface AgentOutcomes {\n%s  [custom: `custom:${string}`]: void;\n}\n",
		outcomes.String())
	b.WriteString("\ntype AgentAnswer<T> = T | null | undefined | void | false | Promise<T | " +
		"null | undefined | void | false>;\n")
	b.WriteString("\n/** What a tool, a command, a shortcut and a timer are called with, besides " +
		"their arguments. */\ninterface AgentCall {\n" + tsFields(Call(), "  ", "readonly ") +
		"}\n")
	b.WriteString("\n/** What the function of an ext.test is handed. */\ninterface AgentTest {\n" +
		tsTest("  ") + "}\n")
	b.WriteString("\ndeclare const ext: {\n" + tsTree(tree(), "  ") + "};\n" +
		"\n/** What a file of the folder lib beside the script exports: require(\"lib/rules\"). " +
		"*/\ndeclare function require(name: string): any;\n" + ownTexts()["web.d.ts"])
	return b.String()
}

// asRead returns the fields with the types that a handler reads: content, which it may return as
// text, is read as a list of blocks.
func asRead(fields []value.Field) []value.Field {
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		if rest, ok := strings.CutPrefix(f.Type, "string|list"); ok && f.Name == "content" {
			f.Type = "list" + rest
		}
		f.Fields = asRead(f.Fields)
	}
	return fields
}

func eventNamed(name string) event.Row {
	rows := Events()
	return rows[slices.IndexFunc(rows, func(r event.Row) bool { return r.Name == name })]
}

// tsName returns the name of a type: ToolCallEvent for tool_call.
func tsName(name, kind string) string {
	out := ""
	for _, part := range strings.Split(name, "_") {
		out += strings.ToUpper(part[:1]) + part[1:]
	}
	return out + kind
}

// tsFields returns the members of an interface.
func tsFields(fields []value.Field, indent, modifier string) string {
	var b strings.Builder
	for _, f := range fields {
		tsDoc(&b, f.Doc, indent)
		mark := ""
		if strings.HasSuffix(f.Type, "?") {
			mark = "?"
		}
		fmt.Fprintf(&b, "%s%s%s%s: %s;\n", indent, modifier, f.Name, mark, tsType(f, indent))
	}
	return b.String()
}

func tsDoc(b *strings.Builder, doc, indent string) {
	if doc != "" {
		fmt.Fprintf(b, "%s/** %s */\n", indent, strings.ReplaceAll(doc, "*/", "* /"))
	}
}

// tsType returns the type of a field.
func tsType(f value.Field, indent string) string {
	if len(f.Values) > 0 {
		quoted := make([]string, len(f.Values))
		for i, v := range f.Values {
			quoted[i] = strconv.Quote(v)
		}
		return strings.Join(quoted, " | ")
	}
	var out []string
	for _, t := range strings.Split(strings.TrimSuffix(f.Type, "?"), "|") {
		switch {
		case t == "table" && len(f.Fields) > 0:
			t = "{\n" + tsFields(f.Fields, indent+"  ", "") + indent + "}"
		case t == "function":
			t = tsFunction(f, indent)
		case tsTypes[t] != "":
			t = tsTypes[t]
		}
		out = append(out, t)
	}
	return strings.Join(out, " | ")
}

var tsTypes = map[string]string{"integer": "number", "table": "{ [key: string]: any }",
	"list": "any[]", "null": "null", "call": "AgentCall"}

// tsFunction returns the type of a function that a script passes.
func tsFunction(f value.Field, indent string) string {
	params := []string{"...args: any[]"}
	if f.Takes != nil {
		params = nil
	}
	for _, p := range f.Takes {
		params = append(params, p.Name+": "+tsType(p, indent))
	}
	answer := "any"
	if f.Answer != "" || len(f.Fields) > 0 {
		answer = "AgentAnswer<" + tsType(value.Field{Type: cmp.Or(f.Answer, "table"),
			Fields: f.Fields}, indent) + ">"
	}
	return "((" + strings.Join(params, ", ") + ") => " + answer + ")"
}

// node is a part of ext: a function, a fact, or a namespace.
type node struct {
	name string
	row  *engine.APIRow
	kids []*node
}

// tree returns ext as a tree.
func tree() *node {
	root := &node{}
	for _, row := range API() {
		at := root
		for _, part := range strings.Split(row.Name, ".") {
			i := slices.IndexFunc(at.kids, func(n *node) bool { return n.name == part })
			if i < 0 {
				at.kids = append(at.kids, &node{name: part})
				i = len(at.kids) - 1
			}
			at = at.kids[i]
		}
		at.row = &row
	}
	return root
}

// tsTree returns the members of a namespace.
func tsTree(n *node, indent string) string {
	var b strings.Builder
	for _, k := range n.kids {
		switch {
		case k.row == nil:
			fmt.Fprintf(&b, "%s%s: {\n%s%s};\n", indent, k.name, tsTree(k, indent+"  "), indent)
		case k.row.Fact:
			tsDoc(&b, k.row.Doc, indent)
			fmt.Fprintf(&b, "%sreadonly %s: %s;\n", indent, k.name,
				tsType(value.Field{Type: k.row.Result}, indent))
		default:
			tsDoc(&b, k.row.Doc, indent)
			for _, call := range tsCalls(k.row, indent) {
				fmt.Fprintf(&b, "%s%s%s;\n", indent, tsMember(k.name), call)
			}
		}
	}
	return b.String()
}

// tsMember returns the name of a method. It quotes new, which would otherwise declare a
// constructor.
func tsMember(name string) string {
	if name == "new" {
		return `"new"`
	}
	return name
}

// tsTest returns the methods of t.
func tsTest(indent string) string {
	var b strings.Builder
	for _, row := range Testing() {
		tsDoc(&b, row.Doc, indent)
		for _, call := range tsCalls(&row, indent) {
			fmt.Fprintf(&b, "%s%s%s;\n", indent, strings.TrimPrefix(row.Name, "t."), call)
		}
	}
	return b.String()
}

// tsCalls returns the signatures of a function.
func tsCalls(row *engine.APIRow, indent string) []string {
	switch row.Name {
	case "on":
		options := tsType(value.Field{Type: "table", Fields: handlerOptions}, indent)
		return []string{
			"<K extends keyof AgentEvents>(event: K, fn: (ev: AgentEvents[K]) => " +
				"AgentAnswer<AgentOutcomes[K]>): void",
			"<K extends keyof AgentEvents>(event: K, options: " + options +
				", fn: (ev: AgentEvents[K]) => AgentAnswer<AgentOutcomes[K]>): void",
		}
	case "test":
		return []string{"(name: string, fn: (t: AgentTest) => any): void"}
	case "guard":
		options := tsType(value.Field{Type: "table", Fields: handlerOptions}, indent)
		return []string{
			"(fn: (ev: GuardEvent) => AgentAnswer<GuardOutcome>): void",
			"(options: " + options + ", fn: GuardOutcome | ((ev: GuardEvent) => " +
				"AgentAnswer<GuardOutcome>)): void",
		}
	}
	var params []string
	for i, p := range row.Params {
		mark := ""
		if strings.HasSuffix(p.Type, "?") {
			mark = "?"
			for _, later := range row.Params[i+1:] {
				// TypeScript has no optional parameters in the middle
				if !strings.HasSuffix(later.Type, "?") {
					mark = ""
				}
			}
		}
		if row.Aborts && i == len(row.Params)-1 {
			p.Fields = append(slices.Clone(p.Fields),
				value.Field{Name: "signal", Type: "AbortSignal?",
					Doc: "cancels the call when it is aborted"})
		}
		typ := tsType(p, indent)
		switch {
		case p.Rest:
			params = append(params, "..."+p.Name+": ("+typ+")[]")
			continue
		case mark != "", strings.HasSuffix(p.Type, "?"):
			typ += " | null"
		}
		params = append(params, p.Name+mark+": "+typ)
	}
	result := "void"
	if row.Result != "" {
		result = tsType(value.Field{Type: row.Result}, indent)
		if strings.HasSuffix(row.Result, "?") {
			result += " | null"
		}
	}
	if row.Waits {
		result = "Promise<" + result + ">"
	}
	return []string{"(" + strings.Join(params, ", ") + "): " + result}
}
