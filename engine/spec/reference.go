// This file generates the reference in Markdown: a page per group of functions, and one for all
// events.

package spec

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// Reference returns the pages of the reference, and the types of the stream, by file name.
func Reference() map[string]string {
	pages := map[string]string{"events.md": eventsPage()}
	var index strings.Builder
	index.WriteString(
		"# The script API\n\nEvery function and every event of `ext`, generated from the " +
			"program's tables. See [scripts.md](../scripts.md) for an introduction. All of it on " +
			"one page, for a model: [guide.md](guide.md), which `agent ext docs` " +
			"prints.\n\n")
	for _, g := range Groups() {
		fmt.Fprintf(&index, "- [%s](%s.md): ", g.Title, g.Name)
		for i, row := range g.Rows {
			if i > 0 {
				index.WriteString(", ")
			}
			fmt.Fprintf(&index, "`%s`", row.Name)
		}
		index.WriteString("\n")
		pages[g.Name+".md"] = groupPage(g)
		if g.Name == "registration" {
			pages[g.Name+".md"] += "\n## call\n\nThe last argument of the functions of tools, " +
				"commands, shortcuts and timers. It has the fields of the envelope of events, " +
				"and methods:\n\n| " +
				"field | type | what |\n|---|---|---|\n" + fieldTable(Call(), "")
		}
	}
	pages["test.md"] = testPage()
	pages["guide.md"] = Guide()
	index.WriteString("- [Tests](test.md): the methods of `t` of `ext.test`\n")
	index.WriteString(
		"- [Events](events.md): the events of `ext.on` and `ext.guard`, and what handlers may " +
			"return\n")
	pages["README.md"] = index.String()
	for name, page := range pages {
		if name != "guide.md" { // models read it, and a function is a line
			pages[name] = Wrapped(page)
		}
	}
	pages["stream.schema.json"], pages["stream.d.ts"] = StreamSchema(), StreamTypes()
	return pages
}

func groupPage(g Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", g.Title, g.Doc)
	for _, row := range g.Rows {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n\n%s\n", callName(&row), Signature(&row), row.Doc)
		if table := fieldTable(row.Params, ""); table != "" {
			b.WriteString("\n| argument | type | what |\n|---|---|---|\n" + table)
		}
		for _, say := range remarks(&row) {
			b.WriteString("\n" + say + "\n")
		}
		fmt.Fprintf(&b, "\n```lua\n%s\n```\n\n```js\n%s\n```\n", row.Lua, row.JS)
	}
	return b.String()
}

// remarks returns notes about a function: waiting, grants, errors.
func remarks(row *engine.APIRow) (out []string) {
	if row.Waits {
		out = append(out, "It waits: a promise in JavaScript.")
	}
	switch {
	case row.Narrow != "":
		out = append(out, fmt.Sprintf("Needs `@grant %s:NAME`, where NAME is `%s`.", row.Grant,
			row.Narrow))
	case row.Grant != "":
		out = append(out, fmt.Sprintf("Needs `@grant %s`.", row.Grant))
	}
	if len(row.Codes) > 0 {
		out = append(out, "Errors of the world: `"+strings.Join(row.Codes, "`, `")+"`.")
	}
	if row.Aborts {
		out = append(out,
			"In JavaScript, the options may have a `signal`: an `AbortSignal` that gives the "+
				"call up.")
	}
	if row.Loading {
		out = append(out, "Only while the file loads.")
	}
	return out
}

// callName returns the name of a function as scripts use it: ext.exec, t.call.
func callName(row *engine.APIRow) string {
	if strings.HasPrefix(row.Name, "t.") {
		return row.Name
	}
	return "ext." + row.Name
}

// testPage returns the page about t.
func testPage() string {
	lua, js := TestScript()
	return groupPage(Group{Title: "Tests", Rows: Testing(),
		Doc: "A script contains its tests: `ext.test(name, function(t) ... end)`. `agent ext " +
			"test` runs each of them in isolation. The examples are tests of this " +
			"script:\n\n```lua\n" +
			lua + "\n```\n\n```js\n" + js + "\n```"})
}

// Signature returns the signature of a function: ext.regex.find(pattern, text) = table?
func Signature(row *engine.APIRow) string {
	if row.Fact {
		return callName(row) + ": " + orWords(row.Result)
	}
	var params []string
	for _, p := range row.Params {
		switch {
		case p.Rest:
			params = append(params, p.Name+", ...")
		case strings.HasSuffix(p.Type, "?"):
			params = append(params, "["+p.Name+"]")
		default:
			params = append(params, p.Name)
		}
	}
	s := callName(row) + "(" + strings.Join(params, ", ") + ")"
	if row.Result != "" {
		s += " = " + orWords(row.Result)
	}
	return s
}

// orWords spells a type out: "string|table?" is "string or table, or nil".
func orWords(typ string) string {
	want := strings.ReplaceAll(strings.TrimSuffix(typ, "?"), "|", " or ")
	if strings.HasSuffix(typ, "?") {
		want += ", or nil"
	}
	return want
}

// fieldTable are rows of a table of fields, those of tables below their own.
func fieldTable(fields []value.Field, below string) string {
	var b strings.Builder
	for _, f := range fields {
		doc := f.Doc
		if len(f.Values) > 0 {
			if doc != "" {
				doc = ": " + doc
			}
			doc = "one of " + strings.Join(f.Values, ", ") + doc
		}
		typ := strings.ReplaceAll(strings.TrimSuffix(f.Type, "?"), "|", " or ")
		if strings.HasSuffix(f.Type, "?") {
			typ += ", optional"
		}
		if f.Rest {
			typ += ", any number of them"
		}
		fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", below, f.Name, typ,
			strings.ReplaceAll(doc, "|", `\|`))
		at := below + f.Name
		if strings.HasPrefix(f.Type, "function") {
			at += "()"
		} else if strings.Contains(f.Type, "list") {
			if strings.Contains(below, "[]") { // one level is enough for readers
				continue
			}
			at += "[]"
		}
		b.WriteString(fieldTable(f.Fields, at+"."))
	}
	return b.String()
}

// matched describes the text that the filter match of a row tests.
func matched(row *event.Row) string {
	texts := strings.Split(row.MainText, "|")
	switch {
	case row.MainText == "":
		return ""
	case len(texts) == 1:
		return " `match` looks at `" + texts[0] + "`."
	}
	return " `match` looks at the first of `" + strings.Join(texts, "`, `") + "` that is there."
}

func eventsPage() string {
	var b strings.Builder
	b.WriteString("# Events\n\nA handler gets a read-only event. It returns its changes or " +
		"decisions, or nothing. " +
		"[The rules](../events.md) describe the order of handlers, the effect of failures, and " +
		"time limits. In addition to its own fields, each event has these:\n\n" +
		"| field | type | what |\n|---|---|---|\n" + fieldTable(Envelope(), ""))
	for _, row := range Events() {
		phase := "Handlers can only observe it."
		if row.Phase == event.Intercept {
			phase = fmt.Sprintf(
				"Handlers run in order, and may return the keys below. One that fails "+
					"means `%s`.", row.Failure)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s %s\n", row.Name, row.Doc, phase)
		if row.Withhold != "" {
			fmt.Fprintf(&b, "\nIf a handler fails that has `on_error = \"block\"` or `scrub = "+
				"true`: %s.\n", row.Withhold)
		}
		if len(row.Filters) > 0 {
			fmt.Fprintf(&b, "\nFilters: `%s`.%s\n", strings.Join(row.Filters, "`, `"),
				matched(&row))
		}
		if table := fieldTable(asRead(row.Payload), ""); table != "" {
			b.WriteString("\n| field | type | what |\n|---|---|---|\n" + table)
		}
		if keys := engine.OutcomeKeys(&row); len(keys) > 0 {
			b.WriteString("\n| may be returned | type | what |\n|---|---|---|\n")
			for _, key := range keys {
				f := engine.OutcomeField(&row, key)
				f.Name, f.Type, f.Fields = key, strings.TrimSuffix(f.Type, "?"), nil
				b.WriteString(fieldTable([]value.Field{f}, ""))
			}
		}
	}
	return b.String()
}
