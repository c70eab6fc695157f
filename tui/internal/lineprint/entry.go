// This file prints entries.

package lineprint

import (
	"math"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// Kind is what an Entry is.
type Kind int

// The kinds of entries.
const (
	Remark  Kind = iota // Lines are printed once
	Pending             // nothing is printed yet
	Gone                // it shows nothing; if a part of it was printed, that is said
	Prompt              // what the user sent: not repeated if it was typed here
	Message             // of the model
	Call                // of a tool
)

// Entry is an entry of a conversation, or a part of one.
type Entry struct {
	Kind  Kind
	Lines []string
	Text  string // of a Message: as far as it has come

	Ended bool   // a Message or Call is complete
	Final string // of a Message that has ended

	Title string   // of a Call: its tool, and what it is about
	Short string   // its tool
	Why   string   // why a Call did not go well; "" = it did
	After []string // printed after a Prompt, and when a Call has ended
}

// printedWhole stands in printed for an entry that has been printed to its end.
const printedWhole = math.MaxInt

// printEntries prints the entries that are complete.
func (p *Printer) printEntries() {
	n, first := p.source.Entries()
	if n == 0 || p.first != first { // another session
		p.from, p.printed = 0, map[any]int{}
	}
	if n > 0 {
		p.first = first
	}
	for i := p.from; i < n; i++ {
		id := p.printEntry(i)
		if i == p.from && p.printed[id] == printedWhole {
			delete(p.printed, id)
			p.from++
		}
	}
}

// printEntry prints what is new of entry i, and returns the entry.
func (p *Printer) printEntry(i int) (id any) {
	id, parts := p.source.Entry(i)
	n := p.printed[id]
	switch {
	case n == printedWhole:
	case len(parts) == 1:
		p.printed[id] = p.printPart(parts[0], n)
	default: // an entry of a loaded session
		for _, part := range parts {
			p.printPart(part, 0)
		}
		p.printed[id] = printedWhole
	}
	return id
}

// printPart prints what is new of a part of an entry, after n that has been printed. It returns how
// much has been printed now.
func (p *Printer) printPart(e Entry, n int) int {
	switch e.Kind {
	case Pending:
		return n
	case Gone:
		if n > 0 {
			p.printLine("(the answer was withdrawn)")
		}
	case Prompt:
		if p.typed[e.Text]--; p.typed[e.Text] < 0 {
			delete(p.typed, e.Text)
			p.printLine("you: " + e.Text)
		}
		for _, l := range e.After {
			p.printLine(l)
		}
	case Message:
		return p.printMessage(e, n)
	case Call:
		return p.printCall(e, n)
	default:
		for _, l := range e.Lines {
			p.printLine(l)
		}
	}
	return printedWhole
}

// printMessage prints the complete lines of a message after its first n bytes, and all of them if
// it has ended. It returns how much has been printed.
func (p *Printer) printMessage(e Entry, n int) int {
	text := e.Text
	switch {
	case e.Ended && !strings.HasPrefix(e.Final, plain.Head(text, n)):
		p.printLine("(the answer was changed; this is all of it)")
		text, n = e.Final+"\n", 0
	case e.Ended:
		text = strings.TrimRight(e.Final, "\n") + "\n"
	}
	end := strings.LastIndexByte(text, '\n') + 1
	if end > n {
		part := strings.TrimRight(text[n:end], "\n")
		blank := strings.Repeat("\n", end-n-len(part))
		if n == 0 {
			part = "agent: " + part
		}
		p.lines.WriteString(part + blank)
		n = end
	}
	if e.Ended {
		return printedWhole
	}
	return n
}

// callPrinted stands in printed for a call whose outcome has not been printed.
const callPrinted = 1

// printCall prints a call when it runs, and what became of it unless it went well.
func (p *Printer) printCall(e Entry, n int) int {
	switch {
	case n == 0 && e.Why != "":
		p.printLine(e.Title + ", " + e.Why)
	case n == 0:
		p.printLine(e.Title)
	case e.Why != "":
		p.printLine(e.Short + " " + e.Why)
	}
	if !e.Ended {
		return callPrinted
	}
	for _, text := range e.After {
		p.printLine(text)
	}
	return printedWhole
}
