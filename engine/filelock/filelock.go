// Package filelock locks files: one process at a time holds a lock. A lock ends with its process.
package filelock

import (
	"errors"
	"os"
	"time"

	"github.com/agentscripts/agent/engine/regularfile"
)

// ErrLocked is the error of Try if another process holds the lock.
var ErrLocked = errors.New("locked by another process")

const (
	// waitMost is how long Wait waits for other processes, and waitPoll the interval of attempts.
	waitMost, waitPoll = 5 * time.Second, 5 * time.Millisecond
)

// Wait locks f. It waits for some seconds while another process holds the lock.
func Wait(f *os.File) error { return wait(f, waitMost) }

func wait(f *os.File, most time.Duration) (err error) {
	for end := time.Now().Add(most); ; time.Sleep(waitPoll) {
		if err = Try(f); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// Close unlocks f and closes it. Closing alone is not enough: a child that is being started shares
// the open file, and its lock, until it runs its program.
func Close(f *os.File) error {
	unlock(f)
	return f.Close()
}

// Open opens the file at path, which it creates if necessary, and waits until it is locked. Close
// unlocks it.
func Open(path string) (*os.File, error) { return OpenWithin(path, waitMost) }

// OpenWithin is Open that waits for at most a given time.
func OpenWithin(path string, most time.Duration) (*os.File, error) {
	lock, err := regularfile.Open(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := wait(lock, most); err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}
