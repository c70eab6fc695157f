// Package sandbox decides what the programs may do that the agent runs. It creates the policy of
// engine/fence from the project, the user's settings, rules and guards.
//
//	box := sandbox.New(sandbox.Options{Home: home, User: user, Project: root,
//		Config: settings.Sandbox})
//	agent.New(agent.Options{Fence: box.Fence, ...})
//
// Programs may write the project, temporary folders and the caches of common tools, and read
// everything except secrets. They cannot write protected files, also in the project: scripts, the
// agent's own settings, and the files of a repository from which git runs programs.
package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
)

// Options configures a Sandbox. Paths are absolute; "" = none.
type Options struct {
	Home    string // the agent's own directory
	User    string // the user's home
	Project string // programs may write it
	Config  config.Sandbox
	// Env returns a variable of the environment of programs; nil = os.Getenv.
	Env func(name string) string
	// Protected returns files and folders that programs must not change; nil = none.
	Protected func() []string
	// Rules returns patterns of the paths that programs must not write, and of those that they must
	// not read, in the syntax of engine/glob; nil = none.
	Rules func() (writes, reads []string)
	// By returns who named a pattern of Rules; what is "writes" or "reads". nil = that is unknown.
	By func(what, pattern string) fence.Reason
	// Rooted returns a pattern of Rules in the form in which Fence.Holds gets it; nil = unchanged.
	Rooted func(pattern string) string
	// Offline reports whether programs get no network by default; nil = they get it.
	Offline func() bool
	// Missing is called once, with a text for the user, if no sandbox works on this machine.
	Missing func(text string)
}

// Sandbox makes policies. Its methods may be called from any goroutine.
type Sandbox struct {
	Fence *fence.Fence
	o     Options

	mu      sync.Mutex
	scanner scanner
	gits    repositories // finds repositories in the project
	sockets sockets
	missed  []string // paths that rules and settings name and that are not protected, in words
}

// New returns a sandbox. It examines the system when the first program runs.
func New(o Options) *Sandbox {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Rooted == nil {
		o.Rooted = func(pattern string) string { return pattern }
	}
	s := &Sandbox{o: o, scanner: scanner{most: mostFolders},
		gits: repositories{scanner: scanner{most: mostNested, deep: nestedDepth,
			skip: []string{".git", "node_modules"}}},
		sockets: sockets{list: "/proc/net/unix"}}
	s.Fence = fence.New(fence.Options{Method: fence.Method(o.Config.Mode), Policy: s.Policy,
		Prepare: s.makeCaches, Holds: s.holds, HoldsGlob: s.holdsGlob,
		Because: s.because, Missing: s.missing})
	return s
}

// Policy returns what a program may do that will run now.
func (s *Sandbox) Policy(string) fence.Policy {
	var now realpath.Resolver
	p := fence.Policy{Writable: s.writable(&now), Hidden: s.hidden(),
		NoNetwork: s.offline(), Hosts: s.o.Config.Hosts}
	if s.o.Home != "" {
		p.ReadOnly = append(p.ReadOnly, s.o.Home)
	}
	if s.o.Protected != nil {
		p.ReadOnly = append(p.ReadOnly, s.o.Protected()...)
	}
	p.ReadOnly = slices.Concat(p.ReadOnly, s.ofProject(), s.ofCaches(&now))
	s.mu.Lock()
	defer s.mu.Unlock()
	writes, reads := s.byRules()
	p.ReadOnly, p.Hidden = append(p.ReadOnly, writes...), append(p.Hidden, reads...)
	open := s.paths(s.o.Config.Sockets)
	p.Hidden = append(p.Hidden, s.sockets.hidden(s.o.Project, open, p.NoNetwork)...)
	return p
}

// byRules returns the files that rules and settings protect from writing, and from reading. Called
// under mu.
func (s *Sandbox) byRules() (writes, reads []string) {
	s.missed = nil
	if s.o.Rules != nil {
		w, r := s.o.Rules()
		writes, reads = s.findFiles(w), s.findFiles(r)
	}
	reads = append(reads, s.findFiles(s.patterns())...)
	// a program cannot run in a folder that is hidden
	return writes, slices.DeleteFunc(reads, func(path string) bool {
		if !within(path, s.o.Project) {
			return false
		}
		s.missed = append(s.missed, path+" is not hidden from programs, though a rule or setting "+
			"names it: the project is in it")
		return true
	})
}

// holds reports whether all files that rules name are protected.
func (s *Sandbox) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byRules()
	return len(s.missed) == 0
}

// holdsGlob reports whether programs cannot read, or write, any file that matches a glob, because a
// rule or guard names it: see fence.Options.
func (s *Sandbox) holdsGlob(what, pattern string) bool {
	if s.o.Rules == nil {
		return false
	}
	writes, reads := s.o.Rules()
	list := reads
	if what == "writes" {
		list = writes
	}
	if !slices.ContainsFunc(list,
		func(one string) bool { return one == pattern || s.o.Rooted(one) == pattern }) {
		return false
	}
	dir, _ := glob.Split(pattern)
	if what == "writes" { // a program may write a file that does not exist yet
		return filepath.IsAbs(dir) && s.Fence.Keeps(filepath.FromSlash(dir))
	}
	if filepath.IsAbs(dir) && dir != "/" {
		return true
	}
	// files that match anywhere are searched for in the project; those of /v*r/x are not
	return s.project() && (!filepath.IsAbs(dir) || strings.HasPrefix(pattern, "/**"))
}

// writable returns the paths that programs may write.
func (s *Sandbox) writable(now *realpath.Resolver) []string {
	list := s.temporary(now)
	if s.project() {
		list = append(list, s.o.Project)
		list = append(list, repository(s.o.Project)...)
	}
	return slices.Concat(list, s.caches(now), s.paths(s.o.Config.Writable))
}

// project reports whether the project may be written. It may not if it is the user's home or a
// folder above that, because then everything would be writable.
func (s *Sandbox) project() bool {
	if s.o.Project == "" {
		return false
	}
	for _, dir := range []string{s.o.User, s.o.Home} {
		if dir != "" && within(s.o.Project, dir) && !(dir == s.o.Home && dir != s.o.Project) {
			return false
		}
	}
	return s.o.Project != string(filepath.Separator)
}

// ofProject returns the files of the project from which programs outside of the sandbox run code.
func (s *Sandbox) ofProject() []string {
	if s.o.Project == "" {
		return nil
	}
	list := []string{}
	for _, name := range executedFiles {
		list = append(list, filepath.Join(s.o.Project, name))
	}
	if file := gitFile(s.o.Project); file != "" {
		list = append(list, file)
	}
	repo, ok := gitdir.At(s.o.Project)
	if !ok { // a program may make one
		repo, _ = gitdir.Bare(filepath.Join(s.o.Project, ".git"))
		repo.Root = s.o.Project
	}
	list = append(list, worktreeFiles(repo.Common, s.o.Project)...)
	list = append(list, repo.ExecutedPaths(s.o.User)...)
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(list, s.nested()...)
}

// paths returns the user's paths with ~ and variables replaced; relative ones are in the project.
func (s *Sandbox) paths(list []string) []string {
	var out []string
	for _, path := range list {
		if _, home := realpath.CutHome(path); home && s.o.User == "" {
			continue // it names nothing
		}
		out = append(out, realpath.Typed(path, s.o.Project, s.o.User))
	}
	return out
}

// patterns returns absolute patterns of the paths that the user's settings hide.
func (s *Sandbox) patterns() (out []string) {
	for _, p := range s.o.Config.Hidden {
		if strings.HasPrefix(p, "**") {
			p = "./" + p
		}
		if base, rest, ok := glob.Base(p, s.o.Project, s.o.User); ok {
			out = append(out, glob.Join(base, rest))
		}
	}
	return out
}

// Gaps returns the parts of the policy that are not enforced, in words for the user; nil = none.
func (s *Sandbox) Gaps() []string {
	gaps := s.Fence.Gaps(s.o.Project)
	var now realpath.Resolver
	if m, _ := s.Fence.Method(); m != fence.None {
		caches := s.caches(&now)
		for _, dir := range s.inPath(&now, s.writable(&now)) {
			if realpath.IsDir(dir) && !slices.Contains(s.inPath(&now, caches), dir) {
				gaps = append(gaps, "programs can change "+dir+", from which your shell runs "+
					"programs: it is in PATH")
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(gaps, s.missed...)
}

// missing tells the user that there is no sandbox.
func (s *Sandbox) missing(why error) {
	if s.o.Missing != nil {
		s.o.Missing("programs run without a sandbox: " + why.Error() +
			`; to hide this message, set [sandbox] mode = "off" in config.toml`)
	}
}

// offline reports whether programs get no network.
func (s *Sandbox) offline() bool {
	switch s.o.Config.Network {
	case "none":
		return true
	case "all":
		return false
	}
	return s.o.Offline != nil && s.o.Offline() && s.sealed()
}

// sealed reports whether the method in use can block the network.
func (s *Sandbox) sealed() bool {
	m, _ := s.Fence.Method()
	return m != fence.None && m != fence.Landlock
}
