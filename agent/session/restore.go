// This file notices that the file of a session was taken away, and writes it again.

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agentscripts/agent/engine/filelock"
)

// Restored says, once, what was wrong with the file when it was last written anew, and what was
// done; "" = nothing.
func (s *Session) Restored() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.file.restored
	s.file.restored = ""
	return text
}

// Leave says that whoever works in the session has been left behind. What is written late still
// goes to the file, but one that was removed is not made again: the program may have ended its work
// there.
func (s *Session) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.left = true
}

// check looks whether the open file is still the session's and still holds all that was written. If
// not, all of the session, what is owed included, is written anew.
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
		aside := f.path + ".replaced" // no session is listed under such a name
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

// refill writes all of the session into its file, which is still open.
func (f *file) refill(of content, what string) error {
	b, err := of.whole()
	if err == nil {
		err = f.f.Truncate(0)
	}
	if err == nil {
		_, err = f.f.Write(b)
	}
	if err != nil {
		_ = f.f.Truncate(0) // what is there is less than keep: the next entry tries again
		return err
	}
	f.rewritten(f.f, b, what)
	return nil
}

// recreate makes the file again, with all of the session in it.
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
		" while it was in use: all of the session was written again to " + f.path
}
