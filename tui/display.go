// This file draws the results of tools by display kind, and folds long ones. It also shows how
// scripts, or the user, rewrote calls, results and messages.

package tui

import (
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/graphics"
	"github.com/agentscripts/agent/tui/internal/markdown"
)

// display is the part of a result that is drawn. Its texts are clean.
type display struct {
	kind string // "text", "markdown", "diff", "code"; anything else is text
	lang string
	text string

	images []*graphics.Item
}

// resultKept is how many bytes of a result the screen keeps: more than people read there.
const resultKept = 256 << 10

// newDisplay returns the display of a result, from its display value if it has one and its content.
func newDisplay(shown, content any) (d *display, title string) {
	d = &display{text: contentText(content)}
	if list := imagesIn(content); len(list) > 0 {
		d.images, d.text = list, textOf(content)
	}
	if t := object(shown); t != nil {
		if s := t("text"); s != "" {
			d.text = s
		}
		d.kind, d.lang, title = t("kind"), cells.Clean(t("lang")),
			plain.FirstLine(cells.Clean(t("title")))
	}
	if len(d.text) > resultKept {
		d.text = plain.Head(d.text, resultKept) + "\n… the rest is not shown here"
	}
	d.text = strings.TrimRight(cells.Clean(d.text), "\n ")
	return d, title
}

// object returns a function that gets the texts of v by key, nil if v has no keys.
func object(v any) func(key string) string {
	switch v := v.(type) {
	case map[string]any:
		return func(key string) string { return value.Text(v, key) }
	case value.Object:
		return func(key string) string {
			x, _ := v.Get(key)
			s, _ := x.(string)
			return s
		}
	}
	return nil
}

// contentText joins the text of content, a string or blocks, with words for images.
func contentText(content any) string {
	return joinText(content, func(b func(string) string) string {
		return "[image " + b("mime_type") + "]"
	})
}

// textOf joins the text of content without images.
func textOf(content any) string {
	return joinText(content, func(func(string) string) string { return "" })
}

// joinText joins the text of content; image returns the text for an image, "" = none.
func joinText(content any, image func(b func(string) string) string) string {
	if text, ok := content.(string); ok {
		return text
	}
	var parts []string
	for b := range blocksOf(content) {
		text := ""
		if b("type") != "image" {
			text = b("text")
		} else if text = image(b); text == "" {
			continue
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

// imagesIn returns the images in the content of a result.
func imagesIn(content any) (list []*graphics.Item) {
	for b := range blocksOf(content) {
		if b("type") == "image" {
			list = append(list, graphics.NewItem(plain.OneLine(b("mime_type")), b("data")))
		}
	}
	return list
}

// nameImage names the image of a call's result after the file that the call is about.
func (d *display) nameImage(args map[string]any) {
	path := (*subject.Subject)(nil).PathIn(args)
	if path != "" && len(d.images) == 1 {
		d.images[0].Name = plain.OneLine(cells.Reveal(filepath.Base(path)))
	}
}

// blocksOf returns the blocks of content, each as a function that gets its texts by key.
func blocksOf(content any) iter.Seq[func(string) string] {
	n, at := 0, func(int) any { return nil }
	switch v := content.(type) {
	case []any:
		n, at = len(v), func(i int) any { return v[i] }
	case value.List:
		n, at = v.Len(), v.At
	}
	return func(yield func(func(string) string) bool) {
		for i := range n {
			if b := object(at(i)); b != nil && !yield(b) {
				return
			}
		}
	}
}

// drawResult returns the result's lines.
func (d *display) drawResult(c *canvas, failed bool) []string {
	lines := d.drawText(c, failed)
	room := max(imageLeast, (folded-len(lines))/max(1, len(d.images))-1)
	if c.expanded {
		room = imageMost
	}
	for _, i := range d.images {
		lines = append(lines, c.imageLines(i, room)...)
	}
	return lines
}

const (
	// imageLeast is the height, in lines, of an image that shares a folded result with a text.
	imageLeast = 4
	// imageMost is the height of an unfolded image.
	imageMost = 30
)

// drawText returns the lines of the result's text.
func (d *display) drawText(c *canvas, failed bool) []string {
	if d.text == "" {
		return nil
	}
	switch d.kind {
	case "markdown":
		return c.markdown(d.text, c.width)
	case "diff":
		return markdown.Diff(d.text, d.lang, c.width, c.theme.inks)
	case "code":
		return markdown.Code(d.text, d.lang, c.width, c.theme.inks)
	}
	if failed {
		return styled(c.theme.err.Render, cells.Wrap(d.text, c.width))
	}
	return cells.Wrap(d.text, c.width)
}

func styled(render func(...string) string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = render(l)
	}
	return out
}

// markdown draws clean text as Markdown, or wraps it if it is not drawn as Markdown.
func (c *canvas) markdown(text string, width int) []string { return drawOrWrap(c.md, text, width) }

// document draws Markdown whose lines were broken at a column, and not where a line ends.
func (c *canvas) document(text string, width int) []string {
	drawer := *c.md
	drawer.Joined = true
	return drawOrWrap(&drawer, text, width)
}

func drawOrWrap(d *markdown.Drawer, text string, width int) []string {
	if lines, ok := d.Draw(text, width); ok {
		return lines
	}
	return cells.Wrap(text, width)
}

const (
	// folded is how many lines of a long result are shown: enough to recognize it, few enough to
	// keep the conversation together.
	folded = 12
	// glance is how many lines of a file that was read are shown: the user has the file.
	glance = 3
	// unfolded is the greatest number of lines shown of one entry. It bounds the time that a frame
	// takes.
	unfolded = 2000
)

// endShare is the fraction, as a divisor, of the shown lines of a folded output that are its last
// ones: what a program says at its end often matters most.
const endShare = 3

// fold removes excess lines at the end and says how many are not shown.
func fold(c *canvas, lines []string) []string { return foldTo(c, lines, folded, 0) }

// foldOutput removes excess lines of an output: those between its beginning and its end.
func foldOutput(c *canvas, lines []string) []string {
	if c.expanded {
		return foldTo(c, lines, folded, unfolded/endShare)
	}
	return foldTo(c, lines, folded, folded/endShare)
}

// foldTo removes the lines beyond a limit, which does not count if c is expanded, before the last
// ones, and says how many are not shown.
func foldTo(c *canvas, lines []string, limit, last int) []string {
	hint := " (ctrl+o shows them)"
	if c.expanded {
		limit, hint = unfolded, ""
	}
	if len(lines) <= limit+1 { // a line that says "one more line" would save nothing
		return lines
	}
	note := fmt.Sprintf("… %d more lines%s", len(lines)-limit, hint)
	out := slices.Clone(lines[:limit-last])
	out = append(out, c.theme.dim.Render(cells.Fit(note, c.width)))
	return append(out, lines[len(lines)-last:]...)
}

// authors lists who rewrote something.
func authors(by []engine.Author) string {
	names := make([]string, len(by))
	for i, a := range by {
		names[i] = plain.FirstLine(cells.Reveal(a.String()))
	}
	if len(names) == 0 {
		return "a script"
	}
	return strings.Join(names, ", ")
}

// rewrittenCall shows who changed a call and how: the call as the model made it, and as it runs.
func rewrittenCall(c *canvas, r *engine.Rewrite, tool string, args map[string]any) []string {
	before, was := args, tool
	if r.Args != nil {
		before = r.Args
	}
	if r.Tool != "" {
		was = r.Tool
	}
	head := styled(c.theme.warn.Render, cells.Wrap("rewritten by "+authors(r.By), c.width))
	return append(head, changeLines(c, callText(was, tool, before), callText(tool, was, args))...)
}

// callText formats a call, one line for each argument; it names the tool unless that is other.
func callText(tool, other string, args map[string]any) string {
	lines := argsLines(args, math.MaxInt32)
	if tool != other {
		lines = append([]string{cells.Reveal(tool)}, lines...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// changeLines shows the difference between two texts.
func changeLines(c *canvas, before, after string) []string {
	text, ok := diff.Full(before, after)
	if !ok {
		return []string{c.theme.dim.Render(cells.Fit("the change is too large to be shown",
			c.width))}
	}
	if strings.Count("\n"+text, "\n@@ ") == 1 { // line numbers would add nothing
		_, text, _ = strings.Cut(text, "\n")
	}
	return markdown.Code(strings.TrimRight(text, "\n"), "diff", c.width, c.theme.inks)
}

// rewrittenResult shows who changed a result and, unfolded, the tool's original result.
func rewrittenResult(c *canvas, r *engine.Rewrite, after string) []string {
	line := "result rewritten by " + authors(r.By)
	if r.Content != nil && !c.expanded {
		line += " (ctrl+o shows how)"
	}
	out := []string{c.theme.warn.Render(cells.Fit(line, c.width))}
	if r.Content != nil && c.expanded {
		out = append(out, changeLines(c, strings.TrimRight(cells.Clean(*r.Content), "\n")+"\n",
			strings.TrimRight(after, "\n")+"\n")...)
	}
	return out
}

// rewrittenNotice returns the notice below a message that names who changed it.
func rewrittenNotice(r *engine.Rewrite) *noticeBlock {
	return &noticeBlock{"warn", "the answer was rewritten by " + authors(r.By)}
}
