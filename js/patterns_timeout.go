// This file finds out whether a match that found nothing was ended by regexp2's timeout.
//
// The interpreter discards the error that would say so, and its duration does not tell either:
// regexp2 reads the time from a clock that a goroutine sets, and on a busy machine that clock
// stands still and then jumps, which ends any match. So a match that found nothing, and was not
// over at once, is repeated with a pattern of our own, whose error can be read.

package js

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// regexpTimeout ends one match of regexp2. The match and its repetition together take less than
	// the script time of a guard, so that a runaway pattern fails its handler, and the script keeps
	// its VM.
	regexpTimeout = 80 * time.Millisecond
	// regexpClock is the tick interval of regexp2's clock.
	regexpClock = 10 * time.Millisecond
	// regexpSuspect is how much processor time a match must have used if its timeout is to count:
	// half of the timeout, because the library's clock may be late and its deadline early.
	regexpSuspect = regexpTimeout / 2
	// regexpAtOnce is how long a match may take that is not repeated. Most take less.
	regexpAtOnce = 100 * time.Microsecond
	// regexpTries is how often a match is repeated that timed out without a processor. Each time it
	// may take twice as long by the clock, as it has less of a processor than it needs.
	regexpTries = 5
)

// maxChecks is how many patterns a VM keeps compiled once more. A script with more generates them.
const maxChecks = 64

var setTimeoutOnce sync.Once

// setRegexpTimeout sets the timeout for patterns compiled from now on. It applies to the whole
// process: the library has no other setting, and the interpreter does not expose its patterns.
func setRegexpTimeout() {
	setTimeoutOnce.Do(func() {
		regexp2.DefaultMatchTimeout = regexpTimeout
		regexp2.SetTimeoutCheckPeriod(regexpClock)
	})
}

// regexpEpoch is a moment to measure from: the time since it is read faster than the time.
var regexpEpoch = time.Now()

// timed runs exec or test, and throws if it found nothing because it ran out of time. Because the
// script could catch the error and treat it as "no match", the whole call fails too.
func (p *patterns) timed(call goja.FunctionCall, orig rawFunc,
	nothing func(goja.Value) bool) goja.Value {
	rx, ok := call.This.(*goja.Object)
	var pat pattern
	if ok {
		pat, ok = patternOf(rx)
	}
	if !ok {
		return orig(call) // it throws
	}
	s, ok := call.Argument(0).(goja.String)
	if !ok {
		s = p.realm.text(call.Argument(0))
		call.Arguments = []goja.Value{s}
		pat, _ = patternOf(rx) // the conversion may have compiled rx again
	}
	from, resumes := p.zero, pat.global || pat.sticky
	if resumes {
		from = rx.Get("lastIndex")
	}
	if pat.linear != nil && from == p.zero {
		return orig(call) // it is matched by Go's regexp
	}
	began := time.Since(regexpEpoch)
	out := orig(call)
	if !nothing(out) || time.Since(regexpEpoch)-began < regexpAtOnce {
		return out
	}
	source, flags := rx.Get("source").String(), rx.Get("flags").String()
	at := 0
	if resumes {
		at = int(max(0, min(from.ToInteger(), int64(s.Length()))))
	}
	c := p.checkOf(source, flags)
	for try := range regexpTries {
		switch result := c.match(s, at, regexpTimeout<<try); {
		case result == checkedStarved:
		case result == checkedTimeout:
			p.tookTooLong()
		case result == checkedNothing:
			return out
		default: // there is a match: the timeout has ended the first one
			if resumes {
				_ = rx.Set("lastIndex", from)
			}
			if out = orig(call); !nothing(out) {
				return out
			}
		}
	}
	p.tookTooLong()
	return nil
}

// tookTooLong throws, and makes the running call fail even if the script catches the error.
func (p *patterns) tookTooLong() {
	const msg = "the regular expression took too long on this text: make it simpler, or the text " +
		"shorter"
	p.fail("RangeError: " + msg)
	p.realm.throwRange(msg)
}

// check is a pattern compiled once more, to repeat matches of the interpreter.
type check struct {
	re              *regexp2.Regexp // nil: it cannot be repeated
	unicode, sticky bool
}

// checkOf returns the check of a pattern.
func (p *patterns) checkOf(source, flags string) *check {
	key := flags + "/" + source
	if c := p.checks[key]; c != nil {
		return c
	}
	if len(p.checks) >= maxChecks || p.checks == nil {
		p.checks = map[string]*check{}
	}
	c := newCheck(source, flags)
	p.checks[key] = c
	return c
}

// newCheck compiles a pattern as the interpreter does.
func newCheck(source, flags string) *check {
	has := func(flag string) bool { return strings.Contains(flags, flag) }
	c := &check{unicode: has("u"), sticky: has("y")}
	var opts regexp2.RegexOptions = regexp2.ECMAScript
	for flag, opt := range map[string]regexp2.RegexOptions{"m": regexp2.Multiline,
		"s": regexp2.Singleline, "i": regexp2.IgnoreCase, "u": regexp2.Unicode} {
		if has(flag) {
			opts |= opt
		}
	}
	c.re, _ = regexp2.Compile(convertSurrogates(source, c.unicode), opts)
	return c
}

// surrogates matches what the interpreter rewrites in a pattern before it compiles it: a character
// beyond 16 bits, or the escapes of one.
var surrogates = lazyregexp.New(`[\x{10000}-\x{10ffff}]|` +
	`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// convertSurrogates writes the characters beyond 16 bits as one character in a Unicode pattern, and
// as two in any other: those are matched against 16-bit units.
func convertSurrogates(source string, unicode bool) string {
	return surrogates().ReplaceAllStringFunc(source, func(s string) string {
		switch escaped := strings.HasPrefix(s, `\`); {
		case unicode && escaped:
			var first, second rune
			fmt.Sscanf(s, `\u%4x\u%4x`, &first, &second)
			return string(utf16.DecodeRune(first, second))
		case !unicode && !escaped:
			first, second := utf16.EncodeRune([]rune(s)[0])
			return fmt.Sprintf(`\u%04x\u%04x`, first, second)
		}
		return s
	})
}

// checked is the result of a repeated match.
type checked int

const (
	checkedNothing checked = iota // there is no match
	checkedMatch
	checkedTimeout // it took too long
	checkedStarved // it timed out, but had no processor
)

// match matches s from the position at, in 16-bit units, within a time.
func (c *check) match(s goja.String, at int, within time.Duration) checked {
	if c.re == nil {
		return checkedTimeout
	}
	c.re.MatchTimeout = within
	text, at := codePoints(s, at, c.unicode)
	runtime.LockOSThread() // its processor time is measured
	defer runtime.UnlockOSThread()
	before := vm.ThreadCPU()
	m, err := c.re.FindRunesMatchStartingAt(text, at)
	switch {
	case err != nil && vm.ThreadCPU()-before < regexpSuspect:
		return checkedStarved
	case err != nil:
		return checkedTimeout
	case m == nil, c.sticky && m.RuneIndex != at:
		return checkedNothing
	}
	return checkedMatch
}

// codePoints returns the characters of s, or its 16-bit units, and the position at among them.
func codePoints(s goja.String, at int, unicode bool) (text []rune, from int) {
	from = at
	for i := 0; i < s.Length(); i++ {
		r := rune(s.CharAt(i))
		if unicode && i+1 < s.Length() {
			if pair := utf16.DecodeRune(r, rune(s.CharAt(i+1))); pair != '\uFFFD' {
				if r = pair; i < at {
					from--
				}
				i++
			}
		}
		text = append(text, r)
	}
	return text, from
}
