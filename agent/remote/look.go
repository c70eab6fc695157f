// This file returns data for a client, masked for the user.

package remote

import (
	"context"
	"slices"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/service"
)

// Mask masks a text for the user. The caller must not hold the turn of a VM.
func (s *Session) Mask(text string) string {
	if p := s.Program(); p != nil {
		return p.Engine.Mask.Text(text)
	}
	return text
}

// MaskTable masks a table for the user. The caller must not hold the turn of a VM.
func (s *Session) MaskTable(table map[string]any) map[string]any {
	if p := s.Program(); p != nil && table != nil {
		masked, _ := p.Engine.Mask.Value(table).(map[string]any)
		return masked
	}
	return table
}

// Command is a slash command.
type Command struct {
	Name, Usage, Description string
	Source                   string // agent, or a script
	Own                      bool   // of the agent itself
	Idle                     bool   // not while the agent works
}

// Commands lists the slash commands, those of the agent first. It masks with patterns only, because
// the caller that reports a reload may hold the turn of a VM.
func (s *Session) Commands() []Command {
	var list []Command
	for _, c := range agent.Commands() {
		list = append(list, Command{c.Name, c.Usage(), c.Description, "agent", true, c.Idle})
	}
	e := s.Program().Engine
	snap := e.Scripts.Snapshot()
	for _, name := range snap.CommandNames() {
		c := snap.Command(name)
		list = append(list, Command{Name: name, Usage: e.Mask.Patterns(c.Usage()),
			Description: e.Mask.Patterns(c.Description), Source: c.Owner()})
	}
	return list
}

// Models lists models.
type Models struct {
	Current  string // "provider/id"; "" = there is none
	All      []service.ModelInfo
	Usable   []string       // "provider/id" of those that are usable now, including Current
	Problems []models.Found // why others are unusable
}

// Models lists the models. With ask, it asks servers for theirs.
func (s *Session) Models(ctx context.Context, ask bool) Models {
	p := s.Program()
	catalog, snap := p.Agent.Catalog(), p.Engine.Scripts.Snapshot()
	var m Models
	problem := func(f models.Found) {
		if f.Err != nil {
			m.Problems = append(m.Problems, f)
		}
	}
	if ask {
		catalog.Find(ctx, problem)
	}
	for _, f := range catalog.Unusable() {
		problem(f)
	}
	m.Current, m.All = p.Agent.Model(), catalog.List()
	for _, info := range m.All {
		if by := snap.Provider(info.Provider); by != nil && by.Unusable == "" {
			m.Usable = append(m.Usable, info.Provider+"/"+info.ID)
		}
	}
	if m.Current != "" && !slices.Contains(m.Usable, m.Current) {
		m.Usable = append([]string{m.Current}, m.Usable...)
	}
	return m
}

// Set changes settings on the user's behalf.
func (s *Session) Set(change service.Settings) error {
	return s.Program().Agent.Set(change, "user")
}

// History returns the conversation, masked also for redactors that are newer than its entries.
func (s *Session) History() []session.Item {
	p := s.Program()
	items := p.Agent.History()
	for n := range items {
		s.maskItem(&items[n])
	}
	return items
}

func (s *Session) maskItem(i *session.Item) {
	mask := s.Program().Engine.Mask
	i.Text, i.Reasoning, i.Label = mask.Text(i.Text), mask.Text(i.Reasoning), mask.Text(i.Label)
	i.ForUser, i.Args, i.Details = mask.Text(i.ForUser), s.MaskTable(i.Args), s.MaskTable(i.Details)
	i.Content, i.Rewritten = chat.MaskBlocks(mask, i.Content), i.Rewritten.Masked(mask)
	if i.Display != nil {
		d := *i.Display
		d.Title, d.Text = mask.Text(d.Title), mask.Text(d.Text)
		i.Display = &d
	}
}
