// This file tells when a generation comes into force, and when it goes.

package engine

import "context"

// Live runs f once g is in force: at once if it is, else in the swap that brings it. If it never
// is, because its load fails, f does not run. f must not block and must not swap.
func (g *Generation) Live(f func()) {
	g.mu.Lock()
	if !g.live {
		g.onLive = append(g.onLive, f)
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	f()
}

// begin says that g is in force.
func (g *Generation) begin() {
	g.mu.Lock()
	fs := g.onLive
	g.live, g.onLive = true, nil
	g.mu.Unlock()
	for _, f := range fs {
		f()
	}
}

// Gone runs f, on a goroutine of its own, when g is no longer in force, unless stop is called
// before.
func (g *Generation) Gone(f func()) (stop func() bool) { return context.AfterFunc(g.ctx, f) }

// Retired reports whether g is no longer in force, or never was.
func (g *Generation) Retired() bool { return g.ctx.Err() != nil }

// Failed reports a failure of a function that g registered or handed over at line: label says
// which.
func (g *Generation) Failed(err error, label string, line int) {
	if g.Retired() {
		return // that is why
	}
	se := g.scriptError(err, label).placed(g.Script, line)
	g.engine.Notices.reportError(se, g.engine.Events.Envelope())
}
