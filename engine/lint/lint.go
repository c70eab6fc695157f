// Package lint finds mistakes in scripts by reading them; nothing of a script runs.
//
//	for _, f := range lint.Source("guard.lua", src) { fmt.Println(f) }
//
// It finds: mistakes in the header; characters that cannot be seen; names of ext that there are
// not, with what was meant; events that there are not; grants that are used and not asked for, and
// the reverse. It reads tokens, not meaning: what a script looks up by a name that it computes is
// not found, and syntax errors are the runtime's to tell.
package lint

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/load"
)

// Levels of findings.
const (
	Error = "error" // the script is wrong
	Note  = "note"  // it may be meant so
)

// Finding is one thing that is wrong with a script.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // 1-based; 0 = the file as a whole
	Column  int    `json:"column"` // 1-based, in bytes; 0 = the line as a whole
	Level   string `json:"level"`
	Rule    string `json:"rule"` // header, unicode, api, event, grant, guard, load, trial
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// String is "file:line:column: message".
func (f Finding) String() string {
	s := f.File
	if f.Line > 0 {
		s += fmt.Sprintf(":%d:%d", f.Line, max(f.Column, 1))
	}
	s += ": "
	if f.Level == Note {
		s += "note: "
	}
	s += f.Message
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}

// Source reads one script. name is its file name: its ending says which language it is, .lua or
// else JavaScript.
func Source(name string, src []byte) []Finding {
	s := &source{name: name,
		code: &code{text: string(src), lua: strings.HasSuffix(name, ".lua")}}
	header, mistakes := load.ParseHeader(name, src)
	s.header = header
	for _, m := range mistakes {
		s.found = append(s.found, Finding{File: name, Line: m.Line, Column: m.Column, Level: Error,
			Rule: "header", Message: m.Message, Hint: m.Hint})
	}
	if len(src) > maxSource {
		return s.found
	}
	s.late()
	s.unseen()
	s.code.tokens = tokenize(s.code.text, s.code.lua)
	s.uses()
	s.grants()
	Sort(s.found)
	return s.found
}

// openLine is a line that opens a header.
var openLine = regexp.MustCompile(`(?im)^[ \t]*(?:--|//)[ \t]*(==Agent==)[ \t]*\r?$`)

// loneKey is a line that asks for something as a header's line does.
var loneKey = regexp.MustCompile(`(?m)^[ \t]*(?:--|//)[ \t]*(@(?:grant|guards|priority))[ \t]+\S`)

// late finds what is not read: a header below code, and lines of one that stand in no header.
func (s *source) late() {
	if len(s.found) > 0 {
		return
	}
	at := openLine.FindStringSubmatchIndex(s.code.text)
	if at == nil {
		if at = loneKey.FindStringSubmatchIndex(s.code.text); at != nil {
			mark := "//"
			if s.code.lua {
				mark = "--"
			}
			s.add(at[2], Note, "header", "above all code, between the lines "+mark+
				" ==Agent== and "+mark+" ==/Agent==",
				"%s is not read here: it stands in a header", s.code.text[at[2]:at[3]])
		}
		return
	}
	if there, _ := load.ParseHeader(s.name, []byte(s.code.text[at[0]:])); !reflect.DeepEqual(there,
		s.header) {
		s.add(at[2], Note, "header", "", "a header is not read here: it stands above all code")
	}
}

// maxSource is how large a file is that is read, in bytes: no runtime takes a larger one.
const maxSource = 1 << 20

// Sort brings findings of one file into the order of their places.
func Sort(found []Finding) {
	slices.SortStableFunc(found,
		func(a, b Finding) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
}

// maxFindings is how many findings of one file are told: nobody reads more, and each takes a look
// through the text.
const maxFindings = 200

// add notes a finding at an offset of the text.
func (s *source) add(at int, level, rule, hint, format string, args ...any) {
	if len(s.found) >= maxFindings {
		return
	}
	before := s.code.text[:at]
	line, column := 1+strings.Count(before, "\n"), at-strings.LastIndexByte(before, '\n')
	s.found = append(s.found, Finding{s.name, line, column, level, rule,
		fmt.Sprintf(format, args...), hint})
}
