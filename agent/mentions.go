// This file attaches the files and directories that a prompt names as @PATH.

package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/realpath"
)

const (
	// mostMentions is how many files one prompt attaches, and mostMentioned is their total size in
	// bytes: the model reads further files itself, when it needs them.
	mostMentions, mostMentioned = 20, 256 << 10
)

// mentionName matches a word of a prompt that may name a file: @main.go, @"my notes.txt". In quotes
// the escapes of Go are allowed, for names with quotes or control characters.
var mentionName = lazyregexp.New(`(?:^|[\s(])@(?:"((?:[^"\\\n]|\\[^\n])+)"|([^\s"]\S*))`)

// mention is a file or directory that the user's text names.
type mention struct {
	word string // as in the text, without the @ and quotes
	path string // for a tool
	dir  bool
}

// mentions returns the files and directories that a text of the user names. Texts of scripts, of
// other programs and of other agents are not searched: what they name is not the user's choice.
func (w *worker) mentions(in *Input) (list []mention) {
	if in.Source != "interactive" && in.Source != "cli" || w.a.parent != nil ||
		!strings.Contains(in.Text, "@") || atOnce(*in) {
		return nil
	}
	for _, m := range mentionName().FindAllStringSubmatch(in.Text, -1) {
		found, ok := w.a.attached.mentioned(m[1], m[2])
		if ok && !slices.ContainsFunc(list, func(o mention) bool { return o.path == found.path }) {
			list = append(list, found)
		}
	}
	return list
}

// attachNamed attaches what a command of the user names.
func (w *worker) attachNamed(ctx context.Context, in *Input, names []string) *End {
	if in.Source != "interactive" && in.Source != "cli" || w.a.parent != nil {
		return nil
	}
	var list []mention
	for _, name := range names {
		if m, ok := w.a.attached.mentioned(name, ""); ok {
			list = append(list, m)
		}
	}
	return w.attachMentions(ctx, in, list)
}

// mentioned finds the file that a word names: a quoted one, as it is or with its escapes, or a bare
// one, which may be followed by punctuation.
func (i attachments) mentioned(quoted, bare string) (m mention, ok bool) {
	words := []string{quoted}
	if name, err := strconv.Unquote(`"` + quoted + `"`); err == nil && name != quoted {
		words = append(words, name)
	}
	if bare != "" {
		words = []string{bare, strings.TrimRight(bare, ".,;:!?)'\"")}
	}
	for _, word := range words {
		if word == "" {
			continue
		}
		path := realpath.Typed(word, i.dir, i.home)
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		if rel, err := filepath.Rel(i.dir, path); err == nil && filepath.IsLocal(rel) {
			path = rel // tools show it shorter
		}
		if quoted != "" {
			word = quoted
		}
		return mention{word: word, path: path, dir: info.IsDir()}, true
	}
	return m, false
}

// attachMentions reads the mentioned files by calls of the user, so that rules and guards about
// reading hold. It adds their texts and images to the input. It returns an End if a call ended
// the prompt.
func (w *worker) attachMentions(ctx context.Context, in *Input, list []mention) *End {
	size := 0
	for n, m := range list {
		if !strings.Contains(in.Text, m.word) {
			continue // a script has removed it
		}
		if n == mostMentions || size >= mostMentioned {
			w.a.report.Notify("warn", fmt.Sprintf("@%s and what follows it is not attached: a "+
				"prompt attaches at most %d files with %d KB; the model can read them itself",
				m.word, mostMentions, mostMentioned>>10))
			break
		}
		r := w.readMention(ctx, m)
		text := chat.PlainText(r.Content)
		switch {
		case r.Abort != "":
			if r.Abort == "agent" {
				w.a.shared.endAll(abortText(r))
			}
			return failed(abortText(r))
		case ctx.Err() != nil:
			return &End{Status: Cancelled}
		case r.Skipped != "" || r.IsError:
			w.a.report.Notify("warn", fmt.Sprintf("@%s is not attached: %s", m.word, text))
			continue
		}
		size += len(text)
		in.files = append(in.files, mentionContext(m, r, text))
		for _, b := range r.Content {
			if b.Type == "image" {
				in.Images = append(in.Images, b)
			}
		}
	}
	return nil
}

// tool returns the name of the tool that reads the file or directory.
func (m *mention) tool() string {
	if m.dir {
		return tool.List
	}
	return tool.Read
}

// readMention reads a file, or lists a directory, as the tools do.
func (w *worker) readMention(ctx context.Context, m mention) *engine.Result {
	env := *w.a.Envelope()
	env.Origin = "user"
	r := w.a.engine.Dispatch(ctx, &engine.Call{ID: "user_" + w.a.journal.session().NewID(),
		Tool: m.tool(), Args: map[string]any{"path": m.path}, Origin: "user", Env: &env})
	fit(w.a.o.Output, r)
	return r
}

// mentionContext returns what the model sees of a mentioned file besides its images, below a line
// that says what it is:
//
//	<context from="@main.go">
//	The user attached the file main.go:
//	package main
//	</context>
func mentionContext(m mention, r *engine.Result, text string) session.Context {
	what := "file"
	if m.dir {
		what = "directory"
	}
	text = fmt.Sprintf("The user attached the %s %s:\n%s", what, m.path, text)
	for _, c := range r.Contexts {
		text += "\n" + c.Text
	}
	return session.Context{Context: engine.Context{Script: "@" + m.word, Text: text},
		Lifetime: session.ForSession, Tool: m.tool(), Path: m.path}
}
