// This file finds the sockets of programs outside of the sandbox, which could act for a confined
// program: a container engine, a desktop, a terminal multiplexer, an ssh agent.

package sandbox

import (
	"bufio"
	"os"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/realpath"
)

// resolvers are paths of the sockets of name services that ask other machines for the addresses of
// hosts.
var resolvers = []string{"/run/nscd", "/var/run/nscd", "/run/systemd/resolve"}

// ordinary are paths of sockets that ordinary programs need: name services, logs and databases.
var ordinary = []string{"/var/lib/sss/pipes", "/run/systemd/journal", "/run/postgresql",
	"/var/run/postgresql", "/run/mysqld", "/var/run/mysqld", "/run/redis", "/run/memcached",
	"/dev/log"}

// sockets stores which sockets existed at the first call of hidden: a later one in a temporary
// folder may belong to a program that the agent has started.
type sockets struct {
	list string // as /proc/net/unix
	old  map[string]bool
}

// hidden returns the paths of sockets on which programs listen, except ordinary ones, those in the
// project and those in open. Without a network, resolvers are not ordinary: a question to them
// leads to other machines.
func (s *sockets) hidden(project string, open []string, offline bool) (out []string) {
	var now realpath.Resolver
	open = slices.Clone(open)
	for i, path := range open { // /run/x and /var/run/x are often the same file
		open[i] = followed(&now, path)
	}
	first := s.old == nil
	if first {
		s.old = map[string]bool{}
	}
	for _, path := range listening(s.list) {
		if first {
			s.old[path] = true
		}
		in := func(dir string) bool { return within(dir, path) }
		to := func(dir string) bool { return within(dir, followed(&now, path)) }
		switch {
		case in(project), slices.ContainsFunc(ordinary, in),
			!offline && slices.ContainsFunc(resolvers, in),
			slices.ContainsFunc(open, to):
		case !s.old[path] && (in("/tmp") || in("/var/tmp") || in(os.TempDir())):
		default:
			out = append(out, path)
		}
	}
	return out
}

// followed returns path with its links followed; path itself if that fails.
func followed(now *realpath.Resolver, path string) string {
	if to, ok := now.Of(path); ok {
		return to
	}
	return path
}

// listening returns the paths of Unix sockets that accept connections. list is a file in the format
// of /proc/net/unix. Source: unix(7).
func listening(list string) (paths []string) {
	f, err := os.Open(list)
	if err != nil {
		return nil
	}
	defer f.Close()
	const accepting = "00010000" // __SO_ACCEPTCON
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// Num RefCount Protocol Flags Type St Inode Path
		before, path, ok := strings.Cut(lines.Text(), " /")
		fields := strings.Fields(before)
		if !ok || len(fields) != 7 {
			continue
		}
		const flags, dgram = 3, "0002"
		if fields[flags] == accepting || fields[4] == dgram {
			paths = append(paths, "/"+path)
		}
	}
	return paths
}
