// This file compiles the patterns of schemas. They are written for ECMA-262, and many use features
// that Go's regexp lacks, such as (?!.

package schemas

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// patternTime limits one match of a backtracking engine: arguments that take longer are refused.
const patternTime = 100 * time.Millisecond

// pattern is a regular expression.
type pattern interface {
	String() string
	// matches reports whether s matches. The error says that matching takes too long.
	matches(s string) (bool, error)
}

// compilePattern compiles a pattern: with Go's regexp, which is linear, if it supports the pattern.
// A pattern with properties of characters that no engine here supports (\p{Emoji}) matches
// everything: a tool must not become unusable because of a check that it makes itself. So does a
// pattern that no engine compiles.
func compilePattern(text string) pattern {
	if re, err := regexp.Compile(text); err == nil {
		return goPattern{re}
	}
	re, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil || strings.Contains(text, `\p{`) || strings.Contains(text, `\P{`) {
		return unknownPattern(text)
	}
	re.MatchTimeout = patternTime
	return ecmaPattern{re}
}

// The patterns have a field instead of embedding the expression: the program is smaller without
// copies of its methods.
type goPattern struct{ re *regexp.Regexp }

func (p goPattern) String() string { return p.re.String() }

func (p goPattern) matches(s string) (bool, error) { return p.re.MatchString(s), nil }

// ecmaPattern is a pattern that needs ECMA-262.
type ecmaPattern struct{ re *regexp2.Regexp }

func (p ecmaPattern) String() string { return p.re.String() }

func (p ecmaPattern) matches(s string) (bool, error) { return p.re.MatchString(s) }

// unknownPattern is a pattern that cannot be checked here.
type unknownPattern string

func (p unknownPattern) String() string { return string(p) }

func (unknownPattern) matches(string) (bool, error) { return true, nil }
