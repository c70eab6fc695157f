package scripttest_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// TestFailedPiecesComeBack checks that a piece whose function fails says so, is called less often
// after three failures in a row, and shows its lines when the function works again.
func TestFailedPiecesComeBack(t *testing.T) {
	for name, src := range map[string]string{"t.lua": `
local n = 0
ext.ui.widget("w", function()
  n = n + 1
  if n <= 4 then error("broken " .. n) end
  return "works " .. n
end, { refresh = 1 })`, "t.js": `
let n = 0;
ext.ui.widget("w", () => {
  n++;
  if (n <= 4) throw new Error("broken " + n);
  return "works " + n;
}, { refresh: 1 });`} {
		t.Run(name, func(t *testing.T) {
			var shown atomic.Pointer[ui.Piece]
			clock := &handClock{at: time.Unix(1, 0)}
			s := &stage{t: t}
			s.eng = scripttest.NewStandard(t, standard.Options{
				Host: host.Options{Home: t.TempDir()},
				Engine: engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New()},
					Clock:   clock,
					Surface: &ui.Surface{Show: func(p ui.Piece) { shown.Store(&p) }}}})
			s.run(name, src)
			await := func(want string, failed bool) {
				t.Helper()
				for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
					p := shown.Load()
					if p != nil && p.Failed == failed &&
						strings.HasPrefix(p.Lines[0].Text(), want) {
						return
					}
					if time.Now().After(end) {
						t.Fatalf("want %q, got %+v", want, p)
					}
				}
			}
			broken := "✗ widget w of " + name + " failed at line 5: broken "
			for n, wait := range []time.Duration{0, time.Second, time.Second, 10 * time.Second} {
				early, then := clock.turn(wait-1), clock.turn(1)
				if n > 0 && (early > 0 || then != 1) {
					t.Errorf("failure %d: %d timers before %v, %d then", n+1, early, wait,
						then)
				}
				await(broken+fmt.Sprint(n+1), true)
			}
			clock.turn(10 * time.Second)
			await("works 5", false)
			clock.turn(time.Second)
			await("works 6", false)
		})
	}
}

// handClock is a clock that the test moves.
type handClock struct {
	mu     sync.Mutex
	at     time.Time
	timers []*handTimer
}

type handTimer struct {
	clock *handClock
	at    time.Time // zero = stopped
	fire  func()
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *handClock) AfterFunc(d time.Duration, f func()) vm.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &handTimer{c, c.at.Add(d), f}
	c.timers = append(c.timers, t)
	return t
}

// turn moves the clock and calls what is due.
func (c *handClock) turn(d time.Duration) (fired int) {
	c.mu.Lock()
	c.at = c.at.Add(d)
	var due []func()
	for _, t := range c.timers {
		if !t.at.IsZero() && !t.at.After(c.at) {
			t.at = time.Time{}
			due = append(due, t.fire)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
	return len(due)
}

func (t *handTimer) Stop() bool { return t.set(time.Time{}) }

func (t *handTimer) Reset(d time.Duration) bool { return t.set(t.clock.Now().Add(d)) }

func (t *handTimer) set(at time.Time) (was bool) {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	was, t.at = !t.at.IsZero(), at
	return was
}
