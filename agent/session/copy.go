// This file copies sessions.

package session

import "fmt"

// Copy returns a new session with the entries of s, including all branches: for example to continue
// a session that another process uses. It writes the file at once.
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
