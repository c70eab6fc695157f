package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/scripttest"
)

// newCatalog returns a catalog of providers. The agent wants fake/m.
func newCatalog(t *testing.T, o models.Options, providers ...*engine.Provider) *models.Catalog {
	t.Helper()
	stream := func(context.Context, *chat.Request, func(chat.Chunk)) (chat.Finish, error) {
		return chat.Finish{}, nil
	}
	providers = append([]*engine.Provider{{Name: "fake", Models: modelList("m")}}, providers...)
	for _, p := range providers {
		p.Stream = stream
	}
	e := scripttest.NewEngine(t, engine.Options{Providers: providers})
	o.Engine = e
	if o.Main == nil {
		o.Main = func() string { return "" }
	}
	return models.New(o)
}

func modelList(ids ...string) (out []chat.Model) {
	for _, id := range ids {
		out = append(out, chat.Model{ID: id})
	}
	return out
}

func TestResolve(t *testing.T) {
	c := newCatalog(t, models.Options{Small: "b/tiny"},
		&engine.Provider{Name: "a", Models: modelList("one", "both")},
		&engine.Provider{Name: "b", Models: modelList("two", "both", "tiny", "maker/x")},
		&engine.Provider{Name: "keyless", Models: modelList("three", "one"),
			Unusable: "set KEYLESS_API_KEY"},
		&engine.Provider{Name: "server", List: func(context.Context) ([]chat.Model, error) {
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
		p, m, err := c.Resolve(tt.name)
		got := ""
		if err == nil {
			got = p.Name + "/" + m.ID
		}
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil &&
			!strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %s %v, want %s %s", tt.name, got, err, tt.want, tt.err)
		}
	}
	for name, want := range map[string]string{"a/new": `a has no model "new"`, "a/one": "",
		"server/new": "", "a/onee": `did you mean "one"?`, "aa/one": `did you mean "a"?`} {
		err := c.Check(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("check %s: got %v, want %q", name, err, want)
		}
	}
	for name, want := range map[string]string{"b/twoo": `did you mean "two"?`, "b/zzzzzz": "",
		"nobody/two": ""} {
		if got := c.Similar(name); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("similar to %s: got %q, want %q", name, got, want)
		}
	}
}

// TestSmallModel checks that without a small model, small means the main agent's model.
func TestSmallModel(t *testing.T) {
	c := newCatalog(t, models.Options{Main: func() string { return "a/two" }},
		&engine.Provider{Name: "a", Models: modelList("one", "two")})
	p, m, err := c.Resolve("small")
	if err != nil || p.Name+"/"+m.ID != "a/two" {
		t.Errorf("got %v %v, %v", p, m, err)
	}
}

// TestNoUsableModel checks that the error names the mistakes in the user's settings.
func TestNoUsableModel(t *testing.T) {
	for setUp, want := range map[bool]string{true: "set KEYLESS_API_KEY",
		false: "none is configured"} {
		e := scripttest.NewEngine(t, engine.Options{Providers: []*engine.Provider{{Name: "keyless",
			Models: modelList("m"), Unusable: "set KEYLESS_API_KEY", SetUp: setUp,
			Stream: func(context.Context, *chat.Request, func(chat.Chunk)) (chat.Finish,
				error) {
				return chat.Finish{}, errors.New("asked")
			}}}})
		c := models.New(models.Options{Engine: e, Main: func() string { return "" }})
		if _, _, err := c.Resolve(""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("set up %v: got %v, want %s", setUp, err, want)
		}
	}
}

func TestFindModels(t *testing.T) {
	describe := func(provider string, m chat.Model) chat.Model {
		if m.ID == "two" {
			m.MaxOutput = 7
		}
		return m
	}
	c := newCatalog(t, models.Options{Describe: describe},
		&engine.Provider{Name: "a", Models: modelList("one"),
			List: func(context.Context) ([]chat.Model, error) {
				return []chat.Model{{ID: "two", Context: 5}, {ID: "one", Context: 9},
					{ID: "two"}}, nil
			}},
		&engine.Provider{Name: "broken", List: func(context.Context) ([]chat.Model, error) {
			return nil, errors.New("not today")
		}},
		&engine.Provider{Name: "panics", List: func(context.Context) ([]chat.Model, error) {
			panic("oh")
		}},
		&engine.Provider{Name: "keyless", Unusable: "set X",
			List: func(context.Context) ([]chat.Model, error) { panic("asked") }})
	var told []string
	c.Find(t.Context(), func(f models.Found) {
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
	for _, m := range c.List() {
		got = append(got, m.Provider+"/"+m.ID)
	}
	if s := strings.Join(got, " "); s != "fake/m a/one a/two" {
		t.Errorf("got %s", s)
	}
	for name, want := range map[string][2]int{"a/one": {9, 0}, "a/two": {5, 7}} {
		if _, m, err := c.Resolve(name); err != nil || [2]int{m.Context, m.MaxOutput} != want {
			t.Errorf("%s: got %+v %v, want %v", name, m, err, want)
		}
	}
	if u := c.Unusable(); len(u) != 1 || u[0].Err.Error() != "set X" {
		t.Errorf("unusable: got %v", u)
	}
}

// TestFindEndsWithContext checks that listing the models of servers ends with its context.
func TestFindEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	c := newCatalog(t, models.Options{}, &engine.Provider{Name: "slow",
		List: func(context.Context) ([]chat.Model, error) {
			cancel()
			<-never
			return nil, nil
		}})
	var failed error
	c.Find(ctx, func(f models.Found) {
		if f.Provider == "slow" {
			failed = f.Err
		}
	})
	if failed == nil {
		t.Error("got no error for a server that does not answer")
	}
}
