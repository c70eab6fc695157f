package process

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// otherGroups returns the process groups of the session of leader, except its own.
func otherGroups(leader int) (groups []int) {
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
		// pid (name) state ppid pgrp session ...: the name may hold anything. Source:
		// proc_pid_stat(5).
		s := string(b)
		f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		if len(f) < 4 || f[0] == "Z" {
			continue
		}
		group, _ := strconv.Atoi(f[2])
		if session, _ := strconv.Atoi(f[3]); session == leader && group != leader && group > 1 &&
			!slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	return groups
}
