// Package audit writes and reads the audit log: every decision about a tool call, every script that
// was loaded or unloaded, and other changes of what may run.
//
//	log := audit.New(audit.Options{Dir: audit.Dir(home)})
//	log.Add(audit.Trust, "session-1", map[string]any{"path": "/work/x/.agent/scripts/a.lua"})
//	err := log.Flush()
//
// The log is a folder with one file per day (UTC), 2026-11-23.jsonl, of one JSON object per line.
// Each line has the hash of the previous line, also across files, so that Verify finds lines that
// were changed, removed or inserted. The file head names the last line, so that Verify finds lines
// that are missing at the end. A program that can write to the folder can compute all hashes again:
// the chain reveals accidents and careless changes, but does not protect against an attacker.
//
// Records are written in a separate goroutine; several processes may share a folder.
package audit

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// Kinds of records.
const (
	Decision = "decision" // a decision about a tool call: see Describe
	Load     = "load"     // a version of a script was loaded
	Unload   = "unload"   // a version of a script was unloaded
	Failure  = "failure"  // a script failed
	Trust    = "trust"    // the user trusts something of a project, or revoked that
	Fence    = "fence"    // the sandbox refused something to a program
	Lost     = "lost"     // data.count records were dropped
)

// Kinds lists the kinds of records.
func Kinds() []string { return []string{Decision, Load, Unload, Failure, Trust, Fence, Lost} }

// Record is one line of the log.
type Record struct {
	N       int64           `json:"n"` // counts from 1, over all files
	Time    time.Time       `json:"time"`
	Kind    string          `json:"kind"`
	Session string          `json:"session,omitempty"`
	PID     int             `json:"pid"`
	Data    json.RawMessage `json:"data"` // an object: a Call for a decision
	Prev    string          `json:"prev"` // hash of the line before, "" for the first
	Hash    string          `json:"-"`    // of this line
}

// Options configures a Log.
type Options struct {
	Dir string           // "" = no log
	Now func() time.Time // nil = time.Now
	// Failed is called once if the log cannot be written. It may be nil.
	Failed func(err error)
}

// Dir returns the folder of the log in the agent's own directory; "" if home is "".
func Dir(home string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, "audit")
}

// maxQueue is the maximal number of records that wait for the disk; more are lost.
const maxQueue = 10_000

// maxData is the maximal size of the data of a record, in bytes.
const maxData = 64 << 10

// Log is an audit log. Its methods are safe for concurrent use. A nil Log drops all records.
type Log struct {
	o    Options
	file chain

	mu      sync.Mutex
	idle    sync.Cond // signalled when the queue has been written
	queue   []*waiting
	lost    int  // records dropped because the queue was full
	writing bool // a goroutine writes
	failed  bool // Options.Failed was called
	err     error

	failures map[string]*failures // by script
}

// waiting is a record that has not been written.
type waiting struct {
	time          time.Time
	kind, session string
	data          func() any
}

// New returns a log. It reads and writes nothing yet.
func New(o Options) *Log {
	if o.Dir == "" {
		return nil
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Log{o: o, file: chain{dir: o.Dir}, failures: map[string]*failures{}}
	l.idle.L = &l.mu
	return l
}

// Add writes a record. It does not wait for the disk. The caller must not change data afterwards.
func (l *Log) Add(kind, session string, data map[string]any) {
	l.AddLazy(kind, session, func() any { return data })
}

// AddLazy is Add with a function that makes the data on the goroutine that writes.
func (l *Log) AddLazy(kind, session string, data func() any) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addRecord(kind, session, data)
}

// addRecord is AddLazy for a caller that holds l.mu.
func (l *Log) addRecord(kind, session string, data func() any) {
	if len(l.queue) >= maxQueue {
		l.lost++
		return
	}
	l.queue = append(l.queue, &waiting{l.o.Now(), kind, session, data})
	if !l.writing {
		l.writing = true
		go l.write()
	}
}

// Flush waits until all records are written, and returns the error of the last write.
func (l *Log) Flush() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for script, f := range l.failures {
		l.addLost(script, "", f)
	}
	for l.writing {
		l.idle.Wait()
	}
	return l.err
}

// write writes the waiting records, and returns when there are none.
func (l *Log) write() {
	for {
		l.mu.Lock()
		batch, lost := l.queue, l.lost
		l.queue, l.lost = nil, 0
		if len(batch) == 0 && lost == 0 {
			l.writing = false
			l.idle.Broadcast()
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		l.setResult(l.file.appendRecords(l.records(batch, lost)))
	}
}

// records makes the records of a batch.
func (l *Log) records(batch []*waiting, lost int) []*Record {
	list := make([]*Record, 0, len(batch)+1)
	for _, w := range batch {
		list = append(list, &Record{Time: w.time.UTC(), Kind: w.kind, Session: w.session,
			Data: encode(w.data())})
	}
	if lost > 0 {
		list = append(list, &Record{Time: l.o.Now().UTC(), Kind: Lost,
			Data: encode(map[string]any{"count": lost})})
	}
	return list
}

// encode returns v as JSON of at most maxData bytes. If that is impossible, it returns an object
// with the error.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err == nil && len(b) > maxData {
		err = fmt.Errorf("%d bytes are too many", len(b))
	}
	if err != nil {
		b, _ = json.Marshal(map[string]string{"error": "the data was left out: " + err.Error()})
	}
	return b
}

// setResult stores the result of a write, and reports the first failure.
func (l *Log) setResult(err error) {
	l.mu.Lock()
	l.err = err
	tell := err != nil && !l.failed && l.o.Failed != nil
	l.failed = l.failed || err != nil
	l.mu.Unlock()
	if tell {
		l.o.Failed(err)
	}
}
