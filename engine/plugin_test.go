package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// shelved is an event of an embedder.
func shelved(fields ...string) event.Row {
	row := event.Row{Name: "book_shelved", Phase: event.Intercept, Kind: vm.KindGuard,
		Failure: event.FailWarn, Returns: []string{"block", "reason"}}
	for _, f := range fields {
		row.Payload = append(row.Payload, value.Field{Name: f, Type: "string"})
	}
	return row
}

func (w *world) install(p engine.Plugin) *engine.Installed {
	w.t.Helper()
	in, err := w.Scripts.Install(p)
	if err != nil {
		w.t.Fatal(err)
	}
	return in
}

// TestEventAtRunTime: scripts and Go code can handle an event as soon as it is registered, and keep
// their handlers after it is removed.
func TestEventAtRunTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if w.Events.Row("book_shelved") != nil {
		t.Fatal("the event exists before its plugin is installed")
	}
	heard := ""
	in := w.install(engine.Plugin{Name: "shop", Events: []event.Row{shelved("title")},
		Handlers: []*engine.Handler{{Event: "book_shelved",
			GoFn: func(_ context.Context, ev *event.Event) (any,
				error) {
				heard = ev.Text("title")
				return nil, nil
			}}}})
	w.script("s.fake", func(l *fakeLoad) {
		l.on("book_shelved", func(c *fakeCall) (any,
			error) {
			return block("no " + c.ev.Text("title")), nil
		})
	})
	fire := func() string {
		_, v := w.Intercept(context.Background(), w.Events.Named("book_shelved", nil,
			map[string]any{"title": "Dune"}))
		return fmt.Sprint(v.Blocked, v.Reason)
	}
	if got := fire(); !strings.Contains(got, "no Dune") || heard != "Dune" {
		t.Errorf("got %s, and the Go handler got %q", got, heard)
	}
	if !strings.Contains(rowNames(w), "book_shelved") {
		t.Error("the event is not listed")
	}
	in.Remove()
	if w.Events.Row("book_shelved") != nil || strings.Contains(rowNames(w), "book_shelved") {
		t.Error("the event exists after its plugin is removed")
	}
	heard = ""
	if got := fire(); !strings.Contains(got, "no Dune") || heard != "" {
		t.Errorf("got %s, and the Go handler got %q", got, heard)
	}
	w.install(engine.Plugin{Events: []event.Row{shelved("title")}})
}

func rowNames(w *world) string {
	var names []string
	for _, r := range w.Events.Rows() {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

// TestInvalidEvents: a plugin with an invalid event is refused as a whole.
func TestInvalidEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.install(engine.Plugin{Events: []event.Row{shelved("title")}})
	change := func(f func(r *event.Row)) event.Row {
		r := shelved("title")
		r.Name = "book_lent"
		f(&r)
		return r
	}
	tests := []struct {
		rows []event.Row
		want string
	}{
		{[]event.Row{change(func(r *event.Row) { r.Name = "tool_call" })},
			"event tool_call is one of the program"},
		{[]event.Row{change(func(r *event.Row) { r.Name = "custom:x" })},
			`event "custom:x": a name is`},
		{[]event.Row{change(func(r *event.Row) { r.Name = "" })},
			`event "": a name is`},
		{[]event.Row{change(func(r *event.Row) { r.Phase = "" })}, "Phase"},
		{[]event.Row{change(func(r *event.Row) { r.Kind = "quick" })}, "Kind"},
		{[]event.Row{change(func(r *event.Row) { r.Failure = "" })}, "Failure"},
		{[]event.Row{shelved("title")}, "event book_shelved is there already"},
		{[]event.Row{change(func(*event.Row) {}), change(func(*event.Row) {})},
			"event book_lent is there already"},
	}
	for _, tt := range tests {
		_, err := w.Scripts.Install(engine.Plugin{Name: "shop", Events: tt.rows,
			Tools: []*engine.Tool{w.tool("sell", "read", true)}})
		if err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "plugin shop") {
			t.Errorf("got %v, want %s", err, tt.want)
		}
		if w.Scripts.Snapshot().Tool("sell") != nil || w.Events.Row("book_lent") != nil {
			t.Errorf("%s: the rest of the plugin is installed", tt.want)
		}
	}
	other.Remove()
	if _, err := w.Scripts.Install(engine.Plugin{Events: []event.Row{shelved("author",
		"title")}}); err == nil || !strings.Contains(err.Error(), "had other fields before") {
		t.Errorf("got %v", err)
	}
	row := shelved()
	row.Phase = ""
	if _, err := engine.New(engine.Options{Events: []event.Row{row}}); err == nil {
		t.Error("a table with an invalid row is accepted")
	}
}

// TestRegistriesWhileCallsRun: languages, events, tools and handlers are added and removed while
// calls run, events are fired and scripts load. A guard that is replaced repeatedly is never
// missing.
func TestRegistriesWhileCallsRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, silent)
	fresh := func() engine.Plugin {
		return engine.Plugin{Name: "guard", Handlers: []*engine.Handler{{Event: "guard",
			GoFn: func(context.Context, *event.Event) (any, error) {
				return block("never"),
					nil
			}}}}
	}
	in := w.install(fresh())
	ctx, stop := context.WithCancel(context.Background())
	var all, some sync.WaitGroup
	background := func(f func(i int)) {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; ctx.Err() == nil; i++ {
				f(i)
			}
		}()
	}
	background(func(int) {
		if err := in.Replace(fresh()); err != nil {
			t.Error(err)
		}
	})
	background(func(i int) {
		p, err := w.Scripts.Install(engine.Plugin{Name: "kinds",
			Events:   []event.Row{shelved("title")},
			Runtimes: []engine.Runtime{&fakeRuntime{t: t}},
			Tools:    []*engine.Tool{w.tool(fmt.Sprint("tool", i), "read", true)}})
		if err != nil {
			t.Error(err)
			return
		}
		p.Remove()
	})
	w.install(engine.Plugin{Events: []event.Row{
		{Name: "always", Phase: event.Intercept, Kind: vm.KindGuard,
			Failure: event.FailWarn}}}).Remove()
	// the event of a plugin that was removed
	background(func(int) { w.Intercept(ctx, w.Events.Named("always", nil, nil)) })
	background(func(int) {
		w.Scripts.Runtime("x.fake")
		w.Events.Rows()
		w.Events.Row(
			"book_shelved")
	})
	for range 4 {
		some.Add(1)
		go func() {
			defer some.Done()
			for range 300 {
				if r := w.dispatch("work"); r.Skipped == "" {
					t.Errorf("a call ran: %s", text(r))
				}
			}
		}()
	}
	within(t, "the calls", some.Wait)
	stop()
	within(t, "the rest", all.Wait)
}

// TestNilInAPlugin: a nil value is an error, not a later panic.
func TestNilInAPlugin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range []engine.Plugin{{Tools: []*engine.Tool{nil}},
		{Providers: []*engine.Provider{nil}}, {Commands: []*engine.Command{nil}},
		{Handlers: []*engine.Handler{nil}}, {Runtimes: []engine.Runtime{nil}}} {
		if _, err := w.Scripts.Install(p); err == nil || !strings.Contains(err.Error(),
			"a nil value") {
			t.Errorf("got %v", err)
		}
	}
}

// TestFlagsOfPlugins: the flags on the fields of a plugin's event say which are masked, and which
// arrive in pieces.
func TestFlagsOfPlugins(t *testing.T) {
	t.Parallel()
	eachRedaction(t, func(t *testing.T, w *world) {
		row := func(name string, fields ...value.Field) event.Row {
			return event.Row{Name: name, Phase: event.Observe, Kind: vm.KindObserver,
				Failure: event.FailWarn, Payload: fields}
		}
		f := func(name string, piece value.PieceRole) value.Field {
			return value.Field{Name: name, Type: "string", Piece: piece,
				Verbatim: piece == value.PieceOf || piece == value.PieceEnd}
		}
		w.install(engine.Plugin{Name: "shop", Events: []event.Row{
			row("book_read", f("book", value.PieceOf), f("words", value.PieceText)),
			row("book_closed", f("book", value.PieceEnd), f("path", ""),
				value.Field{Name: "shelf", Type: "table", VerbatimKeys: []string{"room"}}),
		}})
		for _, words := range []string{"one pi", "n-1", "2 two\nrest pi"} {
			w.Emitter.Emit(w.Events.Named("book_read", nil, map[string]any{"book": "pin-3",
				"words": words}))
		}
		w.Emitter.Emit(w.Events.Named("book_closed", nil, map[string]any{"book": "pin-3",
			"path":  "pin-4 x",
			"shelf": map[string]any{"room": "pin-5", "note": "pin-6 x"}}))
		w.drain()
		all := w.all()
		for _, masked := range []string{"pin-12", "n-1", "pin-4", "pin-6"} {
			if strings.Contains(all, masked) {
				t.Errorf("%s is not masked:\n%s", masked, all)
			}
		}
		// the last piece was held back until the end
		for _, kept := range []string{`"book":"pin-3"`, `"room":"pin-5"`, `pi"`} {
			if !strings.Contains(all, kept) {
				t.Errorf("%s is missing:\n%s", kept, all)
			}
		}
	})
}
