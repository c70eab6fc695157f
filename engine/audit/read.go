// This file reads the log, and checks it.

package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Finding is something wrong in a log.
type Finding struct {
	File string // "" = the log as a whole
	Line int    // 1-based; 0 = the file as a whole
	Text string
	// Harmless: a process ended while it wrote, or older files were removed.
	Harmless bool
}

// String is the finding as "FILE:LINE: TEXT".
func (f Finding) String() string {
	switch {
	case f.File == "":
		return f.Text
	case f.Line == 0:
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// Report is what a check of a log has found.
type Report struct {
	Files    int
	Records  int64
	Findings []Finding
}

// OK reports whether nothing was changed, taken out or put in.
func (r *Report) OK() bool {
	for _, f := range r.Findings {
		if !f.Harmless {
			return false
		}
	}
	return true
}

// Verify checks all files of the log in dir. The error says that they cannot be read.
func Verify(dir string) (*Report, error) {
	names, err := days(dir)
	if err != nil {
		return nil, err
	}
	c := &check{report: &Report{Files: len(names)}}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for i, line := range lines(b) {
			c.line(name, i+1, line)
		}
	}
	if c.torn != nil {
		c.found(*c.torn)
	}
	return c.report, c.head(dir)
}

// check is a check under way.
type check struct {
	report *Report
	begun  bool
	last   end
	torn   *Finding // a line that is not whole: harmless if the chain goes on behind it
}

func (c *check) found(f Finding) { c.report.Findings = append(c.report.Findings, f) }

func (c *check) line(file string, n int, line []byte) {
	r, err := readRecord(line)
	if errors.Is(err, errNotWhole) {
		if c.torn != nil {
			c.found(*c.torn)
		}
		c.torn = &Finding{File: file, Line: n, Harmless: true,
			Text: errNotWhole.Error() + ": a process ended while it wrote"}
		return
	}
	c.report.Records++
	where := Finding{File: file, Line: n}
	switch {
	case err != nil:
		where.Text = err.Error()
	case !c.begun && r.Prev != "":
		where.Text = fmt.Sprintf("the log begins with record %d: older files are gone", r.N)
		where.Harmless = true
	case c.begun && (r.Prev != c.last.Hash || r.N != c.last.N+1):
		where.Text = fmt.Sprintf("record %d follows record %d, and not the one that was there "+
			"when it was written", r.N, c.last.N)
		if c.torn != nil {
			c.torn.Harmless, c.torn.Text = false, "this line was changed"
		}
	}
	if c.torn != nil {
		c.found(*c.torn)
		c.torn = nil
	}
	if where.Text != "" {
		c.found(where)
	}
	c.begun, c.last = true, end{r.N, r.Hash}
}

// head compares the end of the log with the one that was noted. A process that ended between the
// two leaves a head that is older than the log.
func (c *check) head(dir string) error {
	path := filepath.Join(dir, headName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if c.begun {
			c.found(Finding{File: headName, Text: "is missing: records may have been removed " +
				"from the end of the log"})
		}
		return nil
	}
	if err != nil {
		return err
	}
	noted := (&chain{dir: dir}).headOf()
	switch {
	case noted.Hash == "":
		c.found(Finding{File: headName, Text: fmt.Sprintf("cannot be read: %.80q", b)})
	case noted.N > c.last.N:
		c.found(Finding{Text: fmt.Sprintf("the log ends with record %d, and %d were written",
			c.last.N, noted.N)})
	case noted.N == c.last.N && noted.Hash != c.last.Hash:
		c.found(Finding{Text: fmt.Sprintf("record %d is not the one that was written last",
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

// Query says which records are wanted.
type Query struct {
	Since  time.Time // the zero time: all
	Script string    // with or without its extension; "" = any
	Kind   string    // "" = any
	Begins string    // how the id of a tool call begins; "" = any
	Limit  int       // the newest ones; 0 = all
	// Session is the session of the records; "" = any.
	Session string
}

// Read returns the records of the log in dir that q wants, oldest first. Lines that are not whole
// are left out: see Verify.
func Read(dir string, q Query) ([]*Record, error) {
	names, err := days(dir)
	if err != nil {
		return nil, err
	}
	var newest []*Record // the newest first
	for i := len(names) - 1; i >= 0; i-- {
		if day := names[i][:len(time.DateOnly)]; day < q.Since.UTC().Format(time.DateOnly) &&
			!q.Since.IsZero() {
			break
		}
		b, err := os.ReadFile(filepath.Join(dir, names[i]))
		if err != nil {
			return nil, err
		}
		all := lines(b)
		for k := len(all) - 1; k >= 0; k-- {
			r, err := readRecord(all[k])
			if r == nil || err != nil && !errors.Is(err, errChanged) || !q.wants(r) {
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

func (q Query) wants(r *Record) bool {
	if r.Time.Before(q.Since) || q.Kind != "" && q.Kind != r.Kind ||
		q.Session != "" && q.Session != r.Session {
		return false
	}
	if q.Begins == "" && q.Script == "" {
		return true
	}
	c, err := r.Call()
	return err == nil && strings.HasPrefix(c.ID, q.Begins) &&
		(q.Script == "" || c.names(q.Script))
}

// Find returns the newest decision about the call of that id, or of an id that begins so; "" = the
// newest decision of all. session, unless it is "", is the session it belongs to.
func Find(dir, call, session string) (*Record, error) {
	records, err := Read(dir, Query{Kind: Decision, Session: session, Begins: call, Limit: 1})
	switch {
	case err != nil:
		return nil, err
	case len(records) > 0:
		return records[0], nil
	case call == "":
		return nil, errors.New("no decision is written down")
	}
	return nil, fmt.Errorf("no decision about a call %.80q is written down", call)
}
