// This file carries out terminalSequence: what a hook wants to send to the terminal, which it has
// not.

package hooks

import (
	"encoding/base64"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

// signal is what a terminal sequence does. Nothing else of a sequence reaches the terminal.
type signal struct {
	window      bool // title is that of the window, otherwise of a notification
	title, body string
}

// readSignals reads sequences: the bell, notifications (OSC 9, 777 and 99) and titles of the window
// (OSC 0 and 2). refused is the first part that is something else.
func readSignals(text string) (list []signal, refused string) {
	for text != "" {
		if rest, bell := strings.CutPrefix(text, "\a"); bell {
			list, text = append(list, signal{}), rest
			continue
		}
		body, is := strings.CutPrefix(text, "\x1b]")
		end := strings.IndexAny(body, "\a\x1b")
		if !is || end < 0 {
			return list, text
		}
		rest, ends := strings.CutPrefix(body[end:], "\a")
		if !ends {
			rest, ends = strings.CutPrefix(body[end:], "\x1b\\")
		}
		s, known := readSignal(body[:end])
		if !ends || !known {
			return list, text
		}
		list, text = append(list, s), rest
	}
	return list, ""
}

// readSignal reads what is between the ends of a sequence.
func readSignal(body string) (s signal, known bool) {
	kind, text, _ := strings.Cut(body, ";")
	switch kind {
	case "0", "2":
		return signal{window: true, title: text}, true
	case "9": // numbers are other commands, such as a progress bar
		number, _, more := strings.Cut(text, ";")
		known = text != "" && (!more || strings.Trim(number, "0123456789") != "")
		return signal{title: text}, known
	case "777":
		text, known = strings.CutPrefix(text, "notify;")
		s.title, s.body, _ = strings.Cut(text, ";")
		return s, known
	case "99":
		about, text, _ := strings.Cut(text, ";")
		is := ":" + about + ":"
		if strings.Contains(is, ":e=1:") {
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return s, false
			}
			text = string(b)
		}
		if strings.Contains(is, ":p=body:") {
			return signal{body: text}, true
		}
		return signal{title: text}, strings.Contains(is, ":p=title:") ||
			!strings.Contains(is, ":p=")
	}
	return s, false
}

// mostSignal is how much of a title or a notification is shown, in characters.
const mostSignal = 200

// sendSignals shows what a hook wants to send to the terminal. The front end decides how.
func (x *extension) sendSignals(h *hook, text string) {
	list, refused := readSignals(text)
	if refused != "" {
		x.api.Tell("warn", placed(x, h)+": terminalSequence may only be the bell, a notification "+
			"or the title of the window; not sent: "+plain.Line(plain.Reveal(refused), 40))
	}
	e := x.api.Bind.Gen.Engine()
	surface := e.Screen.Surface()
	if surface == nil {
		return
	}
	shown := func(text string) string { return e.Mask.Text(plain.Line(text, mostSignal)) }
	for _, s := range list {
		switch {
		case s.window && surface.Show != nil:
			x.setTitle(surface, shown(s.title))
		case !s.window && surface.Desktop != nil:
			surface.Desktop(x.api.Bind.Gen.Name, shown(s.title), shown(s.body))
		}
	}
}

// setTitle sets the title of the window; "" = the original one.
func (x *extension) setTitle(surface *ui.Surface, title string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	piece := ui.Piece{Script: x.api.Bind.Gen.Name, Kind: ui.PieceTitle}
	if title != "" {
		piece.Lines = []ui.Line{{{Text: title}}}
	}
	if title != "" || x.titled {
		surface.Show(piece)
	}
	x.titled = title != ""
}
