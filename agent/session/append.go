// This file writes sessions down.

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/filelock"
)

// Append puts e behind the last entry of the branch and writes it down. ID and Time are filled in
// if they are empty, Parent always. On error the entry is part of the conversation all the same,
// but not yet of the file: a full disk must not end the work, and what it kept out is written
// before the next entry, or at Close, if there is room then.
func (s *Session) Append(e Entry) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.append(e, s.leaf)
}

func (s *Session) append(e Entry, parent string) (*Entry, error) {
	if e.ID == "" || s.byID[e.ID] != nil {
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
	s.add(&e)
	if s.path == "" {
		return &e, nil
	}
	b, err := encode(&e)
	if err == nil {
		err = s.write(b)
	}
	if err != nil {
		return &e, fmt.Errorf("append to session %s: %w", s.path, err)
	}
	return &e, nil
}

// write appends one whole line, behind those that could not be written before it.
func (s *Session) write(b []byte) error {
	if s.readOnly {
		return ErrReadOnly
	}
	s.owed = append(s.owed, b)
	return s.settle()
}

// settle writes what is owed, as far as it can be.
func (s *Session) settle() error {
	if len(s.owed) > 0 {
		if err := s.ready(); err != nil {
			return err
		}
	}
	for len(s.owed) > 0 {
		if err := s.writeLine(s.owed[0]); err != nil {
			return err
		}
		s.owed = s.owed[1:]
	}
	s.owed = nil
	return nil
}

// ready opens the file, or looks whether it is still there.
func (s *Session) ready() error {
	if s.file != nil {
		return s.check()
	}
	err := s.open()
	if s.size >= 0 && !s.left && errors.Is(err, fs.ErrNotExist) {
		return s.recreate("was removed")
	}
	return err
}

// writeLine appends a line. What a failed write left of it is cut off again; if that fails too, the
// next line begins behind it.
func (s *Session) writeLine(b []byte) error {
	if s.torn {
		b = append([]byte{'\n'}, b...)
	}
	n, err := s.file.Write(b)
	if err != nil && n > 0 && os.Truncate(s.path, s.keep) == nil {
		n = 0
	}
	s.keep += int64(n)
	s.torn = err != nil && (n > 0 || s.torn)
	return err
}

// open creates the file with its header, or goes on in the one that was closed.
func (s *Session) open() error {
	if s.size < 0 {
		return s.create()
	}
	f, err := openLocked(s.path)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err == nil && st.Size() != s.size {
		err = errors.New("the file has changed since it was closed: another process writes to it")
	}
	if err != nil {
		f.Close()
		return err
	}
	s.file = f
	return nil
}

// Create writes the file of a new session before anything is in it, so that it can be opened even
// if nothing ever is.
func (s *Session) Create() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" || s.size >= 0 || s.file != nil {
		return nil
	}
	if err := s.open(); err != nil {
		return fmt.Errorf("create session %s: %w", s.path, err)
	}
	return nil
}

func (s *Session) create() error {
	if err := os.MkdirAll(filepath.Dir(s.path), dirMode); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	b, err := s.header()
	if err == nil {
		err = filelock.Try(f)
	}
	if err == nil {
		_, err = f.Write(b)
	}
	if err != nil {
		f.Close()
		os.Remove(s.path) // so that the next append can try again
		return err
	}
	s.file, s.keep = f, int64(len(b))
	return nil
}

// header is the first line of the file.
func (s *Session) header() ([]byte, error) {
	return marshal(&line{Type: typeSession, Version: Version, PID: os.Getpid(), ID: s.id,
		Time: s.time, CWD: s.cwd, From: s.from, Parent: s.parent})
}

// Close closes the file, so that another process may write to it. The session can still be read,
// and appending opens the file again if nobody has written to it.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.settle() // that it is owed was said
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file, s.size = nil, s.keep
	return err
}
