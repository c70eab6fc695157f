// This file completes a command line, for the shell and for the screen: cobra finds out what is to
// be completed, and asks for the candidates.

package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentscripts/agent/engine/plain"
)

// Candidate is a word that may stand at the end of a command line.
type Candidate struct{ Text, About string }

// Source returns the names of what exists, of a kind.
type Source func(Kind) []Candidate

// Completer completes command lines, one after another.
type Completer struct {
	mu      sync.Mutex
	program *Program
	root    *cobra.Command
}

// NewCompleter returns a Completer with the names of a source.
func NewCompleter(source Source) *Completer {
	p := &Program{Set: func(string, string) error { return nil }, Names: source}
	p.Run = func(*cobra.Command, []string) error { return nil }
	return &Completer{program: p, root: p.New(false)}
}

// Complete returns what the last of words may become, and a line that says whether paths may stand
// there too. The words are those after the program's name.
func (c *Completer) Complete(words []string) (list []Candidate, paths string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(words) == 0 {
		words = []string{""}
	}
	c.program.Typed = words[len(words)-1]
	var out bytes.Buffer
	c.root.SetArgs(append([]string{Ask}, words...))
	c.root.SetOut(&out)
	c.root.SetErr(io.Discard)
	_ = c.root.ExecuteContext(context.Background())
	c.clearChanged(c.root)
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, ":") {
			return list, line
		}
		text, about, _ := strings.Cut(line, "\t")
		list = append(list, Candidate{text, about})
	}
	return list, ""
}

// clearChanged removes what completing a line leaves in a command.
func (c *Completer) clearChanged(command *cobra.Command) {
	command.Flags().VisitAll(func(f *pflag.Flag) { f.Changed = false })
	for _, sub := range command.Commands() {
		if sub.Name() == Ask {
			command.RemoveCommand(sub)
		}
		c.clearChanged(sub)
	}
}

// arguments completes an argument of a command.
func (p *Program) arguments(c Command, words []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	var list []Candidate
	if c.Name == "help" {
		for _, under := range Under(strings.Join(words, " ")) {
			list = append(list, Candidate{under.Name[strings.LastIndexByte(under.Name, ' ')+1:],
				under.About})
		}
		if len(words) > 0 {
			return choose(list, typed), cobra.ShellCompDirectiveNoFileComp
		}
	}
	if len(words) == 0 {
		for _, w := range c.Words {
			list = append(list, Candidate{Text: w})
		}
	}
	return p.ofKind(list, c.Kind, typed)
}

// values returns what completes the value of a flag.
func (p *Program) values(f Flag) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		var list []Candidate
		for _, w := range f.Words {
			list = append(list, Candidate{Text: w})
		}
		found, directive := p.ofKind(list, f.Kind, typed)
		if name, _, with := strings.Cut(p.Typed, "="); with && strings.HasPrefix(name, "-") {
			for i := range found { // the scripts of shells replace the whole word
				found[i] = name + "=" + found[i]
			}
		}
		return found, directive
	}
}

// ofKind adds the names of a kind to a list, and returns those that begin with what is typed.
func (p *Program) ofKind(list []Candidate, kind Kind, typed string) ([]string,
	cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	switch kind {
	case Text:
	case File:
		directive = cobra.ShellCompDirectiveDefault
	default:
		list = append(list, p.Names(kind)...)
	}
	return choose(list, typed), directive
}

// choose returns the candidates that begin with what is typed, each once.
func choose(list []Candidate, typed string) (out []string) {
	seen := map[string]bool{}
	for _, c := range slices.DeleteFunc(list, func(c Candidate) bool {
		return !strings.HasPrefix(c.Text, typed) || strings.ContainsFunc(c.Text, unsafe)
	}) {
		if seen[c.Text] {
			continue // a command and a page of the documents, for one
		}
		seen[c.Text] = true
		out = append(out, cobra.CompletionWithDesc(c.Text, plain.OneLine(c.About)))
	}
	return out
}

// unsafe reports whether a character cannot stand in an answer to a shell: it would end a line, or
// do something to the terminal.
func unsafe(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }
