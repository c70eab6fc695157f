// This file implements agent ext emit, which runs the scripts' handlers on one event, from a shell
// or in CI.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

func extEmit(f *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) < 1 || len(words) > 2 {
		return usageError(stderr, fmt.Errorf("ext emit: got %d arguments, want EVENT and JSON",
			len(words)))
	}
	fields := map[string]any{}
	if len(words) == 2 {
		if err := json.Unmarshal([]byte(words[1]), &fields); err != nil {
			return usageError(stderr,
				fmt.Errorf("ext emit: %w; for example {\"tool\": \"bash\", \"args\": "+
					"{\"command\": \"ls\"}}", err))
		}
	}
	return emit(f, words[0], fields, stdout, stderr)
}

func emit(f *flags, name string, fields map[string]any, stdout, stderr io.Writer) (code int) {
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	var failures atomic.Int32
	var own atomic.Pointer[string]
	a, err := newApp(f, front{mode: "print", emit: func(ev *event.Event) {
		if n := own.Load(); n != nil && ev.Name() == *n {
			return // the event is simulated and did not happen
		}
		if ev.Name() == "script_error" {
			failures.Add(1)
		}
		showNotice(stderr, ev)
	}})
	if err != nil {
		fmt.Fprintf(stderr, "agent: %s\n", shownError(err))
		return exitError
	}
	defer a.closeScripts()
	m, err := trial.NewMoment(a.engine, name, fields, a.agent.Envelope())
	if err != nil {
		return usageError(stderr, fmt.Errorf("ext emit: %w", err))
	}
	if err := a.agent.LoadScripts(ctx); err != nil {
		fmt.Fprintf(stderr, "agent: %s\n", shownError(err))
		return exitError
	}
	own.Store(&name)
	outcome, trail := m.Run(ctx, a.engine)
	own.Store(nil)
	a.engine.Emitter.Drain(ctx)
	b, err := json.Marshal(map[string]any{"outcome": outcome, "trail": steps(trail)})
	if err != nil {
		fmt.Fprintf(stderr, "agent: %s\n", shownError(err))
		return exitError
	}
	code = printText(stdout, stderr, string(b))
	if failures.Load() > 0 {
		return exitError
	}
	return code
}

// steps returns a trail in the form in which it is printed.
func steps(trail engine.Trail) []any {
	out := []any{}
	for _, s := range trail {
		out = append(out, map[string]any{"script": s.Script, "line": s.Line, "outcome": s.Outcome,
			"duration_us": float64(s.Duration.Nanoseconds()) / 1e3})
	}
	return out
}
