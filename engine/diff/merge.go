package diff

import (
	"slices"
	"strings"
)

// Conflict is a place at which both sides of a merge have changed the same lines.
type Conflict struct {
	First, Last int // lines of mine, from 1; Last < First if it has none of them any more
}

// Merge applies to mine what changes base into theirs, by lines. Where both have changed the same
// lines, or lines without an unchanged one between them, there is a conflict, unless both say the
// same. With conflicts, the text is of no use.
func Merge(base, mine, theirs string) (text string, conflicts []Conflict) {
	old, own, other := splitLines(base), splitLines(mine), splitLines(theirs)
	atOwn, atOther := kept(old, own), kept(old, other)
	var out strings.Builder
	add := func(lines []string) {
		for _, l := range lines {
			out.WriteString(l)
		}
	}
	i, a, b := 0, 0, 0 // of old, own and other
	for i < len(old) || a < len(own) || b < len(other) {
		if i < len(old) && atOwn[i] == a && atOther[i] == b {
			add(old[i : i+1])
			i, a, b = i+1, a+1, b+1
			continue
		}
		nextI, nextA, nextB := i, len(own), len(other)
		for nextI < len(old) && (atOwn[nextI] < 0 || atOther[nextI] < 0) {
			nextI++
		}
		if nextI < len(old) {
			nextA, nextB = atOwn[nextI], atOther[nextI]
		}
		was, now, newer := old[i:nextI], own[a:nextA], other[b:nextB]
		switch {
		case slices.Equal(was, now):
			add(newer)
		case slices.Equal(was, newer), slices.Equal(now, newer):
			add(now)
		default:
			conflicts = append(conflicts, Conflict{a + 1, nextA})
		}
		i, a, b = nextI, nextA, nextB
	}
	return out.String(), conflicts
}

// kept returns for each line of a where it is in b; -1 = it was changed.
func kept(a, b []string) []int {
	at := make([]int, 0, len(a))
	next := 0
	for _, l := range compare(a, b) {
		switch l.op {
		case ' ':
			at = append(at, next)
			next++
		case '-':
			at = append(at, -1)
		default:
			next++
		}
	}
	return at
}
