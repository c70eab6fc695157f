// This file reads the patterns of schemas. They are written for ECMA-262, and many have what Go's own engine does not know: (?! and the like.

package host

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternTime bounds one match of an engine that goes back and forth: what takes longer does not match.
const patternTime = 100 * time.Millisecond

// patternOf compiles a pattern: with Go's own engine, which is linear, if it knows all of it. A pattern with properties of characters that
// this one does not know (\p{Emoji}) matches everything, as no engine here has them: a tool must not be lost for a check that it makes itself.
// So does one that no engine compiles.
func patternOf(text string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(text); err == nil {
		return re, nil
	}
	re, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return unknownPattern(text), nil
	}
	if strings.Contains(text, `\p{`) || strings.Contains(text, `\P{`) {
		return unknownPattern(text), nil
	}
	re.MatchTimeout = patternTime
	return ecmaPattern{re}, nil
}

// ecmaPattern is a pattern that needs ECMA-262.
type ecmaPattern struct{ *regexp2.Regexp }

// MatchString implements jsonschema.Regexp.
func (p ecmaPattern) MatchString(s string) bool {
	ok, err := p.Regexp.MatchString(s)
	return ok && err == nil
}

// unknownPattern is a pattern that cannot be checked here.
type unknownPattern string

// MatchString implements jsonschema.Regexp.
func (unknownPattern) MatchString(string) bool { return true }

// String implements jsonschema.Regexp.
func (p unknownPattern) String() string { return string(p) }
