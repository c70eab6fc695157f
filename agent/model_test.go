package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/service"
)

// addProviders adds providers to the fake one of the world, which has the model m.
func addProviders(t *testing.T, w *world, list ...*engine.Provider) {
	t.Helper()
	stream := func(context.Context, *chat.Request, func(chat.Chunk)) (chat.Finish,
		error) {
		return chat.Finish{}, nil
	}
	for _, p := range list {
		p.Stream = stream
	}
	in, err := w.engine.Scripts.Install(engine.Plugin{Name: "servers", Providers: list})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Remove)
}

func modelList(ids ...string) (out []chat.Model) {
	for _, id := range ids {
		out = append(out, chat.Model{ID: id})
	}
	return out
}

// TestModelsThatCanBeSet tests setting models; package models tests which model a name means.
func TestModelsThatCanBeSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	addProviders(t, w, &engine.Provider{Name: "a", Models: modelList("one")},
		&engine.Provider{Name: "server", List: func(context.Context) ([]chat.Model, error) {
			return modelList("four"), nil
		}})
	if err := w.agent.Set(service.Settings{Model: "a/new"}, "user"); err == nil ||
		!strings.Contains(err.Error(), `a has no model "new"`) {
		t.Errorf("a provider with a complete list: got %v", err)
	}
	if err := w.agent.Set(service.Settings{Model: "server/new"}, "user"); err != nil {
		t.Errorf("a server with an incomplete list: got %v", err)
	}
}
