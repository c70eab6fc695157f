// This file tells other agents with the same home that a tool is running that may write scripts.

package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/regularfile"
)

// beacon is a file of this loader in a folder that all agents share. Its name has the time when a
// tool started, it is locked while a tool runs, and its modification time is when the last tool
// ended. Another agent does not treat files that were written in this time, and until
// mutationWindow later, as saves of the user. The operating system releases the lock of a process
// that ends; the file stays for beaconKept, so that agents that check later, or start later, know
// when tools ran.
type beacon struct {
	dir string // "" = there are no other agents
	own string // what the names of its files begin with

	mu      sync.Mutex
	path    string // of file
	working int
	file    *os.File // locked; nil = no tool is running
	off     *time.Timer
	beat    *time.Timer
}

// beatEvery is the interval at which the file's modification time is updated while a tool runs: it
// records, to the second, when an agent was killed.
const beatEvery = time.Second

// beaconKept is how long a file stays after its tools have ended: longer than another agent needs
// to check a changed script on a busy machine.
const beaconKept = time.Minute

func newBeacon(home string) *beacon {
	return &beacon{dir: under(home, "state", "tools"),
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
			now := time.Now()
			_ = os.Chtimes(b.path, now, now)
			b.off = time.AfterFunc(mutationWindow, b.release)
		}
		return
	}
	if b.working++; b.working > 1 {
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

// stamp updates the modification time, and calls itself again after beatEvery. Under b.mu.
func (b *beacon) stamp() {
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
	b.file = nil
	path := b.path
	time.AfterFunc(beaconKept, func() { removeUnlocked(path) })
}

// others reports whether a tool of another agent was running at a time, or had ended less than
// after before. It asks for the time only if there are such tools: usually there are none.
func (b *beacon) others(at func() time.Time, after time.Duration) bool {
	found := false
	at = sync.OnceValue(at)
	b.visit(func(_ string, began, ended time.Time) {
		found = found || !at().Add(changes.StampLag).Before(began) && at().Sub(ended) < after
	})
	return found
}

// ToolAtWork reports whether an agent with that home is running a tool that may run any program.
func ToolAtWork(home string) bool {
	b := newBeacon(absolute(home))
	return b.others(time.Now, 0)
}

// removeLeft removes the files of processes that have ended, after files that were written in their
// time have been checked.
func (b *beacon) removeLeft() {
	b.visit(func(path string, _, ended time.Time) {
		if time.Since(ended) > beaconKept {
			removeUnlocked(path)
		}
	})
}

// visit calls f with the file of each other agent, and with the time in which its tools ran, up to
// now if one still runs.
func (b *beacon) visit(f func(path string, began, ended time.Time)) {
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
		ended := info.ModTime()
		if locked(path) && time.Now().After(ended) {
			ended = time.Now()
		}
		f(path, time.Unix(0, began), ended)
	}
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
