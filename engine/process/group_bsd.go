//go:build unix && !linux

package process

import (
	"os"
	"strconv"
	"syscall"
)

// A member stands for a process group: this system does not tell whose processes those are that
// have left it.
type member struct {
	pid   int
	began string
}

// space is a namespace, which this system does not have.
type space struct{}

// Parents returns the process that this one descends from: this system tells no more.
func Parents() []int { return []int{os.Getppid()} }

// ownSpace returns nil.
func ownSpace(int) *space { return nil }

func (*space) release() {}

// sessionRuns reports whether the group that leader led has processes.
func sessionRuns(leader int) bool { return runs(leader) }

// groupIn returns leader: it is the program.
func groupIn(leader int) int { return leader }

// leavesNothing returns false: this system does not tell.
func (f *Family) leavesNothing(Moment) bool { return false }

// outside returns nil: finding what has left a process group is expensive on this system.
func outside(int, *space, []member) []member { return nil }

func still([]member) []member { return nil }

func kill([]member, syscall.Signal) {}

// adoptOrphans returns false.
func adoptOrphans() bool { return false }

// nameNow returns the name of a group, "" if it has ended.
func nameNow(r Relative) string {
	if !runs(r.PID) {
		return ""
	}
	return relativeOf(member{pid: r.PID}).Name
}

// relativeOf describes a group.
func relativeOf(m member) Relative {
	return Relative{PID: m.pid, Name: "group " + strconv.Itoa(m.pid)}
}

// Now returns 0.
func Now() Moment { return 0 }

// stat describes a process.
type stat struct {
	member
	name string
}

// remaining returns the process group of a program that has ended, if it has processes.
func (f *Family) remaining(leader int, _ Moment) []stat {
	if f.leaders[leader] || !runs(leader) {
		return nil
	}
	return []stat{{member{pid: leader}, relativeOf(member{pid: leader}).Name}}
}

// update removes the groups that have ended. Called under mu.
func (f *Family) update() {
	for _, r := range f.rests {
		for m := range r.members {
			if !runs(m.pid) {
				delete(r.members, m)
			}
		}
	}
}
