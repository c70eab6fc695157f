// This file shows the results of tools: text, images, and changes of files.

package acp

import (
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// result is the visible result of a tool call.
type result struct {
	text    string
	images  []chat.Block
	forUser string
	silent  bool
	details any
	display ui.Display
}

// readResult reads the result from a tool_result event.
func readResult(ev *event.Event) *result {
	r := &result{forUser: ev.Text("for_user")}
	r.silent, _ = ev.Field("silent").(bool)
	content, _ := value.Plain(ev.Field("content"))
	switch c := content.(type) {
	case string:
		r.text = c
	case []any:
		for _, x := range c {
			b, _ := x.(map[string]any)
			r.addContent(chat.Block{Type: value.Text(b, "type"), Text: value.Text(b, "text"),
				MimeType: value.Text(b, "mime_type"), Data: value.Text(b, "data")})
		}
	}
	r.details, _ = value.Plain(ev.Field("details"))
	if d := plainArgs(ev.Field("display")); d != nil {
		r.display = ui.Display{Title: value.Text(d, "title"), Kind: value.Text(d, "kind"),
			Lang: value.Text(d, "lang"), Text: value.Text(d, "text")}
	}
	return r
}

// itemResult reads the result from a session's history.
func itemResult(i *session.Item) *result {
	r := &result{forUser: i.ForUser, silent: i.Silent}
	for _, b := range i.Content {
		r.addContent(b)
	}
	if i.Details != nil {
		r.details = i.Details
	}
	if i.Display != nil {
		r.display = *i.Display
	}
	return r
}

func (r *result) addContent(b chat.Block) {
	if b.Type == "image" {
		r.images = append(r.images, b)
		return
	}
	r.text += b.Text
}

// content returns what is shown; path is the file that the call was about.
func (r *result) content(path string) []protocol.ToolCallContent {
	var list []protocol.ToolCallContent
	if r.forUser != "" {
		list = append(list, asText(plain.Text(r.forUser))...)
	}
	if r.silent {
		return list
	}
	text := r.text
	if r.display.Text != "" {
		text = r.display.Text
	}
	details, _ := r.details.(map[string]any)
	if created, _ := details["created"].(bool); created && r.display.Kind == "code" && path != "" {
		return append(list, protocol.ToolDiffContent(path, r.display.Text))
	}
	if r.display.Kind == "diff" && path != "" {
		crlf, _ := details["crlf"].(bool)
		if changes := readDiff(text, crlf); changes != nil {
			for _, c := range changes {
				list = append(list, protocol.ToolDiffContent(path, c.after, c.before))
			}
			return list
		}
	}
	if len(text) > resultShown {
		text = plain.Head(text, resultShown) + "\n… the rest is not shown here"
	}
	text = strings.TrimRight(plain.Text(text), "\n ")
	switch {
	case text == "":
	case r.display.Kind == "markdown":
		list = append(list, asText(text)...)
	case r.display.Kind == "code":
		list = append(list, asText(fenced(text, language(r.display.Lang)))...)
	case r.display.Kind == "diff":
		list = append(list, asText(fenced(text, "diff"))...)
	default:
		list = append(list, asText(fenced(text, ""))...)
	}
	for _, b := range r.images {
		list = append(list, protocol.ToolContent(protocol.ImageBlock(b.Data, b.MimeType)))
	}
	return list
}

// language returns the name of a language if it is valid after a fence.
func language(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '`' }) {
		return ""
	}
	return plain.Text(name)
}

// raw returns the result as data; nil if nothing is visible.
func (r *result) raw() any {
	if r.silent {
		return nil
	}
	raw := map[string]any{}
	if r.text != "" {
		raw["text"] = plain.Head(r.text, resultShown)
	}
	if r.details != nil {
		raw["details"] = r.details
	}
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// change is a part of a file, before and after.
type change struct{ before, after string }

// readDiff parses the hunks of a unified diff; nil if it is invalid or incomplete. crlf means that
// all lines of the file end with "\r\n", which the diff does not show.
func readDiff(text string, crlf bool) []change {
	var changes []change
	var last byte // sign of the previous line: ' ', '-' or '+'
	for line := range strings.SplitAfterSeq(text, "\n") {
		if strings.HasPrefix(line, "@@ ") {
			changes = append(changes, change{})
			continue
		}
		if strings.TrimSpace(line) == "" && line != " \n" {
			continue
		}
		if len(changes) == 0 {
			if strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") {
				continue
			}
			return nil
		}
		c := &changes[len(changes)-1]
		body, end := strings.TrimSuffix(line[1:], "\n"), "\n"
		if crlf {
			body, end = strings.TrimSuffix(body, "\r"), "\r\n"
		}
		switch line[0] {
		case ' ', '-', '+':
			c.addLine(line[0], body+end)
			last = line[0]
		case '\\': // no newline at the end
			c.unend(last, end)
		default:
			return nil
		}
	}
	return changes
}

// addLine adds a line to the side or sides that contain it.
func (c *change) addLine(op byte, line string) {
	if op != '+' {
		c.before += line
	}
	if op != '-' {
		c.after += line
	}
}

// unend removes the line end of a side's last line.
func (c *change) unend(op byte, end string) {
	if op != '+' {
		c.before = strings.TrimSuffix(c.before, end)
	}
	if op != '-' {
		c.after = strings.TrimSuffix(c.after, end)
	}
}
