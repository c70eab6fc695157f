// This file connects the queue with Work, which takes inputs from it and reports their ends.

package agent

import (
	"context"

	"github.com/agentscripts/agent/engine/event"
)

// enqueue adds an input to the queue, and reports that if the agent is working.
func (q *queue) enqueue(in Input) {
	q.mu.Lock()
	working, waiting := q.working > 0, 1+len(q.steer)+len(q.next)+
		len(q.last)
	q.mu.Unlock()
	if working {
		kind := in.Kind
		if kind != kindFollowUp {
			kind = kindSteer
			q.report.Tell(event.Interrupt{Kind: "steering"})
		}
		q.report.Tell(event.InputQueued{Kind: kind, Waiting: waiting})
	}
	q.push(in)
}

// serve records the arguments of Work, for commands that run concurrently with it.
func (q *queue) serve(ctx context.Context, each func(Input, End)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.base, q.each = ctx, each
}

func (q *queue) unserve() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.base, q.each = nil, nil
}

// finished handles the end of an input that takeInput or beside started. The input is no longer in
// progress when its end is reported, because a listener may begin a new session at once.
func (q *queue) finished(in Input, end End) {
	q.mu.Lock()
	q.working--
	q.telling++
	each := q.each
	q.mu.Unlock()
	if each != nil {
		each(in, end)
	}
	q.mu.Lock()
	q.telling--
	q.mu.Unlock()
	q.poke()
}

// tellEnd reports the end of an input that became steering.
func (q *queue) tellEnd(in Input, end End) {
	q.mu.Lock()
	each := q.each
	q.mu.Unlock()
	if each != nil && in.ID != "" {
		each(in, end)
	}
}

// waitObservers waits until the observers have handled all events so far, or until input waits.
func (q *queue) waitObservers(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		q.report.Engine().Emitter.Drain(ctx)
		close(done)
	}()
	for {
		select {
		case <-done:
			return
		case <-q.wake:
			if !q.idle() {
				q.poke()
				return
			}
		}
	}
}

// beside runs a command at once, if the agent is working. Otherwise it is a normal input.
func (q *queue) beside(in Input, handle func(*job) End) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.working == 0 || q.base == nil {
		return false
	}
	j := q.start(q.base, in)
	go func() { q.finished(in, handle(j)) }()
	return true
}
