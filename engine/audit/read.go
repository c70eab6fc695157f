// This file reads the log, and checks it.

package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/regularfile"
)

// Finding is an error that Verify has found in a log.
type Finding struct {
	File string // "" = the log as a whole
	Line int    // 1-based; 0 = the file as a whole
	Text string
	// Harmless: a process ended while it was writing, or older files were removed.
	Harmless bool
}

// String returns "FILE:LINE: TEXT".
func (f Finding) String() string {
	switch {
	case f.File == "":
		return f.Text
	case f.Line == 0:
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// Report is the result of Verify.
type Report struct {
	Files    int
	Records  int64
	Findings []Finding
}

// OK reports whether no line was changed, removed or inserted.
func (r *Report) OK() bool {
	for _, f := range r.Findings {
		if !f.Harmless {
			return false
		}
	}
	return true
}

// Verify checks all files of the log in dir, while nobody writes them. It returns an error only if
// they cannot be read.
func Verify(dir string) (*Report, error) {
	// a copy of a log has no lock, or one that cannot be opened
	if lock, err := (&chain{dir: dir}).lock(0); err == nil {
		defer filelock.Close(lock)
	}
	names, others, err := days(dir)
	if err != nil {
		return nil, err
	}
	c := &check{report: &Report{Files: len(names)}}
	for _, name := range others {
		c.addFinding(Finding{File: name,
			Text: "is not a regular file: the records of that day may be elsewhere, or lost"})
	}
	for _, name := range names {
		b, err := regularfile.Read(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for i, line := range lines(b) {
			c.checkLine(name, i+1, line)
		}
	}
	if c.torn != nil {
		c.addFinding(*c.torn)
	}
	return c.report, c.checkHead(dir)
}

// check is the state of Verify.
type check struct {
	report *Report
	begun  bool
	last   end
	torn   *Finding // an incomplete line: harmless if the chain continues after it
}

func (c *check) addFinding(f Finding) { c.report.Findings = append(c.report.Findings, f) }

func (c *check) checkLine(file string, n int, line []byte) {
	r, err := readRecord(line)
	if errors.Is(err, errNotWhole) {
		if c.torn != nil {
			c.addFinding(*c.torn)
		}
		c.torn = &Finding{File: file, Line: n, Harmless: true,
			Text: errNotWhole.Error() + ": a process ended while it was writing"}
		return
	}
	c.report.Records++
	where := Finding{File: file, Line: n}
	switch {
	case err != nil:
		where.Text = err.Error()
	case !c.begun && r.Prev != "":
		where.Text = fmt.Sprintf("the log begins with record %d: older files were removed", r.N)
		where.Harmless = true
	case c.begun && (r.Prev != c.last.Hash || r.N != c.last.N+1):
		where.Text = fmt.Sprintf("record %d follows record %d, but was written after another one",
			r.N, c.last.N)
		if c.torn != nil {
			c.torn.Harmless, c.torn.Text = false, "the line was changed"
		}
	}
	if c.torn != nil {
		c.addFinding(*c.torn)
		c.torn = nil
	}
	if where.Text != "" {
		c.addFinding(where)
	}
	c.begun, c.last = true, end{r.N, r.Hash}
}

// checkHead compares the end of the log with the file head. Head may be older: a process can end
// after it wrote a record and before it wrote head.
func (c *check) checkHead(dir string) error {
	path := filepath.Join(dir, headName)
	b, err := regularfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if c.begun {
			c.addFinding(Finding{File: headName,
				Text: "is missing: records may have been removed from the end of the log"})
		}
		return nil
	}
	if err != nil {
		return err
	}
	noted := (&chain{dir: dir}).readHead()
	switch {
	case noted.Hash == "":
		c.addFinding(Finding{File: headName, Text: fmt.Sprintf("cannot be read: %.80q", b)})
	case noted.N > c.last.N:
		c.addFinding(Finding{Text: fmt.Sprintf("the log ends with record %d, and %d were written",
			c.last.N, noted.N)})
	case noted.N == c.last.N && noted.Hash != c.last.Hash:
		c.addFinding(Finding{Text: fmt.Sprintf("record %d is not the last one that was written",
			c.last.N)})
	}
	return nil
}

func lines(b []byte) [][]byte {
	b = bytes.TrimSuffix(b, []byte("\n"))
	if len(b) == 0 {
		return nil
	}
	return bytes.Split(b, []byte("\n"))
}

// Query selects records.
type Query struct {
	Since  time.Time // the zero time: all
	Script string    // with or without its extension; "" = any
	Kind   string    // "" = any
	Call   string    // the id of a tool call; "" = any
	Begins string    // the beginning of the id of a tool call; "" = any
	Limit  int       // the maximal number, of the newest ones; 0 = all
	// Session is the session of the records; "" = any.
	Session string
}

// Read returns the records of the log in dir that match q, oldest first. It skips incomplete lines.
func Read(dir string, q Query) ([]*Record, error) {
	names, _, err := days(dir)
	if err != nil {
		return nil, err
	}
	var newest []*Record // the newest first
	for i := len(names) - 1; i >= 0; i-- {
		if day := names[i][:len(time.DateOnly)]; day < q.Since.UTC().Format(time.DateOnly) &&
			!q.Since.IsZero() {
			break
		}
		b, err := regularfile.Read(filepath.Join(dir, names[i]))
		if err != nil {
			return nil, err
		}
		all := lines(b)
		for k := len(all) - 1; k >= 0; k-- {
			r, err := readRecord(all[k])
			if r == nil || err != nil && !errors.Is(err, errChanged) || !q.matches(r) {
				continue
			}
			newest = append(newest, r)
			if len(newest) == q.Limit {
				return reversed(newest), nil
			}
		}
	}
	return reversed(newest), nil
}

func reversed(list []*Record) []*Record {
	slices.Reverse(list)
	return list
}

func (q Query) matches(r *Record) bool {
	if r.Time.Before(q.Since) || q.Kind != "" && q.Kind != r.Kind ||
		q.Session != "" && q.Session != r.Session {
		return false
	}
	if q.Call == "" && q.Begins == "" && q.Script == "" {
		return true
	}
	c, err := r.Call()
	return err == nil && (q.Call == "" || c.ID == q.Call) && strings.HasPrefix(c.ID, q.Begins) &&
		(q.Script == "" || c.names(q.Script))
}

// Find returns the newest decision about the call with that id or, if there is none, with an id
// that begins with it; "" = any. session is the id of the session; "" = any.
func Find(dir, call, session string) (*Record, error) {
	records, err := Read(dir, Query{Kind: Decision, Session: session, Call: call, Limit: 1})
	if err == nil && len(records) == 0 && call != "" {
		records, err = Read(dir, Query{Kind: Decision, Session: session, Begins: call, Limit: 1})
	}
	switch {
	case err != nil:
		return nil, err
	case len(records) > 0:
		return records[0], nil
	case call == "":
		return nil, errors.New("the log has no decision")
	}
	return nil, fmt.Errorf("the log has no decision about a call %.80q", call)
}
