package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/suggest"
)

// Limits end a prompt that uses too much; 0 = no limit, or the default.
type Limits struct {
	Turns  float64
	Cost   float64 // US dollars
	Tokens float64
	Time   float64 // seconds
	Inputs float64 // of scripts in a row
}

// limitKinds are the kinds of limits: those of the event limit_reached, which limit a prompt, and
// script_inputs, which does not.
var limitKinds = [...]string{"turns", "cost", "tokens", "time", "script_inputs"}

// Set sets a limit by its kind. The error begins with the kind.
func (l *Limits) Set(kind string, n float64) error {
	whole := kind == "turns" || kind == "tokens" || kind == "script_inputs"
	switch {
	case !slices.Contains(limitKinds[:], kind):
		return fmt.Errorf("unknown key %q%s; there is %s", kind,
			suggest.DidYouMean(kind, limitKinds[:]), strings.Join(limitKinds[:], ", "))
	case !(n > 0) || math.IsInf(n, 0): // NaN too
		return fmt.Errorf("%s: got %v, want more than 0", kind, n)
	case whole && (n != math.Trunc(n) || n > math.MaxInt32):
		return fmt.Errorf("%s: got %v, want a whole number", kind, n)
	}
	*map[string]*float64{"turns": &l.Turns, "cost": &l.Cost, "tokens": &l.Tokens, "time": &l.Time,
		"script_inputs": &l.Inputs}[kind] = n
	return nil
}

// Parse parses a limit from the command line: turns=20.
func (l *Limits) Parse(text string) error {
	kind, number, ok := strings.Cut(text, "=")
	n, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil && slices.Contains(limitKinds[:], kind) {
		return fmt.Errorf(
			"got %q, want KIND=NUMBER, such as turns=20, cost=0.5 (US dollars), tokens=100000 or "+
				"time=60 (seconds)", text)
	}
	return l.Set(kind, n)
}

// Over returns l with its unset limits taken from base.
func (l Limits) Over(base Limits) Limits {
	for _, p := range [][2]*float64{{&l.Turns, &base.Turns}, {&l.Cost, &base.Cost},
		{&l.Tokens, &base.Tokens}, {&l.Time, &base.Time}, {&l.Inputs, &base.Inputs}} {
		if *p[0] == 0 {
			*p[0] = *p[1]
		}
	}
	return l
}

// CheckThinking validates a thinking level.
func CheckThinking(s string) error {
	if levels := chat.ThinkingLevels(); !slices.Contains(levels, s) {
		return fmt.Errorf("got %q, want one of %s%s", s, strings.Join(levels, ", "),
			suggest.DidYouMean(s, levels))
	}
	return nil
}
