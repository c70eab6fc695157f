// This file masks what must not be seen: it finds what the redactors of scripts match in a text,
// and puts their names in its place.

package engine

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"sort"
	"strings"
)

// Redactor is what ext.redact registers: what it finds is masked wherever a person, a model, a log
// or a file would see it. A guard may look through it; nothing of it is ever shown.
type Redactor struct {
	Gen      *Generation
	Name     string // stands in the place of what was masked: [redacted:NAME]
	Patterns []*regexp.Regexp
	// Find, if not nil, is called with a text (a piece of at most findPiece bytes of a longer one)
	// and returns what is to be masked in it: nothing, a string, or a list of strings, each masked
	// wherever it stands in that text.
	Find Func
	Line int // of the registering call

	live  []*live // for text that comes in pieces, one for each pattern
	needs []need  // what a text must have for each pattern to match
	state redactorState
}

// matchesKept is how many matches of one pattern in one text are told apart: a pattern that matches
// more often (each letter, say) masks all that follows as one. It bounds what a text of 10 MB can
// cost.
const matchesKept = 100_000

// longestRedactor is how long a redactor's name may be: it stands in the middle of texts.
const longestRedactor = 64

var redactorName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_. -]*$`)

// AddRedactor registers r with g. Only while g loads. A pattern that also matches the empty text is
// refused: it would match everywhere, and what it was meant for is somewhere else.
func (g *Generation) AddRedactor(r *Redactor) error {
	switch {
	case !redactorName.MatchString(r.Name) || len(r.Name) > longestRedactor:
		return fmt.Errorf(
			"ext.redact: name: got %.80q, want up to %d letters, digits, spaces and . _ -", r.Name,
			longestRedactor)
	case len(r.Patterns) == 0 && r.Find == nil:
		return errors.New("ext.redact: got neither patterns nor find, want what is to be masked")
	}
	for i, p := range r.Patterns {
		re, err := syntax.Parse(p.String(), syntax.Perl)
		if err != nil {
			return fmt.Errorf("ext.redact: patterns[%d]: %w", i+1, err)
		}
		if matchesNothing(re) {
			return fmt.Errorf(
				"ext.redact: patterns[%d]: %s matches the empty text as well, and so everywhere; "+
					"write + for * and leave out what may be absent", i+1, p)
		}
		r.live, r.needs = append(r.live, newLive(re)), append(r.needs, needOf(re))
	}
	return g.register("ext.redact", func() { r.Gen = g; g.Redactors = append(g.Redactors, r) })
}

// matchesNothing reports whether re can match without taking any text.
func matchesNothing(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL,
		syntax.OpNoMatch:
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return matchesNothing(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || matchesNothing(re.Sub[0])
	case syntax.OpConcat:
		for _, s := range re.Sub {
			if !matchesNothing(s) {
				return false
			}
		}
	case syntax.OpAlternate:
		for _, s := range re.Sub {
			if matchesNothing(s) {
				return true
			}
		}
		return false
	}
	return true
}

// redaction is all redactors of a Snapshot. It does not change.
type redaction struct {
	list  []*Redactor // in the order of handlers
	finds bool        // one of them is a function of a script
	masks *regexp.Regexp
	memo  memo
}

// newRedaction puts own, those of the program itself, and the redactors of generations together,
// nil if there is none. What old remembers goes on if it had the very same.
func newRedaction(own []*Redactor, gens []*Generation, old *redaction) *redaction {
	r := &redaction{list: own[:len(own):len(own)]}
	var names []string
	for _, g := range gens {
		r.list = append(r.list, g.Redactors...)
	}
	if len(r.list) == 0 {
		return nil
	}
	sort.SliceStable(r.list,
		func(i, j int) bool { return r.list[i].priority() < r.list[j].priority() })
	if old != nil && sameRedactors(old.list, r.list) {
		return old
	}
	for _, x := range r.list {
		r.finds = r.finds || x.Find != nil
		names = append(names, regexp.QuoteMeta(x.Name))
	}
	which := "(?:" + strings.Join(names, "|") + ")"
	r.masks = regexp.MustCompile(`\[redacted:` + which + `\]|\[withheld: redactor ` + which +
		` failed\]`)
	return r
}

func sameRedactors(a, b []*Redactor) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (r *Redactor) priority() float64 {
	if r.Gen == nil {
		return math.Inf(-1) // what masks a key is first: it also says what it was
	}
	if p := r.Gen.Header.Priority; p != nil {
		return *p
	}
	return DefaultPriority
}

// mask is what stands in the place of what r matched.
func (r *Redactor) mask() string { return "[redacted:" + r.Name + "]" }

// withheld is what stands in the place of a text that r could not look through.
func (r *Redactor) withheld() string { return "[withheld: redactor " + r.Name + " failed]" }

// span is a part of a text that is masked.
type span struct {
	from, to int
	by       *Redactor // nil: it is a mask already
}

// matches returns what patterns match in text.
func (r *redaction) matches(text string) []span {
	var spans []span
	low := small(text)
	for _, x := range r.list {
		for i, p := range x.Patterns {
			if !x.needs[i].met(low) {
				continue
			}
			locs := p.FindAllStringIndex(text, matchesKept)
			for _, l := range locs {
				spans = append(spans, span{l[0], l[1], x})
			}
			if len(locs) == matchesKept {
				spans = append(spans, span{locs[len(locs)-1][0], len(text), x})
			}
		}
	}
	return spans
}

// merge puts spans that overlap together, in order; the first one names them. What was masked
// before stays as it is: a text may be masked many times on its way, and comes out as the first
// time.
func (r *redaction) merge(text string, spans []span) []span {
	if len(spans) == 0 {
		return nil
	}
	var masks [][]int
	if strings.Contains(text, "[redacted:") || strings.Contains(text, "[withheld: ") {
		masks = r.masks.FindAllStringIndex(text, -1)
	}
	kept := spans[:0]
	for _, s := range spans {
		i := sort.Search(len(masks), func(i int) bool { return masks[i][1] > s.from })
		if i < len(masks) && masks[i][0] <= s.from && s.to <= masks[i][1] {
			continue // within a mask
		}
		if i < len(masks) && masks[i][0] < s.from {
			s.from = masks[i][0]
		}
		j := sort.Search(len(masks), func(j int) bool { return masks[j][1] >= s.to })
		if j < len(masks) && masks[j][0] < s.to {
			s.to = masks[j][1]
		}
		kept = append(kept, s)
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].from < kept[j].from })
	out := kept[:0]
	for _, s := range kept {
		if n := len(out); n > 0 && s.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// render is text[from:to] with masks for spans, none of which crosses from or to.
func render(text string, from, to int, spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.to <= from || s.from >= to {
			continue
		}
		b.WriteString(text[from:s.from])
		b.WriteString(s.by.mask())
		from = s.to
	}
	if b.Len() == 0 {
		return text[from:to]
	}
	b.WriteString(text[from:to])
	return b.String()
}

// Masks reports whether a redactor is registered: one look at the Snapshot.
func (e *Engine) Masks() bool { return e.current.Load().redaction != nil }

// Mask returns text as it may be seen: what redactors match is replaced by [redacted:NAME]. If a
// redactor's function fails, the whole text is: better nothing is seen than what must not be. Do
// not call it on a goroutine that holds the turn of a VM (a host function that does not wait): see
// MaskThen.
func (e *Engine) Mask(text string) string {
	red := e.current.Load().redaction
	if red == nil {
		return text
	}
	return (&masking{e: e, red: red, find: red.finds}).text(text)
}

// MaskPatterns is Mask without the functions of scripts, for where those cannot be called.
func (e *Engine) MaskPatterns(text string) string {
	red := e.current.Load().redaction
	if red == nil {
		return text
	}
	return (&masking{e: e, red: red}).text(text)
}
