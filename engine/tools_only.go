// This file determines which tools a model may use, with the functions of ext.tools.only.

package engine

import (
	"context"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/vm"
)

// offerTime is the time limit for the functions of ext.tools.only for all tools together: a request
// to a model waits for them.
const offerTime = 10 * time.Second

// toolFilter is the function passed to ext.tools.only.
type toolFilter struct {
	mu      sync.Mutex
	fn      Func
	line    int
	failure string // the last one, while it persists: it is reported once
}

// OnlyTools sets the function of g that decides which tools a model may use; nil: all. line is that
// of the call.
func (g *Generation) OnlyTools(fn Func, line int) {
	g.tools.mu.Lock()
	defer g.tools.mu.Unlock()
	g.tools.fn, g.tools.line = fn, line
}

// Offered returns the tools that no script withholds from models. If a script's function fails for
// a tool, the tool is withheld.
func (s *Scripts) Offered(ctx context.Context, env *event.Envelope,
	tools []chat.ToolSpec) []chat.ToolSpec {
	snap := s.acquire()
	defer snap.release()
	for _, g := range snap.Generations {
		tools, _ = g.offered(ctx, env, tools)
	}
	return tools
}

// WithheldBy returns the name of the script that withholds a tool from models, "" if none does.
func (s *Scripts) WithheldBy(ctx context.Context, env *event.Envelope, tool chat.ToolSpec) string {
	snap := s.acquire()
	defer snap.release()
	for _, g := range snap.Generations {
		if left, asked := g.offered(ctx, env, []chat.ToolSpec{tool}); asked && len(left) == 0 {
			return g.Name
		}
	}
	return ""
}

// offered calls g's function for each tool; asked is false if it has none.
func (g *Generation) offered(ctx context.Context, env *event.Envelope,
	tools []chat.ToolSpec) (left []chat.ToolSpec,
	asked bool) {
	g.tools.mu.Lock()
	fn, line := g.tools.fn, g.tools.line
	g.tools.mu.Unlock()
	if fn == nil {
		return tools, false
	}
	wall := offerTime
	label := "tools.only"
	ask := &askEach{fn: fn, tools: tools}
	answers, err := g.Run(NewRun(ctx, g, vm.KindGuard, label, env, &wall), ask)
	keep, _ := answers.([]any)
	if err == nil { // otherwise ask may still be running
		err = ask.failure
	}
	if ctx.Err() == nil {
		g.tools.told(g, err, label, line)
	}
	left = []chat.ToolSpec{}
	for i, t := range tools {
		if i < len(keep) && keep[i] == true {
			left = append(left, t)
		}
	}
	return left, true
}

// told reports a failure, unless it is the same as the previous one.
func (f *toolFilter) told(g *Generation, err error, label string, line int) {
	text := ""
	if err != nil {
		text = plain.Error(err)
	}
	f.mu.Lock()
	again := text == f.failure
	f.failure = text
	f.mu.Unlock()
	if err != nil && !again {
		g.Failed(err, label, line)
	}
}

// askEach is a function that calls another for each tool, in one run.
type askEach struct {
	fn      Func
	tools   []chat.ToolSpec
	failure error // the first one
}

// IsFunction implements Function.
func (*askEach) IsFunction() {}

// Call implements Func. The answers are true or false; false if the function fails.
func (a *askEach) Call(run *Run, _ ...any) (any, error) {
	answers := make([]any, len(a.tools))
	for i, t := range a.tools {
		v, err := a.fn.Call(run, t.Value())
		if err != nil && a.failure == nil {
			a.failure = err
		}
		answers[i] = err == nil && v != nil && v != false
	}
	return answers, nil
}
