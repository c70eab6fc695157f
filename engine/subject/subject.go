// Package subject defines what the calls of a tool are about, as the tool itself says: a command, a
// path, an address or a name, which files a call reads and writes, and how it is titled.
package subject

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/value"
)

// Kind says what kind of thing a call of a tool is about.
type Kind string

// The kinds of subjects. The empty one is for a tool without a nameable subject.
const (
	Command Kind = "command" // a command line of a shell
	Path    Kind = "path"    // a file or folder
	URL     Kind = "url"
	Name    Kind = "name"
)

// Subject describes the calls of a tool. For a tool without a Subject, the names of its arguments
// decide: see Describe and engine/touch. The zero Subject touches no files.
type Subject struct {
	// Kind is the kind of Arg. The user's rules about the tool, tool(PATTERN), take a pattern of
	// that kind; without a kind they take none.
	Kind Kind
	Arg  string // the argument that names the subject
	// Absent is the subject of a call without Arg: "." is its working folder.
	Absent string

	// Dir is the argument with the working folder of a command; the default is that of the call.
	Dir string

	Reads, Writes bool // the file at the path is read or written
	// Names means that only the names of the path, and of files Below it, are read.
	Names bool
	Below bool // everything below the path is read, too
	// Within is the argument with a glob below the path: its folders before the first wildcard
	// lead on from there. Absolute ones replace the path.
	Within string
	// Filter is the argument with a glob: only files that match it are read below the path.
	Filter string

	// Everywhere means that a rule about this tool and a path applies to each call that touches
	// such a file, including other tools and commands.
	Everywhere bool
	// RuledBy is another tool, whose rules apply to this one, too.
	RuledBy string

	// Verb and Title describe a call: "Search for" and "TODO in src". Without a Verb, the Title is
	// the whole description.
	Verb  string
	Title []Phrase
}

// Phrase is a part of a title: Words, and the text of the argument Arg. It is omitted if that is
// absent.
type Phrase struct{ Words, Arg string }

// Title describes a call in one line.
type Title struct {
	Verb     string // "Edit"; "" = there is none
	About    string // "a.txt"; "" = unknown
	Whole    bool   // About includes all arguments of the call
	Declared bool   // by the tool; otherwise derived from the names of the arguments
}

// pathArguments are the arguments of tools without a Subject that name files. The first ones are
// the most likely to name the file that a call is about.
var pathArguments = [...]string{"path", "file_path", "filepath", "file", "filename", "paths",
	"files", "source", "destination", "target", "dest", "src", "dst", "from", "to", "directory",
	"dir"}

// IsPath reports whether an argument of a tool without a Subject names files: filePath means the
// same as file_path.
func IsPath(arg string) bool {
	return slices.Contains(pathArguments[:], arg) || arg != strings.ToLower(arg) &&
		slices.Contains(pathArguments[:], strings.ToLower(arg))
}

// PathIn returns the file or folder that a call of a tool with the subject s, nil if the tool has
// none, is about; "" if there is none or the call does not name it.
func (s *Subject) PathIn(args map[string]any) string {
	if s != nil {
		if s.Kind == Path {
			return value.Text(args, s.Arg)
		}
		return ""
	}
	for _, key := range pathArguments {
		if path := value.Text(args, key); path != "" {
			return path
		}
	}
	return ""
}

// mainArguments are the arguments that say what a call is about, the most specific first.
var mainArguments = [...]string{"command", "path", "file_path", "url", "pattern", "query", "task",
	"name"}

// mainArgument returns the argument that says what a call of a tool without a Subject is about; ""
// if there is none.
func mainArgument(args map[string]any) string {
	for _, key := range mainArguments {
		if value.Text(args, key) != "" {
			return key
		}
	}
	return ""
}

// Describe describes a call of a tool with the subject s, nil if the tool has none. clip shortens
// an argument to one line, and reports whether it is complete.
func (s *Subject) Describe(args map[string]any, clip func(string) (string, bool)) Title {
	var out Title
	var phrases []Phrase
	if s != nil {
		out.Verb, out.Declared, phrases = s.Verb, true, s.Title
	} else if key := mainArgument(args); key != "" {
		phrases = []Phrase{{Arg: key}}
	}
	var parts []string
	whole, shown := true, 0
	for _, p := range phrases {
		text, all := clip(value.Text(args, p.Arg))
		if text == "" {
			continue
		}
		if p.Words != "" && len(parts) > 0 {
			parts = append(parts, p.Words)
		}
		parts = append(parts, text)
		whole, shown = whole && all, shown+1
	}
	out.About, out.Whole = strings.Join(parts, " "), whole && shown == len(args)
	return out
}
