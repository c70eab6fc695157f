// This file reads the patterns of schemas. They are written for ECMA-262, and many have what Go's
// own engine does not know: (?! and the like.

package schemas

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternTime bounds one match of an engine that goes back and forth: arguments for which it takes
// longer are refused.
const patternTime = 100 * time.Millisecond

// schemaPatterns compiles those of one schema, and knows when one of them took too long. Whether it
// would have matched is not known then: no match would let arguments through where the pattern
// stands below not, oneOf or if.
type schemaPatterns struct {
	late atomic.Int64 // how often one took too long
	text atomic.Value // the last one that did
}

// checkArgs runs a check of arguments, and refuses them if a pattern took too long meanwhile, in
// this check or in another one.
func (p *schemaPatterns) checkArgs(validate func() error) error {
	before := p.late.Load()
	err := validate()
	if err == nil && p.late.Load() != before {
		return fmt.Errorf(
			"whether a text fits the pattern %q takes too long to tell: make the text shorter",
			p.text.Load())
	}
	return err
}

// of compiles a pattern: with Go's own engine, which is linear, if it knows all of it. A pattern
// with properties of characters that this one does not know (\p{Emoji}) matches everything, as no
// engine here has them: a tool must not be lost for a check that it makes itself. So does one that
// no engine compiles.
func (p *schemaPatterns) of(text string) (jsonschema.Regexp, error) {
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
	return ecmaPattern{re, p}, nil
}

// ecmaPattern is a pattern that needs ECMA-262.
type ecmaPattern struct {
	*regexp2.Regexp
	all *schemaPatterns
}

// MatchString implements jsonschema.Regexp.
func (p ecmaPattern) MatchString(s string) bool {
	ok, err := p.Regexp.MatchString(s)
	if err != nil { // it took too long
		p.all.text.Store(p.String())
		p.all.late.Add(1)
	}
	return ok && err == nil
}

// unknownPattern is a pattern that cannot be checked here.
type unknownPattern string

// MatchString implements jsonschema.Regexp.
func (unknownPattern) MatchString(string) bool { return true }

// String implements jsonschema.Regexp.
func (p unknownPattern) String() string { return string(p) }
