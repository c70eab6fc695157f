// This file reads the kinds of agents: what a sub-agent, or the main agent after /agent NAME, can
// be.

package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

const (
	mainKind    = "main"    // the agent that the user talks to, as it is without any kind
	generalKind = "general" // built in: the usual system prompt and every tool

	// maxKindBytes bounds a file: a system prompt of that size fills the context of a model.
	maxKindBytes = 256 << 10
	// maxShown is how much of a wrong line an error repeats.
	maxShown = 60
	// maxDescription bounds a description, in bytes: models are told of it in every request.
	maxDescription = 1000
	// maxKinds is how many files are read: a model is told of each one in every request.
	maxKinds = 100
)

// kind is a kind of agent. It is a file $home/agents/NAME.md:
//
//	---
//	description: Finds where things are in the code
//	model: provider/id
//	tools: read, grep, mcp__docs__*
//	---
//	You search. You change nothing.
//
// name and color, which other programs write, may be given and change nothing: the name is that of
// the file. A model that Claude Code has a short name for (sonnet) is the parent's, and tools may
// have the names that other programs give them (Read): see foreignModel and ownTools. Between the
// lines of dashes stand "key: value" lines, empty ones, and comments that begin with #. description
// is required: models choose by it. Without model it is the parent's, without tools (names and
// globs) all of the parent's may be called. What follows is the system prompt. A value may stand in
// double or single quotes, the tools in brackets. That is all: it is not YAML.
type kind struct {
	name        string
	file        string // "" = built in
	description string
	model       string   // "provider/id"; "" = the parent's
	tools       []string // names and globs; nil = all
	system      string   // "" = the usual system prompt
	notes       []string // what is odd about the file, and no mistake
	only        []string // names and globs that the task narrows them to; nil = all
}

func general() *kind {
	return &kind{name: generalKind, description: "a general one, with every tool"}
}

// kindName is what the name of a kind must look like.
var kindName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// maxKindName is how long it may be, in bytes.
const maxKindName = 64

// readKinds reads the kinds of agents in dir: the general one first, then in order of name. What is
// wrong with a file is in problems, as FILE:LINE: what; the other files are read all the same. None
// at all is no problem.
func readKinds(dir string) (kinds []*kind, problems []string) {
	kinds = []*kind{general()}
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, "kinds of agents: "+plain.Error(err))
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".md")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if len(kinds) > maxKinds {
			return kinds, append(problems,
				fmt.Sprintf("%s: more than %d kinds of agents: the rest is not read", dir,
					maxKinds))
		}
		file := filepath.Join(dir, f.Name())
		k, line, err := readKind(file, name)
		if k != nil {
			k.file = file
			for _, note := range k.notes {
				problems = append(problems, file+": "+note)
			}
		}
		switch {
		case err != nil && line > 0:
			problems = append(problems, fmt.Sprintf("%s:%d: %v", file, line, err))
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s: %v", file, err))
		case name == generalKind: // the user's own
			kinds[0] = k
		default:
			kinds = append(kinds, k)
		}
	}
	return kinds, problems
}

// readKind reads one file. With an error comes the line, 1-based, 0 = none.
func readKind(file, name string) (*kind, int, error) {
	switch {
	case name == mainKind:
		return nil, 0, errors.New("main is the agent that you talk to: give the file another name")
	case len(name) > maxKindName || !kindName.MatchString(name):
		return nil, 0, fmt.Errorf(
			"the name of a kind of agent is lower case letters, digits, _ and -, got %q", name)
	}
	st, err := os.Stat(file)
	if err != nil {
		return nil, 0, plain.Cause(err)
	}
	if !st.Mode().IsRegular() { // reading a pipe would wait for ever
		return nil, 0, errors.New("not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, plain.Cause(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxKindBytes+1))
	switch {
	case err != nil:
		return nil, 0, err
	case len(b) > maxKindBytes:
		return nil, 0, fmt.Errorf("larger than %d KiB", maxKindBytes>>10)
	case !utf8.Valid(b):
		return nil, 1 + bytes.Count(b[:invalidAt(b)], []byte("\n")), errors.New("not UTF-8")
	}
	return parseKind(name, string(b))
}

// invalidAt is where the first bytes stand that are not UTF-8.
func invalidAt(b []byte) int {
	at := 0
	for r, n := utf8.DecodeRune(b); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(b[at:]) {
		at += n
	}
	return at
}

// parseKind reads the text of a file. With an error comes the line, 1-based.
func parseKind(name, text string) (*kind, int, error) {
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"),
		"\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return nil, 1, fmt.Errorf("got %q, want --- and then lines such as \"description: ...\"",
			clip(lines[0], maxShown))
	}
	k, seen, end := &kind{name: name}, map[string]bool{}, 0
	for i, l := range lines[1:] {
		l = strings.TrimSpace(l)
		if l == "---" {
			end = i + 2
			break
		}
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		if err := k.set(l, seen); err != nil {
			return nil, i + 2, err
		}
	}
	switch {
	case end == 0:
		return nil, len(lines), errors.New("got the end of the file, want --- after the keys")
	case k.description == "":
		return nil, 1, errors.New("no description: models choose an agent by it")
	}
	if k.system = strings.TrimSpace(strings.Join(lines[end:], "\n")); k.system == "" {
		return nil, end, errors.New("no text after ---: it is the system prompt")
	}
	return k, 0, nil
}

// set takes one "key: value" line.
func (k *kind) set(l string, seen map[string]bool) error {
	keys := []string{"name", "description", "model", "tools", "color"}
	key, value, ok := strings.Cut(l, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	switch {
	case !ok:
		return fmt.Errorf("got %q, want \"key: value\"", clip(l, maxShown))
	case !slices.Contains(keys, key):
		return fmt.Errorf("unknown key %q%s; there is %s", clip(key, maxShown),
			suggest.DidYouMean(key, keys), strings.Join(keys, ", "))
	case seen[key]:
		return fmt.Errorf("%s is set twice", key)
	}
	seen[key] = true
	if key == "tools" {
		return k.setTools(value)
	}
	value, err := unquote(value)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", key, err)
	case value == "":
		return fmt.Errorf("%s: got nothing", key)
	case key == "name":
		if value != k.name {
			k.notes = append(k.notes,
				fmt.Sprintf("name: got %q; the agent is called %q, as the file is",
					clip(value, maxShown), k.name))
		}
		return nil
	case key == "color": // how another program draws it
		return nil
	case key == "model" && foreignModel(value):
		if value != inherit {
			k.notes = append(k.notes, callersModel(value))
		}
		return nil
	case key == "model":
		k.model = value
		if err := engine.CheckModelName(value); err != nil {
			return fmt.Errorf("model%w", err)
		}
		return nil
	}
	if k.description = value; len(value) > maxDescription {
		return fmt.Errorf(
			"description: longer than %d bytes: models are told of it in every request",
			maxDescription)
	}
	return nil
}

// setTools reads "read, grep", or the same in brackets; nothing is no tools at all.
func (k *kind) setTools(value string) error {
	if inner, ok := strings.CutPrefix(value, "["); ok {
		if value, ok = strings.CutSuffix(inner, "]"); !ok {
			return errors.New("tools: got [ without ]; a list stands on one line")
		}
	}
	k.tools = []string{}
	if strings.TrimSpace(value) == "" {
		return nil
	}
	for _, t := range strings.Split(value, ",") {
		t, err := unquote(strings.TrimSpace(t))
		if err == nil {
			err = checkPattern(t)
		}
		if err != nil {
			return fmt.Errorf("tools: %w", err)
		}
		k.tools = append(k.tools, t)
	}
	return nil
}

// unquote takes the quotes away that a value stands in.
func unquote(s string) (string, error) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s, nil
	}
	if len(s) < 2 || s[len(s)-1] != s[0] {
		return "", fmt.Errorf("got %s, which begins with a quote and does not end with it",
			clip(s, maxShown))
	}
	return s[1 : len(s)-1], nil
}

// checkPattern checks the name of a tool, or the glob of names.
func checkPattern(t string) error {
	if engine.CheckToolFilter(t) != nil || strings.Contains(t, "|") {
		return fmt.Errorf("got %q, want the name of a tool, or a glob such as mcp__*",
			clip(t, maxShown))
	}
	return nil
}
