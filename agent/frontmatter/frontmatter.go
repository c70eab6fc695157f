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
// Such files are written by many people for many programs: a key that nobody asks for is no
// mistake, and neither is a file without any. What is a mistake says on which line. What a file
// contains cannot make reading it expensive: its size is bounded, and aliases, with which YAML can
// say much in few bytes, are not followed.
package frontmatter

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// MaxBytes bounds a file: what it says is sent to a model, and this fills the context of one.
	MaxBytes = 256 << 10
	// maxHead bounds what stands between the lines of dashes: a name and a few lines about it.
	maxHead = 64 << 10
)

// Doc is a file that was read.
type Doc struct {
	Body string // what stands behind the front matter, without the space around it
	End  int    // line of the second line of dashes, 1-based; 0 = there is no front matter
	// NotUTF8 is the line of the first bytes that are not UTF-8, 1-based; 0 = there are none.
	NotUTF8 int

	head   string
	keys   []string // in order
	fields map[string]*yaml.Node
}

// Error is what is wrong with a file.
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

// Read reads a file. It must be a plain one: to open a pipe would wait for ever.
func Read(path string) (*Doc, error) {
	if st, err := os.Stat(path); err != nil {
		return nil, plain.Cause(err)
	} else if !st.Mode().IsRegular() {
		return nil, &Error{0, "not a regular file"}
	}
	f, err := os.Open(path)
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

// Parse reads the text of a file. Bytes that are not UTF-8 are replaced.
func Parse(text string) (*Doc, error) {
	notUTF8 := 0
	if !utf8.ValidString(text) {
		notUTF8 = 1 + strings.Count(text[:invalidAt(text)], "\n")
	}
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\ufeff"), "\uFFFD")
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

// invalidAt is where the first bytes stand that are not UTF-8.
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

// splitFrontMatter finds the front matter; !ok: there is none.
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

// readKeys takes the keys of the front matter.
func (d *Doc) readKeys(head string) error {
	var doc yaml.Node
	err := decodeYAML(head, &doc)
	if err != nil && decodeYAML(quoted(head), &doc) != nil {
		return err
	}
	if len(doc.Content) == 0 { // comments alone
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

// decodeYAML parses YAML. It is not expanded: an alias stays one.
func decodeYAML(head string, into *yaml.Node) error {
	*into = yaml.Node{}
	// a parser that cannot read it must not end the program
	err := apart.Call(func() error { return yaml.Unmarshal([]byte(head), into) })
	if p := (*apart.PanicError)(nil); errors.As(err, &p) {
		return &Error{1, fmt.Sprintf("YAML: %v", p.Value)}
	}
	if err != nil {
		return wrong(err)
	}
	return nil
}

// place is how the YAML package says where something is wrong.
var place = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// wrong is err with the line as it is in the file, where a line of dashes stands before the first
// one.
func wrong(err error) error {
	m := place.FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{0, err.Error()}
	}
	line := 2 // no line is said of the first one
	if n, err := strconv.Atoi(m[1]); err == nil {
		line = n + 1
	}
	return &Error{line, plain.YAML(strings.TrimPrefix(err.Error(), m[0]))}
}

// pair is a key with a value on the same line.
var pair = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):[ \t]+(\S.*)$`)

// quoted is head with each line that is no YAML for itself made text: "argument-hint: [file]
// [line]" and "description: Use when: ..." are what people write, and what other programs read.
func quoted(head string) string {
	lines := strings.Split(head, "\n")
	for i, l := range lines {
		m := pair.FindStringSubmatch(l)
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

// Line is the line on which a key's value begins, 1-based; 0 if there is no such key.
func (d *Doc) Line(key string) int {
	if n := d.fields[key]; n != nil {
		return n.Line + 1
	}
	return 0
}

// Source is the value of a key as it is written on its line, whatever that means in YAML.
func (d *Doc) Source(key string) string {
	for l := range strings.SplitSeq(d.head, "\n") {
		if m := pair.FindStringSubmatch(l); m != nil && m[1] == key {
			return m[2]
		}
	}
	return ""
}

// Text is the value of a key: a text, a number or a truth value as it is written. "" if the key is
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

// Texts is the value of a key that is a list of texts; !ok: it is none.
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
