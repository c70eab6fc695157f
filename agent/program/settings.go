// This file shows the user's own settings that wait, and stores the decisions about them.

package program

import (
	"context"
	"fmt"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/trust"
	"github.com/agentscripts/agent/engine/ui"
)

// KindSettings is a file of the user's own settings, of which a version waits.
const KindSettings = "settings"

// DecideRestore puts the version of a file of settings back that is in force.
const DecideRestore Decision = "restore"

// keptBack says what of the settings waits, a line for each file. What is lost is told by those who
// read it.
func keptBack(k *load.Settings) (notes []string) {
	if err := k.Damage(); err != nil {
		notes = append(notes, "settings: "+plain.Error(err))
	}
	list, _ := k.Waiting() // what cannot be read is told then, too
	for _, w := range list {
		if !w.Lost {
			notes = append(notes, w.String())
		}
	}
	return notes
}

// settingsItems returns the settings that wait. The error says what is not known about them.
func (p *Project) settingsItems() (items []*Item, err error) {
	list, err := p.places.Keeper.Waiting()
	for _, w := range list {
		shown := w.Hidden(config.HideKeys)
		items = append(items, &Item{Kind: KindSettings, Name: w.Name, Standing: load.StandingNew,
			Item: trust.Item{Root: p.home, Path: w.Path, SHA256: w.SHA256},
			Text: shown.Text, Kept: shown.InForce, setting: &w})
	}
	return items, err
}

// Advice says what of the user's settings waits, and what the user can do; "" for other items.
func (i *Item) Advice() string {
	if i.setting == nil {
		return ""
	}
	return i.setting.String()
}

// decideSettings stores a decision about a file of settings. Its keeper has it in the audit log of
// a running agent.
func (p *Project) decideSettings(d Decision, i *Item) error {
	switch d {
	case DecideTrust:
		return p.places.Keeper.Accept(i.setting.Held)
	case DecideRestore:
		return p.places.Keeper.Restore(i.setting.Held)
	case DecideNever:
		return p.places.Keeper.Decline(i.setting.Held)
	}
	return fmt.Errorf("%s: the settings are yours: add, never or restore decides about a change",
		plain.RevealName(i.Name))
}

// reviewSettings asks about each file of settings that waits. done is false if the user wants to
// decide nothing.
func (p *Program) reviewSettings(ctx context.Context, items []*Item) (done bool, err error) {
	for _, i := range items {
		answer, ok, err := p.o.Agent.Dialogs.Select(ctx, settingsDialog(i))
		if err != nil || !ok {
			return false, err
		}
		if answer == reviewLater {
			continue
		}
		if err := p.project.Decide(Decision(answer), i); err != nil {
			return false, err
		}
	}
	return true, nil
}

// settingsDialog returns the question about a file of settings. It offers what is possible: what
// cannot be read cannot be used, and what is lost cannot be put back.
func settingsDialog(i *Item) *ui.Dialog {
	d := &ui.Dialog{Kind: "select", Lasting: true, Title: i.setting.State(), Detail: i.Show(),
		Choices: []ui.Choice{{Value: reviewLater, Label: "Later",
			Description: "asked again at the next start"}}}
	if i.setting.Unread == "" {
		label := "Use it"
		if i.setting.Lost && i.setting.Missing {
			label = "Go on without"
		}
		d.Choices = append(d.Choices, ui.Choice{Value: string(DecideTrust), Label: label,
			Description: "from the next start on"})
	}
	if !i.setting.Lost {
		d.Choices = append(d.Choices, ui.Choice{Value: string(DecideRestore),
			Label: "Put the file back", Description: "to the version in force"})
	}
	return d
}
