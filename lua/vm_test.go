package lua

import (
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine/vm"
)

func TestLoadAndCall(t *testing.T) {
	h := newHost(t)
	g := h.load(`
local count = 0
ext.guard({ tool = "bash" }, function(ev)
  count = count + 1
  if ev.args.command:find("sudo", 1, true) then
    return { block = true, reason = "no sudo, call " .. count }
  end
end)`)
	ev := h.engine.Events.Named("guard", nil, map[string]any{"tool": "bash",
		"args": map[string]any{"command": "sudo ls"}})
	for i, want := range []string{"no sudo, call 1", "no sudo, call 2"} {
		v, err := h.call(g, vm.KindGuard, "guard", ev)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := v.(map[string]any); !ok || m["block"] != true || m["reason"] != want {
			t.Errorf("call %d: got %#v", i, v)
		}
	}
	v, err := h.call(g, vm.KindGuard, "guard",
		h.engine.Events.Named("guard", nil,
			map[string]any{"args": map[string]any{"command": "ls"}}))
	if v != nil || err != nil {
		t.Errorf("got %v, %v, want nothing", v, err)
	}
}

// TestRegistrationPosition checks that the position of a registration is where its call begins.
func TestRegistrationPosition(t *testing.T) {
	h := newHost(t)
	h.load(`
local function later(f)
  pcall(f)
end
ext.guard({
  tool = "bash",
}, function(ev)
end)
later(function() ext.guard(function() end) end)
coroutine.wrap(function() ext.guard(function() end) end)()
return ext.guard(function() end)`)
	want := []int{5, 9, 10, 11}
	if !slices.Equal(h.lines, want) {
		t.Errorf("got lines %v, want %v", h.lines, want)
	}
}

// TestFunctionsOfScripts checks that a function that is passed to Go and back is the same function.
func TestFunctionsOfScripts(t *testing.T) {
	wantText(t, `local f = function() return "f" end; local l = ext.copy{f}; return `+
		`tostring(l[1] == f) .. l[1]()`, "truef")
}
