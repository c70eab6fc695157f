// This file finds the matches of redactors in a text, and replaces them with their names.

package redact

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Redactor finds secrets in texts. Its fields do not change once it is prepared.
type Redactor struct {
	Name     string // used in the mask: [redacted:NAME]
	Patterns []*regexp.Regexp
	// Find, if not nil, is called with a text (a piece of at most findPiece bytes of a longer one)
	// and returns the strings to mask. Every occurrence of each is masked. If it fails, the whole
	// text is withheld.
	Find func(text string) ([]string, error)
	// Failed is called each time that Find fails, and Worked each time that it succeeds. They may
	// be nil if Find is.
	Failed func(text string, err error)
	Worked func()

	live  []*live // for text that arrives in pieces, one for each pattern
	needs []need  // for each pattern, what a text must contain to match
}

// matchesKept limits how many matches of one pattern in one text are masked one by one. If a
// pattern matches more often (each letter, say), the rest of the text is masked as one match. This
// limits the cost of a text of 10 MB.
const matchesKept = 100_000

// longestRedactor is the maximal length of a redactor's name: masks appear in the middle of texts.
const longestRedactor = 64

var redactorName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_. -]*$`)
})

// Prepare checks the redactor, and prepares it for a Set. A pattern that also matches the empty
// text is refused: it would match everywhere, and miss the text that it was written for.
func (r *Redactor) Prepare() error {
	switch {
	case !redactorName().MatchString(r.Name) || len(r.Name) > longestRedactor:
		return fmt.Errorf("name: got %.80q, want up to %d letters, digits, spaces and . _ -",
			r.Name, longestRedactor)
	case len(r.Patterns) == 0 && r.Find == nil:
		return errors.New("got neither patterns nor find, want what is to be masked")
	}
	for i, p := range r.Patterns {
		re, err := syntax.Parse(p.String(), syntax.Perl)
		if err != nil {
			return fmt.Errorf("patterns[%d]: %w", i+1, err)
		}
		if matchesNothing(re) {
			return fmt.Errorf("patterns[%d]: %s matches the empty text as well, and so "+
				"everywhere; write + for * and leave out what may be absent", i+1, p)
		}
		r.live, r.needs = append(r.live, newLive(re)), append(r.needs, needOf(re))
	}
	return nil
}

// matchesNothing reports whether re matches the empty text.
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

// Set holds the redactors of one moment. It is immutable.
type Set struct {
	list  []*Redactor // the first one names a match of several
	finds bool        // one of them has a function
	masks *regexp.Regexp
	memo  memo
}

// NewSet returns the set of the redactors in list, which must be prepared. It returns nil if list
// is empty, and old, which keeps its cache, if old has the same redactors.
func NewSet(list []*Redactor, old *Set) *Set {
	if len(list) == 0 {
		return nil
	}
	if old != nil && slices.Equal(old.list, list) {
		return old
	}
	r := &Set{list: list}
	var names []string
	for _, x := range list {
		r.finds = r.finds || x.Find != nil
		names = append(names, regexp.QuoteMeta(x.Name))
	}
	which := "(?:" + strings.Join(names, "|") + ")"
	r.masks = regexp.MustCompile(`\[redacted:` + which + `\]|\[withheld: redactor ` + which +
		` failed\]`)
	return r
}

// Finds reports whether functions search texts: that may take long, and cannot be done everywhere.
func (r *Set) Finds() bool { return r != nil && r.finds }

// Look returns a Look with functions, or with patterns only. A nil Set returns nil.
func (r *Set) Look(find bool) *Look {
	if r == nil {
		return nil
	}
	return &Look{red: r, find: find && r.finds}
}

// Withholding returns a Look that withholds everything, for texts that cannot wait for functions.
func (r *Set) Withholding() *Look { return &Look{red: r, find: true, failed: r.slow()} }

// Withheld returns the replacement that Withholding uses for a text.
func (r *Set) Withheld() string { return r.slow().withheld() }

// slow returns the redactor to blame if masking takes too long.
func (r *Set) slow() *Redactor {
	for _, x := range r.list {
		if x.Find != nil {
			return x
		}
	}
	return r.list[0]
}

// mask returns the text that replaces a match of r.
func (r *Redactor) mask() string { return "[redacted:" + r.Name + "]" }

// withheld returns the text that replaces one that r could not search.
func (r *Redactor) withheld() string { return "[withheld: redactor " + r.Name + " failed]" }

// span is a part of a text that is masked.
type span struct {
	from, to int
	by       *Redactor // nil: it is already a mask
}

// matches returns the matches of the patterns in text.
func (r *Set) matches(text string) []span {
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

// merge joins overlapping spans, in order; the first one names the result. Existing masks stay as
// they are: a text may be masked many times, with the same result.
func (r *Set) merge(text string, spans []span) []span {
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

// render returns text[from:to] with masks for spans, none of which crosses from or to.
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
