package process

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine/plain"
)

// A member is a process that a command has started. Its start time tells it from another one that
// has its PID later.
type member struct {
	pid   int
	began string
}

// stat is what /proc/PID/stat tells of a process.
type stat struct {
	member
	name                   string
	parent, group, session int
	start                  Moment
	ended                  bool // it waits for its parent to notice its end
}

// readStat returns the process with a PID. Source: proc_pid_stat(5).
func readStat(pid int) (p stat, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	// pid (name) state ppid pgrp session ... starttime: the name may hold anything
	s := string(b)
	begin, end := strings.IndexByte(s, '('), strings.LastIndexByte(s, ')')
	const starttime = 22 - 3 // the fields are counted from 1, and two stand before the state
	f := strings.Fields(s[end+1:])
	if begin < 0 || end < begin || len(f) <= starttime {
		return stat{}, false
	}
	p.pid, p.name, p.ended = pid, plain.Text(s[begin+1:end]), f[0] == "Z" || f[0] == "X"
	p.parent, _ = strconv.Atoi(f[1])
	p.group, _ = strconv.Atoi(f[2])
	p.session, _ = strconv.Atoi(f[3])
	p.began = f[starttime]
	start, _ := strconv.ParseUint(p.began, 10, 64)
	p.start = Moment(start)
	return p, true
}

// Parents returns the processes that this one descends from, the nearest first. A process whose
// parent has ended belongs to the agent that started it: see adoptOrphans.
func Parents() (list []int) {
	for pid := os.Getppid(); pid > 0 && !slices.Contains(list, pid); {
		list = append(list, pid)
		p, _ := readStat(pid)
		pid = p.parent
	}
	return list
}

// processIDs returns the PIDs of all processes, also of those that have ended and that no one has
// waited for.
func processIDs() (list []int) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// processes returns the processes of processIDs.
func processes() (list []stat) {
	for _, pid := range processIDs() {
		if p, ok := readStat(pid); ok {
			list = append(list, p)
		}
	}
	return list
}

// running returns all processes that have not ended.
func running() []stat {
	return slices.DeleteFunc(processes(), func(p stat) bool { return p.ended })
}

// space is the mount namespace of a program, if it was made for the program: then all that runs in
// it comes from there. nil = it was not.
type space struct {
	file *os.File // keeps the kernel from giving its number to another namespace
	name string
}

// ownSpace returns the mount namespace of a program if it is not ours.
func ownSpace(pid int) *space {
	ours, err := spaceOf(os.Getpid())
	if err != nil {
		return nil
	}
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/ns/mnt")
	if err != nil {
		return nil
	}
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil || name == ours {
		f.Close()
		return nil
	}
	return &space{f, name}
}

// release lets the kernel remove the namespace with its last process.
func (s *space) release() {
	if s != nil {
		s.file.Close()
	}
}

// holds reports whether a process runs in the namespace.
func (s *space) holds(pid int) bool {
	if s == nil {
		return false
	}
	its, err := spaceOf(pid)
	return err == nil && its == s.name
}

func spaceOf(pid int) (string, error) {
	return os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/mnt")
}

// startedBy returns the processes that leader has started: those of its session and in its
// namespace, those in also, and descendants of any of them.
func startedBy(leader int, in *space, also []member) (list []stat) {
	all := running()
	found := map[int]bool{leader: slices.ContainsFunc(all, func(p stat) bool {
		return p.pid == leader && p.session == leader // another one may have its PID now
	})}
	for more := true; more; {
		more = false
		for _, p := range all {
			if found[p.pid] || p.pid == leader || p.pid <= 1 {
				continue
			}
			if p.session == leader || found[p.parent] || in.holds(p.pid) ||
				slices.Contains(also, p.member) {
				found[p.pid], more = true, true
				list = append(list, p)
			}
		}
	}
	return list
}

// outside returns those of startedBy that are not in the process group of leader.
func outside(leader int, in *space, also []member) (list []member) {
	for _, p := range startedBy(leader, in, also) {
		if p.group != leader {
			list = append(list, p.member)
		}
	}
	return list
}

// sessionRuns reports whether a session has processes. It asks for the session of each process,
// which takes a fraction of the time for reading its file, and is done after each program.
func sessionRuns(leader int) bool {
	return slices.ContainsFunc(processIDs(), func(pid int) bool {
		of, _, err := syscall.RawSyscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
		if err == 0 && int(of) != leader {
			return false
		}
		p, ok := readStat(pid)
		return ok && !p.ended && p.session == leader
	})
}

// groupIn returns the process group of a program of which leader is the parent, or an ancestor;
// leader, if there is none: it has ended.
func groupIn(leader int) int {
	for {
		if p, ok := readStat(leader); !ok || p.ended {
			return leader
		}
		var first stat
		for _, p := range startedBy(leader, nil, nil) {
			if p.session == leader && p.group == p.pid &&
				(first.pid == 0 || p.start < first.start) {
				first = p
			}
		}
		if first.pid != 0 {
			return first.pid
		}
		time.Sleep(time.Millisecond)
	}
}

// still returns those that run.
func still(list []member) []member {
	return slices.DeleteFunc(list, func(m member) bool {
		p, ok := readStat(m.pid)
		return !ok || p.ended || p.member != m
	})
}

// kill sends a signal to each. Groups that one of them leads get it at once, so that no process of
// theirs is missed while it starts another.
func kill(list []member, s syscall.Signal) {
	sent := map[int]bool{}
	for _, m := range list {
		if p, ok := readStat(m.pid); ok && p.member == m && p.group == m.pid {
			sent[m.pid] = syscall.Kill(-m.pid, s) == nil
		}
	}
	for _, m := range list {
		if p, ok := readStat(m.pid); ok && p.member == m && !sent[p.group] {
			_ = syscall.Kill(m.pid, s) // fails if it has ended, which is fine
		}
	}
}
