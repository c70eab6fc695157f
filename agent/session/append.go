// This file adds entries to a session and writes them down.

package session

import (
	"fmt"
	"os"
)

// Append puts e behind the last entry of the branch and writes it down. ID and Time are filled in
// if they are empty, Parent always. On error the entry is part of the conversation all the same,
// but not yet of the file: a full disk must not end the work, and what it kept out is written
// before the next entry, or at Close, if there is room then.
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
		return &e, fmt.Errorf("append to session %s: %w", s.file.path, err)
	}
	return &e, nil
}

// Create writes the file of a new session before anything is in it, so that it can be opened even
// if nothing ever is.
func (s *Session) Create() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file.path == "" || s.file.size >= 0 || s.file.f != nil {
		return nil
	}
	if err := s.file.openFile(s); err != nil {
		return fmt.Errorf("create session %s: %w", s.file.path, err)
	}
	return nil
}

// header is the first line of the file.
func (s *Session) header() ([]byte, error) {
	head := s.head
	head.PID = os.Getpid()
	return marshal(&head)
}

// whole is all of the session as it stands in a file.
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
// and appending opens the file again if nobody has written to it.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.close(s)
}
