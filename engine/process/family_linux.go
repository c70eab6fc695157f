// This file finds the processes that programs left running, and waits for those that have ended.

package process

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// adoptOrphans makes processes that lose their parent children of this process. It returns false if
// the system does not support it. Source: prctl(2).
func adoptOrphans() bool {
	const setChildSubreaper = 36
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0, 0, 0)
	_, err := os.Stat("/proc/self/stat")
	return errno == 0 && err == nil
}

// Now returns the current moment.
func Now() Moment {
	const boottime, ticks = 7, 100 // CLOCK_BOOTTIME; /proc counts hundredths of seconds
	var t syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, boottime,
		uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		return 0
	}
	return Moment(t.Nano() / (1e9 / ticks))
}

// children returns the children of this process, also those that have ended.
func children() (list []stat) {
	files, _ := filepath.Glob("/proc/self/task/*/children")
	if len(files) == 0 { // the kernel was built without them
		self := os.Getpid()
		return slices.DeleteFunc(processes(), func(p stat) bool { return p.parent != self })
	}
	for _, file := range files {
		b, _ := os.ReadFile(file)
		for _, name := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(name); err == nil {
				if p, ok := readStat(pid); ok {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// adopted returns the children of this process that it has not started, and those of them that have
// ended. What a program of Start starts cannot come back to the session of this process, which
// children have that others started. It looks twice: while a child ends, the system may leave out
// others. Source: proc_tid_children(5). Called under mu.
func (f *Family) adopted() (list, ended []stat) {
	const sidOfSelf = 0
	session, _, _ := syscall.RawSyscall(syscall.SYS_GETSID, sidOfSelf, 0, 0)
	seen := map[int]bool{}
	for _, p := range append(children(), children()...) {
		switch {
		case seen[p.pid]:
		case f.leaders[p.pid] || p.session == int(session):
		case p.ended:
			ended = append(ended, p)
		default:
			list = append(list, p)
		}
		seen[p.pid] = true
	}
	return list, ended
}

// reap waits for children that had ended at the last sweep: other code of this process may have
// started those that have ended since then, in a session of their own. Called under mu.
func (f *Family) reap(ended []stat) {
	dead := map[member]bool{}
	for _, p := range ended {
		if f.dead[p.member] {
			// this PID only: package os waits for others
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		} else {
			dead[p.member] = true
		}
	}
	f.dead = dead
}

// nameNow returns the name of a process, "" if it has ended.
func nameNow(r Relative) string {
	if p, ok := readStat(r.PID); ok && !p.ended && p.began == r.Began {
		return p.name
	}
	return ""
}

// relativeOf describes a process.
func relativeOf(m member) Relative {
	p, _ := readStat(m.pid)
	return Relative{PID: m.pid, Name: p.name, Began: m.began}
}

// remaining returns what Left passes to its function. Called under mu.
func (f *Family) remaining(leader int, since Moment) (list []stat) {
	add := func(p stat) {
		if p.start >= since && !f.belongs(p.member) {
			list = append(list, p)
		}
	}
	adopted, _ := f.adopted()
	for _, p := range adopted {
		add(p)
	}
	if f.leaders[leader] {
		for _, p := range startedBy(leader, nil, nil) {
			add(p)
		}
	}
	return list
}

// update waits for children that have ended, and removes members that have. Their children have
// become children of this process. Called under mu.
func (f *Family) update() {
	adopted, ended := f.adopted()
	f.reap(ended)
	for _, r := range f.rests {
		lost := false
		for m := range r.members {
			if p, ok := readStat(m.pid); !ok || p.ended || p.member != m {
				delete(r.members, m)
				lost = true
			}
		}
		for _, p := range adopted {
			if lost && !r.members[p.member] && !f.belongs(p.member) {
				r.members[p.member] = false
			}
		}
	}
}

// leavesNothing reports whether no program that was started since a moment has certainly left
// anything running.
func (f *Family) leavesNothing(since Moment) bool {
	if f == nil || !f.adopts {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	adopted, _ := f.adopted()
	return !slices.ContainsFunc(adopted, func(p stat) bool { return p.start >= since })
}
