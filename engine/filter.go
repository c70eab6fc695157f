// This file defines filters: data that decides, in Go, whether a handler is entered at all.
package engine

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Filter is what a handler asked to see. The zero Filter matches everything.
type Filter struct {
	tools   []string // exact names or globs
	kind    string
	match   *regexp.Regexp
	texts   []place // what match looks at
	depth   *int
	level   string
	purpose string
	text    string // as given, for listings
}

// place is where a row's main text may be: a payload field, or a key of one.
type place struct {
	field int
	key   string // "" = the field itself
}

// NewFilter makes a filter from a handler's options; row says which keys the event has. An invalid filter is
// an error that names the key.
func NewFilter(row *EventRow, opts map[string]any) (Filter, error) {
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
			n, ok := Number(v)
			d := int(n)
			if !ok || float64(d) != n {
				return f, fmt.Errorf("depth: got %v, want a whole number", v)
			}
			f.depth = &d
			continue
		}
		s, ok := v.(string)
		if !ok || s == "" {
			return f, fmt.Errorf("%s: got %s, want a string that is not empty", key, TypeName(v))
		}
		if p, ok := fieldNamed(row.Payload, key); ok && len(p.Values) > 0 && !contains(p.Values, s) {
			return f, fmt.Errorf("%s: got %q, want one of %s%s", key, s, strings.Join(p.Values, ", "), DidYouMean(s, p.Values))
		}
		if err := f.setText(key, s); err != nil {
			return f, err
		}
	}
	f.texts = mainPlaces(row)
	return f, nil
}

// mainPlaces finds where the row's main text may be.
func mainPlaces(row *EventRow) []place {
	var places []place
	for _, p := range strings.Split(row.MainText, "|") {
		name, key, _ := strings.Cut(p, ".")
		for i, f := range row.Payload {
			if f.Name == name {
				places = append(places, place{i, key})
			}
		}
	}
	return places
}

func (f *Filter) setText(key, s string) error {
	switch key {
	case "tool":
		for _, t := range strings.Split(s, "|") {
			if t = strings.TrimSpace(t); t == "" {
				return fmt.Errorf("tool: %q has an empty alternative", s)
			}
			if _, err := path.Match(t, ""); err != nil {
				return fmt.Errorf("tool: %q: %v", t, err)
			}
			f.tools = append(f.tools, t)
		}
	case "match":
		re, err := regexp.Compile(s)
		if err != nil {
			return fmt.Errorf("match: %v", err)
		}
		f.match = re
	case "kind":
		f.kind = s
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

// Matches reports whether the event passes. It does not allocate, but for main texts that are not text.
func (f *Filter) Matches(ev *Event) bool {
	if f.tools != nil && !matchTool(f.tools, ev.Text("tool")) {
		return false
	}
	if f.kind != "" && ev.Text("kind") != f.kind {
		return false
	}
	if f.depth != nil && ev.env.Depth != *f.depth {
		return false
	}
	if f.level != "" && ev.Text("level") != f.level {
		return false
	}
	if f.purpose != "" && ev.Text("purpose") != f.purpose {
		return false
	}
	return f.match == nil || f.matchText(ev)
}

func matchTool(patterns []string, tool string) bool {
	for _, p := range patterns {
		if p == tool || p == "*" {
			return true
		}
		if strings.ContainsAny(p, "*?[") {
			if ok, _ := path.Match(p, tool); ok {
				return true
			}
		}
	}
	return false
}

// matchText looks at every main text that is there: an argument that a tool does not know must not hide
// the one that it acts on.
func (f *Filter) matchText(ev *Event) bool {
	found := false
	for _, p := range f.texts {
		v := ev.fields[p.field]
		if l, ok := v.(*Lazy); ok {
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
		if f.match.MatchString(asText(v)) {
			return true
		}
	}
	return !found && f.match.MatchString("")
}

// asText is a main text as match sees it: a list of words, say, as JSON.
func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	p, err := Plain(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	j, err := json.Marshal(p)
	if err != nil {
		return fmt.Sprint(p)
	}
	return string(j)
}
