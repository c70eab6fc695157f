package plain

import "fmt"

// Count formats a number of things: "1 line", "2 lines". A thing whose plural does not end in s has
// its own.
func Count(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}
