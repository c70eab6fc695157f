package fence

import (
	"path/filepath"
	"slices"

	"github.com/agentscripts/agent/engine/realpath"
)

// Policy says what a program may do. Paths are absolute. A path names a file, or a folder with
// everything below it; one that does not exist is left out.
type Policy struct {
	Writable []string // everything else is not writable
	ReadOnly []string // exceptions from Writable
	Hidden   []string // files cannot be opened, and folders cannot be listed
	// NoNetwork leaves only a loopback interface of the program's own, and a proxy to Hosts.
	NoNetwork bool
	// Hosts are reachable despite NoNetwork, for programs that obey the usual variables for
	// proxies. The syntax is that of web.Client.Hosts.
	Hosts []string

	links []string // links to paths in ReadOnly: programs cannot replace them
	// the paths of ReadOnly and Hidden as they were given, also those that do not exist
	named  []string
	opened []opened // by a Lift
	proxy  string   // the setting of a proxy; "" = there is none
	space  string   // the setting for protecting paths again: see Fence.addHold; "" = there is none
	// the program reaches no other programs: not by signals, not by sockets
	alone   bool
	scratch bool // with alone: the program may write an empty folder of shared memory
}

// real returns the policy with links followed, without duplicates and missing paths.
func (p Policy) real() Policy {
	named := p.ReadOnly
	p.named = slices.Concat(p.ReadOnly, p.Hidden)
	var now realpath.Resolver
	p.Writable, p.ReadOnly = realAll(&now, p.Writable), realAll(&now, p.ReadOnly)
	p.Hidden = realAll(&now, p.Hidden)
	p.Writable = slices.DeleteFunc(p.Writable, func(path string) bool {
		return slices.ContainsFunc(p.ReadOnly, func(dir string) bool { return below(dir, path) })
	})
	// what lies in another writable folder is writable anyway: each mount takes bwrap 0.1 ms
	p.Writable = slices.DeleteFunc(p.Writable, func(path string) bool {
		return slices.ContainsFunc(p.Writable, func(dir string) bool {
			return dir != path && below(dir, path)
		})
	})
	inside := func(path string) bool {
		return slices.ContainsFunc(p.Writable, func(dir string) bool { return below(dir, path) })
	}
	// outside of writable folders everything is read-only anyway
	p.ReadOnly = slices.DeleteFunc(p.ReadOnly, func(path string) bool { return !inside(path) })
	p.links = nil
	for _, path := range named {
		for _, link := range now.Links(path) {
			if inside(link) && !slices.Contains(p.links, link) {
				p.links = append(p.links, link)
			}
		}
	}
	// a path in a hidden folder is hidden with it, and cannot be mounted over
	hidden := make(map[string]bool, len(p.Hidden))
	for _, path := range p.Hidden {
		hidden[path] = true
	}
	p.Hidden = slices.DeleteFunc(p.Hidden, func(path string) bool {
		for dir := filepath.Dir(path); dir != path; path, dir = dir, filepath.Dir(dir) {
			if hidden[dir] {
				return true
			}
		}
		return false
	})
	return p
}

// readOnly returns the paths of ReadOnly that need a mount of their own: others lie in one of
// those, or are hidden. It is for the policy of one program, after a lift.
func (p Policy) readOnly() []string {
	return slices.DeleteFunc(slices.Clone(p.ReadOnly), func(path string) bool {
		return p.hides(path) || slices.ContainsFunc(p.ReadOnly, func(dir string) bool {
			return dir != path && below(dir, path)
		})
	})
}

// pinned returns the writable paths, and the folders between them and exceptions below them. A
// mount on each of those keeps it from being renamed, which would take the exception away.
func (p Policy) pinned() []string {
	list := slices.Clone(p.Writable)
	seen := map[string]bool{}
	for _, path := range slices.Concat(p.readOnly(), p.Hidden, p.links) {
		// also folders above a writable folder that lies in another one
		for dir := filepath.Dir(path); !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			if !slices.ContainsFunc(p.Writable, func(w string) bool { return below(w, dir) }) {
				break
			}
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// realAll returns the paths that exist, with links followed, sorted and without duplicates.
func realAll(now *realpath.Resolver, paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		if to := now.Existing(path); to != "" {
			out = append(out, to)
		}
	}
	slices.Sort(out) // folders before their contents
	return slices.Compact(out)
}

// below reports whether path is dir or lies below it. Both are clean.
func below(dir, path string) bool {
	_, ok := realpath.Below(dir, path)
	return ok
}

// sharedMemory is the folder of shared memory of all programs: confined ones get an empty one.
const sharedMemory = "/dev/shm"

// ownMemory reports whether the program gets an empty folder of shared memory: unless the project,
// for example, lies in that of all programs.
func (p Policy) ownMemory() bool {
	if p.alone {
		return p.scratch
	}
	return !slices.ContainsFunc(p.Writable, func(w string) bool { return below(sharedMemory, w) })
}

// devices returns the devices that the program may write.
func (p Policy) devices() []string {
	if p.alone && !p.scratch {
		return slices.DeleteFunc(slices.Clone(devices), func(path string) bool {
			return path == sharedMemory
		})
	}
	return devices
}

// devices are the devices that programs may write: none of them stores data.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	"/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}
