// This file implements help: agent help, agent completion, agent man, and what shells ask.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/llm"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/cmd/agent/internal/cli"
	"github.com/agentscripts/agent/docs"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/tui/terminal"
)

// styled reports whether what is written to w may have styles.
func styled(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && terminal.IsTerminal(w)
}

// agentMark begins the line of an error.
func agentMark(stderr io.Writer) string {
	if styled(stderr) {
		return "\x1b[1;31magent:\x1b[m"
	}
	return "agent:"
}

// isManual reports whether the words are one of the commands of this file, and not a prompt that
// begins like one, such as "help me".
func isManual(all []string) bool {
	words := all[1:]
	switch all[0] {
	case "help":
		_, hint, ok := cli.Meant(words)
		return ok || hint != "" || len(words) == 1 && words[0] != "me" && words[0] != "us"
	case "completion":
		return len(words) == 0 || len(words) == 1 && suggest.Nearest(words[0], cli.Shells()) != ""
	}
	return all[0] == "man" && len(words) == 0
}

// runHelp implements agent help TOPIC. Help on a command is printed by cobra.
func runHelp(words []string, stdout, stderr io.Writer) int {
	name := strings.Join(words, " ")
	if slices.Contains(topics(), name) {
		return extHelp(nil, words, stdout, stderr)
	}
	_, hint, _ := cli.Meant(words)
	return usageError(stderr, fmt.Errorf("there is no help on %.80q%s", name,
		cmp.Or(hint, otherPages(name))))
}

// runCompletion implements agent completion SHELL.
func runCompletion(words []string, stdout, stderr io.Writer) int {
	if len(words) == 0 {
		return usageError(stderr, errors.New("completion: want SHELL: "+
			strings.Join(cli.Shells(), ", ")))
	}
	text := cli.ShellScript(words[0])
	if text == "" {
		return usageError(stderr, fmt.Errorf("completion: no completion for %.80q%s", words[0],
			suggest.DidYouMean(words[0], cli.Shells())))
	}
	return printText(stdout, stderr, strings.TrimSuffix(text, "\n"))
}

// pagesOfAPI are the pages that are generated from the tables of the script API; one of another
// name is "api-" and that name.
const pagesOfAPI = "api-"

// reference holds the pages of the API by file. They are made once: an error about a page that does
// not exist looks into all of them several times.
var reference = sync.OnceValue(spec.Reference)

// topics returns the names of the pages of the documents.
func topics() []string {
	names := docs.Names()
	for file := range reference() {
		if name, is := strings.CutSuffix(file, ".md"); is && name != "README" {
			names = append(names, pagesOfAPI+name)
		}
	}
	slices.Sort(names)
	return names
}

// page returns a page of the documents. Those of the API go without "api-" too, if no other page
// has that name, and with the name of the group as scripts write it, such as ext.fs.
func page(name string) (string, error) {
	if text := docs.Page(name); text != "" {
		return text, nil
	}
	group := strings.TrimPrefix(strings.TrimPrefix(name, pagesOfAPI), "ext.")
	if text, ok := reference()[group+".md"]; ok {
		return text, nil
	}
	return "", fmt.Errorf("there is no page %q%s", plain.Line(name, 80),
		otherPages(name))
}

// mostPages is how many pages an error offers.
const mostPages = 4

// otherPages ends an error about a page that does not exist: with the one of a similar name, or
// with those that are about it. "" if there is none.
func otherPages(name string) string {
	if hint := suggest.DidYouMean(name, topics()); hint != "" {
		return hint
	}
	about := pagesAbout(name, headingsOf)
	if len(about) == 0 {
		all := ""
		for _, topic := range topics() {
			all += headingsOf(topic)
		}
		if near := suggest.Nearest(name, strings.Fields(all)); near != "" {
			return suggest.Meant(near) + strings.Replace(otherPages(near), ";", "", 1)
		}
		about = pagesAbout(name, func(topic string) string {
			text, _ := page(topic)
			return wordsOf(text)
		})
	}
	if len(about) == 0 {
		return ""
	}
	return "; about it: " + strings.Join(about[:min(len(about), mostPages)], ", ")
}

// pagesAbout returns the pages whose words have those of a name, those with it most often first.
func pagesAbout(name string, words func(topic string) string) (about []string) {
	if name = wordsOf(name); name == wordsOf("") {
		return nil
	}
	count := map[string]int{}
	for _, topic := range topics() {
		if count[topic] = strings.Count(words(topic), name); count[topic] > 0 {
			about = append(about, topic)
		}
	}
	slices.SortStableFunc(about, func(a, b string) int { return count[b] - count[a] })
	return about
}

// headingsOf returns the words of the name and the headings of a page.
func headingsOf(topic string) string {
	text, _ := page(topic)
	all, code := wordsOf(topic), false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if !code && strings.HasPrefix(line, "#") {
			all += wordsOf(line)
		}
	}
	return all
}

// wordsOf returns the words of a text in small letters, with spaces around them.
func wordsOf(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}), " ") + " "
}

// heading returns what a page is about: its first line.
func heading(topic string) string {
	text, err := page(topic)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(plain.FirstLine(text), "# ")
}

// extHelp implements agent ext help [TOPIC].
func extHelp(_ *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) == 0 {
		var lines []string
		for _, name := range topics() {
			lines = append(lines, fmt.Sprintf("%-18s %s", name, heading(name)))
		}
		return printText(stdout, stderr, strings.Join(lines, "\n"))
	}
	text, err := page(strings.Join(words, " "))
	if err != nil {
		return usageError(stderr, fmt.Errorf("ext help: %w", err))
	}
	return printText(stdout, stderr, strings.TrimSuffix(text, "\n"))
}

// completed is how many sessions a shell is told: more are no help.
const completed = 100

// existing returns what exists of a kind, for a shell that completes a command line. It changes
// nothing, asks nobody, and runs no script. What cannot be read has no names.
func existing(kind cli.Kind) []cli.Candidate {
	at, err := place{}.withDefaults()
	if err != nil {
		return nil
	}
	return at.names(kind)
}

// names returns what exists of a kind.
func (p place) names(kind cli.Kind) (list []cli.Candidate) {
	add := func(text, about string) { list = append(list, cli.Candidate{Text: text, About: about}) }
	switch kind {
	case cli.Script:
		for _, dir := range []string{p.installer(false).Scripts, p.installer(true).Scripts} {
			files, _ := os.ReadDir(dir)
			for _, f := range files {
				if slices.Contains(endings(), filepath.Ext(f.Name())) {
					add(f.Name(), dir)
				}
			}
		}
	case cli.Disabled:
		disabled, _ := load.ListDisabled(p.home)
		for _, d := range disabled {
			add(d.Name, d.Path)
		}
	case cli.Trashed:
		for _, name := range p.installer(false).Trash() {
			add(name, "removed or replaced")
		}
	case cli.Gallery:
		for _, name := range galleryNames() {
			add(name, specimens(name)[0].header.Summary)
		}
	case cli.Session:
		infos, _ := session.List(p.sessions(), completed)
		for _, i := range infos {
			add(i.ID, i.Title())
		}
	case cli.Brought:
		project := p.project()
		for _, i := range project.Look().Items {
			add(i.Name, string(i.Kind))
		}
	case cli.Topic:
		for _, name := range topics() {
			add(name, heading(name))
		}
	case cli.Model:
		return p.modelNames()
	}
	return list
}

// modelNames returns the models that are known without asking a server.
func (p place) modelNames() []cli.Candidate {
	settings, _ := config.Load(p.home, p.keeper())
	providers, _ := llm.Providers(llm.Options{Config: settings, Env: os.Getenv, Version: version()})
	list := []cli.Candidate{{Text: "offline/offline", About: "answers without a network"}}
	for _, provider := range providers {
		for _, m := range provider.Models {
			list = append(list, cli.Candidate{Text: provider.Name + "/" + m.ID,
				About: provider.Unusable})
		}
	}
	return list
}
