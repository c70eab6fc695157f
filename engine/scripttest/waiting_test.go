package scripttest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	waitsLua = `
local open, most = 0, 0
ext.command{ name = "wait", run = function(args)
  open = open + 1
  most = math.max(most, open)
  local sum = 0
  for i = 1, 4 do
    ext.sleep(tonumber(args) / 4)
    local r = ext.all{ function() return i end, function() ext.sleep(0) return 1 end }
    sum = sum + r[1] + r[2]
  end
  open = open - 1
  return { insert = sum .. " " .. most }
end }
ext.command{ name = "for_ever", run = function()
  local ok, why = pcall(ext.sleep, 1000)
  ext.notify("it went on: " .. tostring(ok))
end }
`
	waitsJS = `
let open = 0, most = 0;
ext.command({ name: "wait", run: async (args) => {
  open++;
  most = Math.max(most, open);
  let sum = 0;
  for (let i = 1; i <= 4; i++) {
    await ext.sleep(Number(args) / 4);
    const r = await Promise.all([i, (async () => { await ext.sleep(0); return 1; })()]);
    sum += r[0] + r[1];
  }
  open--;
  return { insert: sum + " " + most };
} });
ext.command({ name: "for_ever", run: async () => {
  try { await ext.sleep(1000); } catch {}
  ext.notify("it went on");
} });
`
)

// together runs n commands of one script concurrently, each of which waits, and returns the maximal
// number of commands that waited at the same time.
func (s *stage) together(n int, seconds string) int {
	s.t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	most := 0
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r, err := s.eng.Commands.Run(context.Background(), &event.Envelope{}, "wait", seconds)
			var sum, open int
			if _, e := fmt.Sscan(r.Insert, &sum, &open); err != nil || e != nil || sum != 14 {
				s.t.Errorf("got %q, %v, want 14 and a number", r.Insert, err)
			}
			mu.Lock()
			defer mu.Unlock()
			most = max(most, open)
		}()
	}
	wg.Wait()
	return most
}

// TestHandlersWaitTogether checks that while one handler of a script waits, others run. The race
// detector shows whether only one of them uses the interpreter.
func TestHandlersWaitTogether(t *testing.T) {
	t.Parallel()
	inBoth(t, waitsLua, waitsJS, func(t *testing.T, s *stage, name, src string) {
		s.run(name, src)
		const handlers = 24
		for range 3 {
			s.together(handlers, "0.02")
		}
		most := 0
		// on a busy machine it takes some time until all of them have started
		for seconds := 0.25; most < handlers && seconds < patience.Seconds(); seconds *= 2 {
			most = s.together(handlers, fmt.Sprint(seconds))
		}
		if most != handlers {
			t.Errorf("at most %d of %d waited at a time", most, handlers)
		}
	})
}

// TestWaitingEnds checks that Esc and a reload end waiting handlers with a reason, and that they do
// not continue.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	inBoth(t, waitsLua, waitsJS, func(t *testing.T, s *stage, name, src string) {
		start := func(ctx context.Context) chan error {
			failed := make(chan error, 1)
			go func() {
				_, err := s.eng.Commands.Run(ctx, &event.Envelope{}, "for_ever", "")
				failed <- err
			}()
			return failed
		}
		end := func(failed chan error, want string) {
			t.Helper()
			select {
			case err := <-failed:
				var se *fault.ScriptError
				if !errors.As(err, &se) || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			case <-time.After(patience):
				t.Fatal("the command did not end")
			}
		}
		s.run(name, src)
		ctx, esc := context.WithCancelCause(context.Background())
		failed := start(ctx)
		s.together(2, "0.02") // other commands are not blocked
		esc(errors.New("cancelled by the user"))
		end(failed, "cancelled by the user")
		failed = start(context.Background())
		s.together(2, "0.02")
		s.run(name, src)
		end(failed, vm.ErrClosed.Error())
		s.together(2, "0.02")
		if n := s.count("notice it went on"); n > 0 {
			t.Errorf("%d handlers continued after they had ended", n)
		}
	})
}

// TestUnloadHandlerFinishes checks that the handler of script_unload may wait for something,
// although its script has left: it can clean up.
func TestUnloadHandlerFinishes(t *testing.T) {
	t.Parallel()
	inBoth(t, `
ext.on("script_unload", function() ext.notify("begun"); ext.sleep(0.05); ext.notify("cleaned up") end)
`, `
ext.on("script_unload", async () => { ext.notify("begun"); await ext.sleep(0.05); ext.notify("cleaned up"); });
`, func(t *testing.T, s *stage, name, src string) {
		g := s.run(name, src)
		s.eng.Emitter.EmitTo(g, s.eng.Events.New(nil, event.ScriptUnload{Script: name}))
		s.eng.Scripts.Swap(nil, nil)
		s.eng.Emitter.Drain(context.Background())
		if s.count("notice begun") != 1 || s.count("notice cleaned up") != 1 {
			t.Error("the handler was cut")
		}
	})
}

// TestCalledAfterUnload checks that functions of an unloaded script do nothing or return an error.
func TestCalledAfterUnload(t *testing.T) {
	t.Parallel()
	inBoth(t, `ext.tool{ name = "x", description = "x", run = function() ext.notify("ran") end }`,
		`ext.tool({ name: "x", description: "x", run: () => ext.notify("ran") });`,
		func(t *testing.T, s *stage, name, src string) {
			g := s.run(name, src)
			tool := g.Registry.Tools[0]
			s.eng.Scripts.Swap(nil, nil)
			_, err := tool.Run(context.Background(),
				&engine.Use{Env: &event.Envelope{}, Heard: func(string, bool) {}})
			if err == nil || !strings.Contains(err.Error(), vm.ErrClosed.Error()) ||
				s.count("notice ran") > 0 {
				t.Errorf("got %v, want a cancelled call", err)
			}
		})
}

// TestAwaitNonPromise checks that JavaScript may await a value that is not a promise, and that a
// rejected promise without a handler is reported with its line.
func TestAwaitNonPromise(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.run("t.js", `
ext.command({ name: "nothing", run: async () => {
  await undefined; await null; await 5; await (async () => {})();
  return { insert: "fine" };
} });
ext.command({ name: "lost", run: async () => {
  (async () => { await null; throw new Error("nobody hears"); })();
  await ext.sleep(0.01);
} });
ext.command({ name: "dropped", run: async () => {
  ext.sleep(0.01);
} });
ext.command({ name: "later", run: () => { new Promise((_, no) => queueMicrotask(() => no(new Error("late")))); } });
`)
	for name, want := range map[string]string{"nothing": "",
		"lost":    "t.js:7:36: unhandled rejection: nobody hears",
		"dropped": "t.js:11:12: ext.sleep returns a promise that was neither awaited nor returned",
		"later":   "t.js:13:90: unhandled rejection: late"} {
		r, err := s.eng.Commands.Run(context.Background(), &event.Envelope{}, name, "")
		if want == "" && (err != nil || r.Insert != "fine") || want != "" &&
			(err == nil || err.Error() != want) {
			t.Errorf("%s: got %+v, %v, want %q", name, r, err, want)
		}
	}
}

// BenchmarkTogether measures 24 concurrent handlers of one script, each of which waits for 200 ms.
// The metric over is the additional time of all of them, in per cent.
func BenchmarkTogether(b *testing.B) {
	const wait = 200 * time.Millisecond
	for name, src := range map[string]string{
		"t.lua": `ext.command{ name = "wait", run = function() ext.sleep(0.2) return { insert = ` +
			`"14 1" } end }`,
		"t.js": `ext.command({ name: "wait", run: async () => { await ext.sleep(0.2); return { ` +
			`insert: "14 1" }; } });`,
	} {
		b.Run(name, func(b *testing.B) {
			s := newStage(b)
			g, err := s.load(name, src)
			if err != nil {
				b.Fatal(err)
			}
			s.eng.Scripts.Swap([]*engine.Generation{g}, nil)
			for b.Loop() {
				s.together(24, "")
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(100*float64(each-wait)/float64(wait), "%over")
		})
	}
}

// TestEndBeforeResult checks that deferred functions of a call have run when its result is
// reported.
func TestEndBeforeResult(t *testing.T) {
	t.Parallel()
	inBoth(t, `ext.command{ name = "x", run = function(_, call) call.defer(function() `+
		`ext.sleep(0.001) ext.notify("deferred") end) end }`,
		`ext.command({ name: "x", run: (_, call) => { call.defer(async () => { await `+
			`ext.sleep(0.001); ext.notify("deferred"); }); } });`,
		func(t *testing.T, s *stage, name, src string) {
			s.run(name, src)
			for i := range 50 {
				if _, err := s.eng.Commands.Run(context.Background(), &event.Envelope{}, "x",
					""); err != nil {
					t.Fatal(err)
				}
				if n := s.count("notice deferred"); n != i+1 {
					t.Fatalf("%d of %d calls had ended", n, i+1)
				}
			}
		})
}
