// This file finds the model that is asked.
package agent

import (
	"cmp"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// offline is the provider that needs no key and no network: the last choice.
const offline = "offline"

// Model returns the model as "provider/id": the one that would be asked now, or, if there is none, what was
// set. Call it from any goroutine.
func (a *Agent) Model() string {
	p, m, err := a.resolve()
	if err != nil {
		return a.settings.wanted()
	}
	return p.Name + "/" + m.ID
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
	snap := a.engine.Snapshot()
	if wanted == "" {
		wanted = a.settings.wanted()
	}
	if wanted == "" {
		return usable(snap)
	}
	name, id, _ := strings.Cut(wanted, "/")
	p := snap.Provider(name)
	if p == nil {
		return nil, engine.Model{}, refusal("not_found", "model %s: no model provider %q%s", wanted, name, have(name, snap.ProviderNames()))
	}
	for _, m := range p.Models {
		if m.ID == id || id == "" {
			return p, m, nil
		}
	}
	if id == "" {
		return nil, engine.Model{}, refusal("invalid", "model %s: the provider names no models: write %s/ID", name, name)
	}
	return p, engine.Model{ID: id}, nil // the list may be older than the model: the provider knows
}

// usable is the first model of the first provider that is not the offline one, else that.
func usable(snap *engine.Snapshot) (*engine.Provider, engine.Model, error) {
	var last *engine.Provider
	for _, name := range snap.ProviderNames() {
		p := snap.Provider(name)
		switch {
		case len(p.Models) == 0:
		case name == offline:
			last = p
		default:
			return p, p.Models[0], nil
		}
	}
	if last == nil {
		return nil, engine.Model{}, refusal("not_found", "no model provider: none is configured, and the offline model is not loaded")
	}
	return last, last.Models[0], nil
}

func have(got string, names []string) string {
	if s := engine.DidYouMean(got, names); s != "" {
		return s
	}
	if len(names) == 0 {
		return "; there is none"
	}
	return "; there is " + strings.Join(names, ", ")
}
