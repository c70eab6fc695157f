// This file describes the sandbox for people.

package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/fence"
)

// State is the sandbox as it is now.
type State struct {
	Method  fence.Method `json:"method"`        // none: programs run with all rights of the user
	Why     string       `json:"why,omitempty"` // why the method is none
	Network bool         `json:"network"`
	Hosts   []string     `json:"hosts,omitempty"` // reachable through a proxy
	// only paths that exist
	Writable []string `json:"writable"`
	ReadOnly []string `json:"read_only"`
	Hidden   []string `json:"hidden"`
	Gaps     []string `json:"gaps,omitempty"` // see Sandbox.Gaps
}

// State returns what a program that starts now may do.
func (s *Sandbox) State() State {
	method, why := s.Fence.Method()
	if method == fence.None {
		return State{Method: method, Why: why.Error(), Network: true}
	}
	p := s.Policy("")
	hidden := existing(p.Hidden)
	if method == fence.Landlock { // it does not keep programs from sockets
		hidden = slices.DeleteFunc(hidden, func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && info.Mode()&os.ModeSocket != 0
		})
	}
	return State{Method: method, Network: !p.NoNetwork, Hosts: p.Hosts,
		Writable: existing(p.Writable),
		ReadOnly: top(existing(p.ReadOnly), p.Writable), Hidden: hidden, Gaps: s.Gaps()}
}

// top returns the paths that are below one of the places and not below another one of the paths.
func top(paths, places []string) (out []string) {
	for _, path := range paths {
		in := func(dir string) bool { return dir != path && within(dir, path) }
		if slices.ContainsFunc(places, in) && !slices.ContainsFunc(paths, in) {
			out = append(out, path)
		}
	}
	return out
}

// existing returns the paths that exist, without duplicates.
func existing(paths []string) []string {
	out := []string{}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// String returns the state in words, a path in each line.
func (s State) String() string {
	if s.Method == fence.None {
		return "Programs run without a sandbox, with all your rights: " + s.Why
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Programs run in a sandbox (%s).\n", s.Method)
	list := func(title string, lines []string) {
		if len(lines) > 0 {
			b.WriteString(title + "\n  " + strings.Join(lines, "\n  ") + "\n")
		}
	}
	list("They may write", s.Writable)
	list("except", s.ReadOnly)
	list("They cannot open", s.Hidden)
	if s.Network {
		b.WriteString("They may use the network.")
	} else if len(s.Hosts) > 0 {
		b.WriteString("They may reach " + strings.Join(s.Hosts, ", ") + ", through a proxy.")
	} else {
		b.WriteString("They have no network.")
	}
	list("\nThe sandbox cannot enforce:", s.Gaps)
	return strings.TrimRight(b.String(), "\n")
}
