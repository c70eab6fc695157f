// This file tells other agents with the same home that a tool is running that may write scripts.

package load

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/regularfile"
)

// beacon is a file of this loader in a folder that all agents share. Its name has the time when a
// tool started, it is locked while a tool runs, and its modification time is when the last tool
// ended. Another agent does not treat files that were written in this time, and until
// mutationWindow later, as saves of the user. The operating system releases the lock of a process
// that ends; the file stays for beaconKept, so that agents that check later, or start later, know
// when tools ran. It lists the processes that tools have left running: if the agent ends before
// them, they count as running for the next agent, which cannot know when they ended.
type beacon struct {
	dir string // "" = there are no other agents
	own string // what the names of its files begin with

	mu      sync.Mutex
	path    string // of file
	working int
	family  *process.Family
	file    *os.File // locked; nil = no tool is running
	listed  string   // the content of file
	off     *time.Timer
	beat    *time.Timer
}

// beatEvery is the interval at which the file's modification time is updated while a tool runs: it
// records, to the second, when an agent was killed.
const beatEvery = time.Second

// beaconKept is how long a file stays after its tools have ended: longer than another agent needs
// to check a changed script on a busy machine.
const beaconKept = time.Minute

func newBeacon(home string, family *process.Family) *beacon {
	return &beacon{dir: under(home, "state", "tools"), family: family,
		own: fmt.Sprintf("%d-%x-", os.Getpid(), time.Now().UnixNano())}
}

// setWorking records that a tool has started, or that it has ended. Failures are ignored: then
// other agents load what they would load without this file.
func (b *beacon) setWorking(working bool) {
	if b.dir == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !working {
		if b.working--; b.working == 0 && b.file != nil {
			b.beat.Stop()
			b.writeList("")
			now := time.Now()
			_ = os.Chtimes(b.path, now, now)
			b.off = time.AfterFunc(mutationWindow, b.release)
		}
		return
	}
	if b.working++; b.working > 1 {
		b.updateList() // this may be what a tool has left running
		return
	}
	if b.off != nil {
		b.off.Stop()
	}
	for range lightTries {
		if b.file != nil || os.MkdirAll(b.dir, 0o700) != nil {
			break
		}
		b.path = filepath.Join(b.dir, fmt.Sprintf("%s%x", b.own, time.Now().UnixNano()))
		b.file = lockedFile(b.path)
	}
	if b.file != nil {
		b.stamp()
	}
}

// updateList writes which processes tools have left running. Under b.mu.
func (b *beacon) updateList() {
	var list strings.Builder
	for _, r := range b.family.Running() {
		fmt.Fprintf(&list, "%d %s %s\n", r.PID, cmp.Or(r.Began, "-"), plain.Line(r.Name, 100))
	}
	b.writeList(list.String())
}

// writeList replaces the list of processes in the file. Under b.mu.
func (b *beacon) writeList(list string) {
	if b.file != nil && list != b.listed && b.file.Truncate(0) == nil {
		_, _ = b.file.WriteAt([]byte(list), 0)
		b.listed = list
	}
}

// stamp updates the list of processes and the modification time, and calls itself again after
// beatEvery. Under b.mu.
func (b *beacon) stamp() {
	b.updateList()
	next := time.Now().Add(beatEvery)
	_ = os.Chtimes(b.path, next, next)
	b.beat = time.AfterFunc(beatEvery, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.working > 0 && b.file != nil {
			b.stamp()
		}
	})
}

// lightTries is how often creating the file is tried: another agent may remove it before it is
// locked.
const lightTries = 3

// lockedFile creates and locks a file; it returns nil on failure.
func lockedFile(path string) *os.File {
	file, err := regularfile.Open(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil
	}
	if filelock.Try(file) == nil {
		is, err := file.Stat()
		if now, gone := os.Stat(path); err == nil && gone == nil && os.SameFile(is, now) {
			return file
		}
	}
	_ = filelock.Close(file)
	return nil
}

// release unlocks the file if no tool is running, and removes it later.
func (b *beacon) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.working > 0 || b.file == nil {
		return
	}
	_ = filelock.Close(b.file)
	b.file, b.listed = nil, ""
	path := b.path
	time.AfterFunc(beaconKept, func() { removeUnlocked(path) })
}

// otherTool is a tool whose name is not known.
const otherTool = "a tool of another agent"

// others returns in words which tool of another agent, or process that it has left, was running at
// a time, or had ended less than after before; "" if there was none. It asks for the time only if
// there are such tools: usually there are none.
func (b *beacon) others(at func() time.Time, after time.Duration) (who string) {
	at = sync.OnceValue(at)
	b.visit(func(l light) {
		if !at().Add(changes.StampLag).Before(l.began) && at().Sub(l.ended) < after {
			who = cmp.Or(who, l.who)
		}
	})
	return who
}

// ToolAtWork reports whether an agent with that home is running a tool that may run any program.
// What a tool had left running, and has ended since, is no work any more.
func ToolAtWork(home string) (working bool) {
	newBeacon(absolute(home), nil).visit(func(l light) {
		working = working || l.working
	})
	return working
}

// StartedByTool reports whether this process descends from an agent with that home that is running
// a tool. A terminal does not show that the user is there: a program such as script makes one.
func StartedByTool(home string) (started bool) {
	parents := process.Parents()
	newBeacon(absolute(home), nil).visit(func(l light) {
		agent, _, _ := strings.Cut(filepath.Base(l.path), "-")
		pid, err := strconv.Atoi(agent)
		started = started || l.running && err == nil && slices.Contains(parents, pid)
	})
	return started
}

// removeLeft removes the files of processes that have ended, after files that were written in their
// time have been checked.
func (b *beacon) removeLeft() {
	b.visit(func(l light) {
		if l.over || time.Since(l.ended) > beaconKept {
			removeUnlocked(l.path)
		}
	})
}

// light is what the file of another agent says.
type light struct {
	path         string
	began, ended time.Time // ended is now, if something runs or may have run until now
	who          string    // that ran
	running      bool      // that tool is running, or has just ended
	working      bool      // that tool, or a process that it has left, is running
	over         bool      // what the agent had left running when it ended has ended, too
}

// visit calls f with what the file of each other agent says.
func (b *beacon) visit(f func(light)) {
	if b.dir == "" {
		return
	}
	list, _ := os.ReadDir(b.dir)
	for _, one := range list {
		path := filepath.Join(b.dir, one.Name())
		info, err := one.Info()
		if strings.HasPrefix(one.Name(), b.own) || err != nil {
			continue
		}
		nanos := one.Name()[strings.LastIndexByte(one.Name(), '-')+1:]
		began, err := strconv.ParseInt(nanos, 16, 64)
		if err != nil {
			began = info.ModTime().UnixNano()
		}
		l := light{path: path, began: time.Unix(0, began), ended: info.ModTime(), who: otherTool}
		if l.running = locked(path); l.running {
			l.working = info.ModTime().After(time.Now()) // see stamp
			l.ended = latest(l.ended, time.Now())
		} else if left, alive := listed(path); left != "" {
			l.who, l.over, l.working = left+", left by an agent that has ended,", !alive, alive
			l.ended = latest(l.ended, time.Now())
		}
		f(l)
	}
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// listed returns one of the processes that a file lists, in words, and whether any of them runs.
func listed(path string) (one string, alive bool) {
	text, _ := regularfile.Read(path)
	for line := range strings.Lines(string(text)) {
		pid, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		r := process.Relative{}
		r.Began, r.Name, _ = strings.Cut(rest, " ")
		if r.PID, _ = strconv.Atoi(pid); r.PID <= 0 {
			continue
		}
		if r.Alive() {
			return r.String(), true
		}
		one = r.String()
	}
	return one, false
}

func locked(path string) bool {
	file, err := regularfile.Open(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	if filelock.Try(file) != nil {
		file.Close()
		return true
	}
	_ = filelock.Close(file)
	return false
}

// removeUnlocked removes the file of a process that has ended.
func removeUnlocked(path string) {
	file, err := regularfile.Open(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	if filelock.Try(file) == nil {
		os.Remove(path)
	}
	_ = filelock.Close(file)
}
