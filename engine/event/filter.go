// This file defines filters: data from which Go code decides whether a handler runs.

package event

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Filter selects the events that a handler gets. The zero Filter matches everything.
type Filter struct {
	tools   []string // exact names or globs, as given
	names   []toolName
	kind    string
	match   *regexp.Regexp
	literal string  // the text that match looks for, if it is a literal
	texts   []place // the fields that match looks at
	fields  filterFields
	depth   *int
	level   string
	purpose string
	paths   *paths // nil = any
	text    string // as written, for listings
}

// filterFields are the indexes of the fields that filters look at in the payload of the filter's
// row.
type filterFields struct{ tool, kind, level, purpose int }

// toolName is a prepared tool filter: a name, a prefix, or a glob.
type toolName struct {
	text   string
	prefix bool
	glob   bool
}

// place is where a row's main text may be: a payload field, or a key of one.
type place struct {
	field int
	key   string // "" = the field itself
}

// NewFilter makes a filter from a handler's options; row says which keys the event has. An invalid
// filter is an error that names the key.
func NewFilter(row *Row, opts map[string]any) (Filter, error) {
	var f Filter
	for _, key := range row.Filters {
		v, ok := opts[key]
		if !ok || v == nil {
			continue
		}
		if f.text != "" {
			f.text += " "
		}
		f.text += fmt.Sprintf("%s=%v", key, v)
		if key == "depth" {
			n, ok := value.Number(v)
			d := int(n)
			if !ok || float64(d) != n || d < 0 {
				return f, fmt.Errorf("depth: got %v, want a whole number from 0", v)
			}
			f.depth = &d
			continue
		}
		s, ok := v.(string)
		if !ok || s == "" {
			got := value.TypeName(v)
			if ok {
				got = `""`
			}
			return f, fmt.Errorf("%s: got %s, want a string that is not empty", key, got)
		}
		if p, ok := value.FieldNamed(row.Payload, key); ok && len(p.Values) > 0 &&
			!slices.Contains(p.Values, s) {
			return f, fmt.Errorf("%s: got %q, want one of %s%s", key, s,
				strings.Join(p.Values, ", "), suggest.DidYouMean(s, p.Values))
		}
		if err := f.setText(key, s); err != nil {
			return f, err
		}
	}
	if f.match != nil {
		f.texts = mainPlaces(row)
	}
	f.fields = filterFields{fieldAt(row, "tool"), fieldAt(row, "kind"), fieldAt(row, "level"),
		fieldAt(row, "purpose")}
	return f, nil
}

// mainPlaces returns where the row's main text may be.
func mainPlaces(row *Row) []place {
	var places []place
	for _, p := range strings.Split(row.MainText, "|") {
		name, key, _ := strings.Cut(p, ".")
		if i := fieldAt(row, name); i >= 0 {
			places = append(places, place{i, key})
		}
	}
	return places
}

func (f *Filter) setText(key, s string) error {
	switch key {
	case "tool":
		if err := CheckToolFilter(s); err != nil {
			return fmt.Errorf("tool: %w", err)
		}
		for _, t := range strings.Split(s, "|") {
			t = strings.TrimSpace(t)
			f.tools, f.names = append(f.tools, t), append(f.names, readyName(t))
		}
	case "match":
		re, err := regexp.Compile(s)
		if err != nil {
			return fmt.Errorf("match: %v", err)
		}
		f.match = re
		if regexp.QuoteMeta(s) == s { // a literal: LiteralPrefix would ignore anchors
			f.literal = s
		}
	case "kind":
		f.kind = s
	case "reads", "writes":
		if f.paths == nil {
			f.paths = &paths{}
		}
		if key == "reads" {
			f.paths.reads = s
		} else {
			f.paths.writes = s
		}
	case "level":
		f.level = s
	case "purpose":
		f.purpose = s
	}
	return nil
}

// Tools returns the tool patterns of the filter.
func (f *Filter) Tools() []string { return f.tools }

func (f *Filter) String() string { return f.text }

// OnlyPaths returns the globs of the filters writes and reads, "" = none; only: there is no other
// filter.
func (f *Filter) OnlyPaths() (writes, reads string, only bool) {
	if f.paths == nil || len(f.tools) > 0 || f.kind != "" || f.match != nil || f.depth != nil ||
		f.level != "" || f.purpose != "" {
		return "", "", false
	}
	return f.paths.writes, f.paths.reads, true
}

// NamesTools reports whether the filter selects tools.
func (f *Filter) NamesTools() bool {
	return f.kind != "" || f.names != nil && !slices.Contains(f.tools, "*")
}

// readyName prepares one alternative of a tool filter. A final * matches anything.
func readyName(t string) toolName {
	prefix, final := strings.CutSuffix(t, "*")
	switch meta := "*?[\\"; {
	case final && !strings.ContainsAny(prefix, meta):
		return toolName{text: prefix, prefix: true}
	case strings.ContainsAny(t, meta):
		return toolName{text: t, glob: true}
	}
	return toolName{text: t}
}

// Matches reports whether the event, which must be of the filter's row, passes. It allocates only
// for main texts that are not strings, and for the files that a call touches.
func (f *Filter) Matches(ev *Event) bool {
	fits, _ := f.Fits(ev)
	return fits
}

// Fits is like Matches; sure is false if the event may pass, because the files that its call
// touches are unknown.
func (f *Filter) Fits(ev *Event) (fits, sure bool) {
	fits = (f.names == nil || f.matchTool(ev.textAt(f.fields.tool))) &&
		(f.kind == "" || ev.textAt(f.fields.kind) == f.kind) &&
		(f.depth == nil || ev.env.Depth == *f.depth) &&
		(f.level == "" || ev.textAt(f.fields.level) == f.level) &&
		(f.purpose == "" || ev.textAt(f.fields.purpose) == f.purpose) &&
		(f.match == nil || f.matchText(ev))
	if !fits || f.paths == nil {
		return fits, true
	}
	return f.paths.fit(ev)
}

func (f *Filter) matchTool(tool string) bool {
	for i := range f.names {
		switch n := &f.names[i]; {
		case n.prefix:
			if strings.HasPrefix(tool, n.text) {
				return true
			}
		case n.glob:
			if ok, _ := path.Match(n.text, tool); ok {
				return true
			}
		case n.text == tool:
			return true
		}
	}
	return false
}

// matchText looks at every main text that is present: an argument that a tool ignores must not hide
// the one that it acts on.
func (f *Filter) matchText(ev *Event) bool {
	found := false
	for _, p := range f.texts {
		v := ev.fields[p.field]
		if l, ok := v.(*value.Lazy); ok {
			v = l.Value()
		}
		if p.key != "" {
			m, _ := v.(map[string]any)
			v = m[p.key]
		}
		if v == nil {
			continue
		}
		found = true
		if f.matchString(asText(v)) {
			return true
		}
	}
	return !found && f.matchString("")
}

func (f *Filter) matchString(s string) bool {
	if f.literal != "" {
		return strings.Contains(s, f.literal)
	}
	return f.match.MatchString(s)
}

// asText returns a main text as match sees it: a list of words, for example, as JSON.
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case interface{ MainText() string }:
		return v.MainText()
	}
	p, err := value.Plain(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	j, err := json.Marshal(p)
	if err != nil {
		return fmt.Sprint(p)
	}
	return string(j)
}

// NamesPaths reports whether the filter is about the files that a call touches.
func (f *Filter) NamesPaths() bool { return f.paths != nil }

// Perhaps describes, for a person, who may touch a path that matches the filter, if that is all
// that is known; otherwise "".
func (f *Filter) Perhaps(ev *Event) string {
	if f.paths == nil || ev.touches == nil {
		return ""
	}
	return f.paths.first(ev.touches.Perhaps)
}

// Why says, for a person, why the event's call touches paths that match the filter, or may; "" if
// the filter is about no paths.
func (f *Filter) Why(ev *Event) string {
	if f.paths == nil || ev.touches == nil {
		return ""
	}
	return f.paths.first(ev.touches.Why)
}
