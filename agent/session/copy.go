// This file makes a session of another one.

package session

import "fmt"

// Copy makes a new session with the entries of s, all its branches included: to go on with what
// another process works on, say. It is written down at once.
func Copy(s *Session, o Options) (*Session, error) {
	c := New(o)
	c.head.From = s.ID()
	entries := s.All()
	c.mu.Lock()
	defer c.mu.Unlock()
	var b []byte
	for _, e := range entries {
		e := *e
		c.tree.noteEntry(&e)
		line, err := encode(&e)
		if err != nil {
			return nil, fmt.Errorf("copy session %s: entry %s: %w", s.ID(), e.ID, err)
		}
		b = append(b, line...)
	}
	c.tree.follow()
	if c.file.path != "" {
		if err := c.file.write(b, c); err != nil {
			return nil, fmt.Errorf("copy session %s: %w", s.ID(), err)
		}
	}
	return c, nil
}
