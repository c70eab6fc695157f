// This file writes the lock file of a team.

package installcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/plain"
)

// lockTeam implements agent ext lock [PATH...]: it writes scripts.lock into the folder in which it
// is called, for the scripts below it, or at the paths.
func (c *Command) lockTeam(_ context.Context, words []string) error {
	if isOwnFolder(c.In.Lock) {
		return fmt.Errorf("the lock file of this folder is the one that agent ext install and " +
			"agent ext update keep: go to the folder of the team's scripts")
	}
	t, err := c.In.Fetch.ListTeam(".", words)
	if err != nil {
		return err
	}
	if len(t.After) == 0 && len(t.Before) == 0 {
		return fmt.Errorf("there is no script in this folder, nor below it: %s names nothing",
			t.Path)
	}
	for _, d := range t.Differences() {
		text := d.Change + " " + plain.RevealName(d.Source)
		if d.Version != "" {
			text += " " + plain.RevealName(d.Version)
		}
		if d.Change != "dropped" {
			text += ": " + wants(d.Grants)
		}
		if err := c.report(differenceOf(d), "%s", text); err != nil {
			return err
		}
	}
	switch {
	case t.Same:
		return c.printLine("%s names %s, as they are", t.Path,
			plain.Count(len(t.After), "script"))
	case c.Check:
		return fmt.Errorf("%s is not as the scripts are: agent ext lock writes it", t.Path)
	}
	if err := t.Write(); err != nil {
		return err
	}
	return c.printLine("%s names %s: commit it with them, and each member says agent ext sync "+
		"SOURCE, such as github:OWNER/REPOSITORY", t.Path, plain.Count(len(t.After), "script"))
}

// isOwnFolder reports whether the lock file of the current folder is that of this machine, lock, or
// that of a project's scripts.
func isOwnFolder(lock string) bool {
	if dir, err := os.Getwd(); err == nil && filepath.Base(dir) == ".agent" {
		return true
	}
	for here, own := range map[string]string{".": filepath.Dir(lock), filepath.Base(lock): lock} {
		a, err := os.Stat(here)
		b, failed := os.Stat(own)
		if err == nil && failed == nil && os.SameFile(a, b) {
			return true
		}
	}
	return false
}

// differenceOf describes what is new in the lock file of a team.
func differenceOf(d share.Difference) change {
	return change{File: d.File, Path: filepath.FromSlash(d.Source), Change: d.Change,
		Version: d.Version, Grants: append([]string{}, d.Grants...), Source: d.Source,
		SHA256: d.SHA256}
}
