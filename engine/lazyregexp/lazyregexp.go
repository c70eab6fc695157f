// Package lazyregexp compiles regular expressions when they are first used: a start of the program
// needs few of them.
//
//	var digits = lazyregexp.New(`^[0-9]+$`)
//	digits().MatchString("42")
//
// A mistake in an expression panics at the first use, as regexp.MustCompile does.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression once, and returns it each time. It is not
// inlined: sync.OnceValue in each of the hundred places makes the program larger by 100 KB.
//
//go:noinline
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
