// This file tells what a sub-agent does: subagent_event, and on_event of the script that started
// it.

package agent

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// watchEvery is how often the text of a sub-agent is told: nobody reads along, and many may speak
// at a time.
const watchEvery = time.Second / 10

// watch tells of one sub-agent. Of the main agent there is none: its methods do nothing then.
type watch struct {
	sub *subagent

	mu    sync.Mutex
	kind  string          // of the text that is held back: text or reasoning
	raw   strings.Builder // the model's words
	shown strings.Builder // what of them the user sees
	told  time.Time       // when text was last told
}

// said is a piece of a message, as the model said it and as the user sees it.
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

// did is anything else: tool_start, tool_end, turn.
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

// tellHeld tells the text that is held back. Under w.mu.
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

// emit tells scripts of ev, and the user of shown. Either may be nil.
func (w *watch) emit(ev, shown *event.Event, data map[string]any) {
	w.sub.agent.engine.Emitter.EmitShown(ev, shown)
	if ev != nil && w.sub.onEvent != nil {
		w.sub.onEvent(ev.Text("kind"), data)
	}
}

// dispatch takes a call down the road; of a sub-agent's it tells.
func (w *watch) dispatch(ctx context.Context, e *engine.Engine, call *engine.Call) *engine.Result {
	if w == nil {
		return e.Dispatch(ctx, call)
	}
	together := call.Together
	call.Together = func(readOnly bool) {
		w.did("tool_start", map[string]any{"call_id": call.ID, "tool": call.Tool,
			"args": call.Args})
		if together != nil {
			together(readOnly)
		}
	}
	r := e.Dispatch(ctx, call)
	data := map[string]any{"call_id": call.ID, "tool": r.Tool, "is_error": r.IsError,
		"duration_ms": r.DurationMS}
	if r.Skipped != "" {
		data["skipped"] = r.Skipped
	}
	w.did("tool_end", data)
	return r
}
