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
// Parse is safe for concurrent use, and its time is bounded whatever the text is.
package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxText bounds a command line, in bytes: models write files with other tools.
	maxText = 64 << 10
	// maxNest bounds how deep openers nest: the parser recurses.
	maxNest = 200
	// maxCalls bounds how deep the parser recurses, in calls: some twelve for what nests.
	maxCalls = 12 * maxNest
	// maxCommands bounds the list.
	maxCommands = 500
	// usualCommands is how many a line has, or fewer, nearly always.
	usualCommands = 4
	// maxWords bounds how many words there are in all: braces multiply, and those of a wrapper
	// count for what it runs, too.
	maxWords = 10_000
	// maxBraced limits the words that brace expansion makes: each is a separate tree.
	maxBraced = 5_000
	// maxOperators bounds those of expressions such as ((a=b=1)): the parser recurses there, too.
	maxOperators = 5_000
	// maxAsides bounds how many redirections there are, and variables that are set: nobody writes
	// more, and each is more than a word to a script.
	maxAsides = 1_000
	// maxInner bounds how deep shells are run in shells.
	maxInner = 8
	// maxInnerText bounds how much text is read in all, in bytes: each shell in a shell reads its
	// own again.
	maxInnerText = 4 * maxText
)

// Script is what a command line runs.
type Script struct {
	Commands  []Command
	Redirects []Redirect
	// Err says why the text could not be read, or not all of it: there may be commands that are not
	// in the list.
	Err error

	read   int  // bytes that were read so far, of all texts
	words  int  // of all commands
	braced int  // those that braces made
	asides int  // redirections, and variables that are set
	ifs    bool // IFS is set somewhere: what splits words is not known

	vars      map[string]*variable // what variables hold that are set somewhere
	tries     int                  // parts of words that were looked at to find out
	blind     bool                 // others may be set than those of vars, or to other things
	counts    bool                 // text is taken for a number somewhere
	suspect   *Command             // a text that would run if it were; nil = none
	twiceRead bool                 // what a variable holds is expanded once more somewhere
	inert     *Command             // a text that would run if it were expanded; nil = none
	functions []string             // names of those that are declared
	moves     bool                 // one of them changes the directory
	lost      bool                 // a loop does, though it does not look like it
	finds     bool                 // where programs are found is set
	unclear   []Opaque             // what Opaque returns, if judged
	judged    bool
}

// Command is one simple command.
type Command struct {
	Name   string   // of the program, without its folder; "" = not static, or only assignments
	Argv   []string // words as the program gets them; one that is not static is as it is written
	Static []bool   // which of them are
	Assign []string // names of the variables that are set for it, or by it
	Via    []string // the commands that run it, the outermost first: sudo, xargs
	// why it cannot be known what it does: "interpreter", "file", "stdin", "dynamic"; "" = it can
	Hides string
	Line  int // 1-based, in the text that it stands in

	Values     []*string // of Assign; nil = not static
	Open       bool      // words that are not known may follow those of Argv: xargs
	From       int       // the command whose output it reads, by its place in the list; -1 = none
	Background bool
	// where it stands, in bytes from 0; of one in the words of another: where that stands
	Pos  int
	Text string // as it is written; of one in the words of another: its words

	fed   bool // all that stands on its standard input has been read as commands
	given bool // something may stand on its standard input that nobody types
	sole  bool // its standard input is what From says, and nothing else
	posix bool // it stands in a text of a shell that may not have all that bash has
	// what stands on its standard input, as far as the line says it; of a shell it has been read
	told string
	info []word
	in   *place
}

// Redirect is one redirection to or from a file.
type Redirect struct {
	Path   string // "" = not static
	Writes bool   // or reaches out to the network
	Op     string // as it is written: >>
	Text   string // the word behind it, as it is written
	// whose it is, by its place in the list; -1 = that of a loop, a group, or of nothing
	Command int
	Pos     int // where it stands, as of a command

	info word
	via  []string
	in   *place
}

// origin is where a text stands.
type origin struct {
	via        []string
	pos        int
	nested     bool // in a word of a command: its own positions say nothing
	from       int
	sole       bool // of a command that stands here, as it is
	given      bool // as of a Command
	posix      bool // the shell that reads it may not have all that bash has
	background bool
	in         *place
}

// errMany is what a line is that has too many commands.
var errMany = fmt.Errorf("more than %d commands", maxCommands)

// recent are the lines that were read last.
var recent memo

// Parse reads a command line. The script may be another caller's, too: it must not be changed.
func Parse(text string) *Script {
	s := recent.findScript(text)
	if s == nil {
		s = parseTree(text, origin{from: -1, in: &place{now: []string{""}}})
		s.unclear, s.judged = s.Opaque(), true
		recent.keepScript(text, s)
	}
	return s
}

func parseTree(text string, o origin) *Script {
	s := &Script{Commands: make([]Command, 0, usualCommands)}
	s.parseText(text, o)
	s.resolveWords()
	for _, runs := range []*Command{s.suspect, s.inert} {
		takes := s.counts && runs == s.suspect || s.twiceRead && runs == s.inert
		if runs != nil && takes && !slices.ContainsFunc(s.Commands,
			func(c Command) bool { return c.Hides == "dynamic" }) {
			s.Commands = append(s.Commands, *runs)
		}
	}
	return s
}

// parseText adds what text runs, which stands at o.
func (s *Script) parseText(text string, o origin) {
	s.read += len(text)
	switch {
	case s.Err != nil:
	case len(o.via) > maxInner:
		s.Err = errors.New("shells in shells, too deep")
	case len(text) > maxText || s.read > maxInnerText:
		s.Err = fmt.Errorf("longer than %d KiB", maxText>>10)
	// shells and the parser do not agree on what is left of it
	case strings.Contains(text, "\\\\\\\n"):
		s.Err = errors.New("three backslashes before the end of a line")
	case nests(text) > maxNest:
		s.Err = errDeep
	case operators(text) > maxOperators:
		s.Err = fmt.Errorf("more than %d operators in expressions", maxOperators)
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

// parsers are parsers that nobody uses: each holds buffers of 2 KB.
var parsers = sync.Pool{New: func() any {
	return syntax.NewParser(syntax.Variant(syntax.LangBash),
		syntax.KeepComments(true))
}}

// readTree makes the tree of text.
func readTree(text string) (*syntax.File, error) {
	p := parsers.Get().(*syntax.Parser)
	file, err := p.Parse(&source{Reader: *strings.NewReader(text)}, "")
	if err == nil { // one that has failed is not trusted with another text
		parsers.Put(p)
	}
	return file, err
}

// comments is an error where the parser takes for a comment what is the end of a word: in (a 'b'#;
// c) it would hide c.
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
