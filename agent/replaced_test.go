package agent

import (
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/scripttest"
)

// TestOwnFileIsReplaced: the user is told that a protected file was replaced, unless it is the list
// of guards, which the agent replaces itself.
func TestOwnFileIsReplaced(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []string
	e := scripttest.NewEngine(t, engine.Options{Emit: func(ev *event.Event) {
		if text, _ := ev.Field("message").(string); ev.Name() == "notification" {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, text)
		}
	}})
	as := &assembly{engine: e, known: "/state/guards.json"}
	for _, paths := range [][]string{{"/state/guards.json"}, {"/state/other.json"},
		{"/state/guards.json", "/state/more.json"}} {
		as.replaced(fence.Replaced{Paths: paths})
	}
	e.Close()
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 2 || !strings.Contains(told[0], "/state/other.json") ||
		!strings.Contains(told[1], "/state/more.json") {
		t.Errorf("told %q", told)
	}
}
