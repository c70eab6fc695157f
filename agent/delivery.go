// This file delivers the result of a sub-agent.
//
// subagent_end is emitted for each sub-agent that began, once it is decided who gets the result. If
// a caller waits when the sub-agent ends, the result is delivered. Otherwise the result is kept and
// delivered to the first waiter. It is orphaned if there is none within a while (unclaimed), or
// when the holder or the session ends: then the user sees the result. No result is lost: a later
// waiter still gets it.

package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/ui"
)

const (
	// unclaimed is how long a result waits for a caller: longer than a script is busy with other
	// work.
	unclaimed = 30 * time.Second
	// maxTold is how many bytes of an orphaned result are shown.
	maxTold = 500
)

// settleResult marks the result as orphaned, unless a caller gets it.
func (x *subagent) settleResult() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.decide()
}

// decide is called when it is decided who gets the result. Only the first call has an effect.
// Called under x.mu.
func (x *subagent) decide() {
	if !x.ended || x.decided {
		return
	}
	x.decided = true
	if x.timer != nil {
		x.timer.Stop()
	}
	go x.tellEnd(x.waiters > 0 && x.holder.Err() == nil)
}

// tellEnd emits subagent_end. The response as handlers change it is the result.
func (x *subagent) tellEnd(delivered bool) {
	defer close(x.told)
	defer x.agent.shared.subagents.remove(x.id)
	defer x.cancel()
	r, e := x.result, x.agent.engine
	fired := event.SubagentEnd{SubagentID: x.id, Name: x.agent.Envelope().Agent,
		ParentSessionID: x.parent.Envelope().SessionID,
		Status:          r.Status, Response: r.Response, Error: r.Error, Usage: r.Usage.Value(),
		Cost: r.Cost, Delivered: delivered}
	x.mu.Lock()
	began := x.refused == nil
	x.mu.Unlock()
	if began {
		ctx, done := x.patience()
		defer done()
		ev, v := e.InterceptUnseen(ctx, e.Events.New(x.agent.Envelope(), fired))
		if r.Response = ev.Text("response"); v.Blocked {
			r.Response = v.WithheldText("the response")
			fired.Response = r.Response
			ev = e.Events.New(x.agent.Envelope(), fired)
		}
		e.Emitter.EmitShown(nil, ev)
	}
	x.mu.Lock()
	x.result.Response = r.Response
	killed := x.killed
	x.mu.Unlock()
	if !delivered && !killed && r.Status != string(Cancelled) {
		e.Notices.Notify(x.agent.Envelope(), "agent", ui.Notice{Level: "warn",
			Text: fmt.Sprintf("sub-agent %s finished (%s), but its result was not collected: %s",
				x.agent.Envelope().Agent, r.Status, x.excerpt(r))})
	}
}

// excerpt returns the beginning of a result, and where the rest is.
func (x *subagent) excerpt(r service.SpawnEnd) string {
	text := resultText(r)
	short := clip(text, maxTold)
	if path := x.agent.Envelope().SessionPath; path != "" && short != text {
		short += " (all of it: " + path + ")"
	}
	return short
}

// waitResult waits for the result. Several callers may wait.
func (x *subagent) waitResult(ctx context.Context) (service.SpawnEnd, error) {
	x.mu.Lock()
	x.waiters++
	x.mu.Unlock()
	return x.await(ctx)
}

// await is waitResult for a caller that is already counted as a waiter.
func (x *subagent) await(ctx context.Context) (service.SpawnEnd, error) {
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.waiters--
	}()
	x.settleResult()
	select {
	case <-x.told:
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.result, nil
	case <-ctx.Done():
		return service.SpawnEnd{}, refusal("cancelled", "cancelled while waiting for sub-agent %s",
			x.id)
	}
}

// kill ends the sub-agent: its status is cancelled, unless it has ended before.
func (x *subagent) kill() {
	x.mu.Lock()
	x.killed = true
	x.mu.Unlock()
	x.cancel()
}
