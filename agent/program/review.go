// This file asks the user about what a project brings: at the start, and with /trust.

package program

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/ui"
)

// Choices of the review, besides the names of items.
const (
	reviewLater = "later"
	reviewItem  = "item:" // before the index of an item
)

// Review asks about what waits and puts the decisions in force. With all, what has been decided can
// be decided again. It returns when the user is done.
func (p *Program) Review(ctx context.Context, all bool) error {
	p.reviewing.Lock() // one list at a time: two would ask about the same
	defer p.reviewing.Unlock()
	for first := true; ; first = false {
		b := p.project.Look()
		if all && first && len(b.Settings) > 0 {
			if done, err := p.reviewSettings(ctx, b.Settings); err != nil || !done {
				return err
			}
			if len(b.Items) == 0 {
				return nil
			}
		}
		items := b.Waiting()
		if all {
			items = b.Items
		}
		switch {
		case b.Err != nil:
			return b.Err
		case len(items) == 0:
			return nil
		}
		answer, ok, err := p.o.Agent.Dialogs.Select(ctx, p.list(b, items, first))
		if err != nil || !ok || answer == reviewLater {
			return err
		}
		if err := p.reviewed(ctx, answer, items); err != nil {
			return err
		}
		if !strings.HasPrefix(answer, reviewItem) && !all {
			return nil
		}
	}
}

// list returns the dialog about items.
func (p *Program) list(b *Brought, items []*Item, first bool) *ui.Dialog {
	waiting := 0
	for _, i := range items {
		if i.Waits() {
			waiting++
		}
	}
	d := &ui.Dialog{Kind: "select", Lasting: true,
		Title:  fmt.Sprintf("Trust what this project brings? To review: %d", waiting),
		Detail: (&Brought{Items: items, Texts: b.Texts, Others: b.Others}).Describe(),
		Choices: []ui.Choice{{Value: reviewLater, Label: "Later",
			Description: "nothing of it runs; asked again at the next start"}}}
	if waiting == 0 {
		d.Title = "What this project brings"
	}
	if !first || waiting == 0 {
		d.Choices[0] = ui.Choice{Value: reviewLater, Label: "Done"}
	}
	for n, i := range items {
		d.Choices = append(d.Choices, ui.Choice{Value: fmt.Sprint(reviewItem, n),
			Label:       "Read " + plain.RevealName(i.Name),
			Description: "the text, then decide about it"})
	}
	if waiting > 0 {
		d.Choices = append(d.Choices,
			ui.Choice{Value: string(DecideTrust), Label: "Trust all",
				Description: "these bytes, from now on"},
			ui.Choice{Value: string(DecideOnce), Label: "Trust all once",
				Description: "these bytes, until the program ends"},
			ui.Choice{Value: string(DecideNever), Label: "Never",
				Description: "do not ask again until a file changes"})
	}
	return d
}

// reviewed acts on an answer to the list.
func (p *Program) reviewed(ctx context.Context, answer string, items []*Item) error {
	if rest, ok := strings.CutPrefix(answer, reviewItem); ok {
		var n int
		if _, err := fmt.Sscan(rest, &n); err != nil || n < 0 || n >= len(items) {
			return nil
		}
		return p.reviewItem(ctx, items[n])
	}
	var waiting []*Item
	for _, i := range items {
		if i.Waits() {
			waiting = append(waiting, i)
		}
	}
	return p.decide(Decision(answer), waiting...)
}

// reviewItem shows the text of an item and asks about it.
func (p *Program) reviewItem(ctx context.Context, i *Item) error {
	d := &ui.Dialog{Kind: "select", Lasting: true, Title: plain.RevealName(i.Name),
		Detail: i.Describe() + "\n\n" + i.Show(),
		Choices: []ui.Choice{{Value: reviewLater, Label: "Back",
			Description: "decide nothing"}}}
	if i.Problem == "" && i.SHA256 != "" && i.Standing != load.StandingTrusted {
		d.Choices = append(d.Choices,
			ui.Choice{Value: string(DecideTrust), Label: "Trust these bytes",
				Description: "from now on"},
			ui.Choice{Value: string(DecideOnce), Label: "Trust once",
				Description: "until the program ends"},
			ui.Choice{Value: string(DecideNever), Label: "Never",
				Description: "do not ask again until the file changes"})
	}
	if i.InForce() {
		d.Choices = append(d.Choices, ui.Choice{Value: string(DecideRevoke), Label: "Revoke",
			Description: "unload it, and forget that it was trusted"})
	}
	answer, ok, err := p.o.Agent.Dialogs.Select(ctx, d)
	if err != nil || !ok || answer == reviewLater {
		return err
	}
	return p.decide(Decision(answer), i)
}

// decide stores a decision, and starts the MCP servers that are trusted now.
func (p *Program) decide(d Decision, items ...*Item) error {
	if err := p.project.Decide(d, items...); err != nil {
		return fmt.Errorf("not remembered: %w", err)
	}
	var names []string
	for _, i := range items {
		names = append(names, i.Name)
		if i.Kind == KindMCP && (d == DecideTrust || d == DecideOnce) {
			p.mcp.addServers(i.Servers)
		}
	}
	if d == DecideNever { // nothing else changes on the screen
		p.Warn(load.NameSome(names) + ": you will not be asked about these bytes again")
	}
	return nil
}

// canAsk reports whether there is a user who can review.
func (p *Program) canAsk() bool { return p.project != nil && p.o.Agent.Dialogs != nil }

// reviewAtStart asks about what waits, without holding up the program.
func (p *Program) reviewAtStart() {
	if !p.canAsk() {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.stopReview = cancel
	go func() {
		if err := p.Review(ctx, false); err != nil && ctx.Err() == nil &&
			!errors.Is(err, ui.ErrHeadless) {
			p.Warn("trust: " + plain.Error(err))
		}
	}()
}

// ReviewAll is /trust: it asks about all that the project brings. If no user is available, or there
// is nothing to ask about, it returns the text to show.
func (p *Program) ReviewAll(ctx context.Context) (text string, err error) {
	if p.project == nil {
		return "nothing can be trusted without a home folder", nil
	}
	b := p.project.Look()
	text = b.Describe()
	switch {
	case b.Err != nil && len(b.Settings) == 0:
		return "", b.Err
	case text == "" && b.SettingsErr != nil:
		return "", fmt.Errorf("settings: %w", b.SettingsErr)
	case text == "":
		return "this project asks for nothing", nil
	case !p.canAsk() || len(b.Items)+len(b.Settings) == 0:
		return plain.Fenced("", text), nil
	}
	if err := p.Review(ctx, true); errors.Is(err, ui.ErrHeadless) {
		return plain.Fenced("", text), nil
	} else if err != nil && ctx.Err() == nil {
		return "", err
	}
	return "", nil
}

// trustCommand is /trust.
func (p *Program) trustCommand() engine.Plugin {
	return engine.Plugin{Name: "trust", Commands: []*engine.Command{{Name: "trust",
		Source: "builtin", Args: []slash.Param{},
		Description: "what this project brings, and whether you trust it",
		GoRun: func(ctx context.Context, _ *event.Envelope, _ any) (slash.Result, error) {
			text, err := p.ReviewAll(ctx)
			return slash.Result{Display: text}, err
		}}}}
}
