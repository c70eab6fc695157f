// Package models finds a model among those of all providers.
//
//	c := models.New(models.Options{Engine: e, Main: func() string { return "anthropic/opus" }})
//	provider, model, err := c.Resolve("small")
//
// Providers name some models themselves; the others are known after their servers have been asked.
package models

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/suggest"
)

// Offline is the provider that needs no key and no network: the last choice.
const Offline = "offline"

// Options configures a Catalog.
type Options struct {
	Engine *engine.Engine
	// Describe adds what is known of a model to its provider's description; nil = nothing is known.
	Describe func(provider string, m chat.Model) chat.Model
	// Small is the model that chat.SmallModel stands for; "" = the result of Main.
	Small string
	Main  func() string // the model set for the main agent
}

// Catalog lists the models of the registered providers. Its methods are safe for concurrent use.
type Catalog struct {
	o     Options
	found sync.Map // the servers' lists of models, []chat.Model by provider
}

// New makes a catalog.
func New(o Options) *Catalog { return &Catalog{o: o} }

// Resolve finds the provider and the model that wanted names, in the current Snapshot: a reload may
// have changed them. wanted has the form of agent.Options.Model.
func (c *Catalog) Resolve(wanted string) (*engine.Provider, chat.Model, error) {
	if wanted == chat.SmallModel {
		wanted = cmp.Or(c.o.Small, c.o.Main())
	}
	if wanted == chat.SmallModel { // none is set: choose any
		wanted = ""
	}
	snap := c.o.Engine.Scripts.Snapshot()
	if wanted == "" {
		return c.firstUsable(snap)
	}
	name, id, _ := strings.Cut(wanted, "/")
	p := snap.Provider(name)
	switch {
	case p == nil:
		return c.findByID(snap, wanted)
	case p.Unusable != "":
		return nil, chat.Model{}, refusal("invalid", "model %s: %s", wanted, p.Unusable)
	}
	for _, m := range c.modelsOf(p) {
		if m.ID == id || id == "" {
			return p, c.describe(p, m), nil
		}
	}
	if id == "" {
		return nil, chat.Model{}, refusal("invalid",
			"model %s: the provider names no models: write %s/ID; agent models lists what it has",
			name, name)
	}
	// the list may be older than the model
	return p, c.describe(p, chat.Model{ID: id}), nil
}

// Check validates a model before it is set: a provider that names its models has no others, unless
// its server may have.
func (c *Catalog) Check(name string) error {
	p, m, err := c.Resolve(name)
	if err != nil || len(p.Models) == 0 || p.List != nil {
		return err
	}
	var ids []string
	for _, has := range c.modelsOf(p) {
		if ids = append(ids, has.ID); has.ID == m.ID {
			return nil
		}
	}
	return refusal("not_found", "model %s: %s has no model %q%s", name, p.Name, m.ID,
		Suggest(m.ID, ids))
}

// findByID finds a model without a provider name. Its id may contain slashes.
func (c *Catalog) findByID(snap *engine.Snapshot, id string) (*engine.Provider, chat.Model,
	error) {
	var in []*engine.Provider
	var found chat.Model
	names, lacks := snap.ProviderNames(), ""
	for _, name := range snap.ProviderNames() {
		p := snap.Provider(name)
		for _, m := range c.modelsOf(p) {
			names = append(names[:len(names):len(names)], name+"/"+m.ID, m.ID)
			switch {
			case m.ID != id:
			case p.Unusable != "":
				lacks = name + ": " + p.Unusable
			default:
				in, found = append(in, p), m
			}
		}
	}
	switch {
	case len(in) == 1:
		return in[0], c.describe(in[0], found), nil
	case len(in) > 1:
		var which []string
		for _, p := range in {
			which = append(which, p.Name+"/"+id)
		}
		return nil, chat.Model{}, refusal("invalid",
			"model %s: more than one provider has it: write %s", id, strings.Join(which, " or "))
	case lacks != "":
		return nil, chat.Model{}, refusal("invalid", "model %s: %s", id, lacks)
	}
	name, _, slash := strings.Cut(id, "/")
	if s := suggest.DidYouMean(id, names); s != "" &&
		!(slash && suggest.DidYouMean(name, snap.ProviderNames()) != "") {
		return nil, chat.Model{}, refusal("not_found", "model %s: there is no such model%s", id,
			s)
	}
	if !slash && suggest.DidYouMean(name, snap.ProviderNames()) == "" {
		return nil, chat.Model{}, refusal("not_found",
			"model %s: no provider is known to have it, write PROVIDER/%s%s", id, id,
			"; there is "+strings.Join(snap.ProviderNames(), ", "))
	}
	return nil, chat.Model{}, refusal("not_found", "model %s: no model provider %q%s", id, name,
		Suggest(name, snap.ProviderNames()))
}

// firstUsable returns the first model of the first usable provider, the offline one last. If a
// provider is set up wrongly instead, that is the error.
func (c *Catalog) firstUsable(snap *engine.Snapshot) (*engine.Provider, chat.Model, error) {
	var last, wrong *engine.Provider
	for _, name := range snap.ProviderNames() {
		p := snap.Provider(name)
		switch {
		case p.Unusable != "" && p.SetUp && wrong == nil:
			wrong = p
		case len(p.Models) == 0, p.Unusable != "":
		case name == Offline:
			last = p
		default:
			return p, c.describe(p, c.modelsOf(p)[0]), nil
		}
	}
	switch {
	case wrong != nil:
		return nil, chat.Model{}, refusal("invalid", "model provider %s: %s", wrong.Name,
			wrong.Unusable)
	case last == nil:
		return nil, chat.Model{}, refusal("not_found",
			"no model provider: none is configured, and the offline model is not loaded")
	}
	return last, c.describe(last, last.Models[0]), nil
}

// describe returns a model with what else is known of it.
func (c *Catalog) describe(p *engine.Provider, m chat.Model) chat.Model {
	if describe := c.o.Describe; describe != nil {
		return describe(p.Name, m)
	}
	return m
}

// Suggest returns "; did you mean ..." for a name that is not in names, or lists them.
func Suggest(got string, names []string) string {
	if s := suggest.DidYouMean(got, names); s != "" {
		return s
	}
	if len(names) == 0 {
		return "; there is none"
	}
	return "; there is " + strings.Join(names, ", ")
}

// refusal returns the error of an unusable model, as scripts see it.
func refusal(code, format string, args ...any) error {
	return &fault.WorldError{Code: code, Message: fmt.Sprintf(format, args...)}
}
