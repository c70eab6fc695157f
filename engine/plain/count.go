package plain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

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

// Amount formats an amount of what a limit counts: "$0.50" of cost, "2.5 seconds" of time, and
// "1 turn" or "2 turns" of other kinds, which are plurals.
func Amount(kind string, n float64) string {
	switch kind {
	case "cost":
		return Dollars(n)
	case "time":
		kind, n = "seconds", math.Round(n*1000)/1000
	}
	if n == 1 {
		kind = strings.TrimSuffix(kind, "s")
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " " + kind
}

// Dollars formats an amount of US dollars, with at least two and at most six decimals.
func Dollars(n float64) string {
	const least, most = 2, 6
	text := strconv.FormatFloat(n, 'f', most, 64)
	end := len(text) - most + least
	return "$" + text[:end] + strings.TrimRight(text[end:], "0")
}

// Took formats a duration in at most six cells.
func Took(d time.Duration) string {
	switch {
	case d <= 0:
		return "-"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
