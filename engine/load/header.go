// This file parses the header of a script, before anything runs.

package load

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/suggest"
)

// apiVersion is the version of the script API of this program.
const apiVersion = 1

// mostAbout is the greatest length of a Summary that is not from a header, in bytes.
const mostAbout = 120

const (
	headerOpen  = "==Agent=="
	headerClose = "==/Agent=="
)

// HeaderError is a mistake in a header. Line is 1-based, and so is Column, in bytes; 0 means the
// whole line.
type HeaderError struct {
	Line    int
	Column  int
	Message string
	Hint    string
}

func (e HeaderError) Error() string { return e.Message }

var headerKeys = []string{"name", "version", "api", "summary", "guards", "grant", "priority"}

// ParseHeader reads the block between ==Agent== and ==/Agent== in the comments at the top of a
// script, written with -- or //, as in the language. For a script without one it returns a Header
// with only Name (the file's) and API, and a Summary if a comment begins the script: its first
// line. It reports all mistakes, and returns the rest of the header.
func ParseHeader(name string, src []byte) (scriptfile.Header, []HeaderError) {
	p := headerParser{header: scriptfile.Header{Name: name, API: apiVersion},
		given: map[string]int{}, mark: commentMark(name)}
	p.parse(plain.TrimBOM(src))
	if p.given["summary"] == 0 {
		p.header.Summary = p.about
	}
	return p.header, p.errs
}

type headerParser struct {
	header scriptfile.Header
	errs   []HeaderError
	given  map[string]int // key: line
	mark   string         // of line comments; "" = that of either language
	line   int
	raw    string // the line
	about  string // the first line of the comments before the header
}

// commentMark returns the line comment mark of a file's language; "" if it is unknown.
func commentMark(name string) string {
	switch path.Ext(name) {
	case ".lua":
		return "--"
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return "//"
	}
	return ""
}

// fail records a mistake at the given word of the line, or at the line if the word is not in it.
func (p *headerParser) fail(word, hint, format string, args ...any) {
	column := strings.Index(p.raw, word) + 1
	if word == "" {
		column = 0
	}
	p.errs = append(p.errs, HeaderError{p.line, column, fmt.Sprintf(format, args...), hint})
}

// parse walks over the comments at the top. The first line of code ends it: text in a string
// further down is not a header.
func (p *headerParser) parse(src []byte) {
	opened, block := 0, ""
	for len(src) > 0 {
		var raw []byte
		raw, src, _ = bytes.Cut(src, []byte("\n"))
		p.line++
		p.raw = string(raw)
		text := strings.TrimSpace(p.raw)
		if block != "" { // in a block comment before the header
			p.misplaced(text)
			p.describe(text, block)
			if strings.Contains(text, block) {
				block = ""
			}
			continue
		}
		body, comment := lineComment(text)
		switch {
		case text == "":
		case opened > 0 && comment && isMark(body, headerClose):
			return
		case opened > 0 && comment:
			p.content(body)
		case opened > 0:
			p.unclosed(opened)
			return
		case comment && isMark(body, headerOpen):
			opened = p.line
			if p.mark != "" && !strings.HasPrefix(text, p.mark) {
				p.fail(text[:2], "begin its lines with "+p.mark,
					"the header is not a comment in this language")
			}
		case comment:
			p.describe(body, "")
		case p.line == 1 && strings.HasPrefix(text, "#!"):
		default:
			p.misplaced(text)
			if block = blockComment(text); block == "" {
				return
			}
			p.describe(text, block)
			if strings.Contains(text[2:], block) {
				block = ""
			}
		}
	}
	if opened > 0 {
		p.unclosed(opened)
	}
}

// describe keeps the first line of prose of the comments at the top. Block is what ends the comment
// that the text is in, "" for a line comment. The name of the file before a colon or a dash is
// left out, and so are lines for other programs, such as @ts-check and eslint-disable.
func (p *headerParser) describe(text, block string) {
	if p.about != "" {
		return
	}
	text = strings.TrimLeft(text, "/*-![ \t")
	if block != "" {
		text, _, _ = strings.Cut(text, block)
	}
	text = strings.TrimSpace(text)
	if !prose().MatchString(text) || otherwise().MatchString(text) {
		return
	}
	stem := strings.TrimSuffix(p.header.Name, path.Ext(p.header.Name))
	for _, sep := range []string{":", " -", " –", " —"} {
		name, rest, ok := strings.Cut(text, sep)
		if name = strings.TrimSpace(name); ok && (name == p.header.Name || name == stem) {
			text = strings.TrimLeft(rest, "- ")
			break
		}
	}
	p.about = plain.Line(text, mostAbout)
}

var (
	// prose matches what may describe a script: a letter first, and a second word.
	prose = lazyregexp.New(`^\pL\S*\s.*\pL`)
	// otherwise matches lines about rights, and for other programs.
	otherwise = lazyregexp.New(
		`(?i)^(copyright|spdx|license|eslint|jshint|tslint|prettier|globals?|luacheck|vim?)\b` +
			`|==/?Agent==`)
)

// misplaced reports a header where it is not parsed: in a block comment, or after a # as in shells.
// Otherwise the script would load without its grants.
func (p *headerParser) misplaced(text string) {
	if isMark(strings.Trim(text, "/*#-[]! "), headerOpen) {
		p.fail("==", "begin each of its lines with "+or(p.mark, "-- or //"),
			"a header is not read here: it must be in line comments")
	}
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (p *headerParser) unclosed(opened int) {
	p.line = opened
	p.fail("", "end it with a comment line "+headerClose, "the header is not closed")
}

// lineComment returns the text of a line comment; ok is false for other lines.
func lineComment(text string) (string, bool) {
	if strings.HasPrefix(text, "--[[") || strings.HasPrefix(text, "--[=") {
		return "", false
	}
	for _, mark := range []string{"--", "//"} {
		if body, ok := strings.CutPrefix(text, mark); ok {
			return strings.TrimSpace(body), true
		}
	}
	return "", false
}

// blockComment returns what ends the block comment that begins on this line, "" if none begins.
func blockComment(text string) string {
	switch {
	case strings.HasPrefix(text, "/*"):
		return "*/"
	case strings.HasPrefix(text, "--[["):
		return "]]"
	}
	return ""
}

func isMark(body, mark string) bool {
	return strings.EqualFold(strings.ReplaceAll(body, " ", ""), mark)
}

// aside matches a remark in parentheses after a value, separated by two spaces.
var aside = lazyregexp.New(`\s{2,}\([^()]*\)$`)

// content parses one line of the header: one or more keys with their values.
func (p *headerParser) content(body string) {
	if body == "" {
		return
	}
	if body[0] != '@' {
		p.fail(body, "a header line is a comment such as -- @grant ui", "got %q, want @key value",
			quote(body))
		return
	}
	for body != "" {
		key, rest, _ := strings.Cut(strings.ReplaceAll(body[1:], "\t", " "), " ")
		value := rest
		body = ""
		if i := nextKey(key, rest); i >= 0 {
			value, body = rest[:i], rest[i:]
		}
		p.set(key, strings.TrimSpace(aside().ReplaceAllString(strings.TrimRight(value, " "), "")))
	}
}

// nextKey finds the next @key on the line. Free text may contain an @: only known keys count there.
func nextKey(key, rest string) int {
	free := key == "name" || key == "summary"
	for i := 0; i < len(rest); i++ {
		if rest[i] != '@' || i > 0 && rest[i-1] != ' ' {
			continue
		}
		word, _, _ := strings.Cut(rest[i+1:], " ")
		if !free || isHeaderKey(word) {
			return i
		}
	}
	return -1
}

func isHeaderKey(key string) bool {
	for _, k := range headerKeys {
		if k == key {
			return true
		}
	}
	return false
}

func (p *headerParser) set(key, value string) {
	switch {
	case !isHeaderKey(key):
		p.fail("@"+key, "known keys: @"+strings.Join(headerKeys, " @"), "unknown header key @%s%s",
			quote(key), suggest.DidYouMean(key, headerKeys))
		return
	case value == "":
		p.fail("@"+key, "", "@%s: got nothing, want a value", key)
		return
	case p.given[key] > 0 && key != "grant" && key != "guards":
		p.fail("@"+key, "", "@%s was already given in line %d", key, p.given[key])
		return
	}
	p.given[key] = p.line
	switch key {
	case "name":
		p.header.Name = value
	case "version":
		p.header.Version = value
	case "summary":
		p.header.Summary = value
	case "api":
		if n, err := strconv.Atoi(value); err != nil || n != apiVersion {
			p.fail(value, "this program knows api 1", "@api: got %q, want 1", quote(value))
		}
	case "priority":
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			p.fail(value, "lower runs first, the default is 50", "@priority: got %q, want a number",
				quote(value))
			return
		}
		p.header.Priority = &n
	case "guards":
		p.guards(value)
	case "grant":
		p.grants(value)
	}
}

// guards parses tool filters, separated by spaces or commas.
func (p *headerParser) guards(value string) {
	for _, filter := range strings.FieldsFunc(value,
		func(r rune) bool { return r == ' ' || r == ',' }) {
		if err := event.CheckToolFilter(filter); err != nil {
			p.fail(filter, "a filter looks like bash|edit|mcp__*",
				"@guards: invalid tool filter: %s", err)
			return
		}
		p.header.Guards = append(p.header.Guards, filter)
	}
}

// quote shortens a piece of the header for use in a message.
func quote(s string) string { return plain.Short(s, 60) }
