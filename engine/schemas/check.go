// This file checks values against a compiled schema.

package schemas

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// mostEffort is the maximal number of steps of one check: each visit of a part of a schema counts.
// Large arguments need some ten thousand, while references that double at each of forty levels need
// 2^40, and nothing else would end such a check.
const mostEffort = 400_000

// mostRefs is the maximal length of a chain of references at one place of the arguments. A longer
// one comes from a schema that refers to itself endlessly.
const mostRefs = 500

var (
	errEffort = errors.New(
		"the schema takes too long to check: it refers to its own parts over and over")
	errCycle = errors.New("the schema takes too long to check: it refers to itself without end")
)

// checker is one check of a value.
type checker struct {
	bounded bool // effort is limited
	effort  int  // that is left
	refs    int  // references followed at this place of the value
	quiet   int  // > 0: only whether the value fits matters, and not why
	failed  error
	dynamic bool // there are references whose target depends on scope
	scope   []*resource
	path    []step
	faults  []fault
}

// step is a key of an object, or an index of a list.
type step struct {
	key   string
	index int
}

// fits reports whether v fits s. It records in seen, which may be nil, which parts of v the schema
// has evaluated. The result is meaningless after the check was given up.
func (c *checker) fits(s *schema, v any, seen *evaluated) bool {
	if s.never {
		return c.fault("no value is allowed here")
	}
	if c.bounded {
		if c.effort -= s.cost; c.effort < 0 {
			c.giveUp(errEffort)
		}
	}
	if c.failed != nil {
		return true
	}
	if c.dynamic {
		c.scope = append(c.scope, s.in)
		defer func() { c.scope = c.scope[:len(c.scope)-1] }()
	}
	if s.metaOf != 0 {
		return c.isSchema(s.metaOf, v)
	}
	if seen == nil && (s.unknown.properties != nil || s.unknown.items != nil) {
		seen = &evaluated{}
	}
	if !c.simple(s, v) {
		return false
	}
	ok := c.references(s, v, seen)
	if s.ref != nil && s.draft < draft2019 {
		return ok
	}
	if ok || c.quiet == 0 {
		ok = c.structure(s, v, seen) && ok
	}
	if ok || c.quiet == 0 {
		ok = c.combined(s, v, seen) && ok
	}
	return ok && c.unevaluated(s, v, seen)
}

// giveUp ends the check with an error.
func (c *checker) giveUp(err error) {
	if c.failed == nil {
		c.failed = err
	}
}

// fault records a fault at the current place. It returns false.
func (c *checker) fault(text string) bool {
	if c.quiet == 0 {
		c.faults = append(c.faults, fault{c.place(), text})
	}
	return false
}

// place returns the current place, as a JSON pointer.
func (c *checker) place() string {
	var b strings.Builder
	for _, s := range c.path {
		b.WriteString(s.text())
	}
	return b.String()
}

func (s step) text() string {
	if s.key == "" && s.index >= 0 {
		return fmt.Sprint("/", s.index)
	}
	return join("", s.key)
}

// key checks a property of an object.
func (c *checker) key(s *schema, key string, v any) bool { return c.inner(s, step{key, -1}, v) }

// index checks an item of a list.
func (c *checker) index(s *schema, i int, v any) bool { return c.inner(s, step{"", i}, v) }

func (c *checker) inner(s *schema, at step, v any) bool {
	refs := c.refs
	c.refs = 0
	c.path = append(c.path, at)
	ok := c.fits(s, v, nil)
	c.path = c.path[:len(c.path)-1]
	c.refs = refs
	return ok
}

// same checks the same value against a part of its schema.
func (c *checker) same(s *schema, v any, seen *evaluated) bool {
	if seen == nil {
		return c.fits(s, v, nil)
	}
	var its evaluated
	ok := c.fits(s, v, &its)
	if ok {
		seen.addAll(&its)
	}
	return ok
}

// quietly is like same, without recording faults.
func (c *checker) quietly(s *schema, v any, seen *evaluated) bool {
	c.quiet++
	ok := c.same(s, v, seen)
	c.quiet--
	return ok
}

// simple checks the keywords for values of all types.
func (c *checker) simple(s *schema, v any) bool {
	kind := kindOf(v)
	switch {
	case kind == 0:
		return c.fault(fmt.Sprintf("got %T, want plain data", v))
	case s.types != 0 && !s.types.takes(v):
		return c.fault(wrongType(v, s.types))
	case s.constant != nil && !equal(v, *s.constant):
		return c.fault(valueIs([]any{*s.constant}))
	case s.enum != nil && !contains(s.enum, v):
		return c.fault(valueIs(s.enum))
	}
	if text, ok := v.(string); ok && s.format != nil && !s.format.fits(text) {
		return c.fault(quote(text) + " is not valid " + s.format.name)
	}
	return true
}

func contains(list []any, v any) bool {
	for _, x := range list {
		if equal(x, v) {
			return true
		}
	}
	return false
}

// isSchema checks a value that is itself a schema.
func (c *checker) isSchema(d draft, v any) bool {
	s := survey{doc: v, resources: map[string]*resource{}, seen: map[string]bool{}}
	s.resources[""] = &resource{url: documentURL(), draft: d}
	s.inspect("", v, s.resources[""])
	for _, f := range s.faults {
		if c.quiet == 0 {
			c.faults = append(c.faults, fault{c.place() + f.at, f.text})
		}
	}
	return len(s.faults) == 0
}

// structure checks strings, numbers, lists and objects.
func (c *checker) structure(s *schema, v any, seen *evaluated) bool {
	switch v := v.(type) {
	case map[string]any:
		return c.object(s, v, seen)
	case []any:
		return c.array(s, v, seen)
	case string:
		return c.text(&s.text, v)
	}
	if s.number != (numberBounds{}) {
		if n, ok := number(v); ok {
			return c.number(&s.number, n)
		}
	}
	return true
}

func (c *checker) text(b *textBounds, s string) bool {
	ok := true
	if b.min != nil || b.max != nil {
		n := utf8.RuneCountInString(s)
		if b.min != nil && n < *b.min {
			ok = c.fault(fmt.Sprintf("minLength: got %d, want %d", n, *b.min))
		}
		if b.max != nil && n > *b.max {
			ok = c.fault(fmt.Sprintf("maxLength: got %d, want %d", n, *b.max))
		}
	}
	if b.pattern != nil && !c.matches(b.pattern, s) {
		ok = c.fault(quote(s) + " does not match pattern " + quoteAll(b.pattern.String()))
	}
	return ok
}

// matches reports whether s matches a pattern. If that takes too long the check is given up: below
// not, oneOf or if, neither answer is safe.
func (c *checker) matches(p pattern, s string) bool {
	if c.failed != nil {
		return true
	}
	ok, err := p.matches(s)
	if err != nil {
		c.giveUp(fmt.Errorf(
			"whether a text fits the pattern %q takes too long to tell: make the text shorter",
			p.String()))
	}
	return ok
}

func (c *checker) number(b *numberBounds, n float64) bool {
	ok := true
	if b.min != nil && n < *b.min {
		ok = c.fault(outside(n, "at least", *b.min))
	}
	if b.max != nil && n > *b.max {
		ok = c.fault(outside(n, "at most", *b.max))
	}
	if b.above != nil && n <= *b.above {
		ok = c.fault(outside(n, "more than", *b.above))
	}
	if b.below != nil && n >= *b.below {
		ok = c.fault(outside(n, "less than", *b.below))
	}
	if b.multipleOf != nil && !new(big.Rat).Quo(decimal(n), b.multipleOf).IsInt() {
		of, _ := b.multipleOf.Float64()
		ok = c.fault(outside(n, "a multiple of", of))
	}
	return ok
}
