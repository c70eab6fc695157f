// This file makes the scripts of a machine follow the lock file of a team.

package installcmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/plain"
)

// followTeam implements agent ext sync SOURCE: it installs and updates what the lock file of a team
// names, and removes what has come by it and is not named any more. All else stays.
func (c *Command) followTeam(ctx context.Context, word string) error {
	from, err := share.ParseSource(word)
	if err != nil {
		return UsageError{err}
	}
	t, err := c.In.Fetch.FetchTeam(ctx, from)
	if err != nil {
		return err
	}
	all, err := c.In.List()
	if err != nil {
		return err
	}
	return c.decide(ctx, c.teamPlan(ctx, t, all))
}

// teamPlan finds what is to be done so that this machine has what the team's lock file names.
func (c *Command) teamPlan(ctx context.Context, t *share.Team, all []share.Status) plan {
	p := plan{lock: plain.RevealName(t.From)}
	p.again = "agent ext sync --force " + p.lock
	var going []string
	for _, s := range all {
		switch {
		case slices.ContainsFunc(t.Entries, func(e share.Entry) bool { return e.File == s.File }):
		case s.Entry == nil || s.Entry.Team != t.From:
			p.stay = append(p.stay, s)
		case s.Err != nil:
			c.addPreview(&p, s.File, nil, fmt.Errorf("%s: %w", s.File, s.Err))
		case s.Edited && !c.Force:
			c.addPreview(&p, s.File, nil, fmt.Errorf("%s does not name %s any more, and it has "+
				"your edits: --force removes it (it goes to the trash)", p.lock, s.File))
		default:
			p.remove = append(p.remove, s)
			going = append(going, s.File)
		}
	}
	for _, e := range t.Entries {
		here := share.Status{File: e.File}
		if i := slices.IndexFunc(all,
			func(s share.Status) bool { return s.File == e.File }); i >= 0 {
			here = all[i]
		}
		if here.Entry != nil && here.SHA256() == e.SHA256 {
			continue
		}
		if here.Entry != nil && here.EditsOf(e) && !c.Force {
			p.stay = append(p.stay, here)
			continue
		}
		if err := c.mayFollow(t, here, e); err != nil {
			c.addPreview(&p, e.File, nil, err)
			continue
		}
		preview, err := t.Preview(ctx, c.In, e, going)
		c.addNewer(ctx, &p, here, preview, err)
	}
	c.removeLast(&p)
	return p
}

// mayFollow returns an error if a script that is here is not replaced by the one of that name which
// the team's lock file names.
func (c *Command) mayFollow(t *share.Team, s share.Status, e share.Entry) error {
	team := plain.RevealName(t.From)
	own := s.Entry == nil && s.Dropped == nil
	switch {
	case s.Err != nil:
		return fmt.Errorf("%s: %w", s.File, s.Err)
	case s.Entry != nil && s.Entry.Pinned:
		return fmt.Errorf("%s is pinned here, and %s names another version: agent ext unpin %s",
			s.File, team, s.File)
	case c.Force || s.SHA256() == e.SHA256:
		return nil
	case own && s.SHA256() != "", s.Edited && s.Base == nil:
		return fmt.Errorf("%s was written here, and %s names another version: --force "+
			"replaces it (it goes to the trash)", s.File, team)
	case s.Entry != nil && s.Entry.Team != "" && s.Entry.Team != t.From:
		return fmt.Errorf("%s follows %s, and %s names another version: --force replaces it",
			s.File, plain.RevealName(s.Entry.Team), team)
	}
	return nil
}
