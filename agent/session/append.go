// This file adds entries to a session and writes them to the file.

package session

import (
	"fmt"
	"os"
)

// Append adds e after the last entry of the branch and writes it to the file. It sets ID and Time
// if they are empty, and always Parent. If it returns an error, the entry is in the conversation
// but not yet in the file, because a full disk must not end the work. Unwritten entries are written
// before the next entry or, if that fails too, at Close.
func (s *Session) Append(e Entry) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.append(e, s.tree.leaf)
}

func (s *Session) append(e Entry, parent string) (*Entry, error) {
	if e.ID == "" || s.tree.byID[e.ID] != nil {
		e.ID = s.newID()
	}
	if e.Time.IsZero() {
		e.Time = s.now().UTC()
	}
	e.Parent = parent
	if e.Message != nil {
		m := *e.Message
		m.ID = e.ID
		e.Message = &m
	}
	s.tree.addEntry(&e)
	if s.file.path == "" {
		return &e, nil
	}
	b, err := encode(&e)
	if err == nil {
		err = s.file.write(b, s)
	}
	if err != nil {
		return &e, fmt.Errorf("append to session %s: %w", s.file.path, s.file.cause(err))
	}
	return &e, nil
}

// Create writes the file of a new session without entries, so that it can be opened even if nothing
// is ever added.
func (s *Session) Create() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file.path == "" || s.file.size >= 0 || s.file.f != nil {
		return nil
	}
	if err := s.file.openFile(s); err != nil {
		return fmt.Errorf("create session %s: %w", s.file.path, s.file.cause(err))
	}
	return nil
}

// header returns the first line of the file.
func (s *Session) header() ([]byte, error) {
	head := s.head
	head.PID = os.Getpid()
	return marshal(&head)
}

// whole returns the contents of the file for the whole session.
func (s *Session) whole() ([]byte, error) {
	b, err := s.header()
	if err != nil {
		return nil, err
	}
	for _, e := range s.tree.entries {
		line, err := encode(e)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.ID, err)
		}
		b = append(b, line...)
	}
	return b, nil
}

// Close closes the file, so that another process may write to it. The session can still be read,
// and Append opens the file again if no other process has written to it.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.close(s)
}
