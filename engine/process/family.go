// This file keeps track of processes that outlive the program that started them.

package process

import (
	"fmt"
	"os/exec"
	"slices"
	"sort"
	"sync"
	"time"
)

// sweepEvery is the interval in which a Family looks whether processes that a program left running
// have ended, as long as there are some. It may notice their end that much later.
const sweepEvery = 500 * time.Millisecond

// Family knows the programs that this process has started, and the processes that they have left
// running. On Linux this process adopts those: processes that lose their parent become its
// children. A process has at most one Family: children that it did not start, and that have a
// session of their own, count as left running. Its methods may be called from any goroutine. A nil
// Family starts programs and knows nothing.
type Family struct {
	adopts bool // the system supports it

	mu      sync.Mutex
	leaders map[int]bool // programs of Start for which Wait has not returned, by PID
	rests   []*rest
	dead    map[member]bool // children that had ended at the last sweep, except leaders
	due     bool            // a sweep is planned
}

// rest is what one program has left running.
type rest struct {
	list []Relative // as it was at the program's end
	// the value is true for processes that the program has certainly started; for others it is
	// likely
	members map[member]bool
	ended   func() // nil: whoever is to know of it is being told
}

// Relative is a process that a program has left running.
type Relative struct {
	PID   int
	Name  string
	Began string // tells it from a later process with its PID; "" if the system does not say it
}

// String returns "sleep (pid 7)".
func (r Relative) String() string { return fmt.Sprintf("%s (pid %d)", r.Name, r.PID) }

// Names returns a function that returns "sleep (pid 7)", or "sleep (pid 7) and 2 more". A process
// that now runs another program has its name.
func Names(list []Relative) func() string {
	return func() string {
		if len(list) == 0 {
			return ""
		}
		first := list[0]
		if name := nameNow(first); name != "" {
			first.Name = name
		}
		if n := len(list); n > 1 {
			return fmt.Sprintf("%s and %d more", first, n-1)
		}
		return first.String()
	}
}

// Alive reports whether the process still runs.
func (r Relative) Alive() bool { return nameNow(r) != "" }

// Moment is a point in time as the system records the start of processes; 0 on systems other than
// Linux.
type Moment uint64

// NewFamily returns a Family, and makes this process adopt others if the system supports it.
func NewFamily() *Family {
	return &Family{adopts: adoptOrphans(), leaders: map[int]bool{}, dead: map[member]bool{}}
}

// Start starts a program as cmd.Start does: one that begins a session of its own. The caller must
// call Wait.
func (f *Family) Start(cmd *exec.Cmd) error {
	if f == nil {
		return cmd.Start()
	}
	f.mu.Lock() // a sweep must not take the program for one that was left running
	defer f.mu.Unlock()
	err := cmd.Start()
	if err == nil {
		f.leaders[cmd.Process.Pid] = true
	}
	return err
}

// Wait waits for a program of Start as cmd.Wait does.
func (f *Family) Wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.leaders, cmd.Process.Pid)
		f.planSweep() // what the program has left may have ended
	}
	return err
}

// Left calls left if there are processes that a program of Start has started since a moment, which
// is not before its own start, and that have lost their parent or, if the program still runs, are
// its descendants. left gets them, and the function that it returns is called when all of them and
// those that they started have ended.
func (f *Family) Left(leader int, since Moment, left func([]Relative) (ended func())) {
	if f == nil {
		return
	}
	r := f.addRest(leader, since)
	if r == nil {
		return
	}
	ended := left(r.list)
	f.mu.Lock()
	defer f.mu.Unlock()
	r.ended = ended
}

// addRest adds a rest, if there is something; see Left.
func (f *Family) addRest(leader int, since Moment) *rest {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &rest{members: map[member]bool{}}
	for _, p := range f.remaining(leader, since) {
		r.members[p.member] = true
		r.list = append(r.list, Relative{PID: p.pid, Name: p.name, Began: p.began})
	}
	if len(r.list) == 0 {
		return nil
	}
	f.rests = append(f.rests, r)
	f.planSweep()
	return r
}

// Running returns what programs have left running, in words and numbers by which Alive finds it.
func (f *Family) Running() (list []Relative) {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.rests {
		for m := range r.members {
			list = append(list, relativeOf(m))
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].PID < list[j].PID })
	return slices.Compact(list)
}

// planSweep plans a sweep. Called under mu.
func (f *Family) planSweep() {
	if !f.due {
		f.due = true
		time.AfterFunc(sweepEvery, f.sweep)
	}
}

// sweep finds out which processes have ended, and plans the next sweep if some still run.
func (f *Family) sweep() {
	for _, r := range f.takeEnded() {
		r.ended() // not under mu: it may call Running
	}
}

// takeEnded removes what has ended from f.rests, and returns it.
func (f *Family) takeEnded() (ended []*rest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.due = false
	f.update()
	var rests []*rest
	for _, r := range f.rests {
		if len(r.members) > 0 || r.ended == nil {
			rests = append(rests, r)
		} else {
			ended = append(ended, r)
		}
	}
	f.rests = rests
	if len(rests)+len(f.dead) > 0 {
		f.planSweep()
	}
	return ended
}

// belongs reports whether a process was certainly started by a program that has left it running.
// Called under mu.
func (f *Family) belongs(m member) bool {
	for _, r := range f.rests {
		if r.members[m] {
			return true
		}
	}
	return false
}
