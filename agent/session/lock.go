// This file locks a session, so that only one process writes to it.

package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/regularfile"
)

// InUseError is the error of opening a session that another agent has open.
type InUseError struct {
	ID, Path string
	PID      int // of its process; 0 = unknown
}

func (e *InUseError) Error() string {
	who := "another agent"
	switch e.PID {
	case 0:
	case os.Getpid():
		who = "this process"
	default:
		who = fmt.Sprintf("another agent (process %d)", e.PID)
	}
	return fmt.Sprintf(
		"session %s is in use by %s: end that one, choose another session with agent -r, or go "+
			"on in a copy of it with agent session copy %s", e.ID, who, e.ID)
}

// openLocked opens the file of a session for writing, and locks it.
func openLocked(path string) (*os.File, error) {
	f, err := regularfile.Open(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if err = filelock.Try(f); errors.Is(err, filelock.ErrLocked) {
		err = inUse(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// inUse returns an error with the process that writes to the file: each process records itself in
// the file before it writes anything else.
func inUse(f *os.File) error {
	e := &InUseError{ID: idOf(f.Name()), Path: f.Name()}
	b, err := io.ReadAll(f)
	if err != nil {
		return e // the process is unknown
	}
	// 0: the process that created it
	at := bytes.LastIndex(b, []byte("\n{\"type\":\""+typeOpen+"\"")) + 1
	text, _, _ := bytes.Cut(b[at:], []byte{'\n'})
	var l line
	if json.Unmarshal(text, &l) == nil {
		e.PID = l.PID
	}
	return e
}
