// This file makes the scripts of a machine equal to the lock file.

package installcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/plain"
)

// plan is what sync is about to do.
type plan struct {
	lock    string // what this machine is to be equal to
	again   string // the command, with --force
	install []*share.Preview
	remove  []share.Status
	stay    []share.Status // scripts that are not from there, or have edits
	failed  []error        // what cannot be done
}

// sync implements agent ext sync: it installs what the lock file has and this machine has not, and
// removes what the lock file has named and does not name any more.
func (c *Command) sync(ctx context.Context, words []string) error {
	switch {
	case len(words) == 1:
		return c.followTeam(ctx, words[0])
	case len(words) > 1:
		return UsageError{fmt.Errorf("got %s, want one SOURCE, or nothing",
			strings.Join(words, " "))}
	}
	if err := c.In.CheckLock(); err != nil {
		return err
	}
	all, err := c.In.List()
	if err != nil {
		return err
	}
	p := c.plan(ctx, all)
	if len(p.install)+len(p.remove)+len(p.failed) == 0 {
		_ = c.In.Note() // for later: a home that cannot be written is as it should be
	}
	return c.decide(ctx, p)
}

// decide shows a plan, asks about it, and carries it out.
func (c *Command) decide(ctx context.Context, p plan) error {
	if c.JSON && !c.Yes && len(p.install)+len(p.remove) > 0 {
		return c.askKey("")
	}
	if err := c.showPlan(p); err != nil {
		return err
	}
	if len(p.install)+len(p.remove) == 0 {
		if len(p.failed) == 0 {
			edits := ""
			if slices.ContainsFunc(p.stay, func(s share.Status) bool { return s.Edited }) {
				edits = ", with your edits"
			}
			return c.printLine("this machine has what %s has%s", p.lock, edits)
		}
		return errors.Join(p.failed...)
	}
	if !c.Yes {
		if err := c.askKey(p.question()); err != nil {
			return errors.Join(append(p.failed, err)...)
		}
	}
	return errors.Join(c.carryOut(ctx, p)...)
}

// plan finds what is to be done. A script that cannot be installed is no reason to leave the others
// as they are, but nothing is removed then: one may take the place of another.
func (c *Command) plan(ctx context.Context, all []share.Status) plan {
	p := plan{lock: "the lock file", again: "agent ext sync --force"}
	var going []string
	for _, s := range all {
		if s.Drift == share.DriftDropped {
			going = append(going, s.File)
		}
	}
	for _, s := range all {
		name := plain.RevealName(s.File)
		fails := func(err error) { p.failed = append(p.failed, c.failed(s.File, err)) }
		switch {
		case s.Err != nil:
			fails(fmt.Errorf("%s: %w", name, s.Err))
		case s.Drift == share.DriftNone && s.Entry == nil:
			p.stay = append(p.stay, s)
		case s.Drift == share.DriftNone:
		case s.Edited && !c.Force && s.Drift == share.DriftDropped:
			fails(fmt.Errorf("%s is not in the lock file any more, and has your edits: --force "+
				"removes it (it goes to the trash)", name))
		case s.Drift == share.DriftDropped:
			p.remove = append(p.remove, s)
		case s.EditsOf(*s.Entry) && !c.Force:
			p.stay = append(p.stay, s)
		case s.Edited && s.Base == nil && !c.Force:
			fails(fmt.Errorf("%s is not what the lock file has: --force replaces it (it goes to "+
				"the trash)", name))
		default:
			preview, err := c.In.Locked(ctx, *s.Entry, going)
			c.addNewer(ctx, &p, s, preview, err)
		}
	}
	c.removeLast(&p)
	return p
}

// addNewer adds a newer version of a script to the plan, with the user's edits; err is why it has
// no preview.
func (c *Command) addNewer(ctx context.Context, p *plan, s share.Status, preview *share.Preview,
	err error) {
	if err == nil && s.Edited && !c.Force {
		preview, err = c.merge(ctx, preview, *s.Base, p.again, "")
	}
	c.addPreview(p, s.File, preview, err)
}

// addPreview adds a script to the plan; err is why it has no preview.
func (c *Command) addPreview(p *plan, file string, preview *share.Preview, err error) {
	if err == nil {
		err = preview.Fails()
	}
	if err == nil && c.Yes {
		err = c.mayInstall(preview)
	}
	if err != nil {
		p.failed = append(p.failed, c.failed(file, err))
		return
	}
	p.install = append(p.install, preview)
}

// removeLast keeps what is to be removed if there is something that cannot be done.
func (c *Command) removeLast(p *plan) {
	if len(p.failed) == 0 {
		return
	}
	for _, s := range p.remove {
		p.failed = append(p.failed, c.failed(s.File, fmt.Errorf("%s stays until the rest is "+
			"in order: %s does not name it any more", s.File, p.lock)))
	}
	p.remove = nil
}

// showPlan shows the plan.
func (c *Command) showPlan(p plan) error {
	for _, preview := range p.install {
		if err := c.printLine("%s", preview.Describe()); err != nil {
			return err
		}
	}
	for _, s := range p.remove {
		edits := ""
		if s.Edited {
			edits = " WITH YOUR EDITS"
		}
		if err := c.printLine("%s: %s does not name it any more: it goes to the trash%s",
			plain.RevealName(s.File), p.lock, edits); err != nil {
			return err
		}
	}
	for _, s := range p.stay {
		why := "it was written here"
		switch {
		case s.Edited:
			why = "it has your edits, which " + p.again + " drops (they go to the trash)"
		case s.Entry != nil:
			why = "it was installed from " + plain.RevealName(s.Entry.Source)
		}
		if err := c.report(changeTo(s, "stays"), "%s stays: %s", plain.RevealName(s.File),
			why); err != nil {
			return err
		}
	}
	return nil
}

// question asks for the one key.
func (p plan) question() string {
	var parts []string
	add := func(what string, n int) {
		if n > 0 {
			parts = append(parts, what+" "+plain.Count(n, "script"))
		}
	}
	updates := 0
	for _, preview := range p.install {
		if preview.Replaces && (!preview.Same || preview.Merged()) {
			updates++
		}
	}
	add("install", len(p.install)-updates)
	add("update", updates)
	add("remove", len(p.remove))
	return strings.Join(parts, ", ") + "?"
}

// carryOut does what is planned. What is to go is removed last: nothing is missing meanwhile.
func (c *Command) carryOut(ctx context.Context, p plan) (failed []error) {
	failed = p.failed
	for _, preview := range p.install {
		if err := c.place(ctx, preview); err != nil {
			failed = append(failed, c.failed(preview.Name, err))
		}
	}
	if len(failed) > 0 {
		for _, s := range p.remove {
			failed = append(failed, c.failed(s.File, fmt.Errorf("%s was not removed, since not "+
				"all was installed", s.File)))
		}
		return failed
	}
	for _, s := range p.remove {
		if err := c.In.RemoveAsListed(s); err != nil {
			failed = append(failed, c.failed(s.File, err))
			continue
		}
		c.Record("remove", map[string]any{"path": s.Path})
		if err := c.report(changeTo(s, "removed"), "removed %s (agent ext restore %s brings it "+
			"back)", s.Path, s.File); err != nil {
			return append(failed, err)
		}
	}
	return failed
}
