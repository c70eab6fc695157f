// This file defines filters: data that decides, in Go, whether a handler is entered at all.
package engine

import (
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
	depth   *int
	level   string
	purpose string
	text    string // as given, for listings
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
			if !ok {
				return f, fmt.Errorf("depth: got %s, want number", TypeName(v))
			}
			d := int(n)
			f.depth = &d
			continue
		}
		s, ok := v.(string)
		if !ok || s == "" {
			return f, fmt.Errorf("%s: got %s, want a string that is not empty", key, TypeName(v))
		}
		if err := f.setText(key, s); err != nil {
			return f, err
		}
	}
	return f, nil
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

// Matches reports whether the event passes. It does not allocate unless there is a match filter.
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
	return f.match == nil || f.match.MatchString(mainText(ev))
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

// mainText is the text that a match filter looks at: the first of the row's alternatives that is there.
func mainText(ev *Event) string {
	for _, p := range strings.Split(ev.row.MainText, "|") {
		key, sub, nested := strings.Cut(p, ".")
		v := ev.Field(key)
		if nested {
			if m, ok := v.(map[string]any); ok {
				v = m[sub]
			} else {
				v = nil
			}
		}
		if s, ok := v.(string); ok {
			return s
		}
	}
	return ""
}
