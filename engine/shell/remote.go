// This file determines what a command line touches that runs commands on other machines.

package shell

import (
	"regexp"
	"slices"
	"sync"
)

// thisMachine matches an address that may be this machine's.
var thisMachine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)localhost|\b127\.|::1|\b0(\.0)*\b|ip6-loopback`)
})

// toItself reports whether an ssh of the line may connect to this machine.
func (s *Script) toItself() bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
		if c.Name != "ssh" {
			return false
		}
		end := min(afterHost(c.Argv), len(c.Argv))
		return slices.Contains(c.Static[:end], false) ||
			slices.ContainsFunc(c.Argv[1:end], thisMachine().MatchString)
	})
}

// sshFiles adds the files that ssh gets before its command: keys, settings, logs.
func (f *finder) sshFiles(c *Command) {
	for i := 1; i < min(afterHost(c.Argv), len(c.Argv)); i++ {
		f.maybe(c, i, Maybe{By: c.Name, Writes: true})
	}
}
