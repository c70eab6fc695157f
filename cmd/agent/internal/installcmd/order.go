// This file lists, removes, restores, pins, verifies and shares scripts.

package installcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/plain"
)

// row is a line of agent ext list --json.
type row struct {
	File string `json:"file"`
	Path string `json:"path"`
	// State is on, disabled, waiting, missing, unreadable, broken if its text does not load, off if
	// its manifest says so, or unused if it is managed and others than root could change it.
	State   string   `json:"state"`
	Managed bool     `json:"managed,omitempty"` // it is for all users: nobody disables it
	Version string   `json:"version,omitempty"`
	Summary string   `json:"summary,omitempty"`
	Grants  []string `json:"grants"`
	Source  string   `json:"source,omitempty"` // "" = it was written here
	SHA256  string   `json:"sha256,omitempty"` // that was installed
	Drift   string   `json:"drift,omitempty"`
	Pinned  bool     `json:"pinned,omitempty"`
	Team    string   `json:"team,omitempty"` // the lock file of others that it follows
	// Calls is in how many of the newest recorded calls it took part.
	Calls int `json:"calls"`
}

// list implements agent ext list.
func (c *Command) list(_ context.Context, words []string) error {
	if len(words) > 0 {
		return UsageError{fmt.Errorf("got %s, want no arguments", strings.Join(words, " "))}
	}
	rows, err := c.rows()
	if err != nil {
		return err
	}
	if c.JSON {
		for _, r := range rows {
			if err := c.printJSON(r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		return c.printLine("there are no scripts in %s: agent ext gallery lists some, agent ext "+
			"new makes one", c.In.Scripts)
	}
	wide := 0
	for _, r := range rows {
		wide = max(wide, len([]rune(plain.RevealName(r.File))))
	}
	for _, r := range rows {
		name := plain.RevealName(r.File)
		if err := c.printLine("%-*s  %s", min(wide, 30), name, r.text()); err != nil {
			return err
		}
	}
	return nil
}

// text is what a line says after the name.
func (r row) text() string {
	parts := []string{r.State}
	if r.Version != "" {
		parts = append(parts, plain.RevealName(r.Version))
	}
	switch share.Drift(r.Drift) {
	case share.DriftEdited:
		parts = append(parts, "EDITED since it was installed")
	case share.DriftBehind:
		parts = append(parts, "older than in the lock file")
	case share.DriftDropped:
		parts = append(parts, "not in the lock file any more")
	}
	if r.Pinned {
		parts = append(parts, "pinned")
	}
	if r.Calls > 0 {
		parts = append(parts, plain.Count(r.Calls, "call"))
	}
	parts = append(parts, wants(r.Grants))
	switch {
	case r.Managed:
		parts = append(parts, "managed, for all users")
	case r.Source != "":
		parts = append(parts, "from "+plain.RevealName(r.Source))
		if r.Team != "" {
			parts = append(parts, "follows "+plain.RevealName(r.Team))
		}
	default:
		parts = append(parts, "written here")
	}
	if r.Summary != "" {
		parts = append(parts, plain.RevealLine(plain.Short(r.Summary, 80)))
	}
	return strings.Join(parts, " · ")
}

// brokenTime is how long rows looks for scripts that do not load.
const brokenTime = 2 * time.Second

func (c *Command) rows() ([]row, error) {
	all, err := c.In.List()
	if err != nil {
		return nil, err
	}
	disabled, err := c.Disabled()
	if err != nil {
		return nil, err
	}
	waiting, err := c.Waiting()
	if err != nil {
		return nil, err
	}
	calls, err := c.Calls()
	if err != nil {
		return nil, err
	}
	rows, err := c.managedRows(calls)
	if err != nil {
		return nil, err
	}
	extensions, err := c.Extensions()
	if err != nil {
		return nil, err
	}
	installed, err := share.Extensions{In: c.In}.Entries()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(context.Background(), brokenTime)
	defer stop()
	for i, s := range append(all, extensions...) {
		r := row{File: s.File, Path: s.Path, State: "live", Version: s.Header.Version,
			Summary: s.Header.Summary, Grants: append([]string{}, s.Header.Grants...),
			Calls: calls[s.File]}
		switch {
		case s.Drift == share.DriftMissing:
			r.State = "missing"
		case s.Err != nil:
			r.State, r.Summary = "unreadable", plain.Error(s.Err)
		case slices.Contains(disabled, s.Path):
			r.State = "disabled"
		case slices.Contains(waiting, s.Path):
			r.State = "waiting"
		case s.Wrong != nil:
			r.State, r.Summary = "broken", plain.Error(s.Wrong)
		case s.Header.Off:
			r.State = "off"
		case i < len(all):
			if err := s.Broken(ctx, c.In.Syntax); err != nil {
				r.State, r.Summary = "broken", plain.Error(err)
			}
		}
		if e, err := installedAs(c, s, installed); i >= len(all) && err == nil {
			r.Source, r.Pinned = e.Source, e.Pinned
		}
		if e := cmp.Or(s.Entry, s.Dropped); e != nil {
			r.Source, r.SHA256, r.Pinned, r.Team = e.Source, e.SHA256, e.Pinned, e.Team
		}
		r.Drift = string(s.Drift)
		rows = append(rows, r)
	}
	return rows, nil
}

// managedRows returns the rows of the scripts for all users.
func (c *Command) managedRows(calls map[string]int) ([]row, error) {
	rows := []row{}
	all, err := c.Managed()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		r := row{File: s.File, Path: s.Path, State: "live", Managed: true,
			Version: s.Header.Version, Summary: s.Header.Summary,
			Grants: append([]string{}, s.Header.Grants...), Calls: calls[s.File]}
		if s.Err != nil {
			r.State, r.Summary = "unused", plain.Error(s.Err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// verify implements agent ext verify: an error means that something differs from the lock file.
func (c *Command) verify(_ context.Context, words []string) error {
	if len(words) > 0 {
		return UsageError{fmt.Errorf("got %s, want no arguments", strings.Join(words, " "))}
	}
	rows, err := c.rows()
	if err != nil {
		return err
	}
	installed, differs := 0, 0
	for _, r := range rows {
		if r.Source == "" || strings.Contains(r.File, "/") { // the lock file has no extensions
			continue
		}
		if installed++; r.Drift == "" && r.State != "unreadable" {
			continue
		}
		differs++
		if c.JSON {
			if err := c.printJSON(r); err != nil {
				return err
			}
			continue
		}
		how := map[share.Drift]string{
			share.DriftEdited:  "its bytes are not those that were installed",
			share.DriftMissing: "its file is missing",
			share.DriftBehind:  "the lock file has another version: agent ext sync installs it",
			share.DriftDropped: "it is not in the lock file any more: agent ext sync removes it",
		}[share.Drift(r.Drift)]
		if how == "" {
			how = r.Summary
		}
		if err := c.printLine("%s: %s", plain.RevealName(r.File), how); err != nil {
			return err
		}
	}
	if differs > 0 {
		return fmt.Errorf("%d of %s from the lock file", differs,
			plain.Count(installed, "script differs", "scripts differ"))
	}
	if c.JSON {
		return nil
	}
	return c.printLine("%s as installed", plain.Count(installed, "script is", "scripts are"))
}

// removeScripts implements agent ext remove NAME....
func (c *Command) removeScripts(_ context.Context, words []string) error {
	if len(words) == 0 {
		return UsageError{errors.New("want NAME, of a script; agent ext list lists them")}
	}
	for _, word := range words {
		s, err := fileOrExtension(c, word)
		if err == nil {
			word = s.File
			if isExtension(s) {
				err = share.Extensions{In: c.In}.Remove(s)
			} else {
				err = c.In.Remove(s.File)
			}
		}
		if err != nil {
			return c.failed(word, err)
		}
		c.Record("remove", map[string]any{"path": s.Path})
		if err := c.report(changeTo(s, "removed"), "removed %s (agent ext restore %s "+
			"brings it back)", s.Path, s.File); err != nil {
			return err
		}
	}
	return nil
}

// restore implements agent ext restore NAME....
func (c *Command) restore(ctx context.Context, words []string) error {
	if len(words) == 0 {
		has := "nothing"
		if files := c.In.Trash(); len(files) > 0 {
			has = plain.Line(strings.Join(files, ", "), 500)
		}
		return UsageError{errors.New("want NAME, of a script that was removed or replaced: " +
			"the trash has " + has)}
	}
	for _, word := range words {
		file := c.In.InTrash(word)
		folder := share.Extensions{In: c.In}.Folder(word)
		if folder != "" && !slices.Contains(c.In.Trash(), file) {
			if err := restoreExtension(c, folder); err != nil {
				return c.failed(word, err)
			}
			continue
		}
		if err := c.In.Restore(ctx, file); err != nil {
			return c.failed(file, err)
		}
		c.Record("restore", map[string]any{"path": c.In.Path(file)})
		s, err := c.file(file)
		if err != nil {
			return err
		}
		if err := c.report(changeTo(s, "restored"), "restored %s", c.In.Path(file)); err != nil {
			return err
		}
	}
	return nil
}

// restoreExtension brings back an extension of another host.
func restoreExtension(c *Command, folder string) error {
	path, err := share.Extensions{In: c.In}.Restore(folder)
	if err != nil {
		return err
	}
	s, err := fileOrExtension(c, folder)
	if err != nil {
		return err
	}
	c.Record("restore", map[string]any{"path": s.Path})
	return c.report(changeTo(s, "restored"), "restored %s", path)
}

// isExtension reports whether s is an extension of another host, not a script.
func isExtension(s share.Status) bool { return strings.Contains(s.File, "/") }

func (c *Command) pin(words []string, on bool) error {
	if len(words) == 0 {
		return UsageError{errors.New("want NAME, of an installed script; agent ext list lists " +
			"them")}
	}
	for _, word := range words {
		s, err := fileOrExtension(c, word)
		switch {
		case err != nil:
		case isExtension(s):
			word, err = s.File, share.Extensions{In: c.In}.Pin(s, on)
		default:
			word, err = s.File, c.In.Pin(s.File, on)
		}
		if err != nil {
			return c.failed(word, err)
		}
		what, state := "unpinned", "is not pinned any more: agent ext update updates it"
		if on {
			what, state = "pinned", "is pinned: agent ext update leaves it as it is"
		}
		if err := c.report(changeTo(s, what), "%s %s", s.File, state); err != nil {
			return err
		}
	}
	return nil
}

// share implements agent ext share NAME: a text that somebody else can install from.
func (c *Command) share(_ context.Context, words []string) error {
	if len(words) != 1 {
		return UsageError{errors.New("want one NAME, of a script; agent ext list lists them")}
	}
	s, err := c.file(words[0])
	if err != nil {
		return err
	}
	text, err := share.Text(s)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(map[string]any{"file": s.File, "path": s.Path,
			"version": s.Header.Version, "summary": s.Header.Summary,
			"grants": append([]string{}, s.Header.Grants...), "sha256": s.SHA256(), "text": text})
	}
	if _, err = io.WriteString(c.Stdout, text); err == nil {
		c.Copy(text)
	}
	return err
}
