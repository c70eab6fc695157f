package plain

import (
	"strings"
	"unicode/utf8"
)

// FirstLine returns the first line of s that is not blank, without the spaces around s.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// Head returns at most the first n bytes of s, without a partial character at the end.
func Head[T string | []byte](s T, n int) T {
	if len(s) <= n {
		return s
	}
	for back := range min(utf8.UTFMax, n+1) {
		if utf8.RuneStart(s[n-back]) {
			return s[:n-back]
		}
	}
	return s[:n] // not text
}

// Tail returns at most the last n bytes of s, without a partial character at the beginning.
func Tail[T string | []byte](s T, n int) T {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for i := range min(utf8.UTFMax, len(s)) {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	return s // not text
}

// Clip is like Head, with an ellipsis if it omits something.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Head(s, n) + "..."
}

// Short returns the first n characters of s, with an ellipsis if it omits something.
func Short(s string, n int) string {
	first := Chars(s, n)
	if len(first) < len(s) {
		return first + "…"
	}
	return s
}

// Chars returns the first n characters of s.
func Chars(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Unfinished returns the number of bytes of an incomplete character at the end of s.
func Unfinished[T string | []byte](s T) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune([]byte(s[len(s)-n:])) {
				return n
			}
			return 0
		}
	}
	return 0
}
