// This file says why the policy forbids something.

package sandbox

import (
	"path/filepath"
	"slices"

	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
)

// because returns why programs may not do something: see fence.Options.
func (s *Sandbox) because(verb, what string) fence.Reason {
	switch verb {
	case fence.Write:
		if by := s.named("writes", what); by.Text != "" {
			return by
		}
		if by := s.whyHidden(what); by.Text != "" {
			return by
		}
		return fence.Reason{Text: s.whyReadOnly(what)}
	case fence.Read:
		return s.whyHidden(what)
	case fence.Reach:
		return fence.Reason{Text: s.whyOffline()}
	}
	return fence.Reason{Text: "no program in the sandbox may do that"}
}

// named returns the rule or guard that keeps programs from writing, or reading, a path.
func (s *Sandbox) named(what, path string) fence.Reason {
	if s.o.Rules == nil || s.o.By == nil {
		return fence.Reason{}
	}
	writes, reads := s.o.Rules()
	list := reads
	if what == "writes" {
		list = writes
	}
	for _, pattern := range list {
		if matches(pattern, path) {
			return s.o.By(what, pattern)
		}
	}
	return fence.Reason{}
}

// matches reports whether a pattern matches a path, or a folder above it: see findFiles.
func matches(pattern, path string) bool {
	if to, ok := realpath.Of(path); ok {
		path = to
	}
	if dir, rest := glob.Split(pattern); filepath.IsAbs(dir) && (rest == "" || rest == "**") {
		return within(filepath.FromSlash(dir), path)
	}
	for {
		if glob.Match(pattern, filepath.ToSlash(path)) {
			return true
		}
		if filepath.Dir(path) == path {
			return false
		}
		path = filepath.Dir(path)
	}
}

// whyHidden returns why programs cannot read a path.
func (s *Sandbox) whyHidden(path string) fence.Reason {
	if by := s.named("reads", path); by.Text != "" {
		return by
	}
	for _, pattern := range s.patterns() {
		if matches(pattern, path) {
			return fence.Reason{Text: "[sandbox] hidden in config.toml: " + pattern}
		}
	}
	var now realpath.Resolver
	path = followed(&now, path)
	in := func(dir string) bool { return within(followed(&now, dir), path) }
	if slices.ContainsFunc(s.hidden(), in) {
		return fence.Reason{Text: "it is a place of secrets"}
	}
	offline := s.offline()
	s.mu.Lock()
	defer s.mu.Unlock()
	open := s.paths(s.o.Config.Sockets)
	if slices.ContainsFunc(s.sockets.hidden(s.o.Project, open, offline), in) {
		return fence.Reason{Text: "it is a socket of a program outside of the sandbox"}
	}
	return fence.Reason{}
}

// whyReadOnly returns why programs cannot write a path.
func (s *Sandbox) whyReadOnly(path string) string {
	var now realpath.Resolver
	path = followed(&now, path)
	in := func(dir string) bool { return within(followed(&now, dir), path) }
	switch {
	case s.o.Home != "" && in(s.o.Home):
		return "the agent's own files are protected"
	case s.o.Protected != nil && slices.ContainsFunc(s.o.Protected(), in):
		return "it is a protected file"
	case slices.ContainsFunc(s.ofProject(), in):
		return "programs outside of the sandbox run something from it"
	case slices.ContainsFunc(s.writable(&now), in):
		return "it holds files that are protected"
	}
	return "it is not in the project, a temporary folder or a cache"
}

// whyOffline returns why programs do not reach a host.
func (s *Sandbox) whyOffline() string {
	switch {
	case len(s.o.Config.Hosts) > 0:
		return "[sandbox] network in config.toml does not name it"
	case s.o.Config.Network == "none":
		return `[sandbox] network = "none" in config.toml`
	}
	return "programs have no network in the permission mode auto"
}
