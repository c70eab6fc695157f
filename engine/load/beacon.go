// This file tells other agents with the same home that a tool is at work that may write scripts.

package load

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/filelock"
)

// beacon is a file of this loader in a folder of all agents. It is locked while a tool is at work,
// and its time of modification is when the last one ended: until mutationWindow after that, another
// agent does not take what the tool wrote for a save of the user. The operating system releases the
// lock of a process that ends.
type beacon struct {
	dir  string // "" = there are no other agents
	path string

	mu      sync.Mutex
	working int
	file    *os.File // locked; nil = no tool is at work
	off     *time.Timer
}

func newBeacon(home string) *beacon {
	b := &beacon{dir: under(home, "state", "tools")}
	b.path = under(b.dir, fmt.Sprintf("%d-%x", os.Getpid(), time.Now().UnixNano()))
	return b
}

// light is told that a tool begins to work, or has ended. Failures are ignored: then other agents
// load what they would load without this file.
func (b *beacon) light(working bool) {
	if b.dir == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !working {
		if b.working--; b.working == 0 {
			now := time.Now()
			_ = os.Chtimes(b.path, now, now)
			b.off = time.AfterFunc(mutationWindow, b.dim)
		}
		return
	}
	if b.working++; b.off != nil {
		b.off.Stop()
	}
	for range lightTries {
		if b.file != nil || os.MkdirAll(b.dir, 0o700) != nil {
			return
		}
		b.file = lockedFile(b.path)
	}
}

// lightTries is how often to create the file: another agent may remove it before it is locked.
const lightTries = 3

// lockedFile creates and locks a file; nil if it cannot.
func lockedFile(path string) *os.File {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
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

// dim removes the file if no tool is at work.
func (b *beacon) dim() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.working > 0 || b.file == nil {
		return
	}
	os.Remove(b.path)
	_ = filelock.Close(b.file)
	b.file = nil
}

// others reports whether a tool of another agent is at work.
func (b *beacon) others() bool {
	if b.dir == "" {
		return false
	}
	list, _ := os.ReadDir(b.dir)
	for _, one := range list {
		path := filepath.Join(b.dir, one.Name())
		info, err := one.Info()
		if path == b.path || err != nil {
			continue
		}
		if time.Since(info.ModTime()) < mutationWindow {
			return true
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if filelock.Try(file) != nil {
			file.Close()
			return true
		}
		os.Remove(path) // of a process that has ended
		_ = filelock.Close(file)
	}
	return false
}
