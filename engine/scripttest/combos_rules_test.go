// This file tests rules that a single call cannot show: BROKEN guards, guards that run again, the
// order of handlers.

package scripttest_test

import (
	"context"
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// eachLanguage runs f with an arena for each language; pick returns the text for that language.
func eachLanguage(t *testing.T,
	f func(t *testing.T, w *arena, pick func(lua, js string) string)) {
	for _, rt := range []engine.Runtime{lua.New(), js.New()} {
		t.Run(rt.Language(), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), combosTime)
			defer cancel()
			f(t, newArena(t, ctx, rt, true), func(lua, js string) string {
				if rt.Language() == "lua" {
					return lua
				}
				return js
			})
		})
	}
}

// A guard that fails three times in a row is BROKEN: calls continue by its on_error, and one
// success repairs it.
func TestBrokenGuard(t *testing.T) {
	t.Parallel()
	// BROKEN after the sixth call, repaired after the eighth
	calls := []bool{false, false, true, false, false, false, false, true, false}
	for _, failure := range []string{"error", "timeout", "shape"} {
		for _, policy := range []string{"ask", "block", "allow"} {
			t.Run(failure+"/"+policy, func(t *testing.T) {
				eachLanguage(t, func(t *testing.T, w *arena, pick func(lua, js string) string) {
					lang := w.rt.Language()
					body := pick("n = n + 1\n  if n == 3 or n == 8 then return end",
						"n += 1;\n  if (n === 3 || n === 8) return;") + "\n  " + bodyOf(lang,
						"guard", "a", failure)
					wrong := ""
					// on a busy machine a working guard may exceed its timeout: try again with a
					// longer one
					for try := range slowTries {
						opts := dict(lang, "on_error", `"`+policy+`"`, "timeout",
							fmt.Sprint(0.1*float64(int(1)<<try)))
						w.load(pick("local n = 0\next.guard("+opts+", function(ev)\n  "+body+
							"\nend)", "let n = 0;\next.guard("+opts+", async (ev) => {\n  "+body+
							"\n});"))
						if wrong = w.breaks(calls, policy); wrong == "" {
							return
						}
					}
					t.Fatal(wrong)
				})
			})
		}
	}
}

// breaks makes one call for each entry of calls, which says whether the guard works, and returns a
// description of what went wrong.
func (w *arena) breaks(calls []bool, policy string) (wrong string) {
	row := 0
	for i, works := range calls {
		got := w.fire("guard", "yes")
		asked := len(got.Asked) == 2 // asked by the guard and by the mode
		switch {
		case !works && policy == "block" && got.Skipped != "denied",
			!works && policy != "block" && got.Ran == "",
			asked != (!works && policy == "ask"),
			works && got.Ran == "":
			return fmt.Sprintf("call %d, works %v: got %+v", i+1, works, got)
		}
		if row++; works {
			row = 0
		}
		if broken := len(w.eng.Scripts.Snapshot().Broken()) == 1; broken != (row >= 3) {
			return fmt.Sprintf("after call %d BROKEN is %v", i+1, broken)
		}
	}
	return ""
}

// Arguments that the user edited pass the guards again, in their current versions.
func TestGuardsRunAgain(t *testing.T) {
	t.Parallel()
	const guardLua, guardJS = "ext.guard(function(ev)\n" +
		"  if ev.args.s == %q then return { block = true, reason = \"not that\" } end\nend)",
		"ext.guard((ev) => {\n  if (ev.args.s === %q) return { block: true, reason: \"not that\" " +
			"};\n});"
	for _, c := range []struct {
		name string
		// now is what the guard refuses; later is what the guard refuses that is saved while the
		// dialog is open, "" if none is saved
		now, later   string
		edit         map[string]any // by the user
		ran, skipped string
	}{
		{"edited to a refused value", "bad", "", map[string]any{"s": "bad"}, "", "denied"},
		{"edited to an accepted value", "bad", "", map[string]any{"s": "good"}, "good", ""},
		{"saved guard refuses", "bad", "-", nil, "", "denied"},
		{"saved guard accepts", "bad", "worse", nil, "-", ""},
		{"edited and saved", "bad", "worse", map[string]any{"s": "worse"}, "", "denied"},
		{"edited to a value that the old guard refused", "bad", "worse", map[string]any{"s": "bad"},
			"bad", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachLanguage(t, func(t *testing.T, w *arena, pick func(lua, js string) string) {
				refusing := func(s string) string { return fmt.Sprintf(pick(guardLua, guardJS), s) }
				w.load(refusing(c.now))
				w.mu.Lock()
				w.edit = c.edit
				if c.later != "" {
					w.before = func() { w.load(refusing(c.later)) }
				}
				w.mu.Unlock()
				got := w.fire("guard", "yes")
				if got.Ran != c.ran || got.Skipped != c.skipped {
					t.Fatalf("got %+v", got)
				}
				if len(got.Asked) != 1 {
					t.Errorf("the user was asked %q, want one question of the mode", got.Asked)
				}
			})
		})
	}
}

// orderRuns is the number of random orders that are tried.
const orderRuns = 1000

// Priority, source, path, registration: the order does not depend on the order of loading.
func TestOrderIsTheSame(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, w *arena, pick func(lua, js string) string) {
		type place struct {
			priority float64
			source   scriptfile.Source
			path     string
			n        int
		}
		var gens []*engine.Generation
		var places []place
		priorities := []float64{50, 10, 50, 90}
		for i, source := range []scriptfile.Source{scriptfile.SourceManaged, scriptfile.SourceUser,
			scriptfile.SourceUser, scriptfile.SourceProject, scriptfile.SourceCLI,
			scriptfile.SourceForeign} {
			path := fmt.Sprintf("/%d/x.%s", 9-i, w.rt.Language())
			var src strings.Builder
			for n, p := range priorities {
				places = append(places, place{p, source, path, n})
				fmt.Fprintf(&src,
					pick("ext.on(\"input\", { priority = %v }, function(ev) return { text = "+
						"ev.text .. \"%d%d \" } end)\n",
						"ext.on(\"input\", { priority: %v }, (ev) => ({ text: ev.text + \"%d%d "+
							"\" }));\n"), p, 9-i, n)
			}
			g, err := w.eng.Scripts.Load(w.ctx,
				&scriptfile.Script{Name: fmt.Sprintf("x%d.%s", i, w.rt.Language()), Path: path,
					Source: source, Bytes: []byte(src.String()), Hash: "hash"})
			if err != nil {
				t.Fatal(err)
			}
			gens = append(gens, g)
		}
		sort.SliceStable(places, func(i, j int) bool {
			a, b := places[i], places[j]
			switch {
			case a.priority != b.priority:
				return a.priority < b.priority
			case a.source != b.source:
				return a.source < b.source
			case a.path != b.path:
				return a.path < b.path
			}
			return a.n < b.n
		})
		want := "-"
		for _, p := range places {
			want += fmt.Sprintf("%c%d ", p.path[1], p.n)
		}
		random := rand.New(rand.NewSource(1))
		for range orderRuns {
			random.Shuffle(len(gens), func(i, j int) { gens[i], gens[j] = gens[j], gens[i] })
			w.eng.Scripts.Swap(gens, nil)
			ev, _ := w.eng.Intercept(w.ctx, w.eng.Events.Named("input", &event.Envelope{},
				payloads["input"]))
			if got := ev.Text("text"); got != want {
				t.Fatalf("got %s\nwant %s", got, want)
			}
		}
	})
}
