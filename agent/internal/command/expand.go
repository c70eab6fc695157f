// This file makes a prompt from a file's text and the arguments typed after the command.

package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/slash"
)

// template is the text of a file.
type template struct {
	c         *Commands
	path      string
	body      string
	model     string // that the file asks for
	pi        bool   // it is a prompt of pi, which has placeholders of its own
	inProject func(path string) bool
}

// runCommand runs the slash command.
func (t *template) runCommand(ctx context.Context, env *event.Envelope, args any) (slash.Result,
	error) {
	if t.model != "" {
		t.c.mu.Lock()
		t.c.warn(fmt.Sprintf(
			"%s: model: %s is not asked: prompts go to the agent's model; /model changes it",
			t.path, t.model))
		t.c.mu.Unlock()
	}
	typed, _ := args.(string)
	var b strings.Builder
	for _, p := range expand(t.body, typed, t.pi) {
		if !p.command {
			b.WriteString(p.text)
			continue
		}
		out, why := t.output(ctx, env, p.text)
		if why != "" {
			return slash.Result{Error: fmt.Sprintf("%s: !`%s`: %s", t.path, p.text, why)}, ctx.Err()
		}
		b.WriteString(out)
	}
	return slash.Result{Prompt: strings.TrimSpace(b.String()), Attach: t.attached(typed)}, nil
}

// output runs a command of the file, and returns its output, or why there is none.
func (t *template) output(ctx context.Context, env *event.Envelope, line string) (out, why string) {
	if env == nil {
		env = &event.Envelope{}
	}
	e := *env
	e.Origin = "model"
	r := t.c.o.Engine.Dispatch(ctx, &engine.Call{
		ID: fmt.Sprintf("command_%d", t.c.calls.Add(1)), Tool: tool.Bash,
		Args: map[string]any{"command": line}, Origin: e.Origin, Env: &e})
	out = strings.TrimRight(chat.PlainText(r.Content), "\n")
	if ctx.Err() != nil {
		return "", "cancelled"
	}
	if r.Skipped != "" || r.IsError || r.Abort != "" {
		return "", out
	}
	return out, ""
}

// mention matches @PATH, as in the user's own prompts.
var mention = lazyregexp.New(`(?:^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))`)

// attached returns the files and folders that the text and the arguments name. A text of the
// project gets those of the project only: the model would get texts that its authors must not see.
func (t *template) attached(typed string) (list []string) {
	add := func(text string, may func(path string) bool) {
		for _, m := range mention().FindAllStringSubmatch(text, -1) {
			for _, word := range [...]string{m[1], m[2], strings.TrimRight(m[2], ".,;:!?)'")} {
				path := realpath.Typed(word, t.c.o.Dir, t.c.o.User)
				if word == "" || !realpath.Exists(path) || slices.Contains(list, word) {
					continue
				}
				if may(path) {
					list = append(list, word)
				} else {
					t.c.mu.Lock()
					t.c.warn(fmt.Sprintf("%s: @%s is outside of the project: it is not attached",
						t.path, word))
					t.c.mu.Unlock()
				}
				break
			}
		}
	}
	add(t.body, t.inProject)
	add(typed, func(string) bool { return true })
	return list
}

// piece is a part of an expanded text.
type piece struct {
	text    string
	command bool // text is a command line, whose output takes its place
}

var (
	// placeholder matches what is replaced: \$ stands for a dollar.
	placeholder = lazyregexp.New(`\\\$|\$ARGUMENTS(?:\[\d+\]|\b)|\$[0-9]\b`)
	// piPlaceholder is that of pi: ${@:2} is everything from the second argument on.
	piPlaceholder = lazyregexp.New(`\\\$|\$ARGUMENTS\b|\$@|\$\{@:\d+(?::\d+)?\}|\$[1-9]\b`)
	// shellLine matches !`COMMAND` after white space, and a block of commands.
	shellLine = lazyregexp.New("(?m)(?:^|[ \t])!`([^`\n]+)`|^```!\n((?s:.*?))^```[ \t]*$")
	numbers   = lazyregexp.New(`\d+`)
)

// expand replaces $ARGUMENTS and $1 to $9 by the typed arguments, or appends these if the text has
// no placeholder. The arguments themselves are not expanded. $ARGUMENTS[0] is the first one; a text
// with $0 counts from 0 everywhere.
func expand(body, typed string, pi bool) (list []piece) {
	x := expansion{typed: typed, words: splitWords(typed), first: 1}
	matcher := placeholder()
	if pi {
		matcher = piPlaceholder()
	} else if strings.Contains(body, "$0") {
		x.first = 0
	}
	add := func(text string, command bool) {
		text = matcher.ReplaceAllStringFunc(text, x.value)
		list = append(list, piece{text, command})
	}
	at := 0
	for _, m := range shellLine().FindAllStringSubmatchIndex(body, -1) {
		from, to, start := m[2], m[3], m[2]-len("!`")
		if from < 0 {
			from, to, start = m[4], m[5], m[0]
		}
		add(body[at:start], false)
		add(strings.TrimSpace(body[from:to]), true)
		at = m[1]
	}
	add(body[at:], false)
	if !x.used && typed != "" {
		list = append(list, piece{"\n\n" + typed, false})
	}
	return list
}

// expansion replaces placeholders.
type expansion struct {
	typed string
	words []string
	first int // number of the first argument
	used  bool
}

// value returns what a placeholder stands for.
func (x *expansion) value(p string) string {
	if p == `\$` {
		return "$"
	}
	x.used = true
	first := x.first
	if p == "$ARGUMENTS" || p == "$@" {
		return x.typed
	} else if strings.HasPrefix(p, "$ARGUMENTS[") {
		first = 0
	}
	n := numbers().FindAllString(p, -1)
	i, err := strconv.Atoi(n[0])
	if i -= first; err != nil || i >= len(x.words) || i < 0 {
		return ""
	}
	if !strings.HasPrefix(p, "${@:") {
		return x.words[i]
	}
	rest := x.words[i:]
	if len(n) > 1 {
		if most, err := strconv.Atoi(n[1]); err == nil {
			rest = rest[:min(most, len(rest))]
		}
	}
	return strings.Join(rest, " ")
}

// splitWords splits the arguments at spaces; single or double quotes keep words together. An
// unclosed quote is a normal character.
func splitWords(typed string) (words []string) {
	var w strings.Builder
	for rest := strings.TrimSpace(typed); rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		end := -1
		if r == '"' || r == '\'' {
			end = strings.IndexRune(rest[size:], r)
		}
		switch {
		case end >= 0:
			w.WriteString(rest[size : size+end])
			rest = rest[size+end+1:]
		case unicode.IsSpace(r):
			words = append(words, w.String())
			w.Reset()
			rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
			continue
		default:
			w.WriteString(rest[:size])
			rest = rest[size:]
		}
		if rest == "" {
			words = append(words, w.String())
		}
	}
	return words
}
