// This file calls functions of scripts about what goes on elsewhere: a model's words, the doings of
// a sub-agent.

package engine

import (
	"context"
	"fmt"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/vm"
)

// Listener is a function of a script that is told of things as an observer is: in order, off the
// path of who tells. Its first failure is reported. Its methods are safe for concurrent use.
type Listener struct {
	gen    *Generation
	label  string
	env    *event.Envelope
	fn     Func
	queue  observerQueue
	failed bool // only on the queue's goroutine
}

// Listen makes a listener of fn, a function of g; label names it in errors.
func (g *Generation) Listen(label string, env *event.Envelope, fn Func) *Listener {
	return &Listener{gen: g, label: label, env: env, fn: fn}
}

// Tell calls the function with args, soon. It does not wait. One that lags behind too far misses
// some.
func (l *Listener) Tell(args ...any) {
	if _, first := l.queue.add(func(*observation) { l.call(args) }); first {
		l.gen.engine.Notices.Notify(l.env, "agent",
			Notice{fmt.Sprintf("%s: %s is too slow: it loses events after %d that wait", l.gen.Name,
				l.label, observerBacklog), "warn"})
	}
}

func (l *Listener) call(args []any) {
	_, err := l.gen.Run(NewRun(context.Background(), l.gen, vm.KindObserver, l.label, l.env, nil),
		l.fn, args...)
	if err != nil && !l.failed && l.gen.ctx.Err() == nil {
		l.failed = true
		l.gen.engine.Notices.reportError(asScriptError(err), l.env)
	}
}

// Flush waits until the function has been told everything, or ctx ends.
func (l *Listener) Flush(ctx context.Context) {
	select {
	case <-l.queue.mark():
	case <-ctx.Done():
	}
}
