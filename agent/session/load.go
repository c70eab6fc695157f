// This file reads sessions back.
package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/agentscripts/agent/engine"
)

// ErrNoSession is the error for a file that does not begin with a session's header.
var ErrNoSession = errors.New("not a session file")

// Load reads a session; appending goes on in the same file. A torn last line is dropped; other lines that
// cannot be read are skipped (Damaged), and what followed them follows the line before.
func Load(path string) (*Session, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load session: %w", err)
	}
	s, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("load session %s: %w", path, err)
	}
	s.path = path
	return s, nil
}

func parse(b []byte) (*Session, error) {
	s := &Session{size: int64(len(b)), byID: map[string]*Entry{}}
	s.defaults()
	head, rest, whole := bytes.Cut(b, []byte{'\n'})
	var h line
	if err := json.Unmarshal(head, &h); err != nil || !whole || h.Type != "session" || h.ID == "" {
		return nil, ErrNoSession
	}
	if h.Version > Version {
		return nil, fmt.Errorf("its format is version %d, and this program knows %d: use a newer one", h.Version, Version)
	}
	s.id, s.cwd, s.time = h.ID, h.CWD, h.Time
	s.keep = int64(len(head)) + 1
	for n := 2; len(rest) > 0; n++ {
		var text []byte
		text, rest, whole = bytes.Cut(rest, []byte{'\n'})
		if !whole { // torn: the newline is the last byte of each write
			break
		}
		s.keep += int64(len(text)) + 1
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		e, err := decode(text)
		if err != nil || s.byID[e.ID] != nil {
			s.damaged = append(s.damaged, n)
			continue
		}
		if s.byID[e.Parent] == nil {
			e.Parent = s.leaf
		}
		s.add(e)
	}
	return s, nil
}

// Entries returns the entries from the first to the last appended one along the tree: what a fork left
// behind is not among them.
func (s *Session) Entries() []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var path []*Entry
	for e := s.byID[s.leaf]; e != nil; e = s.byID[e.Parent] {
		path = append(path, e)
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

// Messages returns the conversation as a model may be sent it during the given turn of the prompt:
// contexts stand in it as user-role text while their lifetime lasts, and every tool call has its
// result, also when the process was killed in the middle of a batch.
func (s *Session) Messages(prompt string, turn int) []*engine.Message {
	var c conversation
	for _, e := range s.Entries() {
		switch {
		case e.Message != nil:
			c.message(e.Message)
		case e.Context != nil && e.Context.holds(prompt, turn):
			c.contexts = append(c.contexts, &engine.Message{ID: e.ID, Role: "user", Content: engine.TextResult(e.Context.Wrap()).Content})
		}
	}
	c.settle()
	return c.out
}

func (c *Context) holds(prompt string, turn int) bool {
	switch c.Lifetime {
	case ForSession:
		return true
	case ForPrompt:
		return c.Prompt == prompt
	}
	return c.Prompt == prompt && c.Turn == turn
}

// conversation puts messages in the order that providers insist on: results stand directly behind the calls.
type conversation struct {
	out      []*engine.Message
	open     []engine.ToolUse  // calls without a result so far
	contexts []*engine.Message // held back until the calls are answered
}

func (c *conversation) message(m *engine.Message) {
	if m.Role != "tool" {
		c.settle()
		c.out = append(c.out, m)
		c.open = append([]engine.ToolUse(nil), m.ToolCalls...)
		return
	}
	for i, u := range c.open {
		if u.ID == m.CallID {
			c.out = append(c.out, m)
			c.open = append(c.open[:i], c.open[i+1:]...)
			break
		}
	} // a result that nobody asked for is left out
	if len(c.open) == 0 {
		c.settle()
	}
}

// settle answers the calls that were left open, then lets the contexts in.
func (c *conversation) settle() {
	for _, u := range c.open {
		c.out = append(c.out, &engine.Message{Role: "tool", CallID: u.ID, Tool: u.Tool, IsError: true,
			Content: engine.TextResult("cancelled: the program ended before this call had a result").Content})
	}
	c.out = append(c.out, c.contexts...)
	c.open, c.contexts = nil, nil
}
