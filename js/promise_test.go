package js

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/vm"
)

// guard runs the loaded guards for one tool call.
func (h *testHost) guard(args map[string]any) *engine.Verdict {
	h.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	_, v := h.engine.Intercept(ctx, h.call(args))
	return v
}

func TestGuard(t *testing.T) {
	h := newTestHost(t)
	g := h.load(header + `
ext.guard({ tool: "bash" }, (ev) => {
	if (ev.args.command.includes("rm -rf")) return { block: true, reason: "no" };
});`)
	if got := g.Registry.Handlers[0].Line; got != 5 {
		t.Errorf("line %d, want 5", got)
	}
	if v := h.guard(map[string]any{"command": "ls"}); v.Blocked || len(v.Asks) > 0 {
		t.Errorf("ls: %+v", v)
	}
	if v := h.guard(map[string]any{"command": "rm -rf /"}); !v.Blocked || v.Reason != "no" {
		t.Errorf("rm: %+v", v)
	}
}

// TestForgottenAwaitFailsClosed checks that a guard that tests a promise instead of awaiting it
// does not allow the call.
func TestForgottenAwaitFailsClosed(t *testing.T) {
	for _, body := range []string{
		`(ev) => { if (ext.ui.confirm("ok?")) return; return { block: true } }`,
		`async (ev) => { if (ext.ui.confirm("ok?")) return; return { block: true } }`,
		`async (ev) => { ext.ui.confirm("ok?"); await ext.sleep(0.02); }`,
		`(ev) => { ext.ui.confirm("ok?").then((ok) => ok ? null : { block: true }) }`,
		`(ev) => ext.ui.confirm("ok?") ? null : { block: true }`,
		`(ev) => { (async () => { if (!await ext.ui.confirm("ok?")) throw new Error("x") })() }`,
		`async (ev) => { (async () => { throw new Error("lost") })() }`,
	} {
		t.Run(body, func(t *testing.T) {
			h := newTestHost(t)
			h.confirm = make(chan bool, 1)
			h.confirm <- true
			h.load("\n\next.guard({},\n" + body + ");")
			v := h.guard(map[string]any{"command": "ls"})
			if se := v.Failed(); se == nil || se.Line != 4 {
				t.Errorf("got %+v, want a failure on line 4", se)
			}
		})
	}
}

func TestAsyncGuard(t *testing.T) {
	for _, body := range []string{
		`async (ev) => (await ext.ui.confirm("ok?")) ? null : { block: true, reason: "user" }`,
		`(ev) => ext.ui.confirm("ok?").then((ok) => ok ? null : { block: true, reason: "user" })`,
		`async (ev) => { const [ok] = await Promise.all([ext.ui.confirm("ok?"), ` +
			`ext.sleep(0.001)]); if (!ok) return { block: true, reason: "user" } }`,
		`async (ev) => { await ext.sleep(0.001); for (const x of [1]) { try { if (!await ` +
			`ext.ui.confirm("ok?")) return { block: true, reason: "user" } } finally { await ` +
			`null } } }`,
	} {
		t.Run(body, func(t *testing.T) {
			h := newTestHost(t)
			h.confirm = make(chan bool, 2)
			h.load("ext.guard({}, " + body + ");")
			h.confirm <- true
			if v := h.guard(nil); v.Blocked || v.Failed() != nil {
				t.Errorf("yes: %+v %v", v, v.Failed())
			}
			h.confirm <- false
			if v := h.guard(nil); !v.Blocked || v.Reason != "user" {
				t.Errorf("no: %+v %v", v, v.Failed())
			}
		})
	}
}

// TestConcurrentHandlers runs many handlers of one VM concurrently. Each waits several times.
func TestConcurrentHandlers(t *testing.T) {
	h := newTestHost(t)
	h.load(`let open = 0, most = 0;
ext.command({ name: "f", run: async (n) => {
	open++; most = Math.max(most, open);
	let sum = 0;
	for (let i = 0; i < 3; i++) { await ext.sleep(0.005); sum += n }
	open--;
	return { sum, most };
} });`)
	var wg sync.WaitGroup
	var mu sync.Mutex
	most := 0.0
	for i := range 24 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got, err := h.run(vm.KindTool, "f", float64(i))
			if err != nil {
				t.Error(err)
				return
			}
			m := got.(map[string]any)
			if m["sum"] != float64(3*i) {
				t.Errorf("%d: got %v", i, m["sum"])
			}
			mu.Lock()
			defer mu.Unlock()
			most = max(most, m["most"].(float64))
		}()
	}
	wg.Wait()
	if most < 2 {
		t.Error("never ran two handlers at once")
	}
}

// TestContinuationsBelongToTheirRun checks that code after an await belongs to the handler that
// awaited, even if a result for another handler resumed it.
func TestContinuationsBelongToTheirRun(t *testing.T) {
	h := newTestHost(t)
	h.load(`let wake; const shared = new Promise((r) => { wake = r });
ext.command({ name: "wait", run: async () => { await shared; ext.sleep(5); return "done" } });
ext.command({ name: "wake", run: async () => { await ext.sleep(0.001); wake(1); return "woke" } });`)
	waited := make(chan error, 1)
	go func() {
		_, err := h.run(vm.KindTool, "wait")
		waited <- err
	}()
	time.Sleep(20 * time.Millisecond)
	if got, err := h.run(vm.KindTool, "wake"); got != "woke" || err != nil {
		t.Errorf("wake: got %v, %v", got, err)
	}
	if err := <-waited; err == nil || !strings.Contains(err.Error(),
		"ext.sleep returns a promise") {
		t.Errorf("wait: got %v", err)
	}
}

// TestReactionsBelongToTheirRun checks that steps of the interpreter between reactions belong to
// the handler whose code caused them, even if a result for another handler resumed it. Such steps
// call the then method of an awaited object, and reject a promise because a then callback threw.
func TestReactionsBelongToTheirRun(t *testing.T) {
	for body, want := range map[string]string{
		`await shared; return await { then(yes, no) { ext.sleep(0.001).then(() => yes("done"), ` +
			`no); } };`: "",
		`await shared; const { promise, resolve } = Promise.withResolvers(); resolve({ then(yes) ` +
			`{ setTimeout(yes, 1, "done"); } }); return await promise;`: "",
		`shared.then(() => { throw new Error("mine"); }); await shared; ` +
			`await ext.sleep(0.001);`: "unhandled rejection: mine",
	} {
		t.Run(body, func(t *testing.T) {
			h := newTestHost(t)
			h.load(`let wake; const shared = new Promise((r) => { wake = r });
ext.command({ name: "wait", run: async () => { ` + body + ` } });
ext.command({ name: "wake", run: async () => { await ext.sleep(0.001); wake(1); return "woke" } });`)
			type answer struct {
				v   any
				err error
			}
			waited := make(chan answer, 1)
			go func() {
				v, err := h.run(vm.KindTool, "wait")
				waited <- answer{v, err}
			}()
			time.Sleep(20 * time.Millisecond) // so that it has to wait
			if got, err := h.run(vm.KindTool, "wake"); got != "woke" || err != nil {
				t.Errorf("wake: got %v, %v", got, err)
			}
			switch a := <-waited; {
			case want == "" && (a.v != "done" || a.err != nil), want != "" &&
				(a.err == nil || !strings.Contains(a.err.Error(), want)):
				t.Errorf("wait: got %v, %v; want %q", a.v, a.err, want)
			}
		})
	}
}

// TestBudgetOverAwaits checks that the script time of continuations counts for their run.
func TestBudgetOverAwaits(t *testing.T) {
	for name, body := range map[string]string{
		"loop after await": `await ext.sleep(0.001); for (;;) {}`,
		"many pieces": `for (;;) { await ext.sleep(0); const t = Date.now(); while ` +
			`(Date.now() - t < 60) {} }`,
		"loop in then": `return ext.sleep(0.001).then(() => { for (;;) {} })`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestHost(t)
			h.load("ext.command({ name: 'f', run: async () => {\n" + body +
				"\n} }); ext.command({ name: 'ok', run: () => 1 });")
			_, err := h.run(vm.KindGuard, "f")
			var limit *vm.LimitError
			if !errors.As(err, &limit) || limit.What != "script time" {
				t.Errorf("got %v, want a LimitError of script time", err)
			}
			if got, err := h.run(vm.KindGuard, "ok"); got != 1.0 || err != nil {
				t.Errorf("afterwards: got %v, %v", got, err)
			}
		})
	}
}

// TestCancel cancels a waiting handler: it returns at once, and later results are dropped.
func TestCancel(t *testing.T) {
	h := newTestHost(t)
	h.load(`ext.command({ name: "f", run: async () => { await ext.sleep(3600); return 1 } });
ext.command({ name: "never", run: () => new Promise(() => {}) });
ext.command({ name: "ok", run: () => 1 });`)
	for _, name := range []string{"f", "never"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		why := fmt.Errorf("pressed Esc")
		time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
		if _, err := h.runCtx(ctx, vm.KindTool, name); !errors.Is(err, why) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got, err := h.run(vm.KindTool, "ok"); got != 1.0 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestFailError checks that a script's failure has the Go error, both thrown and as a rejection.
func TestFailError(t *testing.T) {
	for _, body := range []string{
		`ext.fail({ message: "busy", status: 429 })`,
		`try { ext.fail({ message: "busy", status: 429 }) } catch (e) { throw e }`,
		`return Promise.reject().catch(() => ext.fail({ message: "busy", status: 429 }))`,
		`await ext.all([() => ext.fail({ message: "busy", status: 429 })])`,
	} {
		t.Run(body, func(t *testing.T) {
			_, err := newTestHost(t).eval(body)
			var fail *fault.FailError
			if !errors.As(err, &fail) || fail.Status != 429 {
				t.Errorf("got %#v", err)
			}
		})
	}
}

// TestLoad checks the errors of scripts that must not load.
func TestLoad(t *testing.T) {
	for _, c := range []struct {
		src, want string
		line      int
		hint      string
	}{
		{"const a = 1;\nlet = ;", "SyntaxError: ", 2, ""},
		{"\nimport fs from 'fs'", `require: got "fs", want "lib/NAME"`, 2, "use ext.fs"},
		{"export default 5", "export default: got 5, want a function", 0, ""},
		{"x = 1", "ReferenceError: x is not defined", 1, ""},
		{"with (a) {}", "SyntaxError: ", 1, ""},
		{"\n\nundefined.x", "TypeError: Cannot read property 'x' of undefined", 3, ""},
		{"ext.sleep(1)", "neither awaited nor returned", 1, "await"},
		{"\nPromise.reject(new Error('early'))", "unhandled rejection: early", 2, ""},
		{"\next.tool({ nme: 'x' })", `ext.tool: tool: unknown key "nme"; did you mean "name"?`, 2,
			""},
		{"\next.on('tool_end')", "ext.on: fn: got nil, want function", 2, ""},
		{strings.Repeat("[", 201), "brackets nest deeper than 200 levels", 1, ""},
		{"// " + strings.Repeat("x", 1<<20), "more than 1048576", 0, ""},
		{"const s = `${[`${{a: 1}}`]}`; '((('; /[(]/;\n\n2n", "BigInt", 3, ""},
		{"/" + strings.Repeat("(", 300) + strings.Repeat(")", 300) + "/", "nest deeper", 1, ""},
		{"const a = /\\p{/;\nconst b = /[\\p{L}]+/gu",
			`SyntaxError: \p{...} is not available in regular expressions: ext.regex knows it`, 2,
			""},
		{"new RegExp('\\\\P{L}')\nnew RegExp('\\\\P{L}', 'iu')",
			`SyntaxError: \P{...} is not available`, 2, ""},
		{"//# sourceMappingURL=/etc/passwd\n\nnull.x", "Cannot read", 3, ""},
	} {
		t.Run(c.src[:min(len(c.src), 40)], func(t *testing.T) {
			se := newTestHost(t).loadError(c.src)
			if !strings.Contains(se.Message, c.want) || se.Line != c.line ||
				!strings.Contains(se.Hint, c.hint) {
				t.Errorf("got %s: %q (hint %q), want line %d, %q (hint %q)", se.Position,
					se.Message, se.Hint, c.line, c.want, c.hint)
			}
		})
	}
}

func TestLoadBudget(t *testing.T) {
	t.Parallel()
	se := newTestHost(t).loadError("let n = 0;\nwhile (true) {\n\tn++;\n}")
	var limit *vm.LimitError
	// jumps have no position: the line is that of a nearby instruction
	if !errors.As(se, &limit) || se.Line == 0 {
		t.Errorf("got %v", se)
	}
}

func TestConsole(t *testing.T) {
	h := newTestHost(t)
	h.load(`console.log("a", 1, { b: [1, null] }, new Error("e"), () => 1, undefined); ` +
		`console.error("x"); console.log(null);`)
	want := `info: a 1 {"b":[1,null]} e [a function] undefined|error: x|info: null`
	if got := strings.Join(h.logs, "|"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestLostRejectionIsReported rejects a promise when no handler is left that could fail.
func TestLostRejectionIsReported(t *testing.T) {
	h := newTestHost(t)
	h.load(`let no; const p = new Promise((_, r) => { no = r });
ext.command({ name: "a", run: async () => { p.then(() => 1); return 1 } });
ext.command({ name: "b", run: () => { no(new Error("late")) } });`)
	if _, err := h.run(vm.KindTool, "a"); err != nil {
		t.Fatal(err)
	}
	_, err := h.run(vm.KindTool, "b")
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil && len(h.errors) == 0 {
		t.Error("the rejection got lost")
	}
}

// TestReactionOfEarlierCall resumes a reaction that an earlier call left behind and that throws.
// The error must not affect the call that resumes it.
func TestReactionOfEarlierCall(t *testing.T) {
	h := newTestHost(t)
	h.load(`let wake; const shared = new Promise((r) => { wake = r });
ext.command({ name: "leave", run: () => { shared.then(() => { throw new Error("late") }); } });
ext.command({ name: "wake", run: () => { wake(1); return "woke" } });`)
	if _, err := h.run(vm.KindTool, "leave"); err != nil {
		t.Fatal(err)
	}
	if got, err := h.run(vm.KindTool, "wake"); got != "woke" || err != nil {
		t.Errorf("wake: got %v, %v", got, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.errors) != 1 {
		t.Errorf("got %d errors, want that of the reaction", len(h.errors))
	}
}

// TestCallFunctions passes functions of the host to a script, and functions of the script to the
// host.
func TestCallFunctions(t *testing.T) {
	h := newTestHost(t)
	g := h.load(`ext.command({ name: "f", run: (args, call) => { call.progress("half"); ` +
		`call.defer(() => console.log("deferred")); return [args.x, call.cancelled(), ` +
		`call.session_id] } });`)
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	var said string
	r := engine.NewRun(ctx, g, vm.KindTool, "test", h.env, nil)
	got, err := g.Run(r, h.fns["f"].fn, map[string]any{"x": 1.0},
		g.NewCall(r, func(s string) { said = s }))
	if err != nil || jsonText(got) != `[1,false,"s1"]` || said != "half" {
		t.Errorf("got %v, %v, %q", got, err, said)
	}
	for i := 0; ; i++ {
		h.mu.Lock()
		n := len(h.logs)
		h.mu.Unlock()
		if n == 1 {
			break
		}
		if i == 60_000 {
			t.Fatal("the deferred function did not run")
		}
		time.Sleep(time.Millisecond)
	}
}

// TestAwaitAfterInterrupt checks that other handlers can wait after an interrupt in an async
// function or a generator, however deeply nested.
func TestAwaitAfterInterrupt(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"async function": `for (;;) {}`,
		"one in another": `const deep = async (n) => { if (n === 0) for (;;) {} await ` +
			`deep(n - 1); }; await deep(20);`,
		"after an await": `await ext.sleep(0.001); for (;;) {}`,
		"one in another, later": `const deep = async (n) => { await ext.sleep(0.001); if (n ` +
			`=== 0) for (;;) {} await deep(n - 1); }; await deep(3);`,
		"awaits without end": `for (;;) await null;`,
		"generator": `const g = (function* () { yield 1; for (;;) {} })(); ` +
			`g.next(); g.next();`,
		"try and finally": `try { await (async () => { try { for (;;) {} } finally { ` +
			`await null; } })(); } catch {}`,
		"iterator of a generator": `for (const x of (function* () { try { yield 1; } finally { ` +
			`for (;;) {} } })()) break;`,
		"too deep": `const deep = async () => { await deep(); }; await deep();`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestHostWith(t, impatient)
			h.load("let n = 0; ext.command({ name: 'f', run: async () => {\n" + body + "\n} });\n" +
				"ext.command({ name: 'ok', run: async () => { await ext.sleep(0.001); await " +
				"null; for (const x of (function* () { yield 1; yield 2; })()) n += x; return n; " +
				"} });")
			for i := 1; i <= 3; i++ {
				if _, err := h.run(vm.KindGuard, "f"); err == nil {
					t.Fatal("not stopped")
				}
				if got, err := h.run(vm.KindTool, "ok"); got != float64(3*i) || err != nil {
					t.Fatalf("after %d times: got %v, %v", i, got, err)
				}
			}
		})
	}
}
