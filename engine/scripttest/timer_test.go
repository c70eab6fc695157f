package scripttest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// patience is the deadline for a condition: much longer than needed.
const patience = time.Minute

// stage is an engine with both languages that records notifications of scripts.
type stage struct {
	t   testing.TB
	eng *engine.Engine

	mu   sync.Mutex
	told []string // "notice TEXT", "error FILE:LINE HANDLER: TEXT"
}

func newStage(t testing.TB) *stage { return newStageIn(t, "") }

// newStageIn returns a stage that stores values in the folder home.
func newStageIn(t testing.TB, home string) *stage {
	s := &stage{t: t}
	s.eng = scripttest.NewStandard(t, standard.Options{Host: host.Options{Home: home},
		Engine: engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New()}, Emit: s.hear}})
	return s
}

func (s *stage) hear(ev *event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch ev.Name() {
	case "notification":
		s.told = append(s.told, "notice "+ev.Text("message"))
	case "script_error":
		s.told = append(s.told, fmt.Sprintf("error %v:%v %v: %v", ev.Field("file"),
			ev.Field("line"), ev.Field("handler"), ev.Field("message")))
	}
}

func (s *stage) count(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, line := range s.told {
		if strings.HasPrefix(line, text) {
			n++
		}
	}
	return n
}

// until waits for n notifications with a text.
func (s *stage) until(text string, n int) {
	s.t.Helper()
	for end := time.Now().Add(patience); s.count(text) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			got := s.count(text)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.t.Fatalf("got %q %d times, want %d: %q", text, got, n, s.told)
		}
	}
}

func (s *stage) load(name, src string) (*engine.Generation, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.eng.Scripts.Load(ctx, &scriptfile.Script{Name: name, Path: "/s/" + name, Bytes: []byte(
		src),
		Header: scriptfile.Header{Grants: scriptfile.Grants{"tools:*", "ui"}}})
}

// run loads src and activates it.
func (s *stage) run(name, src string) *engine.Generation {
	s.t.Helper()
	g, err := s.load(name, src)
	if err != nil {
		s.t.Fatal(err)
	}
	s.eng.Scripts.Swap([]*engine.Generation{g}, nil)
	return g
}

// inBoth runs a test with a script in each language.
func inBoth(t *testing.T, luaSrc, jsSrc string, test func(t *testing.T, s *stage, name,
	src string)) {
	t.Run("lua", func(t *testing.T) { t.Parallel(); test(t, newStage(t), "t.lua", luaSrc) })
	t.Run("js", func(t *testing.T) { t.Parallel(); test(t, newStage(t), "t.js", jsSrc) })
}

// TestEvery checks that a function runs repeatedly, never twice at a time, until it is stopped.
func TestEvery(t *testing.T) {
	t.Parallel()
	inBoth(t, `
local n, open, stop = 0, 0, nil
stop = ext.every(0.1, function(call)
  n, open = n + 1, open + 1
  if open > 1 then ext.notify("two at a time") end
  ext.sleep(0.15)
  open = open - 1
  ext.notify("tick " .. type(call.progress))
  if n == 3 then stop() ext.after(0.3, function() ext.notify("done " .. n) end) end
end)`, `
let n = 0, open = 0;
const stop = ext.every(0.1, async (call) => {
  n++; open++;
  if (open > 1) ext.notify("two at a time");
  await ext.sleep(0.15);
  open--;
  ext.notify("tick " + typeof call.progress);
  if (n === 3) { stop(); ext.after(0.3, () => ext.notify("done " + n)); }
});`, func(t *testing.T, s *stage, name, src string) {
		s.run(name, src)
		s.until("notice done 3", 1)
		if s.count("notice tick function") != 3 || s.count("notice two") > 0 {
			t.Errorf("got %q", s.told)
		}
	})
}

// TestTimersStopWithScript checks that timers run only while their script is active.
func TestTimersStopWithScript(t *testing.T) {
	t.Parallel()
	const luaTick, jsTick = `ext.every(0.1, function() ext.notify("tick") end)`,
		`ext.every(0.1, () => ext.notify("tick"));`
	inBoth(t, luaTick, jsTick, func(t *testing.T, s *stage, name, src string) {
		bad := map[string]string{"t.lua": "\nerror('no')", "t.js": "\nthrow new Error('no')"}[name]
		if _, err := s.load(name, src+bad); err == nil {
			t.Fatal("loaded, want an error")
		}
		staged, err := s.load(name, strings.Replace(src, "tick", "staged", 1))
		if err != nil {
			t.Fatal(err)
		}
		s.run("a"+name, strings.Replace(src, "tick", "other", 1))
		s.until("notice other", 3)
		if n := s.count("notice tick") + s.count("notice staged"); n > 0 {
			t.Errorf("%d ticks of a script that is not active", n)
		}
		s.eng.Scripts.Swap([]*engine.Generation{staged}, nil)
		s.until("notice staged", 1)
		before := s.count("notice other")
		s.until("notice staged", 4)
		if n := s.count("notice other") - before; n > 1 { // one tick may have been running
			t.Errorf("%d ticks after the script was unloaded", n)
		}
	})
}

// TestTimerFails checks that an error is reported with its line, and is repeated only if it
// differs.
func TestTimerFails(t *testing.T) {
	t.Parallel()
	inBoth(t, `
local n, again = 0, false
ext.every(0.1, function()
  n = n + 1
  if n == 4 then ext.notify("well") end
  if n >= 4 and not again then return end
  error("broken")
end)
ext.on("custom:again", function() again = true end)`, `
let n = 0, again = false;
ext.every(0.1, () => {
  n++;
  if (n === 4) ext.notify("well");
  if (n >= 4 && !again) return;
  throw new Error("broken");
});
ext.on("custom:again", () => { again = true; });`,
		func(t *testing.T, s *stage, name, src string) {
			s.run(name, src)
			s.until("notice well", 1)
			broken := "error " + name + ":7 every: broken"
			if n := s.count(broken); n != 1 {
				t.Errorf("reported %d times, want once: %q", n, s.told)
			}
			s.eng.Emitter.Emit(s.eng.Events.Named("custom:again", &event.Envelope{},
				map[string]any{"source": "x"}))
			s.until(broken, 2)
		})
}

// TestToolsOnly checks that scripts limit the tools of models. All scripts must allow a tool, and a
// script that fails allows none.
func TestToolsOnly(t *testing.T) {
	t.Parallel()
	inBoth(t, `
local hidden = "b"
ext.tools.only(function(tool)
  if tool.name == hidden then error("hidden") end
  return tool.read_only
end)
ext.on("custom:all", function() ext.tools.only() end)`, `
const hidden = "b";
ext.tools.only((tool) => {
  if (tool.name === hidden) throw new Error("hidden");
  return tool.read_only;
});
ext.on("custom:all", () => ext.tools.only(null));`, func(t *testing.T, s *stage, name, src string) {
		g := s.run(name, src)
		second := map[string]string{"t.lua": `ext.tools.only(function(tool) return tool.name ~= ` +
			`"d" end)`, "t.js": `ext.tools.only((tool) => tool.name !== "d")`}[name]
		other, err := s.load("z"+name, second)
		if err != nil {
			t.Fatal(err)
		}
		s.eng.Scripts.Swap([]*engine.Generation{g, other}, nil)
		all := []chat.ToolSpec{{Name: "a", ReadOnly: true}, {Name: "b", ReadOnly: true},
			{Name: "c"}, {Name: "d", ReadOnly: true}}
		offered := func() string {
			var names []string
			for _, t := range s.eng.Scripts.Offered(context.Background(), &event.Envelope{}, all) {
				names = append(names, t.Name)
			}
			return strings.Join(names, "")
		}
		for range 2 {
			if got := offered(); got != "a" {
				t.Errorf("got %q, want a", got)
			}
		}
		line := map[string]string{"t.lua": "4", "t.js": "4"}[name]
		if n := s.count("error " + name + ":" + line + " tools.only: hidden"); n != 1 {
			t.Errorf("the failure was reported %d times, want once: %q", n, s.told)
		}
		if by := s.eng.Scripts.WithheldBy(context.Background(), &event.Envelope{},
			all[3]); by != "z"+name {
			t.Errorf("d is hidden by %q", by)
		}
		s.eng.Emitter.Emit(s.eng.Events.Named("custom:all", &event.Envelope{},
			map[string]any{"source": "x"}))
		for end := time.Now().Add(patience); offered() != "abc"; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("got %q, want abc", offered())
			}
		}
		s.eng.Scripts.Swap(slices.Clone([]*engine.Generation{g}), nil)
		if got := offered(); got != "abcd" {
			t.Errorf("after the other script was unloaded: got %q", got)
		}
	})
}
