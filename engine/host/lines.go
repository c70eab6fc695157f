// This file parses lines of the screen from values of scripts.

package host

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxLines is how many lines a piece can have: more than any screen shows beside the
	// conversation.
	maxLines = 500
	// maxLineText is how many bytes of text all its lines can have together: several large screens.
	maxLineText = 256 << 10
	// maxSpans is how many spans a line can have: one for each cell of a wide screen.
	maxSpans = 1000
)

// readLines parses lines: a text of several lines, or a list of lines. The error says what is
// wrong, beginning with ": " or "[i]".
func readLines(v any) ([]ui.Line, error) {
	var lines []ui.Line
	switch v := v.(type) {
	case string:
		if len(v) > maxLineText {
			return nil, fmt.Errorf(": got %d bytes, want at most %d", len(v), maxLineText)
		}
		for _, l := range strings.Split(strings.TrimSuffix(v, "\n"), "\n") {
			lines = append(lines, ui.Line{{Text: l}})
		}
	case map[string]any: // the empty table of Lua
		if len(v) > 0 {
			return nil, fmt.Errorf(": got table, want text or a list of lines")
		}
	case []any:
		if len(v) > maxLines {
			break
		}
		size := 0
		for i, e := range v {
			l, err := readLine(e)
			if err != nil {
				return nil, fmt.Errorf("[%d]%w", i+1, err)
			}
			if size += len(l.Text()); size > maxLineText {
				return nil, fmt.Errorf("[%d]: more than %d bytes of text", i+1, maxLineText)
			}
			lines = append(lines, l)
		}
	default:
		return nil, fmt.Errorf(": got %s, want text or a list of lines", value.TypeName(v))
	}
	if n := max(len(lines), len(list(v))); n > maxLines {
		return nil, fmt.Errorf(": got %d lines, want at most %d", n, maxLines)
	}
	return lines, nil
}

// readLine parses one line: text, a list of spans, or one span; several lines of text are joined.
func readLine(v any) (ui.Line, error) {
	if s, ok := v.(string); ok {
		return ui.Line{{Text: joinLines(s)}}, nil
	}
	l, ok := v.([]any)
	if m, isMap := v.(map[string]any); isMap && len(m) == 0 {
		ok = true
	}
	if !ok {
		return nil, fmt.Errorf(": got %s, want text or {{text, style}, ...}", value.TypeName(v))
	}
	if len(l) > maxSpans {
		return nil, fmt.Errorf(": got %d spans, want at most %d", len(l), maxSpans)
	}
	line := ui.Line{}
	for i, e := range l {
		s, err := readSpan(e)
		if err != nil {
			return nil, fmt.Errorf("[%d]%w", i+1, err)
		}
		line = append(line, s)
	}
	return line, nil
}

func readSpan(v any) (ui.Span, error) {
	if s, ok := v.(string); ok {
		return ui.Span{Text: joinLines(s)}, nil
	}
	l, ok := v.([]any)
	if !ok || len(l) == 0 || len(l) > 2 || value.TypeName(l[0]) != "string" {
		return ui.Span{}, fmt.Errorf(": got %s, want text or {text, style}", value.TypeName(v))
	}
	s := ui.Span{Text: joinLines(l[0].(string))}
	if len(l) == 2 && l[1] != nil {
		if s.Style, ok = l[1].(string); !ok {
			return s, fmt.Errorf(": style: got %s, want string", value.TypeName(l[1]))
		}
		if !ui.IsStyle(s.Style) {
			return s, fmt.Errorf(": style: got %.40q, want one of %s%s", s.Style,
				strings.Join(ui.Styles(), ", "), suggest.DidYouMean(s.Style, ui.Styles()))
		}
	}
	return s, nil
}

// joinLines returns s without line ends.
func joinLines(s string) string {
	if !strings.ContainsAny(s, "\n\r") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }),
		" ")
}
