// This file completes a command line, for the shell.

package cli

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// Candidate is a word that may stand at the end of a command line.
type Candidate struct{ Text, About string }

// Source returns the names of what exists, of a kind.
type Source func(Kind) []Candidate

// Paths says which paths the shell completes besides.
type Paths string

// What the last line of an answer to a shell says.
const (
	NoPaths    Paths = ":none"
	AllPaths   Paths = ":file"
	OnlyFolder Paths = ":folder"
)

// Complete returns what the last of words may become. The words are those after the program's name.
func Complete(words []string, source Source) ([]Candidate, Paths) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	command, args, value, ended := readWords(before)
	flags := flagsOf(command)
	switch name, text, with := strings.Cut(last, "="); {
	case ended:
	case value != nil:
		return choose(last, "", value.Kind, value.Words, source)
	case with && strings.HasPrefix(name, "-"):
		f := flagNamed(flags, name)
		if f == nil || f.Value == "" {
			return nil, NoPaths
		}
		return choose(text, name+"=", f.Kind, f.Words, source)
	case strings.HasPrefix(last, "-"):
		return flagNames(flags, last), NoPaths
	}
	words = command.Words
	if len(args) > 0 {
		words = nil
	}
	list, paths := choose(last, "", command.Kind, words, source)
	if command.Name == "help" && len(args) > 0 {
		list = nil
	}
	if prefix := command.Name; len(args) == 0 || command.Name == "help" {
		if command.Name == "help" {
			prefix = strings.Join(args, " ")
		}
		list = append(names(Under(prefix), last), list...)
	}
	return list, paths
}

// readWords reads the words before the last one: the command, its arguments, the flag whose value
// the last one is, and whether all flags have ended.
func readWords(before []string) (command Command, args []string, value *Flag, ended bool) {
	var plain []string
	command, _ = Named("")
	for _, w := range before {
		switch {
		case value != nil:
			value = nil
		case ended || !strings.HasPrefix(w, "-") || w == "-":
			plain = append(plain, w)
			command, args = Find(plain)
		case w == "--":
			ended = true
		case !strings.Contains(w, "="):
			if f := flagNamed(flagsOf(command), w); f != nil && f.Value != "" {
				value = f
			}
		}
	}
	return command, args, value, ended
}

// flagsOf returns the flags of a command; the agent's own go with all of them, but are offered only
// where they mean something.
func flagsOf(c Command) []Flag {
	root, _ := Named("")
	switch c.Name {
	case "", "rpc", "acp":
		return root.Flags
	}
	return append(slices.Clip(c.Flags), root.Flags[len(root.Flags)-1])
}

func flagNamed(flags []Flag, word string) *Flag {
	name := strings.TrimLeft(word, "-")
	i := slices.IndexFunc(flags,
		func(f Flag) bool { return name != "" && (f.Name == name || f.Short == name) })
	if i < 0 {
		return nil
	}
	return &flags[i]
}

// choose returns the values of a kind that begin with a text, each after a prefix.
func choose(text, prefix string, kind Kind, words []string, source Source) ([]Candidate, Paths) {
	var list []Candidate
	for _, w := range words {
		list = append(list, Candidate{Text: w})
	}
	paths := NoPaths
	switch kind {
	case Text:
	case File:
		paths = AllPaths
	case Folder:
		paths = OnlyFolder
	default:
		list = append(list, source(kind)...)
	}
	list = slices.DeleteFunc(list, func(c Candidate) bool {
		return !strings.HasPrefix(c.Text, text) || strings.ContainsFunc(c.Text, unsafe)
	})
	for i := range list {
		list[i].Text = prefix + list[i].Text
	}
	return list, paths
}

// unsafe reports whether a character cannot stand in an answer to a shell: it would end a line, or
// do something to the terminal.
func unsafe(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }

func names(commands []Command, text string) (list []Candidate) {
	for _, c := range commands {
		word := c.Name[strings.LastIndexByte(c.Name, ' ')+1:]
		if strings.HasPrefix(word, text) {
			list = append(list, Candidate{word, c.About})
		}
	}
	return list
}

func flagNames(flags []Flag, text string) (list []Candidate) {
	for _, f := range flags {
		for _, word := range []string{"--" + f.Name, "-" + f.Short} {
			if strings.TrimLeft(word, "-") != "" && strings.HasPrefix(word, text) &&
				(len(word) > 2 || f.Name == "" || text == word) {
				list = append(list, Candidate{word, f.About})
			}
		}
	}
	return list
}

// Answer returns what a shell reads: a line for each candidate, and which paths go with them.
func Answer(list []Candidate, paths Paths) string {
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.Text + "\t" + plain.OneLine(c.About) + "\n")
	}
	return b.String() + string(paths)
}
