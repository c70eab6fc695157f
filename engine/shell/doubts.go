// This file says why something about a command line is unknown, in a sentence for people.

package shell

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// Doubt is a part of a command line because of which it is unknown what the line does.
type Doubt struct {
	Cause  Cause
	Word   string // the word, or the command, as written; "" = the whole line
	By     string // the program that gets the word; "" = none
	Reads  bool   // it is unknown which files are read
	Writes bool   // it is unknown which files are written
}

// Cause says in one word why something is unknown.
type Cause string

// Why the files that a command line touches are unknown. The other causes are the kinds of Opaque.
const (
	dynamicWord  Cause = "word"
	added        Cause = "added"
	listedInFile Cause = "listed"
	matched      Cause = "pattern"
	folder       Cause = "folder"
	userHome     Cause = "home"
	elsewhere    Cause = "elsewhere"
	ownNames     Cause = "unnamed"
	linksAway    Cause = "links"
	unreadable   Cause = "unreadable"
	halfQuoted   Cause = "quotes"
	longText     Cause = "text"
	workTree     Cause = "tree"
)

// Causes returns all causes, in the order of docs/shell.md.
func Causes() (all []Cause) {
	for i := range causes {
		all = append(all, causes[i].cause)
	}
	return all
}

// causes holds the texts about each cause. WORD and PROGRAM stand for the fields of a Doubt.
var causes = []struct {
	cause   Cause
	says    string
	certain string // what to do instead; "" = no line that does this is certain
}{
	{dynamicWord, "the word WORD of PROGRAM is known only when the line runs",
		"write what it stands for"},
	{added, "PROGRAM gets more words than the line shows", "write all of its words in the line"},
	{listedInFile, "a file lists what PROGRAM is to do", "name the files in the line"},
	{matched, "more files may match the pattern WORD of PROGRAM than can be looked up",
		"name the files, or use a pattern with fewer * and ?"},
	{folder, "the folder in which PROGRAM runs is known only when the line runs, because of WORD",
		"name the folder, or use absolute paths"},
	{userHome, "the folder that WORD stands for is not known", "write its path"},
	{elsewhere, "PROGRAM works in another place, where the files are others", ""},
	{ownNames, "PROGRAM chooses itself which files it changes", ""},
	{linksAway, "PROGRAM follows links out of the folders that it is given",
		"leave out the flag because of which it follows links"},
	{unreadable, "the line cannot be read: WORD", "write it in a simpler way"},
	{halfQuoted, "a pattern of the line is quoted in part", "quote no part of a pattern"},
	{workTree, "PROGRAM may write any file of the work tree", ""},
	{longText, "too many words in the text WORD of PROGRAM may be files", "write a shorter text"},
	{"dynamic", "what WORD runs is known only when the line runs",
		"write the command itself"},
	{"stdin", "WORD runs the commands that it reads", "write the commands in the line"},
	{"file", "WORD runs a file whose content is not known before",
		"write the commands of the file in the line"},
	{"interpreter", "WORD runs a program in another language",
		"use commands instead of a program"},
	{"alias", "WORD changes what names mean", "leave it out"},
	{"words", "WORD has too many words that may be commands", "split the line"},
}

// shownWord is how much of a word or a command a sentence shows, in bytes.
const shownWord = 100

// String says what is unknown and why: "the word $f of cat is known only when the line runs".
func (d Doubt) String() string {
	for i := range causes {
		if causes[i].cause == d.Cause {
			return d.fill(causes[i].says)
		}
	}
	return string(d.Cause)
}

// Certain says how to write the line so that this is known: "write what it stands for"; "" = there
// is no such way.
func (d Doubt) Certain() string {
	for i := range causes {
		if causes[i].cause == d.Cause {
			return causes[i].certain
		}
	}
	return ""
}

// Explain returns String and Certain in one text.
func (d Doubt) Explain() string {
	if c := d.Certain(); c != "" {
		return d.String() + "; to be certain, " + c
	}
	return d.String() + "; no way to write the line makes this certain"
}

// fill puts the fields of d into a text.
func (d Doubt) fill(text string) string {
	word, program := plain.Line(d.Word, shownWord), d.By
	if program == "" {
		program = "a program"
	}
	return strings.NewReplacer("WORD", word, "PROGRAM", program).Replace(text)
}

// maxDoubts limits how many reasons Paths has: a person reads one or two.
const maxDoubts = 8

// unknown records that the current program may read, and with writes also write, unknown files.
func (f *finder) unknown(writes bool, why Cause, word string) {
	f.doubt(Doubt{Cause: why, Word: word, By: f.by, Reads: true, Writes: writes})
}

// unknownWrites records that the current program may write unknown files.
func (f *finder) unknownWrites(why Cause, word string) {
	f.doubt(Doubt{Cause: why, Word: word, By: f.by, Writes: true})
}

// doubt is unknown for a reason.
func (f *finder) doubt(d Doubt) {
	first := d.Reads && !f.out.UnknownReads || d.Writes && !f.out.UnknownWrites
	f.out.UnknownReads = f.out.UnknownReads || d.Reads
	f.out.UnknownWrites = f.out.UnknownWrites || d.Writes
	if first || len(f.out.Doubts) < maxDoubts && !slices.Contains(f.out.Doubts, d) {
		f.out.Doubts = append(f.out.Doubts, d)
	}
}

// redirection stands for the program in what is said about a redirection.
const redirection = "a redirection"

// whole records what makes all files of the line unknown.
func (f *finder) whole() {
	s := f.s
	if s.Err != nil {
		f.doubt(Doubt{Cause: unreadable, Word: s.Err.Error(), Reads: true, Writes: true})
	}
	for _, o := range s.Opaque() {
		f.doubt(Doubt{Cause: Cause(o.Kind), Word: o.Text, Reads: true, Writes: true})
	}
	if s.lost {
		f.doubt(Doubt{Cause: folder, Word: "a loop", Reads: true, Writes: true})
	}
	if s.mixed {
		f.doubt(Doubt{Cause: halfQuoted, Reads: true, Writes: true})
	}
}
