// This file handles a client's requests for data, and its changes of settings.

package rpc

import (
	"context"
	"strings"

	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/suggest"
)

// Script describes a script for the client.
type Script struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	Source     string `json:"source"`
	State      string `json:"state"`
	Generation int    `json:"generation"`
	Handlers   int    `json:"handlers"`
	Tools      int    `json:"tools"`
	Commands   int    `json:"commands"`
	// no version of it is in force, so calls that it may guard need approval
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
			"text":   s.remote.Mask(in.Text),
			"source": in.Source})
	}
	broken, scripts := []any{}, []any{}
	for _, h := range e.Scripts.Snapshot().Broken() {
		broken = append(broken, h.ScriptName())
	}
	for _, x := range s.scripts() {
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
		schema := s.remote.MaskTable(t.Schema)
		list = append(list, chat.ToolSpec{Name: t.Name,
			Description: s.remote.Mask(t.Description), Schema: schema, Kind: t.Kind,
			ReadOnly: t.ReadOnly, Source: source}.Value())
	}
	return map[string]any{"tools": list}, nil
}

// scripts lists the scripts for the client.
func (s *server) scripts() []Script {
	infos := s.p.Agent.Scripts()
	list := make([]Script, len(infos))
	for n := range infos {
		i := &infos[n]
		list[n] = Script{Name: i.Name, Path: i.Path, Source: i.Source.String(),
			State: string(i.State), Generation: i.Generation, Handlers: i.Handlers, Tools: i.Tools,
			Commands: i.Commands, Protected: i.Protected, Version: i.Header.Version,
			Summary: s.remote.Mask(i.Header.Summary), Notes: i.Notes}
		if i.Error != nil {
			list[n].Error = s.remote.Mask(i.Error.Detail())
		}
	}
	return list
}

func scriptsList(s *server, _ context.Context, _ params) (any, error) {
	return map[string]any{"scripts": s.scripts()}, nil
}

func scriptsReload(s *server, ctx context.Context, p params) (any, error) {
	s.p.Agent.Reload(ctx)
	return scriptsList(s, ctx, p)
}

func modelsList(s *server, ctx context.Context, p params) (any, error) {
	found := s.remote.Models(ctx, !p.truth("known"))
	list, problems := []any{}, []any{}
	for _, f := range found.Problems {
		problems = append(problems, map[string]any{"provider": f.Provider,
			"problem": f.Err.Error()})
	}
	for _, m := range found.All {
		list = append(list, modelFields(m))
	}
	return map[string]any{"model": found.Current, "models": list, "problems": problems}, nil
}

// modelFields describes a model; unknown values are null.
func modelFields(m service.ModelInfo) map[string]any {
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
	err := s.remote.Set(service.Settings{Model: p.text("model")})
	return map[string]any{"model": s.p.Agent.Model()}, err
}

func thinkingSet(s *server, _ context.Context, p params) (any, error) {
	err := s.remote.Set(service.Settings{Thinking: p.text("thinking")})
	return map[string]any{"thinking": s.p.Agent.Thinking()}, err
}

func permissionSet(s *server, _ context.Context, p params) (any, error) {
	err := s.remote.Set(service.Settings{Permission: event.Permission(p.text("permission"))})
	return map[string]any{"permission": string(s.p.Agent.Envelope().Permission)}, err
}

func commandsList(s *server, _ context.Context, _ params) (any, error) {
	list := []any{}
	s.p.Agent.Refresh()
	for _, c := range s.remote.Commands() {
		list = append(list, map[string]any{"name": c.Name, "usage": c.Usage,
			"description": c.Description, "source": c.Source, "idle": c.Idle})
	}
	return map[string]any{"commands": list}, nil
}

// commandComplete asks a script's command for completions; for the agent's own commands with a
// fixed set of values it knows them.
func commandComplete(s *server, ctx context.Context, p params) (any, error) {
	name, prefix := p.text("name"), p.text("prefix")
	var command *remote.Command
	all, names := s.remote.Commands(), []string{}
	for i := range all {
		if names = append(names, all[i].Name); all[i].Name == name {
			command = &all[i]
		}
	}
	if command == nil {
		return nil, &fault.WorldError{Code: "not_found",
			Message: "command.complete: unknown command /" + name + suggest.DidYouMean(name, names)}
	}
	list := []any{}
	add := func(value, description string) {
		c := map[string]any{"value": s.remote.Mask(value)}
		if description != "" {
			c["description"] = s.remote.Mask(description)
		}
		list = append(list, c)
	}
	for _, v := range s.few(name) {
		if strings.HasPrefix(v, prefix) {
			add(v, "")
		}
	}
	if !command.Own {
		found, err := s.p.Engine.Commands.Complete(ctx, s.p.Agent.Envelope(), name, prefix)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			add(c.Value, c.Description)
		}
	}
	return map[string]any{"completions": list}, nil
}

// few returns the values of an agent's command; nil = unknown.
func (s *server) few(command string) (values []string) {
	switch command {
	case "model":
		for _, m := range s.p.Agent.Catalog().List() {
			values = append(values, m.Provider+"/"+m.ID)
		}
	case "thinking":
		return chat.ThinkingLevels()
	case "permission":
		return event.PermissionNames()
	}
	return values
}
