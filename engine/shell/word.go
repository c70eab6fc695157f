// This file parses words: quotes, escapes and braces.

package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraces limits how many words one word may become: {1..1000000} is not a list of arguments.
const maxBraces = 100

// maxOpeners limits the open braces in one word: with more, each step to the next word takes
// longer.
const maxOpeners = 20

// word holds properties of a word besides its text.
type word struct {
	prefix string // the known beginning of its text; for a static word the whole text
	splits bool   // it may become several words, or none
	glob   bool   // it is a pattern of file names
	mixed  bool   // it is one whose text does not show what is quoted in it
	tilde  bool   // it begins with an unquoted ~
	pipe   bool   // it is <(...) or >(...), whose commands are separate entries
	// the variables in it, if the rest of its text is known; "?" = another part is unknown,
	// knownOutput = it is what outputOf knows
	names []string

	found  []Path   // the files that find passes for it; nil = none, or unknown ones
	pieces []piece  // its parts; nil = unknown
	values []string // all possible values; nil = unknown
	made   bool     // with values: it is derived from what a pattern in a variable matches
	// with made: that is part of it, without its ending if the pattern has the same one
	appends bool
	// all possible values if parts of them are unknown, see outputOf; nil = others
	shapes []string
}

// listed reports whether the word stands for names that another program lists: where they are
// looked up, one that may be a flag is told.
func (w word) listed() bool { return len(w.found) > 0 && w.found[0].Word != "" }

// home returns a path as written. A quoted ~ does not stand for the home directory.
func (w word) home(name string) string {
	if strings.HasPrefix(name, "~") && !w.tilde {
		return "./" + name
	}
	return name
}

// words adds the words that a word expands to: several if it has braces or IFS.
func (w *walker) words(c *Command, word *syntax.Word) error {
	if !braced(word) {
		w.fields(c, word, word)
		return nil
	}
	all, err := braces(word)
	if w.s.braced += len(all); err == nil && w.s.braced > maxBraced {
		err = fmt.Errorf("braces become more than %d words in all", maxBraced)
	}
	if err != nil {
		return err
	}
	for _, one := range all {
		if slices.ContainsFunc(one.Parts, visible) { // {a,} is one word
			w.fields(c, one, word)
		}
	}
	return nil
}

// visible reports whether a part of a word is not empty.
func visible(p syntax.WordPart) bool {
	l, ok := p.(*syntax.Lit)
	return !ok || l.Value != ""
}

// braces returns the words that the braces in a word make.
func braces(word *syntax.Word) (out []*syntax.Word, err error) {
	openers := 0
	for _, p := range word.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			openers += strings.Count(l.Value, "{")
		}
	}
	if openers > maxOpeners {
		return nil, fmt.Errorf("more than %d braces in a word", maxOpeners)
	}
	split := *word
	split.Parts = slices.Clone(word.Parts)
	syntax.SplitBraces(&split)
	for one, err := range expand.BracesSeq(nil, &split) {
		if err != nil {
			return nil, err
		}
		if len(out) == maxBraces {
			return nil, fmt.Errorf("braces become more than %d words", maxBraces)
		}
		out = append(out, one)
	}
	return out, nil
}

// word adds one word; whole is the word that it was made from.
func (w *walker) word(c *Command, one, whole *syntax.Word) {
	text, ok := "", static(one.Parts)
	if ok {
		var err error
		if text, err = literal(one); err != nil {
			ok = false
		}
	}
	info := wordInfo(one)
	w.s.mixed = w.s.mixed || info.mixed
	if ok && !info.glob {
		info.prefix = text
	}
	if !ok {
		text = w.source(whole)
		info.pieces, _ = w.parts(one)
		info.found = listedWord(w, one)
	}
	c.Argv, c.Static, c.info = append(c.Argv, text), append(c.Static, ok), append(c.info, info)
}

func braced(word *syntax.Word) bool {
	for _, p := range word.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			return true
		}
	}
	return false
}

// fields adds a word, or several if it holds $IFS, which expands to a blank. whole is the word
// before splitting.
func (w *walker) fields(c *Command, one, whole *syntax.Word) {
	from := 0
	for i, p := range one.Parts {
		if w.s.ifs || !isIFS(p) {
			continue
		}
		if i > from {
			w.word(c, &syntax.Word{Parts: one.Parts[from:i]}, whole)
		}
		from = i + 1
	}
	switch {
	case from == 0:
		w.word(c, one, whole)
	case from < len(one.Parts):
		w.word(c, &syntax.Word{Parts: one.Parts[from:]}, whole)
	}
}

func isIFS(p syntax.WordPart) bool {
	e, ok := p.(*syntax.ParamExp)
	return ok && e.Param != nil && e.Param.Value == "IFS" && e.Exp == nil && e.Slice == nil &&
		e.Repl == nil && e.Index == nil && !e.Excl && !e.Length && !e.Width && e.Names == 0
}

// source returns the source text of a node.
func (w *walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(w.text) || from > to {
		return ""
	}
	return w.text[from:to]
}

// static reports whether parts have the same text whenever they are read. Patterns of file names
// do, since they name files.
func static(parts []syntax.WordPart) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
		case *syntax.SglQuoted:
			if p.Dollar && !sameEscapes(p.Value) {
				return false
			}
		case *syntax.DblQuoted:
			if !static(p.Parts) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// sameEscapes reports whether the parser reads all escape sequences of $'...' as bash does. It
// reads \x{2d}, \cx, a NUL and others differently.
func sameEscapes(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; i == len(text) || strings.IndexByte(`\'"?abeEfnrtv`, text[i]) < 0 {
			n := escapedDigits(text[i:])
			if n == 0 {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// escapedDigits returns the length of an escape sequence with digits that means a character other
// than NUL, without its backslash: x2d, 055, u002d. It is 0 if text begins with no such sequence.
func escapedDigits(text string) int {
	digits, most, at := "01234567", 3, 0
	if kinds := map[byte]int{'x': 2, 'u': 4, 'U': 8}; text != "" && kinds[text[0]] > 0 {
		digits, most, at = "0123456789abcdefABCDEF", kinds[text[0]], 1
	}
	n := at
	for n < len(text) && n < at+most && strings.IndexByte(digits, text[n]) >= 0 {
		n++
	}
	value, err := strconv.ParseUint(text[at:n], map[bool]int{true: 16, false: 8}[at == 1], 32)
	switch {
	case err != nil || value == 0 || value > unicode.MaxRune:
		return 0
	case most <= 3 && value > unicode.MaxLatin1: // only its last byte counts
		return 0
	}
	return n
}

// literal returns a static word without its quotes, with ~ unexpanded.
func literal(word *syntax.Word) (string, error) {
	if text, ok := plainText(word.Parts, false); ok {
		return text, nil
	}
	fields, err := expand.Fields(&expand.Config{Env: expand.ListEnviron("HOME=~")}, word)
	if err != nil {
		return "", err
	}
	return strings.Join(fields, " "), nil // one, as nothing in it is expanded
}

// plainText returns the text of parts that have no special meaning to the shell.
func plainText(parts []syntax.WordPart, quoted bool) (text string, ok bool) {
	var b strings.Builder
	for i, p := range parts {
		one, ok := plainPart(p, i == 0 && !quoted)
		switch {
		case !ok:
			return "", false
		case len(parts) == 1:
			return one, true
		}
		b.WriteString(one)
	}
	return b.String(), true
}

func plainPart(p syntax.WordPart, first bool) (text string, ok bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		return p.Value, !strings.Contains(p.Value, `\`) &&
			(!first || !strings.HasPrefix(p.Value, "~"))
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		text, ok = plainText(p.Parts, true)
		return text, ok && !p.Dollar
	}
	return "", false
}

// wordInfo returns the properties of a word besides its text.
func wordInfo(w *syntax.Word) (info word) {
	fixed, prefix := true, strings.Builder{}
	begins := func(text string) {
		if len(w.Parts) == 1 {
			info.prefix = text
		} else if fixed {
			prefix.WriteString(text)
		}
	}
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			info.tilde = info.tilde || i == 0 && strings.HasPrefix(p.Value, "~")
			meta := unquotedMeta(p.Value)
			if info.glob = info.glob || meta >= 0; meta < 0 {
				meta = len(p.Value)
			}
			begins(strings.ReplaceAll(p.Value[:meta], `\`, ""))
			fixed = fixed && meta == len(p.Value)
		case *syntax.SglQuoted:
			if fixed = fixed && !p.Dollar; fixed {
				begins(p.Value)
			}
		case *syntax.DblQuoted:
			text, ok := plainText(p.Parts, true)
			if !ok && len(p.Parts) > 0 {
				if l, is := p.Parts[0].(*syntax.Lit); is && !strings.Contains(l.Value, `\`) {
					text = l.Value
				}
			}
			begins(text)
			fixed = fixed && ok
			info.splits = info.splits || several(p.Parts)
		case *syntax.ExtGlob:
			info.glob, fixed = true, false
		default:
			info.splits, fixed = true, false
		}
	}
	if len(w.Parts) > 1 {
		info.prefix = prefix.String()
	}
	if len(w.Parts) == 1 {
		_, info.pipe = w.Parts[0].(*syntax.ProcSubst)
	}
	info.names = variableNames(w.Parts)
	info.mixed = info.glob && mixesQuotes(w)
	return info
}

// variableNames returns the names of the variables in parts, with "?" for parts with another
// unknown text.
func variableNames(parts []syntax.WordPart) (out []string) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.DblQuoted:
			out = append(out, variableNames(p.Parts)...)
		case *syntax.ParamExp:
			if p.Param != nil && p.Exp == nil && p.Slice == nil && p.Repl == nil &&
				p.Index == nil && !p.Excl && p.Names == 0 {
				out = append(out, p.Param.Value)
			} else {
				out = append(out, "?")
			}
		case *syntax.CmdSubst:
			if _, ok := outputOf(p); ok {
				out = append(out, knownOutput)
			} else {
				out = append(out, "?")
			}
		default:
			if !static([]syntax.WordPart{p}) {
				out = append(out, "?")
			}
		}
	}
	return out
}

// several reports whether quoted parts may still become several words: "$@", "${a[@]}".
func several(parts []syntax.WordPart) bool {
	for _, p := range parts {
		if e, ok := p.(*syntax.ParamExp); ok && (e.Index != nil || e.Excl || e.Param != nil &&
			e.Param.Value == "@") {
			return true
		}
	}
	return false
}

// unquotedMeta returns the index of the first unquoted wildcard of a pattern of file names, or -1.
func unquotedMeta(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return i
		}
	}
	return -1
}

// Pattern reports whether a word as the program gets it may have been a pattern of file names.
func Pattern(word string) bool {
	return strings.ContainsAny(word, "*?[")
}
