// This file detects that the file of a session was removed, and writes it again.

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agentscripts/agent/engine/filelock"
)

// Restored returns, once, a description of why the file was rewritten; "" = it was not.
func (s *Session) Restored() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.file.restored
	s.file.restored = ""
	return text
}

// Leave records that the session has been abandoned by its owner. Late entries still go to the
// file, but a removed file is not created again: the program may have removed it at its end.
func (s *Session) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.left = true
}

// check verifies that the open file is still the session's and still has its contents. If not, it
// writes the whole session, including the owed lines, again.
func (f *file) check(of content) error {
	if f.left {
		return nil
	}
	own, err := f.f.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.recreate(of, "was removed")
	case err != nil:
		return err
	case !os.SameFile(own, there):
		aside := f.path + ".replaced" // such a name is not listed as a session
		for n := 2; ; n++ {
			if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
				break
			}
			aside = fmt.Sprintf("%s.replaced%d", f.path, n)
		}
		if err := os.Rename(f.path, aside); err != nil {
			return err
		}
		return f.recreate(of, "was replaced by another file, now "+aside+",")
	case own.Size() < f.keep:
		return f.refill(of, "was cut short")
	}
	return nil
}

// refill writes the whole session to its open file.
func (f *file) refill(of content, what string) error {
	b, err := of.whole()
	if err == nil {
		err = f.f.Truncate(0)
	}
	if err == nil {
		_, err = f.f.Write(b)
	}
	if err != nil {
		_ = f.f.Truncate(0) // it is now shorter than keep: the next entry tries again
		return err
	}
	f.rewritten(f.f, b, what)
	return nil
}

// recreate creates the file again with the whole session.
func (f *file) recreate(of content, what string) error {
	b, err := of.whole()
	if err != nil {
		return err
	}
	made, err := newFile(f.path, b)
	if err != nil {
		return err
	}
	if f.f != nil {
		_ = filelock.Close(f.f)
	}
	f.rewritten(made, b, what)
	return nil
}

func (f *file) rewritten(now *os.File, b []byte, what string) {
	f.f, f.keep, f.torn, f.owed = now, int64(len(b)), false, nil
	f.restored = "the file of the session " + what +
		" while it was in use: the whole session was written again to " + f.path
}
