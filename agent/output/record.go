// This file shortens an output to its beginning and its end as it arrives.

package output

import (
	"fmt"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/plain"
)

// Record is an output that arrives in pieces. In memory, it keeps at most a few times as much as a
// model gets. Its methods are safe for concurrent use.
type Record struct {
	store *Store
	what  string

	mu     sync.Mutex
	head   string          // all of it while it fits, then the beginning
	pieces strings.Builder // of head, while it fits
	tail   []byte          // the end, if it does not fit; longer than necessary
	bytes  int64
	lines  int64
	file   *File // created when the output does not fit
	err    error // why it could not be created
	closed bool
}

// Record begins an output of the tool called what.
func (s *Store) Record(what string) *Record { return &Record{store: s, what: what} }

// Fit shortens a text. It returns a text that fits unchanged; otherwise path is the file with all
// of it, "" if it could not be written.
func (s *Store) Fit(text, what string) (short, path string) {
	if len(text) <= Bytes+Room && strings.Count(text, "\n") <= Lines+roomLines {
		return text, ""
	}
	r := s.Record(what)
	r.Add(text)
	r.Close()
	return r.Text(), r.Path()
}

// Add appends a piece of whole characters. It does nothing after Close.
func (r *Record) Add(piece string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || piece == "" {
		return
	}
	r.bytes += int64(len(piece))
	r.lines += int64(strings.Count(piece, "\n"))
	if !r.exceedsLimit() {
		r.pieces.WriteString(piece)
		if r.bytes > Bytes || r.lines > Lines {
			r.spill()
		}
		return
	}
	r.save(piece)
	r.tail = plain.AppendTail(r.tail, piece, Bytes)
}

// exceedsLimit reports whether the output does not fit.
func (r *Record) exceedsLimit() bool { return r.file != nil || r.err != nil }

// spill begins the file with the output so far, and splits that into head and tail.
func (r *Record) spill() {
	all := r.pieces.String()
	r.pieces = strings.Builder{}
	r.file, r.err = r.store.Create(r.what)
	r.save(all)
	r.head = beginning(all)
	rest := all[len(r.head):]
	r.head = strings.Clone(r.head)
	r.tail = plain.AppendTail(nil, rest, Bytes)
}

func (r *Record) save(text string) {
	if r.file != nil {
		r.file.Add(text)
	}
}

// Close ends the output. The file is kept.
func (r *Record) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.file != nil {
		r.file.Close()
	}
}

// Path returns the file with the whole output; "" if Text is all of it.
func (r *Record) Path() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return ""
	}
	return r.file.Path()
}

// Text returns the text for the model.
func (r *Record) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.exceedsLimit() {
		return r.pieces.String()
	}
	where := "the whole output could not be kept"
	if r.file != nil {
		where = r.file.Where()
	} else if r.err != nil {
		where += ": " + plain.Error(r.err)
	}
	tail := End(string(r.tail))
	head := r.head
	if !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	left := r.bytes - int64(len(r.head)) - int64(len(tail))
	lines := r.lines - int64(strings.Count(r.head, "\n")) - int64(strings.Count(tail, "\n"))
	return head + fmt.Sprintf("[%d bytes in %d lines are left out here; %s]\n", left, lines,
		where) + tail
}

// beginning returns the first half of what a model is given, in whole lines if they are not too
// long.
func beginning(s string) string {
	at := len(plain.Head(s, Bytes/2))
	for n, i := 0, 0; ; n++ {
		next := strings.IndexByte(s[i:at], '\n')
		if next < 0 {
			if i > at/2 {
				at = i
			}
			return s[:at]
		}
		if i += next + 1; n+1 == Lines/2 {
			return s[:i]
		}
	}
}

// End returns the last half of what a model is given, in whole lines if they are not too long.
func End(s string) string {
	from := len(s) - len(plain.Tail(s, Bytes/2))
	if from > 0 && s[from-1] != '\n' {
		if next := strings.IndexByte(s[from:], '\n'); next >= 0 && next < (len(s)-from)/2 {
			from += next + 1
		}
	}
	for n, i := 0, len(s); ; n++ {
		before := strings.LastIndexByte(s[from:max(i-1, from)], '\n')
		if before < 0 {
			return s[from:]
		}
		if i = from + before + 1; n+1 == Lines/2 {
			return s[i:]
		}
	}
}
