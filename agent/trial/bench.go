// This file measures the handlers of a script.

package trial

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// Measured is what a script costs.
type Measured struct {
	Load     time.Duration // until it is in force, half of the loads took at most that
	Memory   uint64        // that it keeps afterwards, in bytes
	Handlers []Timing      // in the order of their lines
	// Untried are the functions that need the outside world: code after them was not measured.
	Untried []Untried
}

// Timing says how long a handler took. Runs is 0 if no event fitted its filter.
type Timing struct {
	Event         string // "guard", or the name of an event
	Line          int    // of the registering call
	Filter        string // "" = it wants all
	Runs          int
	Errors        int    // of Runs
	Error         string // the first one
	P50, P99, Max time.Duration

	took []time.Duration
}

const (
	// benchLoads is how often the script is loaded.
	benchLoads = 5
	// benchRuns is how many events a handler gets: enough for a 99th percentile that is not the
	// maximum.
	benchRuns = 500
	// benchTime limits the time for one kind of event: a handler may be slow.
	benchTime = 3 * time.Second
)

// RecordedCalls returns the tool calls that the model made in a session.
func RecordedCalls(s *session.Session) (calls []Canary) {
	for _, entry := range s.All() {
		if m := entry.Message; m != nil && m.Role == "assistant" {
			for _, u := range m.ToolCalls {
				calls = append(calls, Canary{u.Tool, u.Args})
			}
		}
	}
	return calls
}

// Bench loads the script at path into a world of its own, as Canaries does, and measures its
// handlers: of tool calls with calls, nil = harmless ones, of other events with made-up fields.
// Each event takes the road that it takes in the program. The error is that of the load.
func Bench(ctx context.Context, o Options, path string, calls []Canary) (*Measured, error) {
	o.checking = true
	var loads []time.Duration
	var w *world
	for range benchLoads {
		if w != nil {
			w.close(ctx)
		}
		var err error
		if w, err = openWorld(ctx, o, path); err != nil {
			return nil, err
		}
		loads = append(loads, w.loadTime)
	}
	defer w.close(ctx)
	_, _ = w.settle(ctx)
	b := bench{world: w, calls: calls}
	if calls == nil {
		b.calls = canaries(w.project())
	}
	for _, h := range w.gen.Registry.Handlers {
		b.addHandler(h)
	}
	for _, name := range b.kinds {
		b.measureKind(ctx, name)
	}
	_, _ = w.settle(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := &Measured{Load: quantile(loads, 0.5), Memory: w.gen.Weigh().Bytes,
		Handlers: b.timings, Untried: w.untried.list()}
	for i := range out.Handlers {
		out.Handlers[i].sumUp()
	}
	sort.SliceStable(out.Handlers,
		func(i, j int) bool { return out.Handlers[i].Line < out.Handlers[j].Line })
	return out, nil
}

// bench measures the script of a world.
type bench struct {
	*world
	calls   []Canary
	timings []Timing
	kinds   []string                     // of events that have handlers; guards are of tool_call
	of      map[string][]*engine.Handler // by kind
}

// addHandler adds a handler. Handlers of one event that were registered on one line are one.
func (b *bench) addHandler(h *engine.Handler) {
	if b.timingOf(h.Event, h.Line) == nil {
		b.timings = append(b.timings, Timing{Event: h.Event, Line: h.Line,
			Filter: h.Filter.String()})
	}
	kind := h.Event
	if kind == "guard" {
		kind = "tool_call"
	}
	if b.of == nil {
		b.of = map[string][]*engine.Handler{}
	}
	if b.of[kind] == nil {
		b.kinds = append(b.kinds, kind)
	}
	b.of[kind] = append(b.of[kind], h)
}

// timingOf returns the timing of a handler, nil if there is none.
func (b *bench) timingOf(event string, line int) *Timing {
	i := slices.IndexFunc(b.timings,
		func(t Timing) bool { return t.Event == event && t.Line == line })
	if i < 0 {
		return nil
	}
	return &b.timings[i]
}

// measureKind measures all handlers of one kind of event.
func (b *bench) measureKind(ctx context.Context, kind string) {
	var all []*Moment
	env := b.agent.Envelope()
	if kind == "tool_call" {
		for _, c := range b.calls {
			m, err := NewMoment(b.eng, kind, map[string]any{"tool": c.Tool, "args": c.Args}, env)
			if err == nil {
				all = append(all, m)
			}
		}
	} else {
		for _, h := range b.of[kind] {
			if m, err := NewMoment(b.eng, kind, fieldsFor(b.eng.Events.Row(kind), h),
				env); err == nil {
				all = append(all, m)
			}
		}
	}
	end := time.Now().Add(benchTime)
	for n := 0; n < benchRuns && len(all) > 0; n += len(all) {
		for _, m := range all {
			if ctx.Err() != nil || time.Now().After(end) {
				return
			}
			_, trail := m.Run(ctx, b.eng)
			b.noteTrail(trail)
		}
	}
}

// noteTrail notes what a trail says of the script.
func (b *bench) noteTrail(trail engine.Trail) {
	for _, s := range trail {
		t := b.timingOf(s.Event, s.Line)
		if s.Script != b.gen.Name || t == nil {
			continue
		}
		t.took = append(t.took, s.Duration)
		if se := s.Error; se != nil && !b.untried.stopped(se.Message, se.Position) {
			if t.Errors++; t.Error == "" {
				t.Error = s.Reason
			}
		}
	}
}

// fieldsFor makes up the fields of an event, so that it fits the filter of a handler if that names
// tools.
func fieldsFor(row *event.Row, h *engine.Handler) map[string]any {
	fields := map[string]any{}
	for _, f := range row.Payload {
		if v, ok := madeUp(f); ok {
			fields[f.Name] = v
		}
	}
	if tools := h.Filter.Tools(); len(tools) > 0 && has(row.Payload, "tool") {
		fields["tool"] = tools[0]
	}
	return fields
}

// sentence is a text that is made up: what people and models write.
const sentence = "Look at main.go: the test of the parser fails since the last change.\n"

// madeUp makes up the value of a field; false if it is no plain value.
func madeUp(f value.Field) (any, bool) {
	switch kind := strings.TrimSuffix(f.Type, "?"); {
	case f.Name == "content":
		return strings.Repeat(sentence, 20), true
	case len(f.Values) > 0:
		return f.Values[0], true
	case kind == "string":
		return sentence, true
	case kind == "number" || kind == "integer":
		return float64(1), true
	case kind == "boolean":
		return true, true
	}
	return nil, false
}

// sumUp computes what the single runs amount to.
func (t *Timing) sumUp() {
	t.Runs = len(t.took)
	t.P50, t.P99, t.Max = quantile(t.took, 0.5), quantile(t.took, 0.99), quantile(t.took, 1)
}

// quantile returns the least duration that the given share of a list does not exceed; 0 if there is
// none.
func quantile(list []time.Duration, share float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	list = slices.Clone(list)
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list[max(0, min(len(list)-1, int(share*float64(len(list))+0.999999)-1))]
}
