// Package history keeps the prompts that the user has sent, so that later starts can recall them.
//
//	f := history.File{Path: filepath.Join(home, "history.jsonl")}
//	err := f.Append(history.Entry{At: now, Project: dir, Text: "tidy up"})
//	entries, err := f.Read() // oldest first
//
// The file has one JSON object on each line. Several processes may append at once, and none loses
// an entry. A line that cannot be read is left out, and all others are read. The file is bounded:
// if it grows too large, the oldest half of it is dropped. Texts are written as they are, so the
// caller masks secrets first.
package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	// mostEntries and mostBytes are the greatest size of the file: years of prompts, which are
	// still read within milliseconds.
	mostEntries, mostBytes = 10_000, 2 << 20
	// mostText is the largest text that is kept, in bytes: a longer one is mostly pasted.
	mostText = 64 << 10
)

// Entry is one prompt.
type Entry struct {
	At      time.Time `json:"at"`
	Project string    `json:"project"` // the root of the project in which it was sent
	Text    string    `json:"text"`
	// Pasted are the parts of Text that were long pasted texts, as offsets in bytes.
	Pasted [][2]int `json:"pasted,omitempty"`
}

// File is the file of all prompts.
type File struct{ Path string }

// Read returns the entries, oldest first: none if there is no file.
func (f File) Read() ([]Entry, error) {
	b, _, err := f.readBytes()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Entry
	for line := range bytes.Lines(b) {
		if e, ok := decodeEntry(line); ok {
			out = append(out, e)
		}
	}
	return out, err
}

// Append adds an entry, unless its text is very long or the last entry says the same. It fails if
// the file cannot be written.
func (f File) Append(e Entry) error {
	if e.Text == "" || len(e.Text) > mostText {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	lock, err := f.lockFile()
	if err != nil {
		return err
	}
	defer func() { _ = filelock.Close(lock) }()
	old, size, err := f.readBytes()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if last, ok := decodeEntry(lastLine(old)); ok && last.Text == e.Text &&
		last.Project == e.Project {
		return nil
	}
	line = append(line, '\n')
	if size+int64(len(line)) > mostBytes || bytes.Count(old, []byte{'\n'}) >= mostEntries {
		return atomicfile.Write(f.Path, append(newest(old), line...), 0o600)
	}
	if len(old) > 0 && old[len(old)-1] != '\n' { // a write that was cut off
		line = append([]byte{'\n'}, line...)
	}
	return f.addLine(line)
}

// addLine writes a line to the end of the file.
func (f File) addLine(line []byte) error {
	file, err := regularfile.Open(f.Path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if info, err := file.Stat(); err == nil && runtime.GOOS != "windows" &&
		info.Mode().Perm()&0o077 != 0 {
		_ = file.Chmod(0o600) // only the user may read it
	}
	_, err = file.Write(line)
	return errors.Join(err, file.Close())
}

// readBytes reads the file and returns its size. Of one that is larger than this package makes, it
// reads the end.
func (f File) readBytes() (b []byte, size int64, err error) {
	file, err := regularfile.Open(f.Path, os.O_RDONLY, 0)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	from := max(0, info.Size()-mostBytes)
	b, err = io.ReadAll(io.NewSectionReader(file, from, mostBytes))
	if from > 0 {
		b = afterLine(b)
	}
	return b, info.Size(), err
}

// newest returns the whole lines in the second half of b that can be read, at most half of the
// greatest number of entries.
func newest(b []byte) (out []byte) {
	lines := bytes.Count(b, []byte{'\n'})
	for ; lines > mostEntries/2 || len(b) > mostBytes/2; lines-- {
		b = afterLine(b)
	}
	for line := range bytes.Lines(b) {
		if _, ok := decodeEntry(line); ok {
			out = append(append(out, bytes.TrimRight(line, "\r\n")...), '\n')
		}
	}
	return out
}

// afterLine returns what follows the first line end in b.
func afterLine(b []byte) []byte {
	_, after, _ := bytes.Cut(b, []byte{'\n'})
	return after
}

func lastLine(b []byte) []byte {
	b = bytes.TrimRight(b, "\n")
	return b[bytes.LastIndexByte(b, '\n')+1:]
}

func decodeEntry(line []byte) (e Entry, ok bool) {
	err := json.Unmarshal(line, &e)
	return e, err == nil && e.Text != "" && len(e.Text) <= mostText
}

// lockFile waits until no other process writes the file.
func (f File) lockFile() (*os.File, error) {
	lock, err := filelock.Open(f.Path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return lock, nil
}
