// Package changes remembers which tools and programs ran when, and what each may have written: it
// answers who may have changed a file.
package changes

import (
	"slices"
	"sync"
	"time"
)

const (
	// runsKept is how many runs are remembered: a file that was written in an early one may be
	// moved to the scripts in a later one.
	runsKept = 10_000
	// detailsKept is how long it is remembered what an ended run may have written: longer than it
	// takes to look at a changed file on a busy machine. It holds on to the call's arguments.
	detailsKept = time.Minute
	// StampLag is how far the time stamp of a file may be behind the clock.
	StampLag = 10 * time.Millisecond
)

// Log has the runs that do not only read. Its methods are safe for concurrent use. The zero Log is
// empty.
type Log struct {
	mu    sync.Mutex
	runs  []*Run
	paths []string
	hear  func(working bool) // called under mu; see Listen
}

// Run is one such run, and the work that continues after it.
type Run struct {
	Tool string                 // that runs, or the program
	Left func() string          // names processes that it has left running: they are this run
	User bool                   // the user made the call
	Open bool                   // other programs are to know of it: see Listen
	May  func(path string) bool // reports whether it may write the file at path

	log     *Log
	began   time.Time
	working int // 0: it has ended; under log.mu, as ended
	ended   time.Time
}

// Add adds a run that begins now. End ends it.
func (l *Log) Add(r *Run) *Run {
	r.log, r.began, r.working = l, time.Now(), 1
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Open && l.hear != nil {
		l.hear(true)
	}
	for _, old := range l.runs {
		if old.working == 0 && r.began.Sub(old.ended) > detailsKept {
			old.May = Anything
		}
	}
	l.runs = append(l.runs[max(0, len(l.runs)-runsKept):], r)
	return r
}

// Anything is the May of a run that may write any file.
func Anything(string) bool { return true }

// AddWork adds work that continues after the run: End is called once more, when it ends.
func (r *Run) AddWork() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.working++
}

// Leave adds a run for processes that this one, which has not ended, leaves running, until ended
// is called. Other programs are to know of it if it may write one of the files given to Listen: it
// may last for days.
func (r *Run) Leave(what func() string) (ended func()) {
	open := r.Open && (len(r.log.paths) == 0 || slices.ContainsFunc(r.log.paths, r.May))
	return sync.OnceFunc(r.log.Add(&Run{Tool: r.Tool, Left: what, User: r.User, Open: open,
		May: r.May}).End)
}

// who returns who runs, in words.
func (r *Run) who() string {
	if r.Left != nil {
		return r.Left() + ", left by the tool " + r.Tool + ","
	}
	return "the tool " + r.Tool
}

// End ends the run, or work that continued after it.
func (r *Run) End() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.working--
	r.ended = time.Now()
	if r.working == 0 && r.Open && r.log.hear != nil {
		r.log.hear(false)
	}
}

// Listen has hear called when an open run begins, and again when it has ended with all work that
// continued after it. paths name the files that matter: see Leave. It must be called before the
// first run.
func (l *Log) Listen(hear func(working bool), paths ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paths, l.hear = paths, hear
}

// Any reports whether there was a run.
func (l *Log) Any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.runs) > 0
}

// Of returns in words, such as "the tool bash", who may have written the file at path, an absolute
// path with its links followed, that was changed between two times, which may be the same: one that
// was running then, or had ended less than after before. It returns "" if there is none. user
// reports that only tools whose calls the user made come into question.
func (l *Log) Of(path string, from, to time.Time, after time.Duration) (who string, user bool) {
	l.mu.Lock()
	var those []Run
	for _, r := range l.runs {
		if !to.Add(StampLag).Before(r.began) && (r.working > 0 || from.Sub(r.ended) < after) {
			those = append(those, *r)
		}
	}
	l.mu.Unlock()
	for _, r := range those { // May reads the disk
		if (who == "" || user && !r.User) && r.May(path) {
			who, user = r.who(), r.User
		}
	}
	return who, user
}
