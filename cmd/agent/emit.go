// This file is agent ext emit: try the scripts' handlers on one event, from a shell or in CI.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
)

func runExt(f *flags, stdout, stderr io.Writer) int {
	subcommands := []string{"emit"}
	switch {
	case len(f.words) == 0:
		return usageError(stderr, errors.New("ext needs a command: emit EVENT [JSON]"))
	case f.words[0] != "emit":
		return usageError(stderr, fmt.Errorf("unknown command: ext %s%s", f.words[0], engine.DidYouMean(f.words[0], subcommands)))
	case len(f.words) < 2 || len(f.words) > 3:
		return usageError(stderr, fmt.Errorf("ext emit: got %d arguments, want EVENT and JSON", len(f.words)-1))
	}
	fields := map[string]any{}
	if len(f.words) == 3 {
		if err := json.Unmarshal([]byte(f.words[2]), &fields); err != nil {
			return usageError(stderr, fmt.Errorf("ext emit: JSON: %v (want an object such as {\"tool\": \"bash\", \"args\": {\"command\": \"ls\"}})", err))
		}
	}
	return emit(f, f.words[1], fields, stdout, stderr)
}

func emit(f *flags, name string, fields map[string]any, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var failures atomic.Int32
	var own atomic.Pointer[string]
	a, err := newApp(f, front{mode: "print", emit: func(ev *engine.Event) {
		if n := own.Load(); n != nil && ev.Name() == *n {
			return // the event that is tried, not one that happened
		}
		if ev.Name() == "script_error" {
			failures.Add(1)
		}
		notice(stderr, ev)
	}})
	if err != nil {
		fmt.Fprintf(stderr, "agent: %v\n", err)
		return exitError
	}
	defer a.shut()
	m, err := newMoment(a.engine, name, fields, a.agent.Envelope())
	if err != nil {
		return usageError(stderr, fmt.Errorf("ext emit: %w", err))
	}
	if err := a.loader.Start(ctx); err != nil {
		fmt.Fprintf(stderr, "agent: %v\n", err)
		return exitError
	}
	own.Store(&name)
	outcome, trail := m.run(ctx, a.engine)
	own.Store(nil)
	a.engine.Drain(ctx)
	b, err := json.Marshal(map[string]any{"outcome": outcome, "trail": steps(trail)})
	if err != nil {
		fmt.Fprintf(stderr, "agent: %v\n", err)
		return exitError
	}
	code := say(stdout, stderr, string(b))
	if failures.Load() > 0 {
		return exitError
	}
	return code
}

// moment is one event to dispatch.
type moment struct {
	row    *engine.EventRow
	env    *engine.Envelope
	fields map[string]any
}

// newMoment checks name and fields against the event table.
func newMoment(e *engine.Engine, name string, fields map[string]any, env *engine.Envelope) (*moment, error) {
	row := e.Row(name)
	if row == nil {
		var names []string
		for _, r := range e.EventRows() {
			names = append(names, r.Name)
		}
		return nil, fmt.Errorf("unknown event %q%s", name, engine.DidYouMean(name, names))
	}
	env, payload := splitEnvelope(*env, fields)
	if _, given := fields["origin"]; !given && has(row.Payload, "call_id") {
		env.Origin = "model"
	}
	known := make([]engine.Field, len(row.Payload))
	for i, f := range row.Payload {
		f.Type = strings.TrimSuffix(f.Type, "?") + "?"
		known[i] = f
	}
	args, err := engine.CheckArgs(name, []engine.Field{{Name: "fields", Type: "table", Fields: known}}, []any{payload})
	if err != nil {
		return nil, err
	}
	m := &moment{row: row, env: env, fields: args[0].(map[string]any)}
	if c, ok := m.fields["content"].(string); ok {
		m.fields["content"] = engine.BlockValues([]engine.Block{{Type: "text", Text: c}})
	}
	if name == "tool_call" && engine.Text(m.fields, "tool") == "" {
		return nil, errors.New(`tool_call needs the field "tool"`)
	}
	return m, nil
}

func has(fields []engine.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f engine.Field) bool { return f.Name == name })
}

// splitEnvelope takes the envelope's keys out of fields and lays them over env.
func splitEnvelope(env engine.Envelope, fields map[string]any) (*engine.Envelope, map[string]any) {
	payload := map[string]any{}
	texts := map[string]*string{"session_id": &env.SessionID, "session_path": &env.SessionPath, "cwd": &env.CWD, "project": &env.Project,
		"agent": &env.Agent, "agent_id": &env.AgentID, "parent_agent_id": &env.ParentAgentID, "model": &env.Model,
		"prompt_id": &env.PromptID, "mode": &env.Mode, "origin": &env.Origin, "permission": (*string)(&env.Permission)}
	for k, v := range fields {
		s, isText := v.(string)
		n, isNumber := engine.Number(v)
		switch {
		case texts[k] != nil && isText:
			*texts[k] = s
		case k == "depth" && isNumber:
			env.Depth = int(n)
		default:
			payload[k] = v
		}
	}
	return &env, payload
}

// run dispatches the event: a tool call down its road as far as the guards, anything else through its handlers.
func (m *moment) run(ctx context.Context, e *engine.Engine) (map[string]any, engine.Trail) {
	if m.row.Name == "tool_call" {
		id := engine.Text(m.fields, "call_id")
		if id == "" {
			id = "call_1"
		}
		args, _ := m.fields["args"].(map[string]any)
		r := e.Dispatch(ctx, &engine.Call{ID: id, Tool: engine.Text(m.fields, "tool"), Args: args, Origin: m.env.Origin, Env: m.env, Preview: true})
		out := map[string]any{}
		if r.Verdict != nil {
			out = outcome(r.Verdict)
			for _, key := range r.Verdict.Changed {
				out[key] = map[string]any{"args": r.Args, "tool": r.Tool}[key]
			}
		}
		if r.Skipped != "" && out["block"] == nil && out["abort"] == nil {
			out["block"], out["reason"] = true, engine.PlainText(r.Content)
		}
		return out, r.Trail
	}
	ev := e.NewEvent(m.row.Name, m.env, m.fields)
	if m.row.Phase == engine.Observe {
		return map[string]any{}, e.Observe(ev).Trail
	}
	ev, v := e.Intercept(ctx, ev)
	out := outcome(v)
	for _, key := range v.Changed {
		if p, err := engine.Plain(ev.Field(key)); err == nil {
			out[key] = p
		}
	}
	return out, v.Trail
}

// outcome is a verdict in the words that a handler would return it in.
func outcome(v *engine.Verdict) map[string]any {
	out := map[string]any{}
	if v.Blocked {
		out["block"] = true
	}
	var asks, reasons []string
	var details []any // of all who ask, in their order
	for _, a := range v.Asks {
		asks = append(asks, a.Text)
		if a.Reason != "" {
			reasons = append(reasons, a.Reason)
		}
		if a.Detail != nil {
			details = append(details, a.Detail)
		}
	}
	if len(asks) > 0 && !v.Blocked {
		out["ask"] = strings.Join(asks, "\n")
	}
	switch len(details) {
	case 0:
	case 1:
		out["detail"] = details[0]
	default:
		out["detail"] = details
	}
	if v.Reason != "" {
		reasons = []string{v.Reason}
	}
	if len(reasons) > 0 {
		out["reason"] = strings.Join(reasons, "\n")
	}
	if v.Allowed != nil {
		out["allow"] = true
		for _, s := range v.Trail {
			if s.Outcome == "allow" && s.Reason != "" && out["reason"] == nil {
				out["reason"] = s.Reason
			}
		}
	}
	if v.Answerer != nil {
		out["respond"] = v.Respond
	}
	if v.Handled {
		out["handled"] = true
	}
	if v.Stop {
		out["stop"] = true
	}
	if v.Abort != "" {
		out["abort"] = v.Abort
	}
	if v.Continue != "" {
		out["continue_with"] = v.Continue
	}
	if v.Summary != nil {
		out["summary"] = *v.Summary
	}
	if v.Extend > 0 {
		out["extend"] = v.Extend
	}
	var texts []string
	for _, c := range v.Contexts {
		texts = append(texts, c.Text)
	}
	if len(texts) > 0 {
		out["context"] = strings.Join(texts, "\n")
	}
	return out
}

// steps is a trail as it is printed.
func steps(trail engine.Trail) []any {
	out := []any{}
	for _, s := range trail {
		out = append(out, map[string]any{"script": s.Script, "line": s.Line, "outcome": s.Outcome,
			"duration_us": float64(s.Duration.Nanoseconds()) / 1e3})
	}
	return out
}
