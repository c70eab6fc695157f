package lua

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/vm"
)

// places are Lua expressions that wait for an answer to ui.confirm in every kind of place. Each
// returns "yes".
var places = map[string]string{
	"plain":      `return ask()`,
	"local":      `local v = ask() return v`,
	"pcall":      `local ok, v = pcall(ask) return v`,
	"pcall deep": `local ok, ok2, v = pcall(pcall, function() return (ask()) end) return v`,
	"xpcall":     `local ok, v = xpcall(ask, print) return v`,
	"sort": `local v; table.sort({2, 1}, function(a, b) v = v or ask() return a < b end) ` +
		`return v`,
	"gsub":       `return (("x"):gsub("x", function() return ask() end))`,
	"index":      `return setmetatable({}, {__index = function() return ask() end}).x`,
	"add":        `return setmetatable({}, {__add = function() return ask() end}) + 1`,
	"concat":     `return setmetatable({}, {__concat = function() return ask() end}) .. "x"`,
	"iterator":   `for v in function() return ask() end do return v end`,
	"wrap":       `return coroutine.wrap(function() return (ask()) end)()`,
	"wrap yield": `return coroutine.wrap(function() coroutine.yield(ask()) end)()`,
	"resume": `local _, v = coroutine.resume(coroutine.create(function() local ok, v = ` +
		`pcall(ask) return v end)) return v`,
	"tostring": `return tostring(setmetatable({}, {__tostring = function() return ask() end}))`,
	"load":     `return load("return ...")(ask())`,
}

func placesScript() string {
	var b strings.Builder
	b.WriteString("function ask() return ext.ui.confirm('go on?') and 'yes' or 'no' end\n")
	for name, body := range places {
		fmt.Fprintf(&b, "ext.on('%s', function(ev) %s end)\n", name, body)
	}
	b.WriteString("ext.on('quick', function() return 'quick' end)\n")
	return b.String()
}

// TestWaitingAnywhere makes several handlers of one VM wait at the same time, in every kind of
// place.
func TestWaitingAnywhere(t *testing.T) {
	h := newHost(t)
	g := h.load(placesScript())
	type result struct {
		name string
		v    any
		err  error
	}
	const each = 3
	results := make(chan result, len(places)*each)
	for name := range places {
		for range each {
			go func() {
				v, err := h.call(g, vm.KindTool, name)
				results <- result{name, v, err}
			}()
		}
	}
	answers := make([]chan bool, 0, len(places)*each)
	for range len(places) * each { // all of them wait before the first gets its answer
		answers = append(answers, receive(t, h.confirms))
	}
	if v, err := h.call(g, vm.KindGuard, "quick"); v != "quick" || err != nil {
		t.Errorf("while others wait: %v, %v", v, err)
	}
	for i := len(answers) - 1; i >= 0; i-- {
		answers[i] <- true
	}
	for range len(places) * each {
		if r := receive(t, results); r.v != "yes" || r.err != nil {
			t.Errorf("%s: got %v, %v", r.name, r.v, r.err)
		}
	}
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(deadline):
		t.Fatal("received nothing")
		panic("unreachable")
	}
}

// TestCancelWhileWaiting cancels handlers that wait in every kind of place. Each ends with the
// cause, and no code after the wait runs, whatever the script catches. The VM can still be used.
func TestCancelWhileWaiting(t *testing.T) {
	h := newHost(t)
	g := h.load(placesScript() + `
after = 0
local old = ask
function ask() local v = old() after = after + 1 return v end
ext.on('stubborn', function() while true do pcall(ask) after = after + 1 end end)
ext.on('after', function() return after end)`)
	cause := errors.New("the user pressed Esc")
	names := []string{"stubborn"}
	for name := range places {
		names = append(names, name)
	}
	for _, name := range names {
		ctx, cancel := context.WithCancelCause(context.Background())
		errs := make(chan error, 1)
		go func() {
			_, err := h.callCtx(ctx, g, vm.KindTool, name)
			errs <- err
		}()
		receive(t, h.confirms)
		cancel(cause)
		if err := receive(t, errs); !errors.Is(err, cause) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if v, err := h.call(g, vm.KindTool, "after"); v != 0.0 || err != nil {
		t.Errorf("code after the wait ran: %v, %v", v, err)
	}
}

// TestUnloadWhileWaiting unloads the generation of a waiting handler.
func TestUnloadWhileWaiting(t *testing.T) {
	h := newHost(t)
	g := h.load(placesScript())
	errs := make(chan error, 1)
	go func() {
		_, err := h.call(g, vm.KindTool, "pcall")
		errs <- err
	}()
	receive(t, h.confirms)
	h.engine.Scripts.Swap(nil, nil)
	if err := receive(t, errs); !errors.Is(err, vm.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestAll(t *testing.T) {
	wantText(t,
		`local r = ext.all{ function() ext.sleep(0.01) return "a" end, function() return "b" end, function() end }
return r[1] .. r[2] .. tostring(r[3] == ext.null) .. #r`, "abtrue3")
	wantError(t, `ext.all{ function() ext.sleep(0.01) error("in all") end }`,
		[]string{"guard.lua:2: in all"})
	// The functions of ext.all share variables.
	wantText(t, `local n = 0; local f = function() for i = 1, 20 do ext.sleep(0) n = n + 1 end `+
		`end; ext.all{f, f, f}; return tostring(n)`, "60")
}

// TestCoroutineOfAnotherCall resumes a coroutine that another handler made, and one that waits.
func TestCoroutineOfAnotherCall(t *testing.T) {
	h := newHost(t)
	g := h.load(`
local co = coroutine.create(function(a)
  local b = coroutine.yield(a)
  while true do b = coroutine.yield(ext.ui.confirm("?") and "answered") end
end)
ext.on("resume", function(v) return select(2, coroutine.resume(co, v)) end)`)
	if v, err := h.call(g, vm.KindTool, "resume", "first"); v != "first" || err != nil {
		t.Fatal(v, err)
	}
	got := make(chan any, 1)
	go func() {
		v, _ := h.call(g, vm.KindTool, "resume", "second")
		got <- v
	}()
	answer := receive(t, h.confirms)
	if v, err := h.call(g, vm.KindTool, "resume",
		"third"); v != "cannot resume a normal coroutine" || err != nil {
		t.Error(v, err)
	}
	answer <- true
	if v := receive(t, got); v != "answered" {
		t.Error(v)
	}
}

// TestBudgetCannotBeCaught checks that a script cannot catch the end of its budget.
func TestBudgetCannotBeCaught(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`while true do end`,
		`while true do pcall(function() while true do end end) end`,
		`pcall(function() while true do end end) return {block = false}`,
		`xpcall(function() while true do end end, function() while true do end end) return ` +
			`{block = false}`,
		`coroutine.wrap(function() while true do end end)() return 1`,
		`local co = coroutine.create(function() while true do end end) coroutine.resume(co) ` +
			`return 1`,
		`local co = coroutine.create(function() while true do coroutine.yield() end end) while ` +
			`true do coroutine.resume(co) end`,
		`table.sort({3, 2, 1}, function() while true do end end)`,
		`return (("x"):gsub("x", function() while true do end end))`,
		`return setmetatable({}, {__index = function() while true do end end}).x`,
		`local function f() return f() end f()`,
		`pcall(function() local function f() return f() end f() end)`,
		`local function f() return pcall(f) end while true do f() end`,
		`local function f() return coroutine.wrap(f)() end while true do pcall(f) end`,
		`while true do coroutine.create(print) end`,
		`local t = {} while true do t[#t + 1] = coroutine.create(print) end`,
		`load(function() while true do end end)`,
		`for _ in function() return 1 end do end`,
		`goto a ::a:: goto a`,
		`repeat until false`,
		`load("while true do end")()`,
	} {
		h := newHostWith(t, 0.2) // so that endless loops end sooner
		g := h.load("ext.on('x', function(ev)\n" + body +
			"\nend)\next.on('ok', function() return 'ok' end)")
		start := time.Now()
		_, err := h.call(g, vm.KindGuard, "x", map[string]any{})
		var limit *vm.LimitError
		if !errors.As(err, &limit) {
			t.Errorf("%s\ngot %v, want a limit error", body, err)
			continue
		}
		t.Logf("%-100s %v %v", body, time.Since(start).Round(time.Millisecond), err)
		if v, err := h.call(g, vm.KindTool, "ok"); v != "ok" || err != nil {
			t.Errorf("%s\nafter it: %v, %v", body, v, err)
		}
	}
}

// blocking is an Object whose Get blocks until it is released, like a built-in that cannot be
// interrupted.
type blocking struct{ release, entered chan struct{} }

func (b blocking) Keys() []string { return nil }
func (b blocking) Get(string) (any, bool) {
	close(b.entered)
	<-b.release
	return nil, false
}

// TestStuckVM checks that a VM that does not stop is abandoned. Its caller and those who wait in it
// get their errors, nobody enters it again, and nothing breaks when the built-in returns after all.
func TestStuckVM(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	g := h.load(placesScript() +
		`ext.on("stuck", function(ev) pcall(function() return ev.x end) return "late" end)`)
	waiting := make(chan error, len(places))
	for name := range places {
		go func() {
			_, err := h.call(g, vm.KindTool, name)
			waiting <- err
		}()
	}
	answers := make([]chan bool, len(places))
	for i := range answers {
		answers[i] = receive(t, h.confirms)
	}
	b := blocking{make(chan struct{}), make(chan struct{})}
	_, err := h.call(g, vm.KindGuard, "stuck", b)
	var limit *vm.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("stuck: got %v", err)
	}
	for _, a := range answers {
		a <- true
	}
	for range places {
		if err := receive(t, waiting); !errors.Is(err, vm.ErrWedged) {
			t.Errorf("waiting: got %v", err)
		}
	}
	if _, err := h.call(g, vm.KindGuard, "quick"); !errors.Is(err, vm.ErrWedged) {
		t.Errorf("later: got %v", err)
	}
	receive(t, b.entered)
	close(b.release)
}
