// This file checks objects and lists.

package schemas

import (
	"fmt"
	"slices"
	"strings"
)

func (c *checker) object(s *schema, v map[string]any, seen *evaluated) bool {
	o, ok := &s.object, true
	if o.min != nil && len(v) < *o.min {
		ok = c.fault(fmt.Sprintf("minProperties: got %d, want %d", len(v), *o.min))
	}
	if o.max != nil && len(v) > *o.max {
		ok = c.fault(fmt.Sprintf("maxProperties: got %d, want %d", len(v), *o.max))
	}
	if missing := missing(v, o.required); missing != nil {
		ok = c.fault(missingText(missing))
	}
	if !ok && c.quiet > 0 {
		return false
	}
	for i := range o.needs {
		ok = c.need(&o.needs[i], v, seen) && ok
	}
	ok = c.properties(o, v, seen) && ok
	if o.names != nil {
		for name := range v {
			ok = c.name(o.names, name) && ok
		}
	}
	return ok
}

// need checks the requirements for an object with the property d.name.
func (c *checker) need(d *dependency, v map[string]any, seen *evaluated) bool {
	if _, is := v[d.name]; !is {
		return true
	}
	if d.schema != nil {
		return c.same(d.schema, v, seen)
	}
	if missing := missing(v, d.required); missing != nil {
		return c.fault(fmt.Sprintf("properties %s required, if %s exists", quoted(missing),
			quoteAll(d.name)))
	}
	return true
}

func (c *checker) properties(o *objectBounds, v map[string]any, seen *evaluated) bool {
	if o.properties == nil && o.patterns == nil && o.additional == nil {
		return true
	}
	ok := true
	var others []string
	for name, v := range v {
		if !ok && c.quiet > 0 || c.failed != nil {
			return ok
		}
		known := false
		if sub := o.properties[name]; sub != nil {
			known = true
			ok = c.key(sub, name, v) && ok
		}
		for _, p := range o.patterns {
			if c.matches(p.pattern, name) {
				known = true
				ok = c.key(p.schema, name, v) && ok
			}
		}
		switch {
		case known:
		case o.additional == nil:
			continue
		case o.additional.never:
			others = append(others, name)
		default:
			ok = c.key(o.additional, name, v) && ok
		}
		seen.addName(name)
	}
	if others != nil {
		slices.Sort(others)
		ok = c.fault("additional properties " + quoted(others) + " not allowed")
	}
	return ok
}

// name checks the name of a property.
func (c *checker) name(s *schema, name string) bool {
	before := len(c.faults)
	if c.same(s, name, nil) {
		return true
	}
	for i := range c.faults[before:] {
		f := &c.faults[before+i]
		f.text = "property name " + quote(name) + ": " + f.text
	}
	return false
}

// missing returns the names that v does not have.
func missing(v map[string]any, names []string) (missing []string) {
	for _, name := range names {
		if _, ok := v[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

func missingText(missing []string) string {
	if len(missing) == 1 {
		return "missing property " + quoteAll(missing[0])
	}
	return "missing properties " + quoted(missing)
}

func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = quoteAll(name)
	}
	return strings.Join(all, ", ")
}

func (c *checker) array(s *schema, v []any, seen *evaluated) bool {
	a, ok := &s.array, true
	if !a.bounded() {
		return true
	}
	if a.min != nil && len(v) < *a.min {
		ok = c.fault(shortList(len(v), *a.min))
	}
	if a.max != nil && len(v) > *a.max {
		ok = c.fault(fmt.Sprintf("got a list of %d, want at most %d", len(v), *a.max))
	}
	if a.unique {
		if i, j := duplicates(v); j > 0 {
			ok = c.fault(equalItems(i, j))
		}
	}
	if !ok && c.quiet > 0 {
		return false
	}
	first := min(len(a.first), len(v))
	for i, sub := range a.first[:first] {
		ok = c.index(sub, i, v[i]) && ok
	}
	if a.rest != nil {
		ok = c.rest(s, v, first) && ok
	}
	seen.addFirst(first, a.rest != nil)
	if a.contains != nil {
		ok = c.contains(s, v, seen) && ok
	}
	return ok
}

// rest checks the items that have no schema of their own.
func (c *checker) rest(s *schema, v []any, first int) bool {
	if s.array.rest.never && s.draft < draft2020 && s.array.first != nil && len(v) > first {
		return c.fault(fmt.Sprintf("last %d additionalItem(s) not allowed", len(v)-first))
	}
	ok := true
	for i, x := range v[first:] {
		if !ok && c.quiet > 0 || c.failed != nil {
			break
		}
		ok = c.index(s.array.rest, first+i, x) && ok
	}
	return ok
}

// contains checks how many items fit a schema.
func (c *checker) contains(s *schema, v []any, seen *evaluated) bool {
	a, before := &s.array, len(c.faults)
	var fit []int
	for i, x := range v {
		if c.failed != nil {
			return true
		}
		if c.index(a.contains, i, x) {
			fit = append(fit, i)
			if s.draft >= draft2020 {
				seen.addItem(i)
			}
		}
	}
	least := 1
	if a.minContains != nil {
		least = *a.minContains
	}
	ok := len(fit) >= least
	switch {
	case ok:
		c.faults = c.faults[:before]
	case len(v) > 0 && len(fit) < len(v): // explain for each why it does not fit
	case a.minContains == nil:
		c.fault("no items match contains schema")
	default:
		c.fault(fmt.Sprintf("got %d items that match contains schema, want at least %d", len(fit),
			least))
	}
	if a.maxContains != nil && len(fit) > *a.maxContains {
		ok = c.fault(fmt.Sprintf("got %d items that match contains schema, want at most %d",
			len(fit), *a.maxContains))
	}
	return ok
}
