// This file implements the actions on the user's screen: ext.ui.insert, copy, desktop, focused.

package host

import (
	"fmt"

	"github.com/agentscripts/agent/engine"
)

const (
	// maxInsert is how much text a script can put into the editor at once, in bytes: a large file.
	maxInsert = 1 << 20
	// maxCopy is how many bytes of text terminals accept for the clipboard: xterm and others cut
	// off 100,000 characters of base64.
	maxCopy = 64 << 10
	// maxDesktop is how long a desktop notification can be, in bytes: it shows a few lines.
	maxDesktop = 1000
)

// act passes a masked text to the screen, if there is one. do is called with the screen later.
func (x *screen) act(c *engine.HostCall, name, param, text string, most int,
	do func(s *engine.Surface, text string)) error {
	if len(text) > most {
		return fmt.Errorf("%s: %s: got %d bytes, want at most %d", name, param, len(text), most)
	}
	e := c.Gen.Engine()
	s := e.Screen.Surface()
	if s == nil {
		return nil
	}
	if !x.board.courier.post(func() { do(s, e.Mask.Text(text)) }) {
		return fmt.Errorf("%s: the screen is not done with %d of these yet", name, mostWaiting)
	}
	return nil
}

func (x *screen) insert(c *engine.HostCall) (any, error) {
	return nil, x.act(c, "ext.ui.insert", "text", text(c.Args[0]), maxInsert,
		func(s *engine.Surface, text string) {
			if s.Insert != nil {
				s.Insert(c.Gen.Name, text)
			}
		})
}

func (x *screen) copyText(c *engine.HostCall) (any, error) {
	return nil, x.act(c, "ext.ui.copy", "text", text(c.Args[0]), maxCopy,
		func(s *engine.Surface, text string) {
			if s.Copy != nil {
				s.Copy(c.Gen.Name, text)
			}
		})
}

func (x *screen) desktop(c *engine.HostCall) (any, error) {
	const name = "ext.ui.desktop"
	title := text(c.Args[0])
	if len(title) > maxDesktop {
		return nil, fmt.Errorf("%s: title: got %d bytes, want at most %d", name, len(title),
			maxDesktop)
	}
	return nil, x.act(c, name, "body", text(c.Args[1]), maxDesktop,
		func(s *engine.Surface, body string) {
			if s.Desktop != nil {
				s.Desktop(c.Gen.Name, c.Gen.Engine().Mask.Text(title), body)
			}
		})
}

func uiFocused(c *engine.HostCall) (any, error) {
	s := c.Gen.Engine().Screen.Surface()
	return s != nil && s.Focused != nil && s.Focused(), nil
}
