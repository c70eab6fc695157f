package process

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
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
	parent, session int
}

// processes returns all that run. Source: proc_pid_stat(5).
func processes() (list []stat) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		b, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		// pid (name) state ppid pgrp session ... starttime: the name may hold anything
		s := string(b)
		const starttime = 22 - 3 // the fields are counted from 1, and two stand before the state
		f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		if len(f) <= starttime || f[0] == "Z" {
			continue
		}
		var p stat
		p.pid, _ = strconv.Atoi(name)
		p.parent, _ = strconv.Atoi(f[1])
		p.session, _ = strconv.Atoi(f[3])
		p.began = f[starttime]
		list = append(list, p)
	}
	return list
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

// outside returns what leader has started and what has left its process group: processes of its
// session, those in its namespace, and children of any of them.
func outside(leader int, in *space) (list []member) {
	all := processes()
	found := map[int]bool{leader: slices.ContainsFunc(all, func(p stat) bool {
		return p.pid == leader && p.session == leader // another one may have its PID now
	})}
	for more := true; more; {
		more = false
		for _, p := range all {
			if found[p.pid] || p.pid == leader || p.pid <= 1 {
				continue
			}
			if p.session == leader || found[p.parent] || in.holds(p.pid) {
				found[p.pid], more = true, true
				list = append(list, p.member)
			}
		}
	}
	return list
}

// still returns those that run.
func still(list []member) []member {
	if len(list) == 0 {
		return nil
	}
	all := processes()
	return slices.DeleteFunc(list, func(m member) bool {
		return !slices.ContainsFunc(all, func(p stat) bool { return p.member == m })
	})
}

// kill sends a signal to each.
func kill(list []member, s syscall.Signal) {
	for _, m := range list {
		_ = syscall.Kill(m.pid, s) // fails if it has ended, which is fine
	}
}
