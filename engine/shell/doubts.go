// This file says why something about a command line is unknown, in a sentence for people.

package shell

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
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
	matched      Cause = TooWide
	folder       Cause = "folder"
	userHome     Cause = "home"
	elsewhere    Cause = "elsewhere"
	ownNames     Cause = "unnamed"
	linksAway    Cause = "links"
	unreadable   Cause = "unreadable"
	halfQuoted   Cause = "quotes"
	longText     Cause = "text"
	workTree     Cause = "tree"
	unpacked     Cause = "unpacked"
	textOpens    Cause = "opens"

	// of Check alone
	carriesCommand Cause = "carried"
	unknownAlias   Cause = "subcommand"
	leadsOut       Cause = "outside"
	unsureFlag     Cause = "flags"
)

// What package touch, which looks at the files, adds to these.
const (
	TooWide    Cause = "pattern"
	TooMany    Cause = "many"
	Below      Cause = "below"
	Unresolved Cause = "unresolved"
	MovedGit   Cause = "moved"
)

// Causes returns all causes.
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
	{matched, "it is not known which files match the pattern WORD of PROGRAM",
		"name the files, or use a pattern with fewer * and ?"},
	{TooMany, "PROGRAM names more files, with WORD, than are looked at", "name fewer files"},
	{Unresolved, "the path WORD of PROGRAM leads nowhere: it is too long, its links are a loop, " +
		"or a process holds it", "name another path"},
	{folder, "the folder in which PROGRAM runs is known only when the line runs, because of WORD",
		"name the folder, or use absolute paths"},
	{userHome, "the folder that WORD stands for is not known", "write its path"},
	{elsewhere, "PROGRAM works in another place, where the files are others", ""},
	{MovedGit, "because of WORD, PROGRAM may work in another folder",
		"leave that out, and write the folder before the command: cd FOLDER && git ..."},
	{ownNames, "PROGRAM chooses itself which files it changes", ""},
	{linksAway, "PROGRAM follows links out of the folders that it is given",
		"leave out the flag because of which it follows links"},
	{unreadable, "the line cannot be read: WORD", "write it in a simpler way"},
	{halfQuoted, "a pattern of the line is quoted in part", "quote no part of a pattern"},
	{workTree, "PROGRAM may write any file of the work tree", ""},
	{unpacked, "WORD of PROGRAM may be a link, or lie behind one, that the line unpacks before",
		"unpack in a call of its own"},
	{textOpens, "the text WORD of PROGRAM may open files",
		"give it the files as words of their own"},
	{Below, "PROGRAM may write any file below the folder in which it works",
		"let it work in another folder"},
	{longText, "too many words in the text WORD of PROGRAM may be files", "write a shorter text"},
	{"dynamic", "what WORD runs is known only when the line runs",
		"write the command itself"},
	{"stdin", "WORD runs the commands that it reads", "write the commands in the line"},
	{"file", "WORD lets a file run whose content is not known before",
		"write the commands of the file in the line"},
	{"interpreter", "WORD runs a program in another language",
		"use commands instead of a program"},
	{"alias", "WORD changes what names mean", "leave it out"},
	{carriesCommand, "PROGRAM may run a command that is among its words: WORD",
		"run that command by itself"},
	{unknownAlias, "the word WORD of PROGRAM may be an alias for other words",
		"write what it stands for"},
	{leadsOut, "WORD of PROGRAM may be a path outside of the folder in which the line begins",
		"write the whole path"},
	{unsureFlag, "which words of PROGRAM are flags, and which are their values, is not known",
		"write --flag=value, and -- before the other words"},
	{"words", "WORD has too many words that may be commands", "split the line"},
}

// shownWord is how much of a word or a command a sentence shows, in bytes.
const shownWord = 100

// unknownParts makes texts that stand for unknown ones readable.
var unknownParts = strings.NewReplacer(glob.Unknown, "…", gitName, "…", "${"+insertedName+"}", "{}")

// Show returns a word or a path as a sentence shows it: cut, and with … for its unknown parts.
func Show(word string) string {
	if word == "" {
		return "''"
	}
	return plain.Line(unknownParts.Replace(word), shownWord)
}

// doubtAbout returns why it is unknown whether a rule matches c, whose words are a.
func doubtAbout(c *Command, a *args) Doubt {
	d := Doubt{By: c.Name}
	if a.sub != "" && len(a.subs) == 0 && gitWords()[a.sub] && a.program == "git" {
		d.By = "git " + a.sub
	}
	if c.Open {
		d.Cause = added
		return d
	}
	for _, cause := range []Cause{dynamicWord, TooWide, unknownAlias, folder, leadsOut} {
		for i := 1; i < len(c.Argv); i++ {
			if isDoubt(c, a, i, cause) {
				d.Cause, d.Word = cause, c.Argv[i]
				if cause == folder {
					d.Word = c.in.by
				}
				return d
			}
		}
	}
	d.Cause = unsureFlag
	return d
}

// isDoubt reports whether a cause applies to word i of c.
func isDoubt(c *Command, a *args, i int, cause Cause) bool {
	switch w := c.Argv[i]; cause {
	case dynamicWord:
		return !c.Static[i]
	case TooWide:
		return c.info[i].glob
	case unknownAlias:
		return a.program == "git" && len(a.subs) == 0 && w == a.sub && !gitWords()[w]
	case folder:
		return c.in != nil && c.in.lost && i == a.last()
	}
	_, up := above(c.Argv[i])
	return up || c.in != nil && i == a.last() && !rooted(c.Argv[i]) &&
		anyOf(c.in.now, func(dir string) bool { return dir != "" })
}

// last returns the place of the last operand; 0 = there is none.
func (a *args) last() int {
	if len(a.operands) == 0 {
		return 0
	}
	return a.operands[len(a.operands)-1]
}

// meaningOf says what c means, if that is not what is written; otherwise "".
func meaningOf(c *Command) string {
	text, err := Quote(c.Argv)
	if err != nil || unknownIn(c.Static) {
		text = c.Text
	}
	switch shown := Show(text); {
	case len(c.Via) > 0:
		return c.Via[len(c.Via)-1] + " runs " + shown
	case !strings.Contains(plain.OneLine(c.Text), text):
		return Show(c.Text) + " means " + shown
	}
	return ""
}

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
	word, program := Show(d.Word), d.By
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
	f.asksServers()
	if s.mixed {
		f.doubt(Doubt{Cause: halfQuoted, Reads: true, Writes: true})
	}
}
