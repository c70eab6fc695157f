// Package lint finds mistakes in scripts without running them.
//
//	for _, f := range lint.Source("guard.lua", src) { fmt.Println(f) }
//
// It finds: mistakes in the header; characters that cannot be seen; unknown names of ext, with
// suggestions; unknown events; grants that are used and not requested, and the reverse. It works on
// tokens: it does not see names that a script computes, and leaves syntax errors to the runtime.
package lint

import (
	"cmp"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/load"
)

// Levels of findings.
const (
	Error = "error" // the script is wrong
	Note  = "note"  // possibly intended
)

// Finding is one mistake in a script.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // 1-based; 0 = the whole file
	Column  int    `json:"column"` // 1-based, in bytes; 0 = the whole line
	Level   string `json:"level"`
	Rule    string `json:"rule"` // header, unicode, api, event, grant, guard, load, trial
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// String returns "file:line:column: message".
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

// Source checks one script. name is its file name: its extension gives the language, .lua or
// otherwise JavaScript.
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

// openLine matches the first line of a header.
var openLine = lazyregexp.New(`(?im)^[ \t]*(?:--|//)[ \t]*(==Agent==)[ \t]*\r?$`)

// loneKey matches a line that requests something, as in a header.
var loneKey = lazyregexp.New(`(?m)^[ \t]*(?:--|//)[ \t]*(@(?:grant|guards|priority))[ \t]+\S`)

// late finds ignored header text: a header below code, and header lines outside of a header.
func (s *source) late() {
	if len(s.found) > 0 {
		return
	}
	at := openLine().FindStringSubmatchIndex(s.code.text)
	if at == nil {
		if at = loneKey().FindStringSubmatchIndex(s.code.text); at != nil {
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

// maxSource is the largest size of a file that is checked, in bytes: no runtime accepts a larger
// one.
const maxSource = 1 << 20

// Sort sorts findings of one file by position.
func Sort(found []Finding) {
	sort.SliceStable(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		return cmp.Or(a.Line-b.Line, a.Column-b.Column) < 0
	})
}

// maxFindings is how many findings of one file are reported: no one reads more, and each takes a
// pass over the text.
const maxFindings = 200

// add records a finding at an offset of the text.
func (s *source) add(at int, level, rule, hint, format string, args ...any) {
	if len(s.found) >= maxFindings {
		return
	}
	before := s.code.text[:at]
	line, column := 1+strings.Count(before, "\n"), at-strings.LastIndexByte(before, '\n')
	s.found = append(s.found, Finding{s.name, line, column, level, rule,
		fmt.Sprintf(format, args...), hint})
}
