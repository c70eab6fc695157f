// Package frontmatter reads Markdown files that begin with YAML between two lines of dashes:
//
//	---
//	name: review
//	description: Looks over a change
//	---
//	Look at the diff ...
//
//	doc, err := frontmatter.Read(path)
//	text, err := doc.Text("description")
//
// Such files are written by many people for many programs, so an unknown key is not an error, and
// neither is a file without any keys. Errors name the line. Reading a file is always cheap: its
// size is limited, and YAML aliases, which can expand a few bytes to much data, are not followed.
package frontmatter

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	// MaxBytes limits a file: its text is sent to a model, and this size fills a model's context.
	MaxBytes = 256 << 10
	// maxHead limits the text between the lines of dashes: a name and a few lines of description.
	maxHead = 64 << 10
)

// Doc is a parsed file.
type Doc struct {
	Body string // the text after the front matter, without surrounding white space
	End  int    // line of the second line of dashes, 1-based; 0 = there is no front matter
	// NotUTF8 is the line of the first invalid UTF-8, 1-based; 0 = there is none.
	NotUTF8 int

	head   string
	keys   []string // in order
	fields map[string]*yaml.Node
}

// Error is an error in a file.
type Error struct {
	Line    int // 1-based; 0 = none
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Read reads a regular file.
func Read(path string) (*Doc, error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, plain.Cause(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	switch {
	case err != nil:
		return nil, plain.Cause(err)
	case len(b) > MaxBytes:
		return nil, &Error{0, fmt.Sprintf("larger than %d KiB", MaxBytes>>10)}
	}
	return Parse(string(b))
}

// Parse parses the text of a file. It replaces invalid UTF-8.
func Parse(text string) (*Doc, error) {
	notUTF8 := 0
	if !utf8.ValidString(text) {
		notUTF8 = 1 + strings.Count(text[:invalidAt(text)], "\n")
	}
	text = strings.ToValidUTF8(plain.TrimBOM(text), "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	head, body, ok, err := splitFrontMatter(text)
	if err != nil {
		return nil, err
	}
	d := &Doc{Body: strings.TrimSpace(body), NotUTF8: notUTF8, head: head,
		fields: map[string]*yaml.Node{}}
	if ok {
		d.End = 2 + strings.Count(head, "\n")
	}
	if !ok || strings.TrimSpace(head) == "" {
		return d, nil
	}
	if len(head) > maxHead {
		return nil, &Error{1, fmt.Sprintf("the front matter is larger than %d KiB", maxHead>>10)}
	}
	return d, d.readKeys(head)
}

// invalidAt returns the line of the first invalid UTF-8.
func invalidAt(text string) int {
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return i
		}
	}
	return len(text)
}

// splitFrontMatter finds the front matter; ok is false if there is none.
func splitFrontMatter(text string) (head, body string, ok bool, err error) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", text, false, nil
	}
	for at := 0; at < len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := at + len(line)
		if more {
			next++
		}
		if l := strings.TrimRight(line, " \t"); l == "---" || l == "..." {
			return rest[:at], rest[next:], true, nil
		}
		at = next
	}
	return "", "", false, &Error{1 + strings.Count(text, "\n"),
		"got the end of the file, want --- after the front matter"}
}

// readKeys parses the keys of the front matter.
func (d *Doc) readKeys(head string) error {
	var doc yaml.Node
	err := decodeYAML(head, &doc)
	if err != nil && decodeYAML(quoted(head), &doc) != nil {
		return err
	}
	if len(doc.Content) == 0 { // only comments
		return nil
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return &Error{top.Line + 1,
			`want lines such as "description: ..." between the lines of dashes`}
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key := top.Content[i]
		if d.fields[key.Value] != nil {
			return &Error{key.Line + 1, key.Value + " is set twice"}
		}
		d.keys, d.fields[key.Value] = append(d.keys, key.Value), top.Content[i+1]
	}
	return nil
}

// decodeYAML parses YAML without following aliases.
func decodeYAML(head string, into *yaml.Node) error {
	*into = yaml.Node{}
	// a panic of the parser must not end the program
	err := apart.Call(func() error { return yaml.Unmarshal([]byte(head), into) })
	if p := (*apart.PanicError)(nil); errors.As(err, &p) {
		return &Error{1, fmt.Sprintf("YAML: %v", p.Value)}
	}
	if err != nil {
		return wrong(err)
	}
	return nil
}

// place matches the position in an error of the YAML package.
var place = lazyregexp.New(`^yaml: (?:line (\d+): )?`)

// wrong returns err with its line in the file, where a line of dashes precedes the first one.
func wrong(err error) error {
	m := place().FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{0, err.Error()}
	}
	line := 2 // the package omits the number of the first line
	if n, err := strconv.Atoi(m[1]); err == nil {
		line = n + 1
	}
	return &Error{line, plain.YAML(strings.TrimPrefix(err.Error(), m[0]))}
}

// pair matches a key with a value on the same line.
var pair = lazyregexp.New(`^([A-Za-z][A-Za-z0-9_-]*):[ \t]+(\S.*)$`)

// quoted returns head with each line that is invalid YAML quoted: people write "argument-hint:
// [file] [line]" and "description: Use when: ...", which other programs accept.
func quoted(head string) string {
	lines := strings.Split(head, "\n")
	for i, l := range lines {
		m := pair().FindStringSubmatch(l)
		if m == nil || decodeYAML(l, new(yaml.Node)) == nil {
			continue
		}
		lines[i] = m[1] + ": '" + strings.ReplaceAll(strings.TrimRight(m[2], " \t"), "'", "''") +
			"'"
	}
	return strings.Join(lines, "\n")
}

// Keys returns the keys of the front matter, in order.
func (d *Doc) Keys() []string { return d.keys }

// Has reports whether the front matter has a key.
func (d *Doc) Has(key string) bool { return d.fields[key] != nil }

// Line returns the line on which a key's value begins, 1-based; 0 if there is no such key.
func (d *Doc) Line(key string) int {
	if n := d.fields[key]; n != nil {
		return n.Line + 1
	}
	return 0
}

// Source returns the text of a key's value on its line, without interpretation as YAML.
func (d *Doc) Source(key string) string {
	for l := range strings.SplitSeq(d.head, "\n") {
		if m := pair().FindStringSubmatch(l); m != nil && m[1] == key {
			return m[2]
		}
	}
	return ""
}

// Text returns the value of a key: a string, or a number or boolean as written. "" if the key is
// absent or empty.
func (d *Doc) Text(key string) (string, error) {
	n := d.fields[key]
	switch {
	case n == nil || n.Tag == "!!null":
		return "", nil
	case n.Kind != yaml.ScalarNode:
		return "", &Error{n.Line + 1, fmt.Sprintf("%s: got %s, want a text", key, kindName(n))}
	}
	return strings.TrimSpace(n.Value), nil
}

// Texts returns the value of a key that is a list of strings; ok is false if it is not.
func (d *Doc) Texts(key string) (list []string, ok bool, err error) {
	n := d.fields[key]
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil, false, nil
	}
	list = []string{}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode {
			return nil, true, &Error{item.Line + 1,
				fmt.Sprintf("%s: got %s in the list, want texts", key, kindName(item))}
		}
		list = append(list, strings.TrimSpace(item.Value))
	}
	return list, true, nil
}

func kindName(n *yaml.Node) string {
	return map[yaml.Kind]string{yaml.SequenceNode: "a list", yaml.MappingNode: "a table",
		yaml.AliasNode: "an alias"}[n.Kind]
}
