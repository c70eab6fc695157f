// This file installs and updates scripts.

package installcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
)

// install implements agent ext install SOURCE.
func (c *Command) install(ctx context.Context, words []string) error {
	if len(words) != 1 {
		return UsageError{fmt.Errorf("want one SOURCE: %s", share.Forms)}
	}
	from, err := share.ParseSource(words[0])
	if err != nil {
		return UsageError{err}
	}
	switch {
	case !c.Strict || from.Exact():
	case from.Kind == share.KindGit:
		return UsageError{errors.New("--strict wants the commit: add @ and its 40 digits")}
	default:
		return UsageError{errors.New("--strict wants the hash of the bytes: add #sha256=HEX to " +
			"the address")}
	}
	x, err := share.Extensions{In: c.In}.Offered(ctx, from, c.As)
	switch {
	case err != nil:
		return err
	case x != nil:
		return installExtension(ctx, c, x)
	}
	files, err := c.In.Fetch.FetchAs(ctx, from, c.As)
	if errors.Is(err, share.ErrName) && c.As == "" {
		err = fmt.Errorf("%w; --as NAME gives it another", err)
	}
	if err != nil {
		return err
	}
	if files, err = c.choose(files); err != nil {
		return err
	}
	for _, f := range files {
		p, err := c.In.Preview(f)
		if err == nil {
			err = c.settle(ctx, p)
		}
		if err != nil {
			return c.failed(f.Name, err)
		}
	}
	return nil
}

// offer describes the scripts of a source, a line for each.
func offer(files []share.File) string {
	wide, lines := 0, []string{}
	for _, f := range files {
		wide = max(wide, len(f.Name))
	}
	for _, f := range files {
		text := "cannot be installed: " + plain.Error(f.Trouble)
		if f.Trouble == nil {
			header, _ := load.ParseHeader(f.Name, f.Text)
			text = wants(header.Grants)
			if header.Summary != "" {
				text = plain.RevealLine(plain.Short(header.Summary, 80)) + " · " + text
			}
		}
		lines = append(lines, fmt.Sprintf("  %-*s  %s", min(wide, 30), f.Name, text))
	}
	return strings.Join(lines, "\n")
}

// choose returns the scripts of a source that are to be installed.
func (c *Command) choose(files []share.File) ([]share.File, error) {
	var offered []string
	for _, f := range files {
		offered = append(offered, f.Name)
	}
	if len(files) > 1 && len(c.Only) == 0 {
		if err := c.printLine("%d scripts:\n%s", len(files), offer(files)); err != nil {
			return nil, err
		}
		var chosen []share.File
		for _, f := range files {
			if f.Trouble != nil {
				continue
			}
			yes, ok := false, false
			if !c.JSON {
				yes, ok = c.Ask("look at " + f.Name + "?")
			}
			if !ok {
				return nil, UsageError{errors.New("the source has several scripts: name those " +
					"that you want with --only FILE")}
			}
			if yes {
				chosen = append(chosen, f)
			}
		}
		files = chosen
	}
	for _, name := range c.Only {
		if !slices.Contains(offered, name) {
			return nil, UsageError{fmt.Errorf("--only %s: the source has %s",
				plain.RevealName(name), strings.Join(offered, ", "))}
		}
	}
	if len(c.Only) > 0 {
		files = slices.DeleteFunc(files,
			func(f share.File) bool { return !slices.Contains(c.Only, f.Name) })
	}
	if c.As != "" {
		if len(files) != 1 {
			return nil, UsageError{errors.New("--as names one script, and there are several")}
		}
		files[0].Name = c.As
	}
	return files, nil
}

// settle shows a script, asks about it, and installs it.
func (c *Command) settle(ctx context.Context, p *share.Preview) error {
	if p.Same && !p.Edited && p.Before == "" {
		return c.report(c.placed(p, "unchanged"), "unchanged %s", c.In.Path(p.Name))
	}
	if err := c.printLine("%s", p.Describe()); err != nil {
		return err
	}
	if err := c.agree(p); err != nil {
		return err
	}
	return c.place(ctx, p)
}

// place installs a script that the user has agreed to.
func (c *Command) place(ctx context.Context, p *share.Preview) error {
	if err := c.In.Install(ctx, p); err != nil {
		return err
	}
	c.Record("install", map[string]any{"path": c.In.Path(p.Name), "sha256": p.SHA256,
		"source": p.From.String(), "grants": p.Grants()})
	done, what := "installed "+c.In.Path(p.Name), "installed"
	if p.Replaces {
		what = "replaced"
		if p.Merged() {
			done, what = "merged your edits into "+c.In.Path(p.Name), "merged"
		}
		done += " (agent ext restore " + p.Name + " brings the one before back)"
	}
	if c.Project {
		done += "; it runs when you trust it: agent trust add " + p.Name
	}
	return c.report(c.placed(p, what), "%s", done)
}

// named returns the entries of scripts, and of extensions, that words name; all if there are no
// words.
func (c *Command) named(words []string) (scripts, extensions []share.Entry, err error) {
	all, err := c.In.Entries()
	if err != nil {
		return nil, nil, err
	}
	folders, err := share.Extensions{In: c.In}.Entries()
	if err != nil || len(words) == 0 {
		return all, folders, err
	}
	for _, word := range words {
		s, err := fileOrExtension(c, word)
		switch {
		case err != nil:
			return nil, nil, err
		case isExtension(s):
			e, err := installedAs(c, s, folders)
			if err != nil {
				return nil, nil, err
			}
			extensions = append(extensions, *e)
		case s.Entry == nil:
			return nil, nil, fmt.Errorf("%s was not installed, but written here: there is no "+
				"source to take it from", s.File)
		default:
			scripts = append(scripts, *s.Entry)
		}
	}
	return scripts, extensions, nil
}

// kept says why a script is not updated with the others; "" = it is.
func kept(e share.Entry) string {
	switch {
	case e.Pinned:
		return fmt.Sprintf("%s is pinned: agent ext unpin %s", e.File, e.File)
	case e.Team != "":
		return fmt.Sprintf("%s follows the file of a team: agent ext sync %s updates it", e.File,
			plain.RevealName(e.Team))
	}
	return ""
}

// merge returns a newer version with the user's edits. An error says how to go on: forced is the
// command that goes on without the edits, and more is what there is besides.
func (c *Command) merge(ctx context.Context, p *share.Preview, e share.Entry, forced,
	more string) (*share.Preview, error) {
	merged, err := share.Merge(ctx, c.In, p, e)
	var conflict *share.ConflictError
	switch {
	case errors.As(err, &conflict):
	case err != nil:
		return nil, err
	case merged != nil:
		return merged, nil
	default:
		err = fmt.Errorf("%s has your edits, and there is a newer version", e.File)
	}
	return nil, fmt.Errorf("%w, so it stays as it is: %s shows the difference and asks (your "+
		"version goes to the trash, and agent ext restore %s brings it back)%s", err, forced,
		e.File, more)
}

// updateScripts implements agent ext update [NAME...].
func (c *Command) updateScripts(ctx context.Context, words []string) error {
	entries, extensions, err := c.named(words)
	if err != nil {
		return err
	}
	var failed []error
	updated, left := 0, 0
	for _, e := range entries {
		if why := kept(e); why != "" {
			if left++; len(words) > 0 {
				failed = append(failed, c.failed(e.File, errors.New(why)))
			}
			continue
		}
		p, err := c.In.Newer(ctx, e)
		if err != nil {
			failed = append(failed, c.failed(e.File, err))
			continue
		}
		if p == nil {
			continue
		}
		updated++
		if p.Edited && !p.Same && !c.Force {
			p, err = c.merge(ctx, p, e, "agent ext update --force "+e.File,
				", agent ext pin "+e.File+" keeps it")
		}
		if err == nil {
			err = c.settle(ctx, p)
		}
		if err != nil {
			failed = append(failed, c.failed(e.File, err))
		}
	}
	for _, e := range extensions {
		if why := kept(e); why != "" {
			if left++; len(words) > 0 {
				failed = append(failed, c.failed(e.File, errors.New(why)))
			}
			continue
		}
		newer, err := updateExtension(ctx, c, e)
		if err != nil {
			failed = append(failed, err)
		}
		if newer {
			updated++
		}
	}
	if updated == 0 && len(failed) == 0 {
		said := ""
		if left > 0 {
			said = fmt.Sprintf(" (%d pinned, or kept by the file of a team: agent ext update NAME "+
				"says more)", left)
		}
		return c.printLine("%s: nothing is newer%s", plain.Count(len(entries)+len(extensions),
			"script"), said)
	}
	return errors.Join(failed...)
}
