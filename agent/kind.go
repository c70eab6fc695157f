// This file reads the kinds of agents: what a sub-agent, or the main agent after /agent NAME, can
// be.

package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/internal/frontmatter"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

const (
	mainKind    = "main"    // the agent that the user talks to, without a kind
	generalKind = "general" // built in: the usual system prompt and every tool

	// maxShown is how many bytes of a wrong line an error repeats.
	maxShown = 60
	// maxDescription bounds a description, in bytes: every request contains it.
	maxDescription = 1000
	// maxKinds is how many files are read: every request lists them.
	maxKinds = 100
)

// kind is a kind of agent. It is a file $home/agents/NAME.md, or one in the folder agents of Claude
// Code or of the project:
//
//	---
//	description: Finds where things are in the code
//	model: provider/id
//	tools: read, grep, mcp__docs__*
//	---
//	You search. You change nothing.
//
// name and color, which other programs write, are accepted and ignored: the name is that of the
// file. A model for which Claude Code has a short name (sonnet) means the parent's, and tools may
// have the names that other programs give them (Read): see foreignModel and ownTools. description
// is required: models choose by it. Without model it is the parent's; without tools (names and
// globs) all of the parent's may be called. The text after the header is the system prompt.
type kind struct {
	name        string
	file        string // "" = built in
	description string
	model       string   // "provider/id"; "" = the parent's
	tools       []string // names and globs; nil = all
	not         []string // names and globs of tools that it may not call
	system      string   // "" = the default system prompt
	notes       []string // oddities of the file that are not errors
	lenient     bool     // the file was written for another program
	only        []string // names and globs to which the task restricts them; nil = all
}

func general() *kind {
	return &kind{name: generalKind, description: "a general one, with every tool"}
}

// kindName matches valid names of kinds.
var kindName = lazyregexp.New(`^[a-z][a-z0-9_-]*$`)

// maxKindName bounds such a name, in bytes.
const maxKindName = 64

// readKinds reads the kinds of agents in dir: the general one first, then in order of name.
// problems lists errors as FILE:LINE: what; an error in one file does not affect the others. A
// missing folder is no problem.
func readKinds(dir string) (kinds []*kind, problems []string) {
	r := newKindReader()
	r.readFolder(frontmatter.Folder{Path: dir})
	return r.kinds, r.problems
}

// kindReader reads the kinds of agents of several folders. Of kinds of one name the first holds.
type kindReader struct {
	kinds    []*kind
	problems []string
	// lenient: the files were written for other programs; their keys that mean nothing here are
	// collected
	lenient bool
	ignored frontmatter.Ignored
}

func newKindReader() *kindReader { return &kindReader{kinds: []*kind{general()}} }

func (r *kindReader) readFolder(folder frontmatter.Folder) {
	files, err := os.ReadDir(folder.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.problems = append(r.problems, "kinds of agents: "+plain.Error(err))
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".md")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if len(r.kinds) > maxKinds {
			r.problems = append(r.problems,
				fmt.Sprintf("%s: more than %d kinds of agents: the rest is not read", folder.Path,
					maxKinds))
			return
		}
		r.readFile(folder, name)
	}
}

func (r *kindReader) readFile(folder frontmatter.Folder, name string) {
	file := filepath.Join(folder.Path, name+".md")
	problem := func(what string) { r.problems = append(r.problems, file+": "+what) }
	if folder.Escapes(file) {
		problem("links out of the project: it is not read")
		return
	}
	k, line, err := r.readKind(file, name)
	if k != nil {
		k.file = file
		for _, note := range k.notes {
			problem(note)
		}
	}
	known := slices.IndexFunc(r.kinds, func(o *kind) bool { return o.name == name })
	switch {
	case line > 0:
		r.problems = append(r.problems, fmt.Sprintf("%s:%d: %v", file, line, err))
	case err != nil:
		problem(err.Error())
	case known >= 0 && r.kinds[known].file != "":
		problem("is not used: " + r.kinds[known].file + " has the same name")
	case known >= 0 && folder.Project != "":
		problem("is not used: " + name + " is built in")
	case known >= 0: // the user's own version
		r.kinds[known] = k
	default:
		r.kinds = append(r.kinds, k)
	}
}

// readKind reads one file. An error comes with its line, 1-based, 0 = none.
func (r *kindReader) readKind(file, name string) (*kind, int, error) {
	switch {
	case name == mainKind:
		return nil, 0, errors.New("main is the agent that you talk to: give the file another name")
	case len(name) > maxKindName || !kindName().MatchString(name):
		return nil, 0, fmt.Errorf(
			"the name of a kind of agent is lower case letters, digits, _ and -, got %q", name)
	}
	doc, err := frontmatter.Read(file)
	if err != nil {
		line, err := lineOf(err, 0)
		return nil, line, err
	}
	k, line, err := newKind(name, doc, r.lenient)
	if err == nil && r.lenient {
		r.ignored.Add(file, doc, kindKeys...)
	}
	return k, line, err
}

// lineOf extracts the line from an error of a file; otherwise is the line if it has none.
func lineOf(err error, otherwise int) (int, error) {
	if e := (*frontmatter.Error)(nil); errors.As(err, &e) {
		return e.Line, errors.New(e.Message)
	}
	return otherwise, err
}

// newKind makes a kind from a file. An error comes with its line, 1-based, 0 = none.
func newKind(name string, doc *frontmatter.Doc, lenient bool) (*kind, int, error) {
	first, _, _ := strings.Cut(doc.Body, "\n")
	switch {
	case doc.NotUTF8 > 0:
		return nil, doc.NotUTF8, errors.New("not UTF-8")
	case doc.End == 0:
		return nil, 1, fmt.Errorf("got %q, want --- and then lines such as \"description: ...\"",
			clip(first, maxShown))
	}
	k := &kind{name: name, system: doc.Body, lenient: lenient}
	for _, key := range doc.Keys() {
		if err := k.setField(key, doc); err != nil {
			line, err := lineOf(err, doc.Line(key))
			return nil, line, err
		}
	}
	switch {
	case k.description == "":
		return nil, 1, errors.New("no description: models choose an agent by it")
	case k.system == "":
		return nil, doc.End, errors.New("no text after ---: it is the system prompt")
	}
	return k, 0, nil
}

// kindKeys are the keys of such a file.
var kindKeys = []string{"name", "description", "model", "tools", "disallowedTools", "color"}

// setField sets the field of a key.
func (k *kind) setField(key string, doc *frontmatter.Doc) error {
	known := slices.Contains(kindKeys, key)
	switch {
	case !known && k.lenient:
		return nil
	case !known:
		return fmt.Errorf("unknown key %q%s; there is %s", clip(key, maxShown),
			suggest.DidYouMean(key, kindKeys), strings.Join(kindKeys, ", "))
	case key == "tools":
		list, err := kindTools(key, doc)
		k.tools = list
		return err
	case key == "disallowedTools":
		list, err := kindTools(key, doc)
		k.not = list
		return err
	}
	value, err := doc.Text(key)
	switch {
	case err != nil:
		return err
	case value == "":
		return fmt.Errorf("%s: got nothing", key)
	// not a quoted text
	case (value[0] == '"' || value[0] == '\'') && value == doc.Source(key):
		return fmt.Errorf("%s: got %s, which begins with a quote and does not end with it", key,
			clip(value, maxShown))
	case key == "name":
		if value != k.name {
			k.notes = append(k.notes,
				fmt.Sprintf("name: got %q; the agent is called %q, as the file is",
					clip(value, maxShown), k.name))
		}
		return nil
	case key == "color": // another program's colour for it
		return nil
	case key == "model" && foreignModel(value):
		if value != inherit {
			k.notes = append(k.notes, callersModel(value))
		}
		return nil
	case key == "model":
		k.model = value
		if err := chat.CheckModelName(value); err != nil {
			return fmt.Errorf("model%w", err)
		}
		return nil
	}
	if k.description = value; k.lenient {
		k.description = plain.Line(value, maxDescription)
	} else if len(value) > maxDescription {
		return fmt.Errorf(
			"description: longer than %d bytes: every request contains it",
			maxDescription)
	}
	return nil
}

// kindTools reads a list of names and globs, or a text such as "read, grep"; an empty one means no
// tools.
func kindTools(key string, doc *frontmatter.Doc) ([]string, error) {
	list, ok, err := doc.Texts(key)
	if err == nil && !ok {
		list, err = splitTools(key, doc)
	}
	if err != nil {
		return nil, err
	}
	tools := []string{}
	for _, t := range list {
		if err := checkPattern(t); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// splitTools splits a text into tools. It accepts brackets around a list that is not valid YAML:
// [*] is an alias there.
func splitTools(key string, doc *frontmatter.Doc) ([]string, error) {
	text, err := doc.Text(key)
	if err != nil || text == "" {
		return nil, err
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		if text, ok = strings.CutSuffix(inner, "]"); !ok {
			return nil, errors.New(key + ": got [ without ]")
		}
	}
	list := strings.Split(text, ",")
	for i, t := range list {
		t = strings.TrimSpace(t)
		if n := len(t); n > 1 && (t[0] == '"' || t[0] == '\'') && t[n-1] == t[0] {
			t = t[1 : n-1]
		}
		list[i] = t
	}
	return list, nil
}

// checkPattern checks the name of a tool or a glob.
func checkPattern(t string) error {
	if event.CheckToolFilter(t) != nil || strings.Contains(t, "|") {
		return fmt.Errorf("got %q, want the name of a tool, or a glob such as mcp__*",
			clip(t, maxShown))
	}
	return nil
}
