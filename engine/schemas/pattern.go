// This file reads the patterns of schemas. They are written for ECMA-262, and many have what Go's
// own engine does not know: (?! and the like.

package schemas

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// patternTime bounds one match of an engine that goes back and forth: arguments for which it takes
// longer are refused.
const patternTime = 100 * time.Millisecond

// pattern is a regular expression.
type pattern interface {
	String() string
	// matches reports whether s fits it. The error says that this takes too long to tell.
	matches(s string) (bool, error)
}

// compilePattern compiles a pattern: with Go's own engine, which is linear, if it knows all of it.
// A pattern with properties of characters that this one does not know (\p{Emoji}) matches
// everything, as no engine here has them: a tool must not be lost for a check that it makes itself.
// So does one that no engine compiles.
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

type goPattern struct{ *regexp.Regexp }

func (p goPattern) matches(s string) (bool, error) { return p.MatchString(s), nil }

// ecmaPattern is a pattern that needs ECMA-262.
type ecmaPattern struct{ *regexp2.Regexp }

func (p ecmaPattern) matches(s string) (bool, error) { return p.MatchString(s) }

// unknownPattern is a pattern that cannot be checked here.
type unknownPattern string

func (p unknownPattern) String() string { return string(p) }

func (unknownPattern) matches(string) (bool, error) { return true, nil }
