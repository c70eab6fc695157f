// This file compares every combination of the actions of two and three handlers of an event with
// docs/events.md, in both languages. scriptOf generates the scripts. combos_oracle_test.go computes
// the expected results and shares no code with the engine.

package scripttest_test

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/long"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

const (
	// combosTime is the deadline for all combinations of one event in one language. It is shorter
	// than go test's timeout for a package, and long enough for a busy machine.
	combosTime = 8 * time.Minute
	// slowTries is how often a combination is retried because a handler did not get to run within
	// its 250 ms.
	slowTries = 5
	// sideBySide is the number of combinations that run concurrently: while one waits for a
	// timeout, others run.
	sideBySide = 4
)

// combo lists the actions of a few handlers of an event. Each handler is in its own script: a, b,
// c. An action is pass, rewrite, block, ..., or one of the failures error, timeout and shape, with
// "/POLICY" if on_error is not the default.
type combo struct {
	event string
	acts  []string
}

// failures are the kinds of failure with each policy; the first policy is the default of the row.
func failures(policies ...string) (own, all []string) {
	for _, kind := range []string{"error", "timeout", "shape"} {
		own = append(own, kind)
		all = append(all, kind)
		for _, p := range policies[1:] {
			all = append(all, kind+"/"+p)
		}
	}
	return own, all
}

// table lists the possible actions of handlers of each event, and its default policy.
type table struct {
	event    string
	acts     []string
	policies []string
}

var tables = []table{
	{"tool_call", []string{"pass", "rewrite", "block", "ask", "allow", "respond"},
		[]string{"ask", "block", "allow"}},
	{"guard", []string{"pass", "block", "ask"}, []string{"ask", "block", "allow"}},
	{"tool_permission", []string{"pass", "rewrite", "block", "allow"},
		[]string{"ask", "block", "allow"}},
	{"tool_result", []string{"pass", "rewrite", "stop", "abort"}, []string{"warn", "ignore"}},
	{"input", []string{"pass", "rewrite", "block", "handled"}, []string{"warn", "block", "ignore"}},
	{"turn_start", []string{"pass", "rewrite", "block", "ask", "stop"},
		[]string{"warn", "block", "ignore"}},
	{"llm_request", []string{"pass", "rewrite", "block", "respond", "abort"},
		[]string{"warn", "block", "ignore"}},
}

// TestCombinations tests all pairs in both languages with each on_error, and all triples with the
// event's default on_error. Each triple runs in one of the languages, because combining outcomes
// does not depend on the language. Combinations that begin with the same action run concurrently:
// most of the time is spent in handlers that time out.
func TestCombinations(t *testing.T) {
	t.Parallel()
	for _, tab := range tables {
		for turn, rt := range []engine.Runtime{lua.New(), js.New()} {
			t.Run(tab.event+"/"+rt.Language(), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(context.Background(), combosTime)
				defer cancel()
				var work sync.WaitGroup
				defer work.Wait()
				room := make(chan struct{}, sideBySide)
				own, all := failures(tab.policies...)
				own, all = append(own, tab.acts...), append(all, tab.acts...)
				for _, first := range all {
					room <- struct{}{}
					w, alone := newArena(t, ctx, rt, true), newArena(t, ctx, rt, false)
					work.Go(func() {
						defer func() { <-room }()
						defer w.close()
						defer alone.close()
						tab.pairs(first, all, w, alone)
						if slices.Contains(own, first) {
							tab.triples(first, own, w, turn)
						}
					})
				}
			})
		}
	}
}

// pairs tests the pairs that begin with first. w has a user, alone has none.
func (tab *table) pairs(first string, all []string, w, alone *arena) {
	each(1, all, func(acts []string) {
		c := combo{tab.event, append([]string{first}, acts...)}
		w.try(c, tab.policies[0], "yes", "no")
		if rowOf(tab.event).Failure == event.FailAsk {
			alone.try(c, tab.policies[0], "headless")
		}
	})
}

// triples tests half of the triples that begin with first: turn, 0 or 1, selects the half. They are
// split like the fields of a chessboard, so that each half has all pairs of actions in any two
// places. So has each quarter, which everyday runs take.
func (tab *table) triples(first string, own []string, w *arena, turn int) {
	each(2, own, func(acts []string) {
		acts = append([]string{first}, acts...)
		field := 0
		for _, act := range acts {
			field += slices.Index(own, act)
		}
		if field%long.Rounds(4, 2) == turn {
			w.try(combo{tab.event, acts}, tab.policies[0], "yes")
		}
	})
}

// each calls f with every list of n of acts.
func each(n int, acts []string, f func([]string)) {
	list := make([]string, n)
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			f(append([]string(nil), list...))
			return
		}
		for _, a := range acts {
			list[i] = a
			fill(i + 1)
		}
	}
	fill(0)
}

// rows returns the rows of the table of events by name.
var rows = sync.OnceValue(func() map[string]*event.Row {
	named := map[string]*event.Row{}
	for _, r := range spec.Events() {
		named[r.Name] = &r
	}
	return named
})

func rowOf(event string) *event.Row { return rows()[event] }

// dict returns a table in the syntax of the language; kv alternates keys and expressions.
func dict(lang string, kv ...string) string {
	var parts []string
	for i := 0; i < len(kv); i += 2 {
		if lang == "lua" {
			parts = append(parts, kv[i]+" = "+kv[i+1])
		} else {
			parts = append(parts, kv[i]+": "+kv[i+1])
		}
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// scriptOf returns the script of one handler, called x.
func scriptOf(lang, event, x, act string) string {
	kind, policy, _ := strings.Cut(act, "/")
	var opts []string
	if kind == "timeout" {
		opts = append(opts, "timeout", "0.02")
	}
	if policy != "" {
		opts = append(opts, "on_error", `"`+policy+`"`)
	}
	begin := `ext.on("` + event + `", `
	if event == "guard" {
		begin = "ext.guard("
	}
	body := `ext.notify("in ` + x + `")` + "\n  " + bodyOf(lang, event, x, kind)
	if lang == "lua" {
		return begin + dict(lang, opts...) + ", function(ev)\n  " + body + "\nend)\n"
	}
	async := ""
	if kind == "timeout" {
		async = "async "
	}
	return begin + dict(lang, opts...) + ", " + async + "(ev) => {\n  " + body + "\n});\n"
}

func bodyOf(lang, event, x, kind string) string {
	q := func(s string) string { return fmt.Sprintf("%q", s) }
	returns := func(kv ...string) string { return "return " + dict(lang, kv...) }
	plus, first, call := ` + "`+x+`"`, "[0]", ""
	if lang == "lua" {
		plus, first = ` .. "`+x+`"`, "[1]"
	} else {
		call = "await "
	}
	context := []string{"context", q("context of " + x)}
	switch kind {
	case "rewrite":
		switch event {
		case "tool_call":
			return returns(append(context, "args", dict(lang, "s", "ev.args.s"+plus))...)
		case "tool_permission":
			return returns("detail", dict(lang, x, "true"))
		case "tool_result":
			return returns(append(context, "content", "ev.content"+first+".text"+plus)...)
		case "input":
			return returns(append(context, "text", "ev.text"+plus)...)
		case "turn_start": // its fields cannot be rewritten
			return returns(context...)
		}
		return returns("options", dict(lang, "s", "ev.options.s"+plus))
	case "block":
		return returns("block", "true", "reason", q("no of "+x))
	case "ask":
		return returns("ask", q("question of "+x), "reason", q("reason of "+x))
	case "allow", "handled":
		return returns(kind, "true")
	case "stop":
		return returns("stop", "true", "reason", q("stop of "+x))
	case "abort":
		return returns("abort", q("prompt"), "reason", q("abort of "+x))
	case "respond":
		return returns("respond", q("answer of "+x))
	case "error":
		if lang == "lua" {
			return `error("boom")`
		}
		return `throw new Error("boom");`
	case "timeout":
		return call + "ext.sleep(30)"
	case "shape":
		return returns("blok", "true", "block", "true")
	}
	return "return" // pass
}

// arena is an engine that runs combinations one by one.
type arena struct {
	t   *testing.T
	ctx context.Context
	rt  engine.Runtime
	eng *engine.Engine
	// close closes the engine, at the latest when the test ends
	close func()

	sources []string // the active scripts, and their generations
	gens    []*engine.Generation

	mu  sync.Mutex
	yes bool
	got *seen
	// handlers that time out, on a slow machine before they report that they were called
	late map[string]bool
	// a handler of the last event exceeded its script time, which only happens on a busy machine
	slow   bool
	edit   map[string]any // the arguments as the user edits them; nil = unchanged
	before func()         // called when the dialog opens
}

// unhurried is the factor of the time limits of scripts: on a busy machine a handler that exceeds
// its limit is left out. The limits under test are the timeouts of handlers.
const unhurried = 100

func newArena(t *testing.T, ctx context.Context, rt engine.Runtime, asked bool) *arena {
	t.Helper()
	w := &arena{t: t, ctx: ctx, rt: rt, got: &seen{}}
	o := engine.Options{Runtimes: []engine.Runtime{rt}, Emit: w.hear, Patience: unhurried,
		Heap:  scripttest.SteadyHeap,
		Tools: []*engine.Tool{{Name: "work", Kind: "execute", Source: "builtin", Run: w.work}}}
	if asked {
		o.Approver = w
	}
	eng, table, err := standard.New(standard.Options{Engine: o,
		Host: host.Options{Home: t.TempDir(), Mode: "print", CWD: "/project"}})
	if err != nil {
		t.Fatal(err)
	}
	w.eng = eng
	w.close = sync.OnceFunc(func() {
		eng.Close()
		table.Close()
	})
	t.Cleanup(w.close)
	return w
}

func (w *arena) work(_ context.Context, use *engine.Use) (*engine.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got.Ran, _ = use.Args["s"].(string)
	return engine.TextResult("done"), nil
}

func (w *arena) hear(ev *event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch ev.Name() {
	case "notification":
		if x, ok := strings.CutPrefix(ev.Text("message"), "in "); ok && !w.late[x] {
			w.got.Called += x
		}
	case "script_error":
		w.got.Told += ev.Text("script")[:1]
	case "tool_approval":
		w.got.Source = ev.Text("source")
	}
}

// Approve implements engine.Approver.
func (w *arena) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	w.mu.Lock()
	before := w.before
	w.before = nil
	for _, a := range q.Asks {
		line := a.Script + ": " + plainFailure(a.Text)
		switch {
		case a.Script == "":
			line = "mode"
		case a.Failure != nil && a.Line == 0:
			line += " without a line"
		case a.Reason != "":
			line += " (" + a.Reason + ")"
		}
		for _, k := range value.SortedKeys(a.Detail) {
			line += " +" + k
		}
		w.got.Asked = append(w.got.Asked, strings.ReplaceAll(line, "."+w.rt.Language(), ""))
	}
	a := engine.Answer{Allow: w.yes, Args: w.edit}
	w.edit = nil
	w.mu.Unlock()
	if before != nil {
		before()
	}
	return a, nil
}

var failed = regexp.MustCompile(
	`(?s)(guard|on \w+) failed: .*?(boom|wall time of 20ms|unknown key "blok")(?:[^\n]*?; run ` +
		`this call all the same\?|[^\n]*)`)

// plainFailure removes the words that only one language uses.
func plainFailure(s string) string { return failed.ReplaceAllString(s, "failed: $2") }

// headlessly extracts the handlers that asked from the refusal of a call in a non-interactive run.
var headlessly = strings.NewReplacer(
	"work (kind execute) asks for approval in permission mode default", "mode", ":1 asks: ", ": ",
	"; --yolo would allow it (and --permission accept-edits for edits in the project)", " (--yolo)")

// load loads those of the scripts, named by letters, that are not loaded yet.
func (w *arena) load(sources ...string) bool {
	w.t.Helper()
	var gens []*engine.Generation
	for i, src := range sources {
		if i < len(w.sources) && w.sources[i] == src {
			gens = append(gens, w.gens[i])
			continue
		}
		name := string(rune('a'+i)) + "." + w.rt.Language()
		g, err := w.eng.Scripts.Load(w.ctx, &scriptfile.Script{Name: name, Path: "/scripts/" + name,
			Source: scriptfile.SourceUser, Bytes: []byte(src),
			Hash: "hash", Header: scriptfile.Header{Grants: scriptfile.Grants{"permission.allow"}}})
		if err != nil {
			w.t.Errorf("%v\n%s", err, src)
			return false
		}
		gens = append(gens, g)
	}
	w.eng.Scripts.Swap(gens, nil)
	w.sources, w.gens = sources, gens
	return true
}

// try compares the result of a combination with the rules for each answer of the user.
func (w *arena) try(c combo, policy string, answers ...string) {
	w.t.Helper()
	var sources []string
	late := map[string]bool{}
	for i, act := range c.acts {
		late[string(rune('a'+i))] = strings.HasPrefix(act, "timeout")
		sources = append(sources, scriptOf(w.rt.Language(), c.event, string(rune('a'+i)), act))
	}
	w.mu.Lock()
	w.late = late
	w.mu.Unlock()
	if w.ctx.Err() != nil || !w.load(sources...) {
		w.t.Errorf("%s %s was not tried", c.event, strings.Join(c.acts, " "))
		return
	}
	for _, answer := range answers {
		if answer != "yes" && rowOf(c.event).Failure != event.FailAsk {
			continue
		}
		got, want := w.fire(c.event, answer), expected(c, policy, answer)
		for try := 0; w.slow && try < slowTries && w.load(sources...); try++ {
			got = w.fire(c.event, answer)
		}
		if !reflect.DeepEqual(got, want) {
			w.t.Errorf("%s %s, the user says %s\n got %+v\nwant %+v\n%s", c.event,
				strings.Join(c.acts, " "), answer, got, want, strings.Join(sources, ""))
		}
	}
}

// fire fires the event, and returns its visible result.
func (w *arena) fire(name, answer string) seen {
	w.mu.Lock()
	w.got, w.yes = &seen{}, answer == "yes"
	w.mu.Unlock()
	var trail engine.Trail
	if rowOf(name).Failure == event.FailAsk {
		r := w.call()
		trail = r.Trail
		w.mu.Lock()
		w.got.Skipped, w.got.Text, w.got.By = r.Skipped,
			headlessly.Replace(plainFailure(chat.PlainText(r.Content))), letter(r.AnsweredBy)
		for _, c := range r.Contexts {
			w.got.Contexts += letter(c.Script)
		}
	} else {
		ev, v := w.eng.Intercept(w.ctx, w.eng.Events.Named(name, &event.Envelope{},
			payloads[name]))
		trail = v.Trail
		w.mu.Lock()
		w.got.intercepted(ev, v)
	}
	defer w.mu.Unlock()
	w.slow = false
	for _, s := range trail {
		w.slow = w.slow || s.Error != nil && strings.Contains(s.Error.Message, "script time")
		if s.Event == name {
			w.got.Trail += letter(s.Script) + ":" + s.Outcome + " "
		}
	}
	w.got.Text = strings.ReplaceAll(w.got.Text, "."+w.rt.Language(), "")
	return *w.got
}

func (w *arena) call() *engine.Result {
	return w.eng.Dispatch(w.ctx, &engine.Call{ID: "1", Tool: "work", Args: map[string]any{"s": "-"},
		Origin: "model", Env: &event.Envelope{Permission: event.PermissionDefault}})
}

// letter returns the letter of a script in a combination.
func letter(script string) string {
	x, _, _ := strings.Cut(script, ".")
	return x
}
