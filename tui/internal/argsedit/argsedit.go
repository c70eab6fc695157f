// Package argsedit lets the user edit the arguments of a tool call, as JSON or, if the only
// argument is a command, as its plain text.
//
//	e := argsedit.New(args, most) // nil: they cannot be edited
//	changed, done := e.Key(msg)
//	rows, x, y := e.Rows(width, height)
//
// The user must see every character and none may be lost: a text with characters that cannot be
// drawn is edited as JSON, which can escape them, and nothing is accepted before all of it has been
// on the screen.
package argsedit

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

// Editor holds the arguments of a call while the user edits them.
type Editor struct {
	// Area is the text, and Problem says why it was not accepted; it is clean.
	Area    textarea.Area
	Problem string

	most    int             // bytes of text
	came    string          // the text before any edit
	command bool            // the text is a command, not JSON
	page    int             // visible rows
	unread  textarea.Unread // which part of the known text the user has not seen
	known   string
}

// New returns nil if args cannot be edited: they take more than most bytes, or hold a value that
// JSON cannot express, such as infinity or invalid UTF-8.
func New(args map[string]any, most int) *Editor {
	e := &Editor{most: most, page: 1}
	s, ok := args["command"].(string)
	if e.command = ok && len(args) == 1 && cells.Reveal(s) == s; e.command {
		e.came = s
	} else {
		data, err := value.Plain(args)
		if err != nil {
			return nil
		}
		text, err := plain.JSON(data, "  ")
		if err != nil {
			return nil
		}
		e.came = escapeUnseen(string(text))
		if same, _, _ := parseArgs(e.came); !reflect.DeepEqual(data, any(same)) {
			return nil
		}
	}
	if len(e.came) > e.most {
		return nil
	}
	e.Area.Set(e.came)
	e.known, e.unread = e.came, textarea.Unread{{To: len(e.came)}}
	if !e.command {
		e.Area.MoveTo(0) // editing begins at the top, not after the last brace
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

// Key handles a key. It reports done when the user has finished; args is nil if they are unchanged.
func (e *Editor) Key(msg tea.KeyPressMsg) (args map[string]any, done bool) {
	e.Problem = ""
	switch msg.String() {
	case "ctrl+s":
		return e.accept()
	case "enter", "alt+enter", "ctrl+j", "shift+enter":
		e.Insert("\n")
	case "up":
		e.Area.Vertical(-1)
	case "down":
		e.Area.Vertical(1)
	case "pgup":
		e.turn(-1)
	case "pgdown":
		e.turn(1)
	default:
		if len(e.Area.Text())+e.Area.Grows(msg) > e.most {
			e.Problem = TooLong
			break
		}
		e.Area.Key(msg)
	}
	return nil, false
}

// turn moves the cursor a page up (-1) or down (1).
func (e *Editor) turn(step int) {
	for range e.page {
		e.Area.Vertical(step)
	}
}

// TooLong is the problem of a text that would be larger than permitted.
const TooLong = "that would be too long"

// Insert inserts clean text at the cursor.
func (e *Editor) Insert(text string) {
	if len(e.Area.Text())+len(text) > e.most {
		e.Problem = TooLong
		return
	}
	e.Area.Insert(text)
}

// accept parses the arguments from the text. If the text is invalid, it shows why and moves the
// cursor to the error.
func (e *Editor) accept() (map[string]any, bool) {
	text := e.Area.Text()
	if e.noteText(); !e.unread.Empty() {
		e.Area.MoveTo(e.unread[0].From)
		e.Problem = "not all of it has been on the screen: page down"
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
		e.Area.MoveTo(at)
		e.Problem = fmt.Sprintf("line %d: %s", textarea.LineOf(text, at),
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

// What names what is being edited.
func (e *Editor) What() string {
	if e.command {
		return "the command"
	}
	return "the arguments, as JSON"
}

// Rows draws the text in at most height rows of width cells, at least two, and returns where the
// cursor is.
func (e *Editor) Rows(width, height int) (rows []string, x, y int) {
	e.page = max(1, height)
	rows, x, y = e.Area.Layout(width, e.page)
	e.noteText()
	e.unread.See(e.Area.Sight(e.page))
	return rows, x, y
}

// noteText records that the text has been replaced and has not been on the screen yet.
func (e *Editor) noteText() {
	e.unread, e.known = e.unread.Changed(e.known, e.Area.Text()), e.Area.Text()
}

// Keys lists the available keys.
func (e *Editor) Keys(width int) string {
	where := ""
	if e.Area.Rows() > e.page {
		where = "; " + e.Area.Line()
	}
	if !e.unread.Empty() {
		return cells.Longest(width,
			"  page down: all of it must have been on the screen; esc goes back"+where,
			"  page down: read all of it"+where, "page down: read", "pgdn: read")
	}
	return cells.Longest(width, "  ctrl+s allows the call with this, esc goes back"+where,
		"  ctrl+s allows it, esc goes back"+where, "ctrl+s allows it", "ctrl+s")
}
