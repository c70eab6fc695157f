// This file is what a client looks at, and the settings that it changes.

package rpc

import (
	"context"
	"strings"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/suggest"
)

// Script is a script as a client is told of it.
type Script struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	Source     string `json:"source"`
	State      string `json:"state"`
	Generation int    `json:"generation"`
	Handlers   int    `json:"handlers"`
	Tools      int    `json:"tools"`
	Commands   int    `json:"commands"`
	// calls that it may guard ask, because nothing of it is in force
	Protected bool     `json:"protected"`
	Version   string   `json:"version,omitempty"`
	Summary   string   `json:"summary,omitempty"`
	Error     string   `json:"error,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

func state(s *server, _ context.Context, _ params) (any, error) {
	a, e := s.p.Agent, s.p.Engine
	now := "working"
	if a.Idle() {
		now = "idle"
	}
	used := a.Session().Used(false)
	m := map[string]any{"state": now, "model": a.Model(), "thinking": a.Thinking(),
		"permission": string(a.Envelope().Permission), "session": s.session(),
		"usage": used.Tokens.Value(), "cost": nil, "window": map[string]any{},
		"dialogs": s.desk.ids()}
	if used.Unpriced == 0 {
		m["cost"] = used.Cost
	}
	if w, ok := a.Envelope().Get("window"); ok {
		m["window"] = w
	}
	queue := []any{}
	for _, in := range a.Waiting() {
		queue = append(queue, map[string]any{"id": in.ID, "kind": in.Kind,
			"text":   e.Mask.Text(in.Text),
			"source": in.Source})
	}
	broken, scripts := []any{}, []any{}
	for _, h := range e.Scripts.Snapshot().Broken() {
		broken = append(broken, h.ScriptName())
	}
	for _, x := range s.p.Scripts() {
		scripts = append(scripts, map[string]any{"name": x.Name, "state": x.State})
	}
	m["queue"], m["broken"], m["scripts"] = queue, broken, scripts
	return m, nil
}

func toolsList(s *server, _ context.Context, _ params) (any, error) {
	snap, list := s.p.Engine.Scripts.Snapshot(), []any{}
	for _, name := range snap.ToolNames() {
		t := snap.Tool(name)
		source := t.Source
		if source == "" {
			source = "builtin"
		}
		schema, _ := s.p.Engine.Mask.Value(t.Schema).(map[string]any)
		list = append(list, engine.ToolSpec{Name: t.Name,
			Description: s.p.Engine.Mask.Text(t.Description), Schema: schema, Kind: t.Kind,
			ReadOnly: t.ReadOnly, Source: source}.Value())
	}
	return map[string]any{"tools": list}, nil
}

func scriptsList(s *server, _ context.Context, _ params) (any, error) {
	list := s.p.Scripts()
	out := make([]Script, len(list))
	for i, x := range list {
		x.Error, x.Summary = s.p.Engine.Mask.Text(x.Error), s.p.Engine.Mask.Text(x.Summary)
		out[i] = x
	}
	return map[string]any{"scripts": out}, nil
}

func scriptsReload(s *server, ctx context.Context, p params) (any, error) {
	s.p.Reload(ctx)
	return scriptsList(s, ctx, p)
}

func modelsList(s *server, ctx context.Context, p params) (any, error) {
	list, problems := []any{}, []any{}
	problem := func(f models.Found) {
		if f.Err != nil {
			problems = append(problems, map[string]any{"provider": f.Provider,
				"problem": f.Err.Error()})
		}
	}
	if !p.truth("known") {
		s.p.Agent.Catalog().Find(ctx, problem)
	}
	for _, f := range s.p.Agent.Catalog().Unusable() {
		problem(f)
	}
	for _, m := range s.p.Agent.Catalog().List() {
		list = append(list, modelFields(m))
	}
	return map[string]any{"model": s.p.Agent.Model(), "models": list, "problems": problems}, nil
}

// modelFields describes a model; what is not known is null.
func modelFields(m engine.ModelInfo) map[string]any {
	known := func(n int) any {
		if n <= 0 {
			return nil
		}
		return n
	}
	fields := map[string]any{"id": m.Provider + "/" + m.ID, "provider": m.Provider,
		"context": known(m.Context), "max_output": known(m.MaxOutput),
		"images": m.Images, "thinking": m.Thinking, "price": nil}
	if p := m.Price; p != nil {
		fields["price"] = map[string]any{"input": p.Input, "output": p.Output,
			"cache_read": p.CacheRead, "cache_write": p.CacheWrite}
	}
	return fields
}

func modelSet(s *server, _ context.Context, p params) (any, error) {
	if p.text("model") == "" {
		return nil, wrong("model.set", "model: it is empty, want provider/id")
	}
	err := s.p.Agent.Set(engine.Settings{Model: p.text("model")}, "user")
	return map[string]any{"model": s.p.Agent.Model()}, err
}

func thinkingSet(s *server, _ context.Context, p params) (any, error) {
	err := s.p.Agent.Set(engine.Settings{Thinking: p.text("thinking")}, "user")
	return map[string]any{"thinking": s.p.Agent.Thinking()}, err
}

func permissionSet(s *server, _ context.Context, p params) (any, error) {
	err := s.p.Agent.Set(engine.Settings{Permission: engine.Permission(p.text("permission"))},
		"user")
	return map[string]any{"permission": string(s.p.Agent.Envelope().Permission)}, err
}

func commandsList(s *server, _ context.Context, _ params) (any, error) {
	list := []any{}
	for _, c := range agent.Commands() {
		list = append(list, map[string]any{"name": c.Name, "usage": c.Usage,
			"description": c.Description, "source": "agent", "idle": c.Idle})
	}
	s.p.Agent.Refresh()
	snap := s.p.Engine.Scripts.Snapshot()
	for _, name := range snap.CommandNames() {
		c := snap.Command(name)
		list = append(list, map[string]any{"name": name, "usage": c.Usage(),
			"description": c.Description, "source": c.Owner(), "idle": false})
	}
	return map[string]any{"commands": list}, nil
}

// commandComplete asks a script's command; of the agent's own it knows those that take one of a
// few.
func commandComplete(s *server, ctx context.Context, p params) (any, error) {
	name, prefix := p.text("name"), p.text("prefix")
	snap, own, names := s.p.Engine.Scripts.Snapshot(), false, []string{}
	for _, c := range agent.Commands() {
		own = own || c.Name == name
		names = append(names, c.Name)
	}
	if names = append(names, snap.CommandNames()...); !own && snap.Command(name) == nil {
		return nil, &engine.WorldError{Code: "not_found",
			Message: "command.complete: unknown command /" + name + suggest.DidYouMean(name, names)}
	}
	list := []any{}
	add := func(value, description string) {
		c := map[string]any{"value": s.p.Engine.Mask.Text(value)}
		if description != "" {
			c["description"] = s.p.Engine.Mask.Text(description)
		}
		list = append(list, c)
	}
	for _, v := range s.few(name) {
		if strings.HasPrefix(v, prefix) {
			add(v, "")
		}
	}
	if !own {
		found, err := s.p.Engine.Complete(ctx, s.p.Agent.Envelope(), name, prefix)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			add(c.Value, c.Description)
		}
	}
	return map[string]any{"completions": list}, nil
}

// few are the values that a command of the agent takes; nil = they are not known.
func (s *server) few(command string) (values []string) {
	switch command {
	case "model":
		for _, m := range s.p.Agent.Catalog().List() {
			values = append(values, m.Provider+"/"+m.ID)
		}
	case "thinking":
		return engine.ThinkingLevels()
	case "permission":
		return permissionNames()
	}
	return values
}
