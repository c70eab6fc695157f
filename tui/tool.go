// This file draws tool calls: the title, the status, and the result by its display kind. It does
// not depend on the names of tools.

package tui

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/hyperlink"
)

// liveLines is how many lines of a growing text are shown.
const liveLines = 8

type toolState int

const (
	toolWaiting toolState = iota // for scripts, guards or the user
	toolWriting                  // the model is writing the arguments
	toolRunning
	toolOK
	toolFailed
	toolRefused
	toolCancelled
)

// toolBlock is one tool call.
type toolBlock struct {
	id     string // of the call; "" = unknown
	source string // who decided, as in tool_approval; "" = undecided

	tool  string
	args  map[string]any // the final ones, as far as known
	title string         // shown in place of the arguments; from the result
	state toolState
	why   string // why it did not run, or who allowed or answered it
	took  float64

	written int    // bytes of the arguments so far, while the model writes them
	input   []byte // these bytes, if they are at most inputKept
	unborn  bool   // the model wrote it, and it has not started
	byUser  bool   // the user runs it
	unseen  bool   // the model does not see it

	output  []byte // the last feed.OutputKept bytes
	outputs int    // counts the pieces
	cleaner cells.Cleaner

	result  *display
	exit    string // "exit code 1" of a program that failed; the result does not repeat it
	forUser string

	agent *subagentBlock // what the call has started; nil = no sub-agent

	rewritten       *engine.Rewrite // of the call; nil = not rewritten
	resultRewritten *engine.Rewrite
	said            string // the text of the result, clean

	// a script's drawings; nil = not requested yet
	drawsCall, drawsOutput, drawsResult *sketch
}

func (b *toolBlock) compact() bool { return false }

// writeOutput appends a piece of output.
func (b *toolBlock) writeOutput(piece []byte) {
	b.output = plain.AppendTail(b.output, b.cleaner.Add(string(piece)), feed.OutputKept)
	b.outputs++
}

func (b *toolBlock) drawLines(c *canvas) []string {
	out := b.head(c)
	bar := c.theme.dim.Render("  │ ")
	inner := *c
	inner.width = c.width - 4
	drawn := c.sketch(b.drawsResult, inner.width)
	if b.rewritten != nil {
		out = append(out,
			cells.Indent("    ",
				fold(&inner, rewrittenCall(&inner, b.rewritten, b.tool, b.args)))...)
	}
	if b.resultRewritten != nil {
		out = append(out,
			cells.Indent("    ",
				fold(&inner, rewrittenResult(&inner, b.resultRewritten, b.said)))...)
	}
	if b.agent != nil {
		out = append(out, cells.Indent(bar, b.agent.activity(&inner))...)
	}
	switch {
	case b.state == toolRefused || b.state == toolCancelled:
		for _, l := range fold(&inner, cells.Wrap(b.why, inner.width)) {
			out = append(out, "    "+c.theme.err.Render(l))
		}
	case drawn != nil:
		out = append(out, cells.Indent(bar, foldOutput(&inner, drawnLines(&inner, drawn)))...)
	case b.result != nil:
		out = append(out, cells.Indent(bar, b.resultLines(&inner))...)
	case len(b.output) > 0:
		if d := b.drawOutput(&inner); d != nil {
			out = append(out, cells.Indent(bar, foldOutput(&inner, drawnLines(&inner, d)))...)
			break
		}
		out = append(out, cells.Indent(bar, b.tail(inner.width))...)
	}
	if b.forUser != "" {
		out = append(out, cells.Indent("  ", fold(&inner, inner.markdown(b.forUser, c.width-2)))...)
	}
	return out
}

// resultLines draws the result.
func (b *toolBlock) resultLines(c *canvas) []string {
	lines := b.result.drawResult(c, b.state == toolFailed)
	tool := c.toolOf(b.tool)
	if tool != nil && tool.ReadOnly && b.result.kind == "code" && b.state == toolOK {
		return foldTo(c, lines, glance, 0)
	}
	return foldOutput(c, lines)
}

// head returns the title line and, if expanded, all of the arguments.
func (b *toolBlock) head(c *canvas) []string {
	mark, style := "●", c.theme.accent
	switch b.state {
	case toolWaiting, toolWriting:
		mark, style = "○", c.theme.dim
	case toolOK:
		style = c.theme.ok
	case toolFailed:
		mark, style = "✗", c.theme.err
	case toolRefused, toolCancelled:
		mark, style = "⊘", c.theme.err
	}
	title, whole := nearTitle(c.dir, pathOf(c.toolOf(b.tool), b.args), b.title), true
	tool := cells.Clean(b.tool)
	if b.agent != nil {
		mark, title = subagentMark, plain.OneLine(b.agent.task)
		tool = cells.Fit(b.agent.name, c.width/3)
		_, whole = c.argsTitle(b.tool, b.args)
	}
	var more []string
	inner := *c
	inner.width = c.width - 4
	drawn := false
	if d := c.sketch(b.drawsCall, inner.width); d != nil {
		if lines := drawnLines(&inner, d); len(lines) > 0 {
			title, more = lines[0], cells.Indent("    ", fold(&inner, lines[1:]))
			drawn = true
		}
	}
	if title == "" {
		title, whole = c.argsTitle(b.tool, b.args)
	}
	note := b.markNote()
	line := style.Render(mark) + " " + c.theme.bold.Render(tool)
	if room := c.width - 2 - cells.Width(tool) - 2 - cells.Width(note); room > 4 && title != "" {
		shown := cells.Fit(title, room)
		whole = whole && shown == title
		if !drawn {
			shown = b.linkPath(c, shown, title)
		}
		line += "  " + shown
	}
	out := append([]string{cells.Fit(line+c.theme.dim.Render(note), c.width)}, more...)
	if c.expanded && !whole {
		for _, l := range fold(c, argsLines(b.args, c.width-4)) {
			out = append(out, "    "+c.theme.dim.Render(l))
		}
	}
	return out
}

// linkPath makes the path in a title lead to the file that the call is about. shown is as much of
// the title as there is room for.
func (b *toolBlock) linkPath(c *canvas, shown, title string) string {
	if c.file == nil {
		return shown
	}
	path := pathOf(c.toolOf(b.tool), b.args)
	target, name := c.file(path), near(c.dir, path)
	switch at := strings.Index(shown, name); {
	case target == "" || cells.Reveal(path) != path:
		return shown
	case title == name:
		return hyperlink.Wrap(target, shown)
	case at >= 0:
		return shown[:at] + hyperlink.Wrap(target, name) + shown[at+len(name):]
	}
	return shown
}

// pathOf returns the file or folder that a call is about, "" if there is none. tool may be nil.
func pathOf(tool *engine.Tool, args map[string]any) string {
	var about *subject.Subject
	if tool != nil {
		about = tool.Subject
	}
	return about.PathIn(args)
}

// near returns a path relative to dir if it is dir or below it. Other paths, and those that have to
// be simplified to know, are returned as they are: a link could lead elsewhere.
func near(dir, path string) string {
	if dir == "" || path == "" || filepath.Clean(path) != path {
		return path
	}
	if path == dir {
		return "."
	}
	if rest, below := strings.CutPrefix(path, dir+string(filepath.Separator)); below {
		return rest
	}
	return path
}

// nearTitle returns the title that a tool gives a call about path, with the path relative to dir.
func nearTitle(dir, path, title string) string {
	if rest, ok := strings.CutPrefix(title, path); ok && path != "" {
		return near(dir, path) + rest
	}
	return title
}

// beginCall lets scripts draw the call once its arguments are final.
func (b *toolBlock) beginCall() {
	b.drawsCall = &sketch{part: ui.DrawCall, name: b.tool, value: b.args, partial: true}
}

// drawOutput returns a script's drawing of the output so far, nil if there is none. One at a time
// is requested: a script that is slow is asked less often.
func (b *toolBlock) drawOutput(c *canvas) *ui.Drawing {
	if b.drawsOutput == nil {
		b.drawsOutput = &sketch{part: ui.DrawResult, name: b.tool, partial: true}
	}
	s := b.drawsOutput
	if s.size != b.outputs && s.draws(c.sketches.epoch) {
		s.size = b.outputs
		s.value = map[string]any{"is_error": false, "content": []any{
			map[string]any{"type": "text", "text": string(b.output)}}}
	}
	if s.value == nil {
		return nil
	}
	return c.sketch(s, c.width)
}

// endCall takes the result as the screen shows it, and lets scripts draw it.
func (b *toolBlock) endCall(shown, content, isError, details any, silent bool) {
	value := map[string]any{"content": content, "is_error": isError}
	if details != nil {
		value["details"] = details
	}
	b.drawsResult = &sketch{part: ui.DrawResult, name: b.tool, value: value}
	if b.drawsCall != nil {
		b.drawsCall.partial = false
	}
	b.exit = ""
	if silent {
		return
	}
	d, title := newDisplay(shown, content)
	d.nameImage(b.args)
	if b.result = d; title != "" {
		b.title = title
	}
	if code := exitCode(details); code > 0 && isError == true {
		b.exit = "exit code " + strconv.Itoa(code)
		d.text = strings.TrimRight(strings.TrimSuffix(d.text, "["+b.exit+"]"), "\n")
	}
}

// exitCode returns the exit code of the program that a call ran, 0 if details have none.
func exitCode(details any) int {
	var code any
	switch d := details.(type) {
	case map[string]any:
		code = d["exit_code"]
	case value.Object:
		code, _ = d.Get("exit_code")
	}
	n, _ := value.Number(code)
	return int(n)
}

// markNote explains the mark in words, and how long the tool took.
func (b *toolBlock) markNote() string {
	s := ""
	switch {
	case b.unseen:
		s = "  not in context"
	case b.byUser:
		s = "  yours"
	}
	switch b.state {
	case toolWriting:
		return "  is being written" + writtenSize(b.written)
	case toolRefused:
		return s + "  refused"
	case toolCancelled:
		return s + "  cancelled"
	}
	switch {
	case b.agent != nil:
		s += b.agent.progressNote()
	case b.state == toolFailed:
		s += "  " + cmp.Or(b.exit, "error")
	case b.state == toolRunning:
		s += "  running"
	}
	if b.why != "" {
		s += "  " + b.why
	}
	if b.took >= slowTool {
		if d := time.Duration(b.took) * time.Millisecond; d >= time.Minute {
			s += "  " + elapsed(d)
		} else {
			s += fmt.Sprintf("  %.1f s", d.Seconds())
		}
	}
	return s
}

// writtenSize formats how much of a call the model has written.
func writtenSize(n int) string {
	switch {
	case n == 0:
		return ""
	case n < 1000:
		return fmt.Sprintf(", %d bytes", n)
	}
	return fmt.Sprintf(", %.1f KB", float64(n)/1000)
}

// slowTool is the least duration of a tool, in milliseconds, that is shown.
const slowTool = 1000

// tail returns the last lines of the output.
func (b *toolBlock) tail(width int) []string {
	text := bytes.TrimRight(b.output, "\n")
	from := len(text)
	for range liveLines {
		if from = bytes.LastIndexByte(text[:max(from, 0)], '\n'); from < 0 {
			break
		}
	}
	lines := cells.Wrap(string(text[from+1:]), width)
	return lines[max(0, len(lines)-liveLines):]
}

// argsTitle summarizes the arguments of a call of a tool in one line, and reports whether the line
// has all of them.
func (c *canvas) argsTitle(name string, args map[string]any) (title string, whole bool) {
	tool := c.toolOf(name)
	path := pathOf(tool, args)
	said := tool.Title(args, func(s string) (string, bool) {
		if s == path {
			s = near(c.dir, s)
		}
		first, _, more := strings.Cut(s, "\n")
		first, all := beginning(first)
		if more || !all {
			return cells.Reveal(first) + " …", false
		}
		return cells.Reveal(first), true
	})
	if said.About != "" || len(args) == 0 {
		return said.About, said.Whole
	}
	text, all := beginning(jsonText(args, ""))
	return cells.Reveal(text), all
}

// titleBytes is how much of a text is read for a title. It fills any line, and it is small because
// a title is drawn again and again while a tool runs.
const titleBytes = 4 << 10

// beginning returns as much of a text as a title needs, and whether that is all of it.
func beginning(s string) (text string, all bool) {
	if len(s) <= titleBytes {
		return s, true
	}
	return plain.Head(s, titleBytes), false
}

// jsonText returns v as JSON, or the error of the encoder.
func jsonText(v any, indent string) string {
	text, err := encodeJSON(v, indent)
	if err != nil {
		return fmt.Sprintf("(%v)", err)
	}
	return text
}

// encodeJSON returns v, converted to plain data, as JSON.
func encodeJSON(v any, indent string) (string, error) {
	v, err := value.Plain(v)
	if err != nil {
		return "", err
	}
	b, err := plain.JSON(v, indent)
	return string(b), err
}

// argsLines formats arguments for a person to judge: a single command verbatim, else one argument
// after the other, with multi-line texts last and verbatim. Control characters are visible.
func argsLines(args map[string]any, width int) []string {
	if s, ok := args["command"].(string); ok && len(args) == 1 {
		return cells.Wrap(cells.Reveal(s), width)
	}
	var lines, long []string
	for _, k := range value.SortedKeys(args) {
		key := cells.Reveal(k)
		if s, ok := args[k].(string); ok && strings.Contains(s, "\n") {
			long = append(append(long, key+":"), cells.Indent("  ",
				cells.Wrap(cells.Reveal(s), width-2))...)
			continue
		}
		lines = append(lines, cells.Wrap(key+": "+cells.Reveal(jsonText(args[k], "  ")), width)...)
	}
	return append(lines, long...)
}
