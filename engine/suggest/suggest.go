// This file finds the nearest name for did-you-mean.

package suggest

import "strings"

// Nearest returns the name nearest to got among names; "" if none is near. camelCase spellings of a
// name have distance 0.
func Nearest(got string, names []string) string {
	flat := strings.ToLower(strings.ReplaceAll(got, "_", ""))
	best, bestDist := "", min(max(1, len(got)/3)+1, tooLong)
	for _, n := range names {
		if strings.ToLower(strings.ReplaceAll(n, "_", "")) == flat {
			return n
		}
		if d := distance(strings.ToLower(got), strings.ToLower(n)); d < bestDist {
			best, bestDist = n, d
		}
	}
	return best
}

// DidYouMean is Nearest as the end of a message: `; did you mean "x"?`, or "".
func DidYouMean(got string, names []string) string {
	if s := Nearest(got, names); s != "" {
		return Meant(s)
	}
	return ""
}

// Meant returns the end of a message: `; did you mean "x"?`.
func Meant(name string) string { return `; did you mean "` + name + `"?` }

// tooLong is the length in bytes from which a text is not a name, and also the distance to it.
const tooLong = 64

// distance returns the edit distance with transpositions (optimal string alignment); tooLong if a
// or b is too long to be a name.
func distance(a, b string) int {
	if len(a) > tooLong || len(b) > tooLong {
		return tooLong
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
