package main

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/sandbox"
	"github.com/agentscripts/agent/engine/fence"
)

// TestFenceLine checks the line that says whether programs are confined, and how.
func TestFenceLine(t *testing.T) {
	t.Parallel()
	off := &sandbox.Sandbox{Fence: fence.New(fence.Options{Method: "nothing"})}
	for _, c := range []struct {
		box  *sandbox.Sandbox
		want string
	}{
		{nil, "No sandbox: the settings or --no-sandbox turn it off"},
		{off, `No sandbox: programs run with all your rights, because "nothing" is no sandbox`},
	} {
		if text := fenceLine(c.box); fenced(c.box) || !strings.HasPrefix(text, c.want) {
			t.Errorf("got %q, want %q", text, c.want)
		}
	}
	on := &sandbox.Sandbox{Fence: fence.New(fence.Options{})}
	if method, _ := on.Fence.Method(); method == fence.None {
		t.Skip("there is no sandbox on this machine")
	} else if text := fenceLine(on); !fenced(on) ||
		!strings.HasPrefix(text, "Sandbox: "+string(method)) {
		t.Errorf("got %q", text)
	}
}

// TestNoSandboxIsOnTheScreen checks that the status line shows a missing sandbox from the start,
// and that /scripts shows it.
func TestNoSandboxIsOnTheScreen(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "--no-sandbox")
	x.wait("no sandbox · default")
	x.sendKeys("/scripts", "Enter")
	x.wait("No sandbox: the settings or --no-sandbox turn it off")
	x.sendKeys("", "Escape")
	x.waitGone("── scripts")
	x.quit()
}
