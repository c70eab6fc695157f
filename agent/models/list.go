// This file knows what models there are: those that providers name, and those that their servers
// have when somebody looks.

package models

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/suggest"
)

// listWait is how long a provider may take to say what models it has: longer, nobody looks at the
// list.
const listWait = 10 * time.Second

// Found is what a provider says of its models when it is asked. Secrets are masked in Err.
type Found struct {
	Provider string
	Models   []chat.Model
	Err      error
}

// modelsOf are the models of p that are known: those that it names, with what its server said of
// them, and those that only that knows.
func (c *Catalog) modelsOf(p *engine.Provider) []chat.Model {
	v, ok := c.found.Load(p.Name)
	if !ok {
		return p.Models
	}
	said := map[string]chat.Model{}
	for _, m := range v.([]chat.Model) {
		said[m.ID] = m
	}
	out := make([]chat.Model, 0, len(p.Models)+len(said))
	for _, m := range p.Models {
		if s, ok := said[m.ID]; ok {
			m = s
		}
		delete(said, m.ID)
		out = append(out, m)
	}
	for _, m := range v.([]chat.Model) {
		if _, left := said[m.ID]; left {
			delete(said, m.ID)
			out = append(out, m)
		}
	}
	return out
}

// List lists what can be asked, as far as it is known. Call it from any goroutine.
func (c *Catalog) List() []engine.ModelInfo {
	snap := c.o.Engine.Scripts.Snapshot()
	var out []engine.ModelInfo
	for _, name := range snap.ProviderNames() {
		p := snap.Provider(name)
		if p.Unusable != "" {
			continue
		}
		for _, m := range c.modelsOf(p) {
			out = append(out, engine.ModelInfo{Provider: name, Model: c.describe(p, m)})
		}
	}
	return out
}

// Unusable are the providers that lack something, and what to do about it, in order.
func (c *Catalog) Unusable() (out []Found) {
	snap := c.o.Engine.Scripts.Snapshot()
	for _, name := range snap.ProviderNames() {
		if p := snap.Provider(name); p.Unusable != "" {
			out = append(out, Found{Provider: name,
				Err: errors.New(c.o.Engine.Mask.Text(p.Unusable))})
		}
	}
	return out
}

// Find asks all providers, or those that are named, side by side what models they have, and
// those on this machine whether they are there. each is called as they answer, from one goroutine
// at a time; from then on List has them. It returns when all have answered.
func (c *Catalog) Find(ctx context.Context, each func(Found), names ...string) {
	snap := c.o.Engine.Scripts.Snapshot()
	if len(names) == 0 {
		names = snap.ProviderNames()
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, name := range names {
		p := snap.Provider(name)
		if p == nil || p.List == nil || p.Unusable != "" {
			continue
		}
		wg.Go(func() {
			f := c.askProvider(ctx, p)
			mu.Lock()
			defer mu.Unlock()
			each(f)
		})
	}
	wg.Wait()
}

// askProvider asks one provider, and remembers what it says. It does not wait for one that does not
// heed ctx; its panic is an error.
func (c *Catalog) askProvider(ctx context.Context, p *engine.Provider) Found {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	list, err := apart.Run(ctx, func() ([]chat.Model, error) { return p.List(ctx) })
	switch {
	case err == nil:
		c.found.Store(p.Name, list)
	case err != context.Cause(ctx): // servers say what they do not like
		err = errors.New(c.o.Engine.Mask.Text(err.Error()))
	}
	return Found{Provider: p.Name, Models: list, Err: err}
}

// Learn asks, in the background, the provider of a model of which nothing is known: how much it
// takes, and what it costs.
func (c *Catalog) Learn(wanted string) {
	p, m, err := c.Resolve(wanted)
	if err != nil || p.List == nil || m.Context > 0 {
		return
	}
	go c.askProvider(context.Background(), p)
}

// Similar is what a model that a server does not know may have been meant to be: "; did you mean
// ..." or "".
func (c *Catalog) Similar(name string) string {
	provider, id, _ := strings.Cut(name, "/")
	p := c.o.Engine.Scripts.Snapshot().Provider(provider)
	if p == nil {
		return ""
	}
	var ids []string
	for _, m := range c.modelsOf(p) {
		if m.ID == id {
			return ""
		}
		ids = append(ids, m.ID)
	}
	return suggest.DidYouMean(id, ids)
}
