package main

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// TestListingShowsBrokenScripts checks that /scripts and the status line agree about a broken
// script.
func TestListingShowsBrokenScripts(t *testing.T) {
	t.Parallel()
	infos := []load.Info{{Name: "a.lua", Path: "/s/a.lua", State: load.StateOK},
		{Name: "b.lua", Path: "/s/b.lua", State: load.StateOK}}
	broken := []*engine.Handler{{Event: "tool_call", Line: 7,
		Gen: &engine.Generation{Script: &scriptfile.Script{Path: "/s/a.lua"}}}}
	got := listing(infos, broken)
	for _, want := range []string{"**a.lua** BROKEN", "line 7: the handler of tool_call failed",
		"**b.lua** ok"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
