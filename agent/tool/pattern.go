package tool

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// patternBytes is the length limit of a pattern: a longer one is a mistake.
const patternBytes = 4096

// lineSearch finds lines that match a regular expression.
type lineSearch struct {
	re      *regexp.Regexp // matches within a line; nil: search for literal only
	literal string         // is part of every matching line; "" = unknown
	ends    bool           // it matches at line ends, where a carriage return would interfere
}

// newLineSearch compiles pattern, RE2, so that no match extends over the end of a line.
func newLineSearch(pattern string, fold bool) (*lineSearch, error) {
	if pattern == "" {
		return nil, errors.New(`pattern: got "", want a regular expression`)
	}
	if len(pattern) > patternBytes {
		return nil, fmt.Errorf("pattern: has %d bytes, at most %d are allowed", len(pattern),
			patternBytes)
	}
	flags := syntax.Perl &^ syntax.OneLine
	if fold {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		var se *syntax.Error
		if errors.As(err, &se) {
			return nil, fmt.Errorf(
				"pattern: %s: %s; it is RE2: no look-around, no back-references, and \\ before "+
					"letters of meaning such as ( [ { . *", se.Code, se.Expr)
		}
		return nil, fmt.Errorf("pattern: %w", err)
	}
	s := &lineSearch{literal: required(tree)}
	if tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0 &&
		!strings.Contains(s.literal, "\n") {
		return s, nil
	}
	if err := s.within(tree); err != nil {
		return nil, err
	}
	if s.re, err = regexp.Compile(tree.String()); err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return s, nil
}

// within removes the newline from everything that could match it.
func (s *lineSearch) within(re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op, re.Flags, s.ends = syntax.OpEndLine, re.Flags&^syntax.WasDollar, true
	case syntax.OpEndLine:
		s.ends = true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return errors.New(
					`pattern: \n matches in no line: search for one line, and see more with ` +
						`context`)
			}
		}
	case syntax.OpCharClass:
		var ranges []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if lo > '\n' || hi < '\n' {
				ranges = append(ranges, lo, hi)
				continue
			}
			if lo < '\n' {
				ranges = append(ranges, lo, '\n'-1)
			}
			if hi > '\n' {
				ranges = append(ranges, '\n'+1, hi)
			}
		}
		if re.Rune = ranges; len(ranges) == 0 {
			re.Op = syntax.OpNoMatch
		}
	}
	for _, sub := range re.Sub {
		if err := s.within(sub); err != nil {
			return err
		}
	}
	return nil
}

// required returns the longest text that must be part of every match of re, as far as that is easy
// to determine.
func required(re *syntax.Regexp) (text string) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if t := required(sub); len(t) > len(text) {
				text = t
			}
		}
	}
	return text
}
