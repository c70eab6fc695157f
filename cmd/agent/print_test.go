package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
)

// TestErrorIsPrintedOnce: the end of a prompt does not repeat an error whose notice follows, also
// if another notice comes between.
func TestErrorIsPrintedOnce(t *testing.T) {
	t.Parallel()
	table, err := event.NewTable(spec.Events(), time.Now, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out, told bytes.Buffer
	p := &printer{out: &out, err: &told}
	send := func(f event.Fired) { p.event(table.New(&event.Envelope{}, f)) }
	send(event.Error{Stage: "command", Message: "unknown command /tod"})
	send(event.Notification{Level: "info", Message: "no model is set up", Source: "agent"})
	p.printResult(agent.End{Status: agent.Failed, Reason: "unknown command /tod"})
	send(event.Notification{Level: "error", Message: "unknown command /tod", Source: "agent"})
	if n := strings.Count(told.String(), "unknown command /tod"); n != 1 {
		t.Errorf("printed %d times:\n%s", n, told.String())
	}
}

// TestWindowOfAModel: large windows are in millions of tokens.
func TestWindowOfAModel(t *testing.T) {
	t.Parallel()
	for tokens, want := range map[int]string{0: "", 8192: "8k tokens", 200_000: "200k tokens",
		1_000_000: "1M tokens", 1_048_576: "1M tokens", 1_500_000: "1.5M tokens"} {
		if got := window(tokens); got != want {
			t.Errorf("%d: got %q, want %q", tokens, got, want)
		}
	}
}
