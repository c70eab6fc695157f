package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/slash"
)

// TestScriptInputsAreLimited checks that a script that sends another input at each end is stopped
// if the user sends none.
func TestScriptInputsAreLimited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, when, text string
		limit, want      int
		fails            bool // the script gets an error
	}{
		{"next", "next", "again", 0, 8, true},
		{"idle", "idle", "again", 0, 8, true},
		{"steering that comes too late", "steer", "again", 0, 8, false},
		{"a command", "next", "/say", 0, 8, true},
		{"a bound of one's own", "next", "again", 3, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, Options{Limits: Limits{ScriptInputs: c.limit}})
			if _, err := w.engine.Scripts.Install(engine.Plugin{Name: "say",
				Commands: []*engine.Command{{Name: "say", Source: "plugin:say",
					GoRun: say}}}); err != nil {
				t.Fatal(err)
			}
			d := w.desk()
			failed := make(chan error, 100)
			w.on("agent_end", func(*event.Event) any {
				if err := w.agent.Services().Send(w.agent.Envelope(), c.text, c.when,
					"script:loop.lua", 3); err != nil {
					failed <- err
				}
				return nil
			})
			for round := 1; round <= 2; round++ { // an input of the user resets the count
				d.send(Input{Text: "go"})
				told := func() (n int) {
					for _, ev := range w.all("notification") {
						if strings.Contains(ev.Text("message"),
							"loop.lua:3 sent an input after") {
							n++
						}
					}
					return n
				}
				// the agent is idle between two prompts, because scripts get the end of a prompt
				// only then
				until(t, "the excess is reported", func() bool { return told() >= round })
				d.idle()
				if got, want := len(w.all("agent_end")), round*(c.want+1); got != want {
					t.Fatalf("round %d: got %d prompts, want %d", round, got, want)
				}
				if n := told(); n != round {
					t.Errorf("round %d: reported %d times", round, n)
				}
			}
			if c.fails {
				var world *fault.WorldError
				if err := <-failed; !errors.As(err, &world) || world.Code != "limit" {
					t.Errorf("the script got %v", err)
				}
			}
		})
	}
}

func say(context.Context, *event.Envelope, any) (slash.Result, error) {
	return slash.Result{Prompt: "again"}, nil
}

// TestSteeringIsNotLimited checks that steering counts as a part of its prompt, which has limits of
// its own.
func TestSteeringIsNotLimited(t *testing.T) {
	t.Parallel()
	answers := make([]answer, 21)
	for i := range answers {
		answers[i] = answer{text: "more"}
	}
	w := newWorld(t, Options{}, answers...)
	d := w.desk()
	n := 0
	w.on("llm_response", func(*event.Event) any {
		if n++; n <= 20 {
			if err := w.agent.Services().Send(w.agent.Envelope(), "and this", "steer",
				"script:s.lua", 1); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	d.send(Input{Text: "go"})
	d.idle()
	if got := w.count("steering_injected"); got != 20 {
		t.Errorf("got %d", got)
	}
}
