// This file uses the extensions of other hosts where they are.

package installcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/plain"
)

// Host is what another host has for the user and for the project.
type Host struct {
	Name       string      `json:"host"`
	Used       bool        `json:"used"`   // the settings name it
	Places     []string    `json:"places"` // where it was looked for
	Extensions []HostFound `json:"extensions"`
}

// HostFound is an extension of another host, where that has it.
type HostFound struct {
	Path  string   `json:"path"`
	Uses  []string `json:"uses"`            // what of it is used, a line each
	Lacks []string `json:"lacks"`           // what has no counterpart here
	Error string   `json:"error,omitempty"` // why it cannot be used
}

// importHosts implements agent ext import: it shows what other hosts have, and writes into the
// settings that it is used. Nothing of it runs before.
func importHosts(c *Command, _ context.Context, words []string) error {
	if len(words) > 0 {
		return UsageError{fmt.Errorf("got %s, want no arguments: --from HOST chooses one",
			plain.RevealName(strings.Join(words, " ")))}
	}
	all, err := c.Hosts()
	if err != nil {
		return err
	}
	var known []string
	for _, h := range all {
		known = append(known, h.Name)
	}
	if from := c.From; from != "" && !slices.Contains(known, from) {
		return UsageError{fmt.Errorf("--from %s: want one of %s%s", plain.RevealName(from),
			strings.Join(known, ", "), share.DidYouMean(from, known))}
	}
	var names, places []string
	for _, h := range all {
		if c.From != "" && h.Name != c.From {
			continue
		}
		places = append(places, h.Places...)
		if len(h.Extensions) == 0 {
			continue
		}
		if err := showHost(c, h); err != nil {
			return err
		}
		if !h.Used {
			names = append(names, h.Name)
		}
	}
	switch {
	case c.JSON && !c.Yes:
		return nil
	case len(names) > 0:
		return useHosts(c, names)
	}
	return c.printLine("nothing more to import; looked at %s", strings.Join(places, ", "))
}

// showHost shows what a host has.
func showHost(c *Command, h Host) error {
	if c.JSON {
		return c.printJSON(h)
	}
	used := ""
	if h.Used {
		used = " (used already)"
	}
	lines := []string{h.Name + used + ":"}
	for _, x := range h.Extensions {
		lines = append(lines, "  "+plain.RevealName(x.Path))
		for _, use := range x.Uses {
			lines = append(lines, "    "+plain.Line(use, 300))
		}
		for _, lack := range x.Lacks {
			lines = append(lines, "    not here: "+plain.Line(lack, 300))
		}
		if x.Error != "" {
			lines = append(lines, "    cannot be used: "+plain.Line(x.Error, 300))
		}
	}
	return c.printLine("%s", strings.Join(lines, "\n"))
}

// useHosts asks whether the extensions of hosts are to be used, and writes that into the settings.
func useHosts(c *Command, names []string) error {
	if !c.Yes {
		question := "use what " + strings.Join(names, " and ") + " has, where it is?"
		if err := c.askKey(question); err != nil {
			return err
		}
	}
	path, err := c.UseHosts(names)
	if err != nil {
		return err
	}
	c.Record("import", map[string]any{"path": path, "from": names})
	return c.printLine("%s: [extensions] from has %s now, from the next start on; what projects "+
		"bring runs when you trust it (agent trust)", plain.RevealName(path),
		strings.Join(names, " and "))
}
