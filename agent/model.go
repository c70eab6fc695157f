// This file finds the model that is asked.

package agent

import (
	"cmp"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/suggest"
)

// offline is the provider that needs no key and no network: the last choice.
const offline = "offline"

// Model returns the model as "provider/id": the one that would be asked now, or, if there is none,
// what was set. Call it from any goroutine.
func (a *Agent) Model() string {
	p, m, err := a.resolve()
	if err != nil {
		return a.settings.wanted()
	}
	return p.Name + "/" + m.ID
}

// Offline reports whether the offline model is asked because nobody set up another.
func (a *Agent) Offline() bool {
	p, _, err := a.resolve()
	return err == nil && p.Name == offline && a.settings.wanted() == ""
}

// modelName is Model for a request that names its own; "" = it does not.
func (a *Agent) modelName(own string) string {
	if p, m, err := a.resolveModel(own); err == nil {
		return p.Name + "/" + m.ID
	}
	return cmp.Or(own, a.Model())
}

// resolve finds the provider and the model in the current Snapshot: a reload may have changed them.
func (a *Agent) resolve() (*engine.Provider, engine.Model, error) { return a.resolveModel("") }

// resolveModel is resolve for a request that names its own model; "" = it does not.
func (a *Agent) resolveModel(wanted string) (*engine.Provider, engine.Model, error) {
	wanted = cmp.Or(wanted, a.settings.wanted())
	if wanted == engine.SmallModel {
		wanted = cmp.Or(a.root().o.SmallModel, a.root().settings.wanted())
	}
	if wanted == engine.SmallModel { // none is configured: any will do
		wanted = ""
	}
	snap := a.engine.Snapshot()
	if wanted == "" {
		return a.usable(snap)
	}
	name, id, _ := strings.Cut(wanted, "/")
	p := snap.Provider(name)
	switch {
	case p == nil:
		return a.byID(snap, wanted)
	case p.Unusable != "":
		return nil, engine.Model{}, refusal("invalid", "model %s: %s", wanted, p.Unusable)
	}
	for _, m := range a.modelsOf(p) {
		if m.ID == id || id == "" {
			return p, a.described(p, m), nil
		}
	}
	if id == "" {
		return nil, engine.Model{}, refusal("invalid",
			"model %s: the provider names no models: write %s/ID; agent models lists what it has",
			name, name)
	}
	// the list may be older than the model: the provider knows
	return p, a.described(p, engine.Model{ID: id}), nil
}

// byID finds a model whose provider was not named. Its id may hold slashes.
func (a *Agent) byID(snap *engine.Snapshot, id string) (*engine.Provider, engine.Model, error) {
	var in []*engine.Provider
	var found engine.Model
	names, lacks := snap.ProviderNames(), ""
	for _, name := range snap.ProviderNames() {
		p := snap.Provider(name)
		for _, m := range a.modelsOf(p) {
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
		return in[0], a.described(in[0], found), nil
	case len(in) > 1:
		var which []string
		for _, p := range in {
			which = append(which, p.Name+"/"+id)
		}
		return nil, engine.Model{}, refusal("invalid",
			"model %s: more than one provider has it: write %s", id, strings.Join(which, " or "))
	case lacks != "":
		return nil, engine.Model{}, refusal("invalid", "model %s: %s", id, lacks)
	}
	name, _, slash := strings.Cut(id, "/")
	if s := suggest.DidYouMean(id, names); s != "" &&
		!(slash && suggest.DidYouMean(name, snap.ProviderNames()) != "") {
		return nil, engine.Model{}, refusal("not_found", "model %s: there is no such model%s", id,
			s)
	}
	if !slash && suggest.DidYouMean(name, snap.ProviderNames()) == "" {
		return nil, engine.Model{}, refusal("not_found",
			"model %s: no provider is known to have it, write PROVIDER/%s%s", id, id,
			"; there is "+strings.Join(snap.ProviderNames(), ", "))
	}
	return nil, engine.Model{}, refusal("not_found", "model %s: no model provider %q%s", id, name,
		have(name, snap.ProviderNames()))
}

// usable is the first model of the first provider that can be asked and is not the offline one,
// else that; but where one was set up, and wrongly, that is the error.
func (a *Agent) usable(snap *engine.Snapshot) (*engine.Provider, engine.Model, error) {
	var last, wrong *engine.Provider
	for _, name := range snap.ProviderNames() {
		p := snap.Provider(name)
		switch {
		case p.Unusable != "" && p.SetUp && wrong == nil:
			wrong = p
		case len(p.Models) == 0, p.Unusable != "":
		case name == offline:
			last = p
		default:
			return p, a.described(p, a.modelsOf(p)[0]), nil
		}
	}
	switch {
	case wrong != nil:
		return nil, engine.Model{}, refusal("invalid", "model provider %s: %s", wrong.Name,
			wrong.Unusable)
	case last == nil:
		return nil, engine.Model{}, refusal("not_found",
			"no model provider: none is configured, and the offline model is not loaded")
	}
	return last, a.described(last, last.Models[0]), nil
}

// described is a model with what is known of it besides.
func (a *Agent) described(p *engine.Provider, m engine.Model) engine.Model {
	if describe := a.root().o.Describe; describe != nil {
		return describe(p.Name, m)
	}
	return m
}

func have(got string, names []string) string {
	if s := suggest.DidYouMean(got, names); s != "" {
		return s
	}
	if len(names) == 0 {
		return "; there is none"
	}
	return "; there is " + strings.Join(names, ", ")
}
