// This file reports the activity of a sub-agent: subagent_event, and on_event of the script that
// started it.

package agent

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// watchEvery is how often new text of a sub-agent is reported: nobody reads along, and many may
// write at the same time.
const watchEvery = time.Second / 10

// watch reports the activity of one sub-agent. The main agent has a nil watch, whose methods do
// nothing.
type watch struct {
	sub *subagent

	mu    sync.Mutex
	kind  string          // of the held text: text or reasoning
	raw   strings.Builder // the model's words
	shown strings.Builder // the part of them that the user sees
	told  time.Time       // when text was last reported

	calls, skipped int // tool calls that have ended, and those of them that did not run
}

// counts returns how many tool calls have ended, and how many of them did not run.
func (w *watch) counts() (calls, skipped int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls, w.skipped
}

// said handles a piece of a message, as the model wrote it and as the user sees it.
func (w *watch) said(kind, raw, shown string) {
	if w == nil || raw == "" && shown == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if kind != w.kind {
		w.tellHeld()
		w.kind = kind
	}
	w.raw.WriteString(raw)
	w.shown.WriteString(shown)
	if time.Since(w.told) >= watchEvery {
		w.tellHeld()
	}
}

// did handles any other activity: tool_start, tool_end, turn.
func (w *watch) did(kind string, data map[string]any) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellHeld()
	ev := w.event(kind, data)
	w.emit(ev, ev, data)
}

func (w *watch) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellHeld()
}

// tellHeld reports the held text. Called under w.mu.
func (w *watch) tellHeld() {
	if w.raw.Len()+w.shown.Len() == 0 {
		return
	}
	w.told = time.Now()
	data := map[string]any{"text": w.raw.String()}
	var ev, shown *event.Event
	if w.raw.Len() > 0 {
		ev = w.event(w.kind, data)
	}
	if w.shown.Len() > 0 {
		shown = w.event(w.kind, map[string]any{"text": w.shown.String()})
	}
	w.raw.Reset()
	w.shown.Reset()
	w.emit(ev, shown, data)
}

func (w *watch) event(kind string, data map[string]any) *event.Event {
	a := w.sub.agent
	return a.engine.Events.New(a.Envelope(), event.SubagentEvent{SubagentID: w.sub.id, Kind: kind,
		Data: data})
}

// emit sends ev to scripts, and shown to the user. Either may be nil.
func (w *watch) emit(ev, shown *event.Event, data map[string]any) {
	w.sub.agent.engine.Emitter.EmitShown(ev, shown)
	if ev != nil && w.sub.onEvent != nil {
		w.sub.onEvent(ev.Text("kind"), data)
	}
}

func (w *watch) count(r *engine.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	if r.Skipped != "" {
		w.skipped++
	}
}

// dispatch dispatches a call as engine.DispatchTo does, and reports it if it is a sub-agent's.
func (w *watch) dispatch(ctx context.Context, e *engine.Engine, call *engine.Call,
	done func(r *engine.Result)) {
	if w == nil {
		e.DispatchTo(ctx, call, done)
		return
	}
	together := call.Together
	call.Together = func(readOnly, asked bool) {
		w.did("tool_start", map[string]any{"call_id": call.ID, "tool": call.Tool,
			"args": call.Args})
		if together != nil {
			together(readOnly, asked)
		}
	}
	e.DispatchTo(ctx, call, func(r *engine.Result) {
		data := map[string]any{"call_id": call.ID, "tool": r.Tool, "is_error": r.IsError,
			"duration_ms": r.DurationMS}
		if r.Skipped != "" {
			data["skipped"] = r.Skipped
		}
		w.did("tool_end", data)
		w.count(r)
		done(r)
	})
}
