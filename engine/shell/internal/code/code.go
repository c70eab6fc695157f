// Package code reads the texts of programs in Python and JavaScript, as agents pass them to
// interpreters with -c and -e or in here-documents, and finds those that only compute, print, and
// open files by names that they spell out. It also finds the scripts for sed and awk that only
// filter.
//
// What is not known to be harmless is not: each name of a module, a built-in function or an
// attribute must be in a list. A program cannot reach anything else by a name that it computes,
// because getattr, eval, constructors and the like are in none.
package code

import (
	"slices"
	"strings"
	"sync"
)

// MaxBytes limits the length of a program that is read.
const MaxBytes = 16 << 10

// Effects are what a program does besides computing and printing.
type Effects struct {
	// Reads and Writes are the files that it opens. They are names relative to its folder.
	Reads, Writes []string
	// Modules are files that may be loaded in place of the modules of the language, if they exist.
	Modules []string
}

// kind is what a token is.
type kind int

const (
	name kind = iota
	number
	text // a string; its value is known if plain is set
	sign
	end // the end of a line that is no part of brackets
)

// token is a word or a sign of a program.
type token struct {
	kind  kind
	value string
	plain bool // of a text: it has no escapes, and nothing is inserted
}

// is reports whether a token is a sign.
func (t token) is(all ...string) bool { return t.kind == sign && slices.Contains(all, t.value) }

// program is one that is being read.
type program struct {
	tokens   []token
	effects  Effects
	modules  map[string]string   // names in the program -> modules
	constant map[string][]string // names -> all values, which are strings
}

// at returns token i; beyond the ends it is an end.
func (p *program) at(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{kind: end}
	}
	return p.tokens[i]
}

// opens records that a call, whose opening parenthesis is token i, opens a file: its first argument
// must be spelled out.
func (p *program) opens(i int, reads, writes bool) bool {
	arg := p.at(i + 1)
	all := p.constant[arg.value]
	switch {
	case arg.kind == text && arg.plain:
		all = []string{arg.value}
	case arg.kind != name || len(all) == 0:
		return false
	}
	if !p.at(i).is("(") || !p.at(i+2).is(",", ")") || slices.Contains(all, "") {
		return false
	}
	for _, one := range all {
		if reads && !slices.Contains(p.effects.Reads, one) {
			p.effects.Reads = append(p.effects.Reads, one)
		}
		if writes && !slices.Contains(p.effects.Writes, one) {
			p.effects.Writes = append(p.effects.Writes, one)
		}
	}
	return true
}

// printable reports whether a program has no control characters but tabs and line ends.
func printable(program string) bool {
	return len(program) <= MaxBytes && !strings.ContainsFunc(program, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r == 0x2028 || r == 0x2029 ||
			r == 0xfffd
	})
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// endOfName returns where a name, or a number, ends that begins at i.
func endOfName(program string, i int) int {
	for i < len(program) && (isLetter(program[i]) || isDigit(program[i])) {
		i++
	}
	return i
}

// setOf returns the set of the words of a text. It is not inlined: that would make the program
// larger by a function for each set.
//
//go:noinline
func setOf(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			set[w] = true
		}
		return set
	})
}

// tableOf reads a table with a row on each line: a name, a colon, and a set of words. A line
// without a name goes on with the row before.
func tableOf(rows string) map[string]map[string]bool {
	out, last := map[string]map[string]bool{}, ""
	for line := range strings.Lines(rows) {
		words := strings.Fields(line)
		if len(words) > 0 && strings.HasSuffix(words[0], ":") {
			last, words = strings.TrimSuffix(words[0], ":"), words[1:]
			out[last] = map[string]bool{}
		}
		for _, w := range words {
			out[last][w] = true
		}
	}
	return out
}
