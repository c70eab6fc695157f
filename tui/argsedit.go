// This file lets the user edit the arguments of a call inside its approval dialog.

package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// argsEdit holds the arguments of a call while the user edits them, as JSON or, if the only
// argument is a command, as its plain text. The user must see every character and none may be lost:
// a text with characters that cannot be drawn is edited as JSON, which can escape them.
type argsEdit struct {
	area    textarea.Area
	came    string          // the text before any edit
	command bool            // the text is a command, not JSON
	page    int             // visible rows
	problem string          // why the text was not accepted; clean
	unread  textarea.Unread // which part of the known text the user has not seen
	known   string
}

// newArgsEdit returns nil if args cannot be edited: they are larger than the editor allows, or hold
// a value that JSON cannot express, such as infinity or invalid UTF-8.
func newArgsEdit(args map[string]any) *argsEdit {
	e := &argsEdit{page: 1}
	s, ok := args["command"].(string)
	if e.command = ok && len(args) == 1 && cells.Reveal(s) == s; e.command {
		e.came = s
	} else {
		text, err := encodeJSON(args, "  ")
		if err != nil {
			return nil
		}
		e.came = escapeUnseen(text)
		same, _, _ := parseArgs(e.came)
		if plain, err := value.Plain(args); err != nil || !reflect.DeepEqual(plain, any(same)) {
			return nil
		}
	}
	if len(e.came) > editorLimit {
		return nil
	}
	e.area.Set(e.came)
	e.known, e.unread = e.came, textarea.Unread{{To: len(e.came)}}
	if !e.command {
		e.area.MoveTo(0) // editing begins at the top, not after the last brace
	}
	return e
}

// escapeUnseen escapes the characters of a JSON text that reveal would have to show as escape
// sequences. Outside of strings, JSON has no such characters except line ends, which stay.
func escapeUnseen(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || !plain.Control(r) && !plain.Invisible(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// key handles a key. It reports done when the user has finished; args is nil if they are unchanged.
func (e *argsEdit) key(msg tea.KeyPressMsg) (args map[string]any, done bool) {
	e.problem = ""
	switch msg.String() {
	case "ctrl+s":
		return e.accept()
	case "enter", "alt+enter", "ctrl+j", "shift+enter":
		e.insert("\n")
	case "up":
		e.area.Vertical(-1)
	case "down":
		e.area.Vertical(1)
	case "pgup":
		e.turn(-1)
	case "pgdown":
		e.turn(1)
	default:
		if len(e.area.Text())+e.area.Grows(msg) > editorLimit {
			e.problem = tooLong
			break
		}
		e.area.Key(msg)
	}
	return nil, false
}

// turn moves the cursor a page up (-1) or down (1).
func (e *argsEdit) turn(step int) {
	for range e.page {
		e.area.Vertical(step)
	}
}

const tooLong = "that would be too long"

// insert inserts clean text at the cursor.
func (e *argsEdit) insert(text string) {
	if len(e.area.Text())+len(text) > editorLimit {
		e.problem = tooLong
		return
	}
	e.area.Insert(text)
}

// accept parses the arguments from the text. If the text is invalid, it shows why and moves the
// cursor to the error.
func (e *argsEdit) accept() (map[string]any, bool) {
	text := e.area.Text()
	if e.noteText(); !e.unread.Empty() {
		e.area.MoveTo(e.unread[0].From)
		e.problem = "not all of it has been on the screen: page down"
		return nil, false
	}
	if text == e.came {
		return nil, true
	}
	if e.command {
		return map[string]any{"command": text}, true
	}
	args, at, err := parseArgs(text)
	if err != nil {
		e.area.MoveTo(at)
		e.problem = fmt.Sprintf("line %d: %s", textarea.LineOf(text, at),
			cells.Reveal(plain.Error(err)))
		return nil, false
	}
	return args, true
}

// parseArgs parses a JSON object. On an error, at is the byte offset of the error.
func parseArgs(text string) (args map[string]any, at int, err error) {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		var wrong *json.SyntaxError
		var unfit *json.UnmarshalTypeError // a number that is too large
		switch {
		case errors.As(err, &wrong):
			at = int(wrong.Offset) - 1
		case errors.As(err, &unfit):
			at = int(unfit.Offset) - 1
		}
		return nil, min(max(at, 0), len(text)), err
	}
	args, ok := v.(map[string]any)
	if !ok {
		return nil, 0, errors.New("the arguments must be an object, in {}")
	}
	if _, err := value.Plain(args); err != nil {
		return nil, 0, err
	}
	return args, 0, nil
}

// what names what is being edited.
func (e *argsEdit) what() string {
	if e.command {
		return "the command"
	}
	return "the arguments, as JSON"
}

// layout draws the text, the problem and the keys in at most height lines.
func (e *argsEdit) layout(th *theme, width, height int) ([]string, *tea.Cursor) {
	var foot []string
	if height >= roomy {
		foot = append(foot, "")
	}
	if e.problem != "" && height > 1 {
		wrong := cells.Wrap(e.problem, width-2)
		wrong = wrong[:min(len(wrong), max(1, height/3))]
		foot = append(foot, cells.Indent("  ", styled(th.err.Render, wrong))...)
	}
	side, gutter := "  "+th.warn.Render("│ "), argsGutter
	if width < ruleLeast {
		side, gutter = "", 0
	}
	e.page = max(1, height-len(foot)-1)
	rows, x, y := e.area.Layout(width-gutter, e.page)
	e.noteText()
	e.unread.See(e.area.Sight(e.page))
	rows = cells.Indent(side, rows)
	if keys := e.keys(width); height > 2 || height > 1 && e.problem == "" {
		foot = append(foot, th.dim.Render(cells.Fit(keys, width)))
	}
	rows = append(rows, foot...)
	for i := range rows {
		rows[i] = cells.Fit(rows[i], width)
	}
	return rows, tea.NewCursor(min(x+gutter, max(0, width-1)), y)
}

// noteText records that the text has been replaced and has not been on the screen yet.
func (e *argsEdit) noteText() {
	e.unread, e.known = e.unread.Changed(e.known, e.area.Text()), e.area.Text()
}

// keys lists the available keys.
func (e *argsEdit) keys(width int) string {
	where := ""
	if e.area.Rows() > e.page {
		where = "; " + e.area.Line()
	}
	if !e.unread.Empty() {
		return cells.Longest(width,
			"  page down: all of it must have been on the screen; esc goes back"+where,
			"  page down: read all of it"+where, "page down: read", "pgdn: read")
	}
	return cells.Longest(width, "  ctrl+s allows the call with this, esc goes back"+where,
		"  ctrl+s allows it, esc goes back"+where, "ctrl+s allows it", "ctrl+s")
}

// argsGutter is the width of the margin before the rows of arguments.
const argsGutter = 4
