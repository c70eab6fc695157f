// This file lifts the policy for paths that the user has approved for one program.

package fence

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"

	"github.com/agentscripts/agent/engine/realpath"
)

// Lift names paths that a program may use although the policy forbids it. They are absolute, with
// links followed. A folder includes everything in it.
type Lift struct{ Reads, Writes []string }

// reading returns the policy for a program in dir that may only read. The policy is a real one.
func (p Policy) reading(dir string) Policy {
	// the program's temporary files are in memory of its own
	p.scratch = p.ownMemory() && !below(sharedMemory, dir)
	p.Writable, p.ReadOnly, p.links = nil, nil, nil
	p.NoNetwork, p.Hosts, p.alone = true, nil, true
	return p
}

// ConfineReading is Confine for a program that may only read: it writes no files, has no network
// and no sockets, and ends no programs outside. On Linux, what it leaves running ends with it, and
// TMPDIR names an empty folder of its own in memory.
func (f *Fence) ConfineReading(cmd *exec.Cmd) error { return f.confine(cmd, Lift{}, true) }

// mostKept is how many other entries a folder may have in which a lift lets a program write: each
// of them costs a mount.
const mostKept = 300

// opened is a folder in which a program may make, change and remove some entries.
type opened struct {
	dir  string
	kept []string // its other entries, which it may not change
}

// Refuses returns which of the paths that a program reads and writes the sandbox would keep from a
// program in dir. They are absolute, with links followed. Paths that the user has no right to use
// are not among them. A hidden file that is written is among both.
func (f *Fence) Refuses(dir string, reads, writes []string) (noReads, noWrites []string) {
	m, _ := f.Method()
	if m == None {
		return nil, nil
	}
	p := f.o.Policy(dir).real().enforced(m)
	for _, path := range reads {
		if p.hides(path) && realpath.Exists(path) {
			noReads = append(noReads, path)
		}
	}
	for _, path := range writes {
		if slices.ContainsFunc(devices, func(dir string) bool { return below(dir, path) }) {
			continue
		}
		refused := p.refusedPath(path, message{write: true, deeply: true}).Verb
		if refused == "" {
			continue
		}
		noWrites = append(noWrites, path)
		if refused == Read { // it cannot be read either
			noReads = append(noReads, path)
		}
	}
	slices.Sort(noReads)
	return slices.Compact(noReads), noWrites
}

// CanLift reports whether a program in dir can be confined by ConfineBut with these paths. beside
// are folders in which it could then make new files, too. The error says why it is impossible.
func (f *Fence) CanLift(dir string, reads, writes []string) (beside []string, err error) {
	m, _ := f.Method()
	p := f.o.Policy(dir).real()
	if err := p.lift(m, Lift{reads, writes}); err != nil {
		return nil, err
	}
	for _, o := range p.opened {
		beside = append(beside, o.dir)
	}
	return beside, nil
}

// ConfineBut is Confine with a policy that is lifted for some paths.
func (f *Fence) ConfineBut(l Lift) func(cmd *exec.Cmd) error {
	return func(cmd *exec.Cmd) error { return f.confine(cmd, l, false) }
}

// hides reports whether a path is hidden, or in a hidden folder.
func (p *Policy) hides(path string) bool {
	return slices.ContainsFunc(p.Hidden, func(dir string) bool { return below(dir, path) })
}

// keeps reports whether a path cannot be written. It need not exist.
func (p *Policy) keeps(path string) bool {
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(dir string) bool { return below(dir, path) })
	}
	return !in(p.Writable) || in(p.ReadOnly) || p.hides(path)
}

// enforced returns the policy without what the method does not enforce.
func (p Policy) enforced(m Method) Policy {
	if m == Landlock {
		p.ReadOnly, p.links = nil, nil
		p.Hidden = slices.DeleteFunc(slices.Clone(p.Hidden), func(path string) bool {
			return slices.ContainsFunc(p.Writable, func(w string) bool { return below(w, path) })
		})
	}
	return p
}

// lift changes the policy so that a program may use the paths of l. It fails if the program could
// then change other files that exist, or make protected ones.
func (p *Policy) lift(m Method, l Lift) error {
	p.Hidden, p.ReadOnly = slices.Clone(p.Hidden), slices.Clone(p.ReadOnly)
	p.links = slices.Clone(p.links)
	for _, path := range slices.Concat(l.Reads, l.Writes) {
		dir := filepath.Dir(path)
		if to, _ := realpath.Of(dir); to != dir {
			return fmt.Errorf("%s leads elsewhere by now", path)
		}
	}
	for _, path := range l.Reads {
		if err := p.showPath(path); err != nil {
			return err
		}
	}
	for _, path := range l.Writes {
		if err := p.openFor(m, path); err != nil {
			return err
		}
	}
	sort.Slice(p.opened, func(i, j int) bool { // folders before their contents
		return len(p.opened[i].dir) < len(p.opened[j].dir)
	})
	return nil
}

// showPath makes a path readable: other entries of the hidden folder that it is in stay hidden.
func (p *Policy) showPath(path string) error {
	i := slices.IndexFunc(p.Hidden, func(dir string) bool { return below(dir, path) })
	if i < 0 {
		return nil
	}
	dir := p.Hidden[i]
	p.Hidden = slices.Delete(p.Hidden, i, i+1)
	for dir != path && realpath.Exists(dir) {
		next, err := p.stepTo(&dir, path)
		if err != nil {
			return err
		}
		p.Hidden = append(p.Hidden, next...)
	}
	return nil
}

// stepTo changes dir, a folder above path, to its entry that is path or above it, and returns its
// other entries.
func (p *Policy) stepTo(dir *string, path string) (others []string, err error) {
	entries, err := os.ReadDir(*dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > mostKept {
		return nil, fmt.Errorf("%s has more than %d entries", *dir, mostKept)
	}
	next := filepath.Join(*dir, firstName(*dir, path))
	for _, e := range entries {
		if one := filepath.Join(*dir, e.Name()); one != next {
			others = append(others, one)
		}
	}
	*dir = next
	return others, nil
}

// firstName returns the first name of the way from dir to path.
func firstName(dir, path string) string {
	rel, _ := realpath.Below(dir, path)
	for i := range len(rel) {
		if rel[i] == '/' {
			return rel[:i]
		}
	}
	return rel
}

// openFor makes a path writable.
func (p *Policy) openFor(m Method, path string) error {
	if !p.keeps(path) {
		return nil
	}
	if m == Landlock {
		return fmt.Errorf("%s alone cannot do that", m)
	}
	if err := p.showPath(path); err != nil {
		return err
	}
	exception := func(one string) bool { return below(path, one) }
	p.ReadOnly = slices.DeleteFunc(p.ReadOnly, exception)
	p.links = slices.DeleteFunc(p.links, exception)
	if slices.ContainsFunc(p.Hidden, exception) {
		return fmt.Errorf("there are hidden files in %s", path)
	}
	if !p.keeps(path) {
		return nil
	}
	dir := filepath.Dir(path)
	for !realpath.IsDir(dir) {
		dir = filepath.Dir(dir)
	}
	return p.openIn(m, dir, path)
}

// openIn lets a program make, change and remove the entry of a folder that is path or above it.
func (p *Policy) openIn(m Method, dir, path string) error {
	entry := filepath.Join(dir, firstName(dir, path))
	if i := slices.IndexFunc(p.opened, func(o opened) bool { return o.dir == dir }); i >= 0 {
		o := &p.opened[i]
		o.kept = slices.DeleteFunc(o.kept, func(one string) bool { return one == entry })
		return nil
	}
	if dir == string(filepath.Separator) {
		return errors.New("no entry of the folder / can be opened alone")
	}
	for _, one := range p.Writable {
		if below(dir, one) {
			return fmt.Errorf("%s holds folders that programs may write", dir)
		}
	}
	if missing := p.missingIn(dir, path); missing != "" {
		return fmt.Errorf("a program could make %s, too", missing)
	}
	at := dir
	kept, err := p.stepTo(&at, entry)
	if err != nil {
		return err
	}
	if m == Bubblewrap {
		for _, one := range kept {
			if info, err := os.Lstat(one); err == nil && info.Mode()&os.ModeSymlink != 0 {
				return fmt.Errorf("%s is a link, which %s cannot protect", one, m)
			}
		}
	}
	p.opened = append(p.opened, opened{dir, kept})
	return nil
}

// missingIn returns a protected path that does not exist, and that a program could make which may
// make entries of dir; "" if there is none. path, and what it is in, may be made.
func (p *Policy) missingIn(dir, path string) string {
	for _, one := range p.named {
		to, ok := realpath.Of(one)
		if !ok || realpath.Exists(to) || !below(dir, to) || below(to, path) {
			continue
		}
		above := filepath.Dir(to)
		for !realpath.Exists(above) {
			above = filepath.Dir(above)
		}
		if above == dir {
			return to
		}
	}
	return ""
}
