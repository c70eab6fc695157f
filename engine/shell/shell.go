// Package shell finds the commands that a bash command line runs, without running it.
//
//	s := shell.Parse(`cd /tmp && sudo r'm' -rf "$DIR"`)
//	s.Commands // cd /tmp; sudo rm -rf "$DIR"; rm -rf "$DIR" via sudo
//
// Every simple command is in the list: of pipes, lists, loops, functions, substitutions, and those
// that another command runs: sudo, env, xargs, find -exec, bash -c, eval. Quotes, escapes and
// braces are resolved. Unknown parts are reported, such as a word that is not static or a command
// that hides what it runs. They are never reported as harmless.
//
// Parse is safe for concurrent use, and its time is bounded for any text.
package shell

//go:generate go test . -run TestDocs -update

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/shell/internal/measure"
)

const (
	// maxText limits the bytes of a command line: models write files with other tools.
	maxText = 64 << 10
	// maxCommands limits the list.
	maxCommands = 500
	// usualCommands is a number of commands that few lines exceed.
	usualCommands = 4
	// maxWords limits the number of words in all. Braces multiply words, and the words of a wrapper
	// also count for the command that it runs.
	maxWords = 10_000
	// maxBraced limits the words that brace expansion makes: each is a separate tree.
	maxBraced = 5_000
	// maxAsides limits the redirections and the variables that are set. Real lines have fewer, and
	// each costs a script more than a word.
	maxAsides = 1_000
	// maxInner limits how deep shells are run in shells.
	maxInner = 8
	// maxInnerText limits the bytes of text that are parsed in all: each nested shell parses its
	// own text again.
	maxInnerText = 4 * maxText
)

// Script is the result of parsing a command line: the commands that it runs.
type Script struct {
	Commands  []Command
	Redirects []Redirect
	// Err says why the text, or a part of it, could not be parsed. The list may then be incomplete.
	Err error

	text   string
	read   int  // bytes parsed so far, of all texts
	words  int  // of all commands
	braced int  // those that braces made
	asides int  // redirections, and variables that are set
	ifs    bool // IFS is set somewhere: word splitting is unknown

	vars      variables
	counts    bool     // text is evaluated as a number somewhere
	suspect   *Command // a text that would run if it were; nil = none
	twiceRead bool     // the value of a variable is expanded a second time somewhere
	inert     *Command // a text that would run if it were expanded; nil = none
	functions []string // names of declared functions
	moves     bool     // one of them changes the directory
	// the possible values of words of cd that are not static, by the words as written
	entered  map[string][]string
	loops    bool     // there is a loop
	lost     bool     // a loop does, though none of its commands seems to
	mixed    bool     // the text of a pattern does not show what is quoted in it
	finds    bool     // the search path for programs is set
	input    bool     // exec may set the standard input of the shell itself
	unclear  []Opaque // what Opaque returns, if judged
	judged   bool
	context  Context
	included []string // those of them that are run
	// the command for whose text it matters which names of files there are; nil = there is none
	inserts *int
}

// Command is one simple command.
type Command struct {
	Name   string   // of the program, without its folder; "" = not static, or only assignments
	Argv   []string // words as the program gets them; one that is not static is as written
	Static []bool   // which words of Argv are static
	Assign []string // names of the variables that are set for it, or by it
	Via    []string // the commands that run it, the outermost first: sudo, xargs
	// why its effect is unknown: "interpreter", "file", "stdin", "dynamic"; "" = it is known
	Hides string
	Line  int // 1-based, in the text that contains it

	Values     []*string // of Assign; nil = not static
	Open       bool      // unknown words may follow those of Argv: xargs
	From       int       // the command whose output it reads, by its place in the list; -1 = none
	Background bool
	// its offset in bytes; for a command in the words of another one, the offset of that one
	Pos  int
	Text string // as written; for a command in the words of another one, its words

	// the Values as paths, also those in the home directory, in their prefix; "" = it is unknown
	paths []word
	// the words that may follow those of Argv are names of files that are no flags
	named bool
	// it runs a file that was written before, and that is not one of a shell like bash
	foreign bool

	fed   bool   // its whole standard input has been parsed as commands
	given bool   // its standard input may be something other than a terminal
	lists []Path // the files whose names read gets, one at a time; empty: names of commits
	sole  bool   // its standard input is the output of From, and nothing else
	posix bool   // it is in the text of a shell that may lack features of bash
	// its standard input, as far as the line shows it; that of a shell has been parsed
	stdinText string
	stdinCode *string // the same for an interpreter, with variables expanded; nil = unknown
	info      []word
	in        *place
}

// Redirect is one redirection to or from a file.
type Redirect struct {
	Path   string // "" = not static
	Writes bool   // or opens a network connection
	Op     string // as it is written: >>
	Text   string // the word after the operator, as written
	// the index of its command; -1 = it belongs to a loop, a group, or no command
	Command int
	Pos     int // its position, as that of a command

	info word
	via  []string
	in   *place
}

// origin is the position and context of a text.
type origin struct {
	via        []string
	pos        int
	nested     bool // it is a word of a command: its own positions have no meaning
	from       int
	sole       bool // of a command that stands here, as it is
	given      bool // as of a Command
	posix      bool // its shell may lack features of bash
	background bool
	in         *place
	args       []string // names of variables that are set where the text begins
}

// errDeepQuotes reports quotes that bash may end elsewhere.
var errDeepQuotes = errors.New("quotes within expansions within expansions")

// errMany reports a line with too many commands.
var errMany = fmt.Errorf("more than %d commands", maxCommands)

// recent caches the lines that were parsed last.
var recent memo

// Parse parses a command line. The Script may be shared with other callers and must not be changed.
func Parse(text string) *Script { return parseRecent(text, Context{}) }

// parseRecent is Parse, without files that were written before.
func parseRecent(text string, c Context) *Script {
	key := line{text, c.Dir, c.Environment}
	s := recent.findScript(key)
	if s == nil {
		s = parseTree(text, wholeLine(), c)
		s.unclear, s.judged = s.Opaque(), true
		recent.keepScript(key, s)
	}
	return s
}

// wholeLine is the origin of a text that is no part of another one.
func wholeLine() origin { return origin{from: -1, in: &place{now: []string{""}}} }

func parseTree(text string, o origin, c Context) *Script {
	s := parseWith(text, o, c, nil)
	if folders := enteredFolders(s); folders != nil {
		s = parseWith(text, o, c, folders)
	}
	return s
}

// parseWith parses a text. folders are the possible values of words of cd, by the words as written.
func parseWith(text string, o origin, c Context, folders map[string][]string) *Script {
	s := &Script{text: text, Commands: make([]Command, 0, usualCommands), context: c,
		entered: folders}
	s.vars.context = &s.context
	s.parseText(text, o)
	for i := range s.Commands {
		s.Commands[i].given = s.Commands[i].given || s.input
	}
	s.resolveWords()
	s.resolveFound()
	followQueries(s)
	s.forgetHome()
	if s.inserts != nil && *s.inserts < len(s.Commands) && (s.vars.blind || s.ifs || s.shadows()) {
		s.Commands[*s.inserts].Hides = "dynamic"
	}
	if s.Err == nil && strings.Contains(text, "${") && strings.Contains(text, "'") &&
		anyCommand(s, func(c Command) bool { return setsPosix(&c) }) {
		s.Err = errors.New("quotes in ${...} mean something else in POSIX mode")
	}
	for _, runs := range []*Command{s.suspect, s.inert} {
		takes := s.counts && runs == s.suspect || s.twiceRead && runs == s.inert
		if runs != nil && takes && !anyCommand(s,
			func(c Command) bool { return c.Hides == "dynamic" }) {
			s.Commands = append(s.Commands, *runs)
		}
	}
	return s
}

// setsPosix reports whether a command sets POSIX mode, in which quotes in ${...} mean something
// else.
func setsPosix(c *Command) bool {
	if c.Name == "set" || c.Name == "shopt" || isShell(c.Name) {
		return contains(c.Argv, "posix") || contains(c.Argv, "--posix")
	}
	return contains(c.Assign, "POSIXLY_CORRECT") || contains(c.Assign, "SHELLOPTS")
}

// parseText adds the commands that text runs. o is its origin.
func (s *Script) parseText(text string, o origin) {
	s.read += len(text)
	switch {
	case s.Err != nil:
	case len(o.via) > maxInner:
		s.Err = errors.New("shells in shells, too deep")
	case len(text) > maxText || s.read > maxInnerText:
		s.Err = fmt.Errorf("longer than %d KiB", maxText>>10)
	case strings.Contains(text, "\r"): // the end of a line to the parser, a letter to shells
		s.Err = errors.New("a carriage return")
	// shells and the parser parse the remaining text differently
	case strings.Contains(text, "\\\\\\\n"):
		s.Err = errors.New("three backslashes before the end of a line")
	case measure.Nests(text) > measure.MaxNest:
		s.Err = measure.ErrDeep
	case measure.Operators(text) > measure.MaxOperators:
		s.Err = fmt.Errorf("more than %d operators in expressions", measure.MaxOperators)
	default:
		file, err := readTree(text)
		if err != nil {
			s.Err = err
			return
		}
		if s.walk(file, text, o); s.Err == nil && strings.Contains(text, "#") {
			s.Err = comments(file, text)
		}
	}
}

// parsers are idle parsers. Each holds buffers of 2 KB.
var parsers = sync.Pool{New: func() any {
	return syntax.NewParser(syntax.Variant(syntax.LangBash),
		syntax.KeepComments(true))
}}

// readTree returns the syntax tree of text.
func readTree(text string) (*syntax.File, error) {
	p := parsers.Get().(*syntax.Parser)
	file, err := p.Parse(measure.NewSource(text), "")
	if err == nil { // a parser that failed is not used again
		parsers.Put(p)
	}
	return file, err
}

// comments returns an error if the parser treats the end of a word as a comment: in (a 'b'#; c),
// that would hide c.
func comments(file *syntax.File, text string) (err error) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			if at := int(c.Hash.Offset()); at > len(text) || at > 0 &&
				!strings.ContainsRune(" \t\r\n;&|(<>", rune(text[at-1])) {
				err = errors.New("a # that may begin a comment, or end a word")
			}
		}
		return err == nil
	})
	return err
}

const (
	// maxRecent limits the number of lines, and maxRecentText the length of each in bytes.
	maxRecent, maxRecentText = 8, 4 << 10
)

// line is a command line and what is known about where it runs.
type line struct {
	text, dir   string
	environment *Environment
}

// memo is safe for concurrent use. Its scripts never change.
type memo struct {
	mu    sync.Mutex
	lines [maxRecent]struct {
		line   line
		script *Script
	}
	next int // the oldest one
}

func (m *memo) findScript(key line) *Script {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.lines {
		if l := &m.lines[i]; l.script != nil && l.line == key {
			return l.script
		}
	}
	return nil
}

func (m *memo) keepScript(key line, s *Script) {
	if len(key.text) > maxRecentText {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines[m.next].line, m.lines[m.next].script = key, s
	m.next = (m.next + 1) % maxRecent
}
