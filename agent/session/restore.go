// This file notices that the file of a session was taken away, and writes it again.

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/filelock"
)

// Restored says, once, what was wrong with the file when it was last written anew, and what was
// done; "" = nothing.
func (s *Session) Restored() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.restored
	s.restored = ""
	return text
}

// Leave says that whoever works in the session has been left behind. What is written late still
// goes to the file, but one that was removed is not made again: the program may have ended its work
// there.
func (s *Session) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
}

// check looks whether the open file is still the session's and still holds all that was written. If
// not, all of the session, what is owed included, is written anew.
func (s *Session) check() error {
	if s.left {
		return nil
	}
	own, err := s.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.recreate("was removed")
	case err != nil:
		return err
	case !os.SameFile(own, there):
		aside := s.path + ".replaced" // no session is listed under such a name
		for n := 2; ; n++ {
			if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
				break
			}
			aside = fmt.Sprintf("%s.replaced%d", s.path, n)
		}
		if err := os.Rename(s.path, aside); err != nil {
			return err
		}
		return s.recreate("was replaced by another file, now " + aside + ",")
	case own.Size() < s.keep:
		return s.refill("was cut short")
	}
	return nil
}

// refill writes all of the session into its file, which is still open.
func (s *Session) refill(what string) error {
	b, err := s.whole()
	if err == nil {
		err = s.file.Truncate(0)
	}
	if err == nil {
		_, err = s.file.Write(b)
	}
	if err != nil {
		_ = s.file.Truncate(0) // what is there is less than keep: the next entry tries again
		return err
	}
	s.rewritten(s.file, b, what)
	return nil
}

// recreate makes the file again, with all of the session in it.
func (s *Session) recreate(what string) error {
	b, err := s.whole()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), dirMode); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	if err = filelock.Try(f); err == nil {
		_, err = f.Write(b)
	}
	if err != nil {
		f.Close()
		os.Remove(s.path) // so that the next entry can try again
		return err
	}
	if s.file != nil {
		s.file.Close()
	}
	s.rewritten(f, b, what)
	return nil
}

func (s *Session) rewritten(f *os.File, b []byte, what string) {
	s.file, s.keep, s.torn, s.owed = f, int64(len(b)), false, nil
	s.restored = "the file of the session " + what +
		" while it was in use: all of the session was written again to " + s.path
}

// whole is all of the session as it stands in a file.
func (s *Session) whole() ([]byte, error) {
	b, err := s.header()
	if err != nil {
		return nil, err
	}
	for _, e := range s.entries {
		line, err := encode(e)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.ID, err)
		}
		b = append(b, line...)
	}
	return b, nil
}
