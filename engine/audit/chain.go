// This file writes the lines of the log, each with the hash of the previous line.

package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	// lockWait is how long to wait for another process that writes, lockPoll the polling interval.
	lockWait = 5 * time.Second
	lockPoll = 5 * time.Millisecond

	lockName = "lock"
	headName = "head"
	suffix   = ".jsonl"

	// a line ends with its hash
	hashKey = `,"hash":"`
	hashEnd = `"}`
)

// end identifies the last record of a chain.
type end struct {
	N    int64  `json:"n"`
	Hash string `json:"hash"`
}

// chain is the folder of a log. Only one goroutine uses it.
type chain struct {
	dir  string
	last end    // the last record that this process wrote
	path string // the file of last
	size int64  // size of that file after the write
}

// appendRecords writes records. It holds the lock of the folder meanwhile.
func (c *chain) appendRecords(records []*Record) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	lock, err := c.lock(os.O_CREATE)
	if err != nil {
		return err
	}
	defer filelock.Close(lock)
	for len(records) > 0 {
		day := records[0].Time.Format(time.DateOnly)
		n := 1
		for n < len(records) && records[n].Time.Format(time.DateOnly) == day {
			n++
		}
		if err := c.addDay(day, records[:n]); err != nil {
			c.path = "" // last may be outdated: read the file again
			return err
		}
		records = records[n:]
	}
	return nil
}

// lock takes the lock of the folder. flag is os.O_CREATE to make its file.
func (c *chain) lock(flag int) (*os.File, error) {
	path := filepath.Join(c.dir, lockName)
	f, err := regularfile.Open(path, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		switch err = filelock.Try(f); {
		case err == nil:
			return f, nil
		case !errors.Is(err, filelock.ErrLocked) || time.Now().After(until):
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

// addDay appends the records of one day to the newest file, or to that of the day if it is newer.
// So the lines stay in order if the clock was set back.
func (c *chain) addDay(day string, records []*Record) error {
	names, _, err := days(c.dir)
	if err != nil {
		return err
	}
	path := filepath.Join(c.dir, day+suffix)
	last, torn := end{}, false
	if len(names) > 0 {
		newest := filepath.Join(c.dir, names[len(names)-1])
		if last, torn, err = c.ending(newest); err != nil {
			return err
		}
		if newest > path {
			path = newest
		}
		torn = torn && newest == path
	}
	var text bytes.Buffer
	if torn { // a process died while it wrote: its incomplete line stays a line of its own
		text.WriteByte('\n')
	}
	for _, r := range records {
		r.N, r.Prev, r.PID = last.N+1, last.Hash, os.Getpid()
		if last, err = r.appendLine(&text); err != nil {
			return err
		}
	}
	size, err := appendTo(path, text.Bytes())
	if err != nil {
		return err
	}
	c.last, c.path, c.size = last, path, size
	return c.putHead(last)
}

// appendLine appends the line of r to text.
func (r *Record) appendLine(text *bytes.Buffer) (end, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return end{}, err
	}
	r.Hash = hashOf(b)
	text.Write(b[:len(b)-1])
	text.WriteString(hashKey + r.Hash + hashEnd + "\n")
	return end{r.N, r.Hash}, nil
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// appendTo appends text to a file in one write, and returns the file's new size.
func appendTo(path string, text []byte) (int64, error) {
	f, err := regularfile.Open(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	_, err = f.Write(text)
	info, failed := f.Stat()
	if closed := f.Close(); failed == nil {
		failed = closed
	}
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// putHead writes the last record's number and hash to the file head, as its first line. It writes
// in place: a new file and a rename for each call of a tool would cost more than the record itself.
func (c *chain) putHead(e end) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := regularfile.Open(filepath.Join(c.dir, headName), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n')) // what is left of a longer one is not read
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}

// ending returns the last record of the chain whose newest file is path. torn reports that the last
// line of the file is incomplete. It reads the end of the file only, and more of it as long as that
// has no record.
func (c *chain) ending(path string) (e end, torn bool, err error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return end{}, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return end{}, false, err
	}
	size := info.Size()
	if path == c.path && size == c.size {
		return c.last, false, nil
	}
	for n := int64(2 * maxData); ; n *= 2 {
		b := make([]byte, min(n, size))
		if _, err := f.ReadAt(b, size-int64(len(b))); err != nil {
			return end{}, false, err
		}
		torn = len(b) > 0 && b[len(b)-1] != '\n'
		if e, ok := lastRecord(b); ok {
			return e, torn, nil
		}
		if n >= size {
			return c.readHead(), torn, nil // the file has no complete line
		}
	}
}

// lastRecord returns the last record in b, the end of a file.
func lastRecord(b []byte) (e end, ok bool) {
	for len(b) > 0 {
		line := b
		if i := bytes.LastIndexByte(b[:len(b)-1], '\n'); i >= 0 {
			line = b[i+1:]
		}
		if r, err := readRecord(bytes.TrimSuffix(line, []byte("\n"))); err == nil {
			return end{r.N, r.Hash}, true
		}
		b = b[:len(b)-len(line)]
	}
	return end{}, false
}

// readHead reads the first line of the file head; the zero end if it cannot be read.
func (c *chain) readHead() (e end) {
	b, err := regularfile.Read(filepath.Join(c.dir, headName))
	line, _, _ := bytes.Cut(b, []byte("\n"))
	if err == nil {
		err = json.Unmarshal(line, &e)
	}
	if err != nil {
		return end{}
	}
	return e
}

// days returns the names of the log's files in dir, oldest first, and what has the name of such a
// file without being one: a link, a pipe, a folder.
func days(dir string) (files, others []string, err error) {
	list, err := os.ReadDir(dir) // sorted
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, d := range list {
		day, ok := strings.CutSuffix(d.Name(), suffix)
		if _, err := time.Parse(time.DateOnly, day); !ok || err != nil {
			continue
		}
		if d.Type().IsRegular() {
			files = append(files, d.Name())
		} else {
			others = append(others, d.Name())
		}
	}
	return files, others, nil
}

// readRecord reads a line, and checks its hash.
func readRecord(line []byte) (*Record, error) {
	i := bytes.LastIndex(line, []byte(hashKey))
	if i < 0 {
		return nil, errNotWhole
	}
	sum, ok := strings.CutSuffix(string(line[i+len(hashKey):]), hashEnd)
	if !ok {
		return nil, errNotWhole
	}
	body := append(bytes.Clone(line[:i]), '}')
	var r Record
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(&r); err != nil {
		return nil, errNotWhole
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotWhole
	}
	if r.Hash = sum; sum != hashOf(body) {
		return &r, errChanged
	}
	return &r, nil
}

var (
	errNotWhole = errors.New("the line is incomplete")
	errChanged  = errors.New("the line was changed: its hash is wrong")
)
