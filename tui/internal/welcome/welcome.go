// Package welcome is the content of the panel of the first start: which model answers, what scripts
// are, and a few to begin with, each added by one key.
//
// Its lines fit the width. It knows no terminal: keys are names, and lines are styled spans.
package welcome

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// Facts is what the panel tells.
type Facts struct {
	Model    string // which model answers, and how to get another one
	Folder   string // of the user's scripts
	Starters []Starter
}

// Starter is a script of the gallery to begin with.
type Starter struct {
	Name    string // without the ending of the file
	Summary string
	Try     string // a line for the editor that shows what it does
	File    string // of the one in force, "" = none is
}

// Text returns what the page tells, for a terminal without panels.
func (f Facts) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Scripts say what the agent may do, and what it can. They are files in %s, in "+
		"Lua or JavaScript, and in force from the moment they are saved. In a shell, agent ext "+
		"add NAME adds one of the gallery, for example:\n", f.Folder)
	for _, s := range f.Starters {
		fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Summary)
	}
	return b.String() + "/welcome prints this again."
}

// Page is the content. Its zero value has the facts still to come.
type Page struct {
	Facts
	language string // "js"; "" = lua
	added    string // the name of the script that t tries
	said     string // what the last key did
	failed   bool
}

// Do says what a key asks for. The zero Do asks for nothing.
type Do struct {
	Close  bool
	Add    string // the file of the gallery that is to be added
	Insert string // text for the editor
}

// Set replaces the facts.
func (p *Page) Set(f Facts) { p.Facts = f }

// Say shows what became of the script that was added last.
func (p *Page) Say(text string, failed bool) { p.said, p.failed = plain.OneLine(text), failed }

// Key handles a key; text is what it types, "" = nothing. Whoever just begins to type a prompt
// leaves the page and loses nothing.
func (p *Page) Key(name, text string) Do {
	n, err := strconv.Atoi(name)
	switch {
	case name == "esc" || name == "enter":
		return Do{Close: true}
	case name == "tab":
		p.said = ""
		if p.language == "" {
			p.language = "js"
		} else {
			p.language = ""
		}
	case err == nil && n >= 1 && n <= len(p.Starters):
		return p.addStarter(p.Starters[n-1])
	case name == "t" && p.added != "":
		return Do{Close: true, Insert: p.try()}
	case text != "":
		return Do{Close: true, Insert: text}
	}
	return Do{}
}

func (p *Page) addStarter(s Starter) Do {
	p.added = s.Name
	if s.File != "" {
		p.Say(s.File+" is in force already", false)
		return Do{}
	}
	language := "lua"
	if p.language != "" {
		language = p.language
	}
	return Do{Add: s.Name + "." + language}
}

// try returns the line that tries the script that was added last.
func (p *Page) try() string {
	for _, s := range p.Starters {
		if s.Name == p.added && s.File != "" {
			return s.Try
		}
	}
	return ""
}

// indent is that of all texts.
const indent = 2

// Lines draws the page in at most height lines. On a low screen, blank lines go first, then all but
// the first line about each script, then what scripts are and which model answers.
func (p *Page) Lines(width, height int) []ui.Line {
	var out []ui.Line
	for less := range 5 {
		if out = p.drawPage(width, less); len(out) <= height {
			return out
		}
	}
	return out[max(0, len(out)-height):] // the last line names the keys
}

// drawPage draws the page; the greater less, the shorter it is.
func (p *Page) drawPage(width, less int) (out []ui.Line) {
	text := func(style, s string) { out = append(out, paragraph(style, s, indent, width)...) }
	blank := func() {
		if less == 0 {
			out = append(out, nil)
		}
	}
	if less < 4 {
		text("bold", "Welcome to agent, a coding agent that you extend with one-file scripts.")
		blank()
		text("", p.Model)
		blank()
	}
	if less < 3 {
		text("", "Scripts say what the agent may do, and what it can. They are files in "+p.Folder+
			", in Lua or JavaScript, and in force from the moment they are saved. "+
			"A few to begin with:")
		blank()
	}
	for i, s := range p.Starters {
		lines := p.starter(i+1, s, width)
		if less > 1 {
			lines = lines[:1]
		}
		out = append(out, lines...)
	}
	blank()
	p.drawSaid(text, blank)
	other := "JavaScript"
	if p.language != "" {
		other = "Lua"
	}
	text("dim", fmt.Sprintf("1 to %d: add · Tab: in %s · Enter: begin · /welcome: this page again",
		len(p.Starters), other))
	return out
}

// drawSaid draws what became of the script that was added last.
func (p *Page) drawSaid(text func(style, s string), blank func()) {
	if p.said != "" {
		style := "ok"
		if p.failed {
			style = "error"
		}
		text(style, p.said)
	}
	try := p.try()
	if try != "" {
		text("accent", "t: see what it does, with "+try)
	}
	if p.said != "" || try != "" {
		blank()
	}
}

// starter draws one script: its number, its name or file, and what it does.
func (p *Page) starter(n int, s Starter, width int) []ui.Line {
	name, mark := s.Name+".lua", ui.Span{Text: strconv.Itoa(n), Style: "accent"}
	if p.language != "" {
		name = s.Name + "." + p.language
	}
	if s.File != "" {
		name, mark = s.File, ui.Span{Text: "●", Style: "ok"}
	}
	const nameWidth = 14
	head := ui.Line{{Text: strings.Repeat(" ", indent)}, mark, {Text: "  "},
		{Text: cells.Fit(name, max(1, min(nameWidth, width-indent-3))), Style: "bold"}}
	at := indent + 3 + nameWidth + 1
	if width < 3*at { // below the name
		return append([]ui.Line{head}, paragraph("", s.Summary, indent+3, width)...)
	}
	lines := paragraph("", s.Summary, at, width)
	lines[0][0].Text = strings.Repeat(" ", at-indent-3-cells.Width(head[3].Text))
	lines[0] = append(head, lines[0]...)
	return lines
}

// paragraph breaks a text into lines that begin with so many spaces.
func paragraph(style, s string, indent, width int) (out []ui.Line) {
	for _, line := range cells.Wrap(s, max(1, width-indent-1)) {
		out = append(out, ui.Line{{Text: strings.Repeat(" ", indent)}, {Text: line, Style: style}})
	}
	if len(out) == 0 {
		out = []ui.Line{{{Text: strings.Repeat(" ", indent)}}}
	}
	return out
}
