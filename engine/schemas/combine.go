// This file checks a value against combined schemas: references, allOf, anyOf, oneOf, not and if.

package schemas

import "fmt"

// references checks v against the schemas that s refers to.
func (c *checker) references(s *schema, v any, seen *evaluated) bool {
	if s.ref == nil && s.recursiveRef == nil && s.dynamicRef == nil {
		return true
	}
	if c.refs++; c.refs > mostRefs {
		c.giveUp(errCycle)
		return true
	}
	defer func() { c.refs-- }()
	ok := s.ref == nil || c.same(s.ref, v, seen)
	if s.recursiveRef != nil {
		ok = c.same(c.recursive(s.recursiveRef), v, seen) && ok
	}
	if s.dynamicRef != nil {
		ok = c.same(c.dynamicTarget(s), v, seen) && ok
	}
	return ok
}

// recursive returns the target of a $recursiveRef to s: the outermost schema on the path of the
// check, if s allows that.
func (c *checker) recursive(s *schema) *schema {
	if s.in.recursive && s == s.in.root {
		for _, r := range c.scope {
			if r.recursive && r.root != nil {
				return r.root
			}
		}
	}
	return s
}

// dynamicTarget returns the target of the $dynamicRef of s: the outermost schema with the anchor on
// the path of the check.
func (c *checker) dynamicTarget(s *schema) *schema {
	target := s.dynamicRef
	if s.dynamicName == "" || target.dynamicAnchor != s.dynamicName {
		return target
	}
	for _, r := range c.scope {
		if t := r.dynamicSchemas[s.dynamicName]; t != nil {
			return t
		}
	}
	return target
}

// combined checks v against the subschemas of s for the same value.
func (c *checker) combined(s *schema, v any, seen *evaluated) bool {
	ok := true
	if s.not != nil && c.quietly(s.not, v, nil) {
		ok = c.fault("'not' failed")
	}
	for _, sub := range s.allOf {
		ok = c.same(sub, v, seen) && ok
	}
	if s.anyOf != nil {
		ok = c.anyOf(s.anyOf, v, seen) && ok
	}
	if s.oneOf != nil {
		ok = c.oneOf(s.oneOf, v, seen) && ok
	}
	if s.when != nil {
		if c.quietly(s.when, v, seen) {
			ok = (s.then == nil || c.same(s.then, v, seen)) && ok
		} else {
			ok = (s.orElse == nil || c.same(s.orElse, v, seen)) && ok
		}
	}
	return ok
}

// anyOf reports whether v fits one of list. If it fits none, the faults of all are recorded.
func (c *checker) anyOf(list []*schema, v any, seen *evaluated) bool {
	before, ok := len(c.faults), false
	for _, sub := range list {
		if c.same(sub, v, seen) {
			ok = true
			if seen == nil {
				break
			}
		}
	}
	if ok {
		c.faults = c.faults[:before]
	}
	return ok
}

// oneOf reports whether v fits exactly one of list.
func (c *checker) oneOf(list []*schema, v any, seen *evaluated) bool {
	before, first := len(c.faults), -1
	for i, sub := range list {
		switch {
		case first < 0:
			if c.same(sub, v, seen) {
				first = i
			}
		case c.quietly(sub, v, nil):
			c.faults = c.faults[:before]
			return c.fault(fmt.Sprintf("'oneOf' failed, subschemas %d, %d matched", first, i))
		}
	}
	if first < 0 {
		return false
	}
	c.faults = c.faults[:before]
	return true
}

// evaluated records which parts of a value schemas have evaluated.
type evaluated struct {
	properties map[string]bool
	items      map[int]bool
	first      int // number of evaluated items at the beginning
	allItems   bool
	allNames   bool
}

func (e *evaluated) addName(name string) {
	if e == nil {
		return
	}
	if e.properties == nil {
		e.properties = map[string]bool{}
	}
	e.properties[name] = true
}

func (e *evaluated) addItem(i int) {
	if e == nil {
		return
	}
	if e.items == nil {
		e.items = map[int]bool{}
	}
	e.items[i] = true
}

// addFirst records the first n items; all means that there are no others.
func (e *evaluated) addFirst(n int, all bool) {
	if e != nil {
		e.first = max(e.first, n)
		e.allItems = e.allItems || all
	}
}

func (e *evaluated) addAll(its *evaluated) {
	for name := range its.properties {
		e.addName(name)
	}
	for i := range its.items {
		e.addItem(i)
	}
	e.addFirst(its.first, its.allItems)
	e.allNames = e.allNames || its.allNames
}

// unevaluated checks the parts of v that nothing in s has evaluated.
func (c *checker) unevaluated(s *schema, v any, seen *evaluated) bool {
	ok := true
	if object, is := v.(map[string]any); is && s.unknown.properties != nil {
		for name, v := range object {
			if !seen.allNames && !seen.properties[name] {
				ok = c.key(s.unknown.properties, name, v) && ok
			}
		}
		seen.allNames = true
	}
	if list, is := v.([]any); is && s.unknown.items != nil {
		for i, v := range list {
			if !seen.allItems && i >= seen.first && !seen.items[i] {
				ok = c.index(s.unknown.items, i, v) && ok
			}
		}
		seen.allItems = true
	}
	return ok
}
