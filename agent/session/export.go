// This file exports sessions.

package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
)

// Export configures an export.
type Export struct {
	// Original includes the model's original words if a script rewrote or hid them from the user.
	Original bool
	// All exports all branches; only JSON can.
	All bool
	// Mask masks the strings of a value, as redact.Mask.Value does: secrets that were unknown when
	// the session was written. nil = nothing is masked.
	Mask func(v any) any
}

const (
	// exportLines and exportBytes limit a tool's result in Markdown, which is for people.
	exportLines = 40
	exportBytes = 4 << 10
)

// CheckName returns an error for a file that File cannot write: its name says in which form.
func (x Export) CheckName(path string) error {
	_, err := x.form(path)
	return err
}

// form returns the method that writes the form that the name of the file ends in.
func (x Export) form(path string) (func(w io.Writer, s *Session) error, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".markdown":
		return x.Markdown, nil
	case ".json":
		return x.JSON, nil
	}
	return nil, fmt.Errorf("got %q, want a name that ends in .md or .json", filepath.Base(path))
}

// File writes the session to a new file, as private as the session. It overwrites no file.
func (x Export) File(path string, s *Session) error {
	write, err := x.form(path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := write(&b, s); err != nil {
		return err
	}
	if err = atomicfile.Create(path, b.Bytes(), 0o600); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: name another file", path)
	}
	return err
}

// JSON writes the entries as a JSON array, with the keys of the file.
func (x Export) JSON(w io.Writer, s *Session) error {
	entries := s.Entries()
	if x.All {
		entries = s.All()
	}
	out := bufio.NewWriter(w)
	out.WriteString("[")
	for i, e := range entries {
		b, err := encodeFor(e, x.Original)
		if err != nil {
			return fmt.Errorf("export entry %s: %w", e.ID, err)
		}
		if b, err = x.masked(b); err != nil {
			return fmt.Errorf("export entry %s: %w", e.ID, err)
		}
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n")
		out.Write(b[:len(b)-1])
	}
	out.WriteString("\n]\n")
	return out.Flush()
}

// masked returns an encoded entry with its strings masked. If there is nothing to mask, it is as it
// was.
func (x Export) masked(entry []byte) ([]byte, error) {
	var v any
	if x.Mask == nil {
		return entry, nil
	}
	if err := json.Unmarshal(entry, &v); err != nil {
		return nil, err
	}
	masked := x.Mask(v)
	if reflect.DeepEqual(masked, v) {
		return entry, nil
	}
	b, err := plain.JSON(masked, "")
	return append(b, '\n'), err
}

// Markdown writes the branch as text for people: prompts, answers as the user saw them, tool calls
// with shortened results, labels.
func (x Export) Markdown(w io.Writer, s *Session) error {
	var b strings.Builder
	out := bufio.NewWriter(&b)
	s.mu.Lock()
	items := s.history(x.Original)
	name := s.tree.name
	s.mu.Unlock()
	for _, i := range items {
		if name == "" && i.Kind == ItemUser {
			name = title(i.Text)
		}
	}
	fmt.Fprintf(out, "# %s\n\nSession %s, begun %s",
		cmp.Or(plain.OneLine(name), "Session "+s.ID()), s.ID(),
		s.Time().Format("2006-01-02 15:04 MST"))
	if s.CWD() != "" {
		fmt.Fprintf(out, " in %s", code(s.CWD()))
	}
	out.WriteString("\n")
	for _, i := range items {
		x.item(out, s, &i)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	text := b.String()
	if x.Mask != nil {
		text, _ = x.Mask(text).(string)
	}
	_, err := io.WriteString(w, text)
	return err
}

func (x Export) item(out *bufio.Writer, s *Session, i *Item) {
	label := ""
	if i.Label != "" {
		label = " (" + plain.OneLine(i.Label) + ")"
	}
	switch i.Kind {
	case ItemUser:
		if i.Sender != "" {
			label = " (sent by " + plain.OneLine(i.Sender) + ")" + label
		}
		fmt.Fprintf(out, "\n## User%s\n\n%s\n", label, strings.TrimSpace(i.Text))
		if len(i.Images) > 0 {
			fmt.Fprintf(out, "\n*images: %d*\n", len(i.Images))
		}
	case ItemAssistant:
		fmt.Fprintf(out, "\n## Agent%s\n", label)
		if i.Text != "" {
			fmt.Fprintf(out, "\n%s\n", strings.TrimSpace(i.Text))
		}
	case ItemTool:
		tool(out, i, label)
	case ItemSummary:
		fmt.Fprintf(out, "\n## Summary of the above, for the model%s\n\n%s\n", label,
			strings.TrimSpace(i.Text))
	case ItemEnd:
		fmt.Fprintf(out, "\n*%s*\n", plain.OneLine(strings.TrimSuffix(i.Status+": "+i.Text, ": ")))
	}
	if e := s.Entry(i.ID); x.Original && e != nil && e.rewritten() {
		fmt.Fprintf(out, "\nThe model's own words:\n\n%s\n", plain.Fenced("", e.words()))
	}
}

// rewritten reports whether the user saw anything other than the model's words.
func (e *Entry) rewritten() bool {
	return e.Hidden || e.Shown != nil || e.ShownReasoning != nil || e.Compaction != nil &&
		e.Compaction.Shown != nil
}

// words returns the model's own words.
func (e *Entry) words() string {
	if e.Compaction != nil {
		return e.Compaction.Summary
	}
	return chat.PlainText(e.Message.Content)
}

func tool(out *bufio.Writer, i *Item, label string) {
	args, err := plain.JSON(i.Args, "")
	if i.Args == nil || err != nil {
		args = []byte("{}")
	}
	state := ""
	switch {
	case i.Skipped != "":
		state = ": " + i.Skipped
	case i.IsError:
		state = ": failed"
	}
	fmt.Fprintf(out, "\n### Tool %s%s%s\n\n%s\n",
		cmp.Or(plain.OneLine(i.Tool), "(no name)"), state, label,
		plain.Fenced("json", cut(string(args))))
	text, lang := chat.PlainText(i.Content), ""
	if d := i.Display; d != nil && d.Text != "" {
		if text = d.Text; d.Kind == "diff" {
			lang = "diff"
		}
	}
	if i.ForUser != "" {
		text = i.ForUser
	}
	if text = strings.TrimRight(text, "\n"); text != "" && !i.Silent {
		fmt.Fprintf(out, "\n%s\n", plain.Fenced(lang, cut(text)))
	}
}

// cut shortens a long text, and says what it leaves out.
func cut(text string) string {
	kept := plain.Head(text, exportBytes)
	lines := strings.SplitN(kept, "\n", exportLines+1)
	kept = strings.Join(lines[:min(len(lines), exportLines)], "\n")
	if left := len(text) - len(kept); left > 0 {
		return fmt.Sprintf("%s\n... %d bytes left out", kept, left)
	}
	return text
}

// code formats text as inline code.
func code(text string) string {
	return "`" + strings.ReplaceAll(plain.OneLine(text), "`", "'") + "`"
}
