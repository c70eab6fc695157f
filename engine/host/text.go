// This file implements ext.text, and the functions that compare texts: ext.match, ext.diff.

package host

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

func textFuncs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"match": match, "diff": textDiff,
		"text.truncate": textTruncate, "text.wrap": textWrap, "text.width": textWidth,
		"text.fit":   textFit,
		"text.plain": textPlain, "text.redact": textRedact, "text.transcript": textTranscript,
	}
}

func match(c *engine.HostCall) (any, error) {
	pattern := text(c.Args[0])
	if err := glob.Check(pattern); err != nil {
		return nil, fmt.Errorf("ext.match: glob: %w", err)
	}
	return glob.Match(pattern, text(c.Args[1])), nil
}

func textDiff(c *engine.HostCall) (any, error) {
	return diff.Unified(text(c.Args[0]), text(c.Args[1])), nil
}

// widest is the largest width for ext.text.wrap: no terminal is wider, and it avoids overflow.
const widest = 10_000

func textWrap(c *engine.HostCall) (any, error) {
	width := number(c.Args[1])
	if width < 1 || width > widest {
		return nil, fmt.Errorf("ext.text.wrap: width: got %v, want 1 to %d", width, widest)
	}
	lines := []any{}
	for line := range strings.SplitSeq(strings.TrimSuffix(text(c.Args[0]), "\n"), "\n") {
		for l := range strings.SplitSeq(ansi.Wrap(line, int(width), ""), "\n") {
			lines = append(lines, strings.TrimRight(l, " "))
		}
	}
	return lines, nil
}

func textWidth(c *engine.HostCall) (any, error) {
	most := 0
	for line := range strings.SplitSeq(text(c.Args[0]), "\n") {
		most = max(most, ansi.StringWidth(line))
	}
	return most, nil
}

// oneLine replaces line breaks and tabs by spaces.
var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

func textFit(c *engine.HostCall) (any, error) {
	w := number(c.Args[1])
	if w < 1 || w > widest {
		return nil, fmt.Errorf("ext.text.fit: width: got %v, want 1 to %d", w, widest)
	}
	width, s := int(w), oneLine.Replace(plain.Text(text(c.Args[0])))
	options := table(c.Args[2])
	if ansi.StringWidth(s) > width {
		switch text(options["keep"]) {
		case "tail":
			s = "…" + lastCells(s, width-1)
		case "ends":
			begin := ansi.Truncate(s, width/2, "")
			s = begin + "…" + lastCells(s, width-1-ansi.StringWidth(begin))
		default:
			s = ansi.Truncate(s, width, "…")
		}
	}
	space := strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
	switch text(options["pad"]) {
	case "left":
		s = space + s
	case "right":
		s += space
	}
	return s, nil
}

// lastCells returns as much of the end of a line as fits n cells.
func lastCells(s string, n int) string {
	for from := ansi.StringWidth(s) - n; ; from++ { // a wide character may be cut in two
		if end := ansi.TruncateLeft(s, from, ""); ansi.StringWidth(end) <= n {
			return end
		}
	}
}

func textPlain(c *engine.HostCall) (any, error) { return plain.Text(text(c.Args[0])), nil }

// textRedact waits, because a redactor may be a function of a script, which needs the turn of its
// VM.
func textRedact(c *engine.HostCall) (any, error) {
	return c.Gen.Engine().Mask.Text(text(c.Args[0])),
		nil
}

// longTranscript is the default of options.bytes for a conversation: most models can read as much
// at once.
const longTranscript = 400_000

func textTranscript(c *engine.HostCall) (any, error) {
	messages, err := chat.DecodeMessages(c.Args[0])
	if err != nil {
		return nil, fmt.Errorf("ext.text.transcript: messages%w", err)
	}
	most := number(longTranscript)
	if n, ok := value.Number(table(c.Args[1])["bytes"]); ok {
		if most = n; n < 0 {
			return nil, fmt.Errorf("ext.text.transcript: bytes: got %v, want 0 or more", n)
		}
	}
	return chat.Transcript(messages, int(min(most, 1<<40))), nil
}

// textTruncate cuts a text to options.lines lines and options.bytes bytes, and says how much was
// omitted.
func textTruncate(c *engine.HostCall) (any, error) {
	o := table(c.Args[1])
	s, tail := text(c.Args[0]), text(o["keep"]) == "tail"
	most := func(key string) (int, bool) {
		n, ok := value.Number(o[key])
		return int(n), ok
	}
	for _, key := range []string{"lines", "bytes"} {
		if n, ok := most(key); ok && n < 0 {
			return nil, fmt.Errorf("ext.text.truncate: %s: got %d, want 0 or more", key, n)
		}
	}
	kept := s
	if n, ok := most("lines"); ok {
		kept = keepLines(kept, n, tail)
	}
	if n, ok := most("bytes"); ok {
		if tail {
			kept = plain.Tail(kept, n)
		} else {
			kept = plain.Head(kept, n)
		}
	}
	if len(kept) == len(s) {
		return s, nil
	}
	note := fmt.Sprintf("[%d of %d bytes left out]", len(s)-len(kept), len(s))
	if tail {
		return note + "\n" + kept, nil
	}
	return strings.TrimSuffix(kept, "\n") + "\n" + note, nil
}

// keepLines returns the first or last n lines of s.
func keepLines(s string, n int, tail bool) string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" { // after the last line break
		lines = lines[:len(lines)-1]
	}
	switch {
	case len(lines) <= n:
		return s
	case tail:
		return strings.Join(lines[len(lines)-n:], "")
	}
	return strings.Join(lines[:n], "")
}
