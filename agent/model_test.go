package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/engine"
)

// providers are installed beside the fake one of the world, which has the model m.
func providers(t *testing.T, w *world, list ...*engine.Provider) {
	t.Helper()
	stream := func(context.Context, *engine.ModelRequest, func(engine.Chunk)) (engine.Finish,
		error) {
		return engine.Finish{}, nil
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

func modelList(ids ...string) (out []engine.Model) {
	for _, id := range ids {
		out = append(out, engine.Model{ID: id})
	}
	return out
}

func TestWhichModelIsMeant(t *testing.T) {
	w := newWorld(t, Options{SmallModel: "b/tiny"})
	providers(t, w, &engine.Provider{Name: "a", Models: modelList("one", "both")},
		&engine.Provider{Name: "b", Models: modelList("two", "both", "tiny", "maker/x")},
		&engine.Provider{Name: "keyless", Models: modelList("three", "one"),
			Unusable: "set KEYLESS_API_KEY"},
		&engine.Provider{Name: "server", List: func(context.Context) ([]engine.Model,
			error) {
			return modelList("four"), nil
		}})
	tests := []struct{ name, want, err string }{
		{"", "fake/m", ""},
		{"a", "a/one", ""},
		{"a/both", "a/both", ""},
		{"a/new", "a/new", ""},
		{"two", "b/two", ""},
		{"maker/x", "b/maker/x", ""},
		{"b/maker/x", "b/maker/x", ""},
		{"one", "a/one", ""},
		{"small", "b/tiny", ""},
		{"both", "", "more than one provider has it: write a/both or b/both"},
		{"three", "", "keyless: set KEYLESS_API_KEY"},
		{"keyless/three", "", "model keyless/three: set KEYLESS_API_KEY"},
		{"twoo", "", `there is no such model; did you mean "two"?`},
		{"server", "", "write server/ID"},
		{"server/four", "server/four", ""},
		{"zzzzzz", "", "no provider is known to have it, write PROVIDER/zzzzzz; there is fake, " +
			"a, b, keyless, server"},
		{"zzzzzz/x", "", `no model provider "zzzzzz"; there is fake, a, b, keyless, server`},
	}
	for _, tt := range tests {
		p, m, err := w.agent.settings.Resolve(tt.name)
		got := ""
		if err == nil {
			got = p.Name + "/" + m.ID
		}
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil &&
			!strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %s %v, want %s %s", tt.name, got, err, tt.want, tt.err)
		}
	}
	if err := w.agent.Set(engine.Settings{Model: "a/new"}, "user"); err == nil ||
		!strings.Contains(err.Error(), `a has no model "new"`) {
		t.Errorf("a provider that names all it has: got %v", err)
	}
	if err := w.agent.Set(engine.Settings{Model: "server/new"}, "user"); err != nil {
		t.Errorf("a server that may have more: got %v", err)
	}
}

func TestModelsThatServersHave(t *testing.T) {
	w := newWorld(t, Options{})
	providers(t, w,
		&engine.Provider{Name: "a", Models: modelList("one"),
			List: func(context.Context) ([]engine.Model, error) {
				return []engine.Model{{ID: "two", Context: 5}, {ID: "one", Context: 9},
						{ID: "two"}},
					nil
			}},
		&engine.Provider{Name: "broken", List: func(context.Context) ([]engine.Model,
			error) {
			return nil, errors.New("not today")
		}},
		&engine.Provider{Name: "panics", List: func(context.Context) ([]engine.Model,
			error) {
			panic("oh")
		}},
		&engine.Provider{Name: "keyless", Unusable: "set X",
			List: func(context.Context) ([]engine.Model, error) { panic("asked") }})
	var told []string
	w.agent.Catalog().Find(w.ctx, func(f models.Found) {
		if f.Err != nil {
			told = append(told, f.Provider+": "+f.Err.Error())
		}
	})
	if got := strings.Join(told, "\n"); len(told) != 2 ||
		!strings.Contains(got, "broken: not today") ||
		!strings.Contains(got, "panics: internal error: oh") {
		t.Errorf("got %s", got)
	}
	var got []string
	for _, m := range w.agent.Catalog().List() {
		got = append(got, m.Provider+"/"+m.ID)
	}
	if s := strings.Join(got, " "); s != "fake/m a/one a/two" {
		t.Errorf("got %s", s)
	}
	if _, m, err := w.agent.settings.Resolve("a/one"); err != nil || m.Context != 9 {
		t.Errorf("what the server said: got %+v %v", m, err)
	}
	if u := w.agent.Catalog().Unusable(); len(u) != 1 || u[0].Err.Error() != "set X" {
		t.Errorf("unusable: got %v", u)
	}
}
