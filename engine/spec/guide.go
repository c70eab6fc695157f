// This file generates the guide: everything that a person or a model must know to write a script,
// in one text.

package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// Guide returns everything that is needed to write a script, in Markdown that fits into a model's
// context: the rules, the header, every function with its grant, every event with its outcomes,
// examples, and the names that other hosts use. agent ext docs prints it, and the model can read it
// as a skill.
func Guide() string {
	return strings.NewReplacer(
		"<!-- envelope -->", guideFields(Envelope()),
		"<!-- call -->", guideFields(Call()[len(Envelope())-3:]),
		"<!-- functions -->", guideFunctions(),
		"<!-- styles -->", strings.Join(ui.Styles(), ", "),
		"<!-- tool fields -->", guideFields(list(callFields...)),
		"<!-- events -->", guideEvents(),
		"<!-- hosts -->", guideHosts(),
		"<!-- test -->", guideTest(),
	).Replace(ownTexts()["guide.md"])
}

// guideFunctions lists the functions by group: a signature and what it does, one line each.
func guideFunctions() string {
	var b strings.Builder
	shared, seen := sharedSentences(), &seenParams{}
	for i, g := range Groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "### %s\n", g.Title)
		if g.Name == "facts" {
			var names []string
			for _, row := range g.Rows {
				names = append(names, "`"+callName(&row)+"` "+orWords(row.Result))
			}
			fmt.Fprintf(&b, "%s.\n", strings.Join(names, ", "))
			continue
		}
		for _, row := range g.Rows {
			b.WriteString("- " + guideRow(&row, shared, seen) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// guideRow describes one function: its signature, whether it waits, its grant, and what it does. It
// does not repeat the keys of tables that are in seen, which earlier functions have.
func guideRow(row *engine.APIRow, shared map[string]int, seen *seenParams) string {
	var params []string
	like := ""
	for _, p := range row.Params {
		param := guideParam(p)
		if first := seen.findKeys(p); first != "" && len(param) > maxRepeated {
			param, like = guideParam(value.Field{Name: p.Name, Type: p.Type}),
				" ("+p.Name+" as in "+first+")"
		} else {
			seen.list = append(seen.list, seenParam{callName(row), p})
		}
		params = append(params, param)
	}
	s := "`" + callName(row) + "(" + strings.Join(params, ", ") + ")`"
	if row.Result != "" {
		s += " = " + orWords(row.Result)
	}
	if row.Waits {
		s += " **W**"
	}
	if row.Grant != "" {
		s += " [" + row.Grant + "]"
	}
	return s + " " + guideDoc(row.Doc, shared) + like
}

// seenParams are the tables that functions above in the guide take.
type seenParams struct{ list []seenParam }

type seenParam struct {
	function string
	param    value.Field
}

// findKeys returns the function above whose table has all keys of p, "" if there is none.
func (s *seenParams) findKeys(p value.Field) string {
	for _, x := range s.list {
		keys := map[string]bool{}
		for _, f := range x.param.Fields {
			keys[guideKey(f)] = true
		}
		all := len(p.Fields) > 0
		for _, f := range p.Fields {
			all = all && keys[guideKey(f)]
		}
		if all {
			return x.function
		}
	}
	return ""
}

// maxRepeated is the maximal length, in bytes, of a parameter that is repeated in full.
const maxRepeated = 60

// guideParam formats a parameter with the keys of its table, if they are known.
func guideParam(p value.Field) string {
	name := p.Name
	if len(p.Fields) > 0 && strings.HasPrefix(p.Type, "table") {
		var keys []string
		for _, f := range p.Fields {
			keys = append(keys, guideKey(f))
		}
		name = "{" + strings.Join(keys, ", ") + "}"
	}
	if p.Rest {
		return name + ", ..."
	}
	if strings.HasSuffix(p.Type, "?") {
		return "[" + name + "]"
	}
	return name
}

// guideKey formats a key of a table: timeout?, side? left|right, run(args, call).
func guideKey(f value.Field) string {
	name := f.Name
	if strings.HasPrefix(f.Type, "function") {
		var takes []string
		for _, t := range f.Takes {
			takes = append(takes, t.Name)
		}
		name += "(" + strings.Join(takes, ", ") + ")"
	}
	if strings.HasSuffix(f.Type, "?") {
		name += "?"
	}
	if len(f.Values) > 0 {
		name += " = " + strings.Join(f.Values, "/")
	}
	return name
}

// guideDoc returns the beginning of a doc: its first sentence, and the next one if both are short.
// It omits sentences that many rows share. The reference has the rest.
func guideDoc(doc string, shared map[string]int) string {
	out := ""
	for _, s := range sentences(doc) {
		switch {
		case shared[s] > maxShared:
		case out == "":
			out = s
		case len(out)+len(s) < maxGuideDoc:
			return out + " " + s
		default:
			return out
		}
	}
	return out
}

const (
	// maxShared is the number of rows that may share a sentence before the guide omits it.
	maxShared = 2
	// maxFieldDoc is the length, in bytes, above which only the first part of a field's doc is
	// shown.
	maxFieldDoc = 32
	// maxGuideDoc is the maximal length, in bytes, of two sentences about a function.
	maxGuideDoc = 110
)

// sharedSentences counts the sentences in the docs of all functions.
func sharedSentences() map[string]int {
	count := map[string]int{}
	for _, row := range API() {
		for _, s := range sentences(row.Doc) {
			count[s]++
		}
	}
	return count
}

func sentences(doc string) []string {
	parts := strings.SplitAfter(doc, ". ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// guideFields lists fields with their types, and with their docs if they have one.
func guideFields(fields []value.Field) string {
	var out []string
	for _, f := range fields {
		s := "`" + f.Name
		if strings.HasSuffix(f.Type, "?") {
			s += "?"
		}
		s += "`"
		switch typ := strings.TrimSuffix(f.Type, "?"); {
		case len(f.Values) > 0:
			s += " " + strings.Join(f.Values, "/")
		case typ != "string":
			s += " " + typ
		}
		if doc := f.Doc; doc != "" {
			if i := strings.IndexAny(doc, ";:"); i > 0 && len(doc) > maxFieldDoc {
				doc = doc[:i]
			}
			s += " (" + doc + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// guideEvents lists the events with their fields, outcomes and filters.
func guideEvents() string {
	var b strings.Builder
	for _, row := range Events() {
		fmt.Fprintf(&b, "- **%s** %s", row.Name, row.Doc)
		fields := asRead(row.Payload)
		if aboutCall(&row) {
			b.WriteString(" Tool fields.")
			fields = fields[len(callFields):]
		}
		if len(fields) > 0 {
			b.WriteString(" Fields: " + guideFields(fields) + ".")
		}
		b.WriteString(guideReturns(&row))
		if filters := guideFilters(&row); filters != "" {
			b.WriteString(" Filters: " + filters + ".")
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// aboutCall reports whether the row has the fields that onTool adds.
func aboutCall(row *event.Row) bool { return row.MainText == toolText }

// guideReturns describes what handlers of a row may return, except for notify and reason, which the
// rules describe.
func guideReturns(row *event.Row) string {
	if len(row.Returns) == 0 {
		return ""
	}
	keys := slices.Clone(row.Returns)
	for i, key := range keys {
		if key == "context" && row.Lifetime != "" {
			keys[i] += " (for the " + row.Lifetime + ")"
		}
	}
	s := " Returns: " + strings.Join(keys, ", ")
	if row.Failure != event.FailWarn {
		s += "; a failure means " + string(row.Failure)
	}
	return s + "."
}

// guideFilters lists the filters of a row other than depth, which most rows have.
func guideFilters(row *event.Row) string {
	if aboutCall(row) {
		return ""
	}
	var out []string
	for _, name := range row.Filters {
		switch name {
		case "depth":
			continue
		case "match":
			name += " (" + row.MainText + ")"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// guideHosts lists the names of other hosts for events, functions, keys and outcomes, one line for
// each host. It omits fields: an error names the right one.
func guideHosts() string {
	var b strings.Builder
	for _, host := range []string{"pi", "Claude Code", "zot", "kit"} {
		var names []string
		for _, f := range suggest.ForeignNames() {
			kinds := []suggest.ForeignKind{suggest.ForeignEvent, suggest.ForeignFunction,
				suggest.ForeignKey, suggest.ForeignReturn}
			if f.From == host && len(f.Ours) > 0 && slices.Contains(kinds, f.Kind) &&
				!plainlyOurs(f.Name, f.Ours[0]) {
				row := f.Name + " " + f.Ours[0]
				if !slices.ContainsFunc(names, func(n string) bool {
					return plainlyOurs(n, row) ||
						plainlyOurs(row, n)
				}) {
					names = append(names, row)
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", host, strings.Join(names, ", "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// plainlyOurs reports whether a name differs from ours only in its spelling or in a prefix:
// SessionStart, OnInput, registerTool.
func plainlyOurs(theirs, ours string) bool {
	letters := strings.NewReplacer("_", "", ".", "")
	ours = ours[strings.LastIndexByte(ours, '.')+1:]
	return strings.HasSuffix(strings.ToLower(letters.Replace(theirs)),
		strings.ToLower(letters.Replace(ours)))
}

// guideTest lists the methods of t of ext.test.
func guideTest() string {
	var out []string
	for _, row := range Testing() {
		out = append(out, "`"+strings.TrimPrefix(Signature(&row), "ext.")+"`")
	}
	return strings.Join(out, ", ")
}
