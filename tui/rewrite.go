// This file shows how scripts, or the user, rewrote calls, results and messages.

package tui

import (
	"math"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/tui/cells"
)

// authors lists who rewrote something.
func authors(by []engine.Author) string {
	names := make([]string, len(by))
	for i, a := range by {
		names[i] = firstLine(cells.Reveal(a.String()))
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
	return (&display{text: text}).drawDiff(c)
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
