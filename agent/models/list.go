// This file lists models: those that providers name, and those that their servers list on request.

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
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/suggest"
)

// listWait is how long a provider may take to list its models: the user does not wait longer.
const listWait = 10 * time.Second

// Found is a provider's answer about its models. Secrets are masked in Err.
type Found struct {
	Provider string
	Models   []chat.Model
	Err      error
}

// modelsOf returns the known models of p: those that it names, with the server's details, and those
// that only the server lists.
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

// List lists the known usable models. It may be called from any goroutine.
func (c *Catalog) List() []service.ModelInfo {
	snap := c.o.Engine.Scripts.Snapshot()
	var out []service.ModelInfo
	for _, name := range snap.ProviderNames() {
		p := snap.Provider(name)
		if p.Unusable != "" {
			continue
		}
		for _, m := range c.modelsOf(p) {
			out = append(out, service.ModelInfo{Provider: name, Model: c.describe(p, m)})
		}
	}
	return out
}

// Unusable returns the providers that lack something, and what to do about it, in order.
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

// Find asks all providers, or the named ones, concurrently for their models, and also looks for
// servers on this machine. It calls each with every answer, one at a time, and updates List. It
// returns when all have answered.
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

// askProvider asks one provider, and stores its answer. It does not wait for one that ignores ctx;
// a panic becomes an error.
func (c *Catalog) askProvider(ctx context.Context, p *engine.Provider) Found {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	list, err := apart.Run(ctx, func() ([]chat.Model, error) { return p.List(ctx) })
	switch {
	case err == nil:
		c.found.Store(p.Name, list)
	case err != context.Cause(ctx): // the server's own error
		err = errors.New(c.o.Engine.Mask.Text(err.Error()))
	}
	return Found{Provider: p.Name, Models: list, Err: err}
}

// Learn asks, in the background, the provider of an unknown model for its limits and prices.
func (c *Catalog) Learn(wanted string) {
	p, m, err := c.Resolve(wanted)
	if err != nil || p.List == nil || m.Context > 0 {
		return
	}
	go c.askProvider(context.Background(), p)
}

// Similar suggests a model for a name that a server does not know: "; did you mean ..." or "".
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
