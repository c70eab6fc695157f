// This file implements edit leases, under which each save of a project's script is loaded without a
// review.

package load

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/trust"
)

// leases are the edit leases of a project, as they were read.
type leases struct {
	list []trust.Lease
	head gitdir.Position // zero without leases
	err  error
}

func (p *Project) leases() (out leases) {
	out.list, out.err = trust.NewLeases(p.Home).In(p.Root)
	if len(out.list) > 0 {
		repo, _ := gitdir.Find(p.Root)
		out.head = repo.Position()
	}
	return out
}

// leaseOf returns the lease of a script, nil if there is none, and whether it still lasts.
func (x *leases) leaseOf(path string) (lease *trust.Lease, lasts bool) {
	for i := range x.list {
		if x.list[i].Path == path {
			return &x.list[i], x.list[i].Head == x.head.ID
		}
	}
	return nil, false
}

// edited reports whether the script's file is in force because of an edit lease. A change that a
// tool of the agent may have made is not the user's save, and waits for a review. Under p.mu.
func (p *Project) edited(s *ProjectScript, x *leases) bool {
	lease, lasts := x.leaseOf(s.Path)
	if lease == nil {
		return false
	}
	if !lasts {
		s.ended = true
		p.keepEdited(s)
		return false
	}
	for _, hash := range lease.Tools {
		if hash == s.SHA256 {
			return false
		}
	}
	before := p.seen[s.Path]
	if p.seen == nil {
		p.seen = map[string]*ProjectScript{}
	}
	byTool := false
	if l := p.loader; l != nil && (before == nil || before.SHA256 != s.SHA256) {
		var since time.Time
		if before != nil {
			since = l.review.lastLook()
		}
		tool, user := l.review.changer(&found{path: s.Path}, &entry{modules: s.paths}, since)
		byTool = tool != "" && !user
	}
	if byTool {
		// even if it cannot be stored, the bytes wait until the next start
		x.err = errors.Join(x.err, trust.NewLeases(p.Home).NoteTool(s.Root, s.Path, s.SHA256))
		lease.Tools = append(lease.Tools, s.SHA256)
		return false
	}
	p.seen[s.Path] = s
	return true
}

// keepEdited keeps the version that was loaded last under a lease until the program ends, if there
// is no trusted version: a tool that moves HEAD must not remove a guard. Under p.mu.
func (p *Project) keepEdited(s *ProjectScript) {
	last := p.seen[s.Path]
	if _, trusted := p.decided.Trusted(s.Root, s.Path); trusted || last == nil {
		return
	}
	if p.once == nil {
		p.once = map[string]*ProjectScript{}
	}
	p.once[s.Path] = last
	delete(p.seen, s.Path)
}

// BeginLease starts an edit lease: each save of the script in a file is loaded, until HEAD moves.
func (p *Project) BeginLease(file string) (name string, err error) {
	path, err := p.leasable(file)
	if err != nil {
		return "", err
	}
	return filepath.Base(path), p.enforce(trust.NewLeases(p.Home).Begin(p.Root, path))
}

// EndLease ends an edit lease.
func (p *Project) EndLease(file string) (name string, err error) {
	path, err := p.leasable(file)
	if err != nil {
		return "", err
	}
	found := p.leases()
	if lease, _ := found.leaseOf(path); lease == nil {
		return "", errors.Join(found.err,
			fmt.Errorf("there is no edit lease of %s", filepath.Base(path)))
	}
	p.forgetOnce([]*ProjectScript{{Item: trust.Item{Path: path}}})
	return filepath.Base(path), p.enforce(trust.NewLeases(p.Home).End(p.Root, path))
}

// leasable returns the path of a script of the project, given its name or path.
func (p *Project) leasable(file string) (string, error) {
	path := absolute(file)
	if filepath.Base(file) == file && filepath.Dir(path) != p.Dir() {
		path = filepath.Join(p.Dir(), file)
	}
	switch {
	case !realpath.Same(filepath.Dir(path), p.Dir()):
		return "", fmt.Errorf("%s is not a script of the project: those are in %s", file, p.Dir())
	case realpath.Same(p.Dir(), under(p.Home, "scripts")):
		return "", fmt.Errorf("%s is your own script, which is loaded at each save anyway", file)
	case p.runtime(filepath.Base(path)) == nil:
		return "", fmt.Errorf("%s is not a script: names of scripts end in .lua, .js or .ts", file)
	}
	return filepath.Join(p.Dir(), filepath.Base(path)), nil
}
