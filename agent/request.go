// This file makes a request to a model, whatever for.

package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// ask is what a model is asked.
type ask struct {
	purpose    string // one of engine.Purposes
	model      string // "provider/id"; "" = the agent's
	system     string
	messages   []*engine.Message // not changed
	tools      []engine.ToolSpec
	toolChoice string
	options    map[string]any
	iteration  int  // turn of the prompt, 1-based
	last       bool // no more tools wanted
	shown      bool // it is part of the conversation: message events tell of it
	onDelta    func(kind, text string)
}

// halt is the error of a request that a script ended.
type halt struct {
	status Status // Blocked or Failed
	why    string
	all    bool // abort = "agent": everything ends
}

func (h *halt) Error() string { return h.why }

// maxNested is how many requests may be made from within one another, by handlers of its events:
// more is a circle.
const maxNested = 3

type nestedKey struct{}

// nested counts a request that is made from within another.
func nested(ctx context.Context) (context.Context, error) {
	n, _ := ctx.Value(nestedKey{}).(int)
	if n > maxNested {
		return ctx, &engine.WorldError{Code: "refused", Message: fmt.Sprintf(
			"a model was asked from within handlers of the request before, more than %d times: "+
				"this is a circle", maxNested)}
	}
	return context.WithValue(ctx, nestedKey{}, n+1), nil
}

// request asks a model. The reply holds what came, also when there is an error; then it has no tool
// uses. An error is told to the user, but for a *halt, a script's own requests, and what the user
// cancelled. Every request of the program goes through here: the handlers of llm_message,
// llm_request and llm_response see all of them. It may only be called by who works on the prompt,
// or for a script.
func (a *Agent) request(ctx context.Context, q *ask) (*reply, error) {
	ctx, err := nested(ctx)
	if err != nil {
		return &reply{}, err
	}
	own := *q
	q = &own // scripts change it
	said, err := a.beforeRequest(ctx, q)
	if err != nil {
		return &reply{}, a.told(ctx, q, err)
	}
	r, err := a.attempt(ctx, q, said)
	if err == nil {
		err = a.afterResponse(ctx, q, r)
	}
	if err != nil {
		r.uses = nil
	}
	a.endMessage(ctx, r)
	a.account(q, r, err == nil)
	return r, a.told(ctx, q, err)
}

// told tells the user of a request's failure, unless somebody else does; what a script ended
// altogether, ends.
func (a *Agent) told(ctx context.Context, q *ask, err error) error {
	var h *halt
	var f *engine.FailError
	switch {
	case errors.As(err, &h):
		if h.all && !q.shown { // of the conversation's own requests the turn makes an end
			a.endAll(h.why)
		}
		return err
	case err == nil, ctx.Err() != nil, q.purpose == "script":
		return err
	case errors.As(err, &f) && f.Overflow: // the turn compacts, and asks again
		return err
	}
	a.report.Fail("model", plain.Error(err), retryCause(err) != "")
	return err
}

// tools are the tools that the agent may call, as they are registered now, as a model is told of
// them.
func (a *Agent) tools(ctx context.Context) []engine.ToolSpec {
	snap := a.engine.Snapshot()
	var specs []engine.ToolSpec
	for _, name := range snap.ToolNames() {
		specs = append(specs, specOf(snap.Tool(name)))
	}
	return a.engine.Offered(ctx, a.Envelope(), a.offer(specs))
}

func specOf(t *engine.Tool) engine.ToolSpec {
	return engine.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema, Kind: t.Kind,
		ReadOnly: t.ReadOnly, Source: t.Source}
}

// callProvider asks the provider on a goroutine of its own, so that one that does not heed ctx is
// left behind (its chunks go nowhere then). Its panic is an error.
func callProvider(ctx context.Context, provider *engine.Provider, req *engine.ModelRequest,
	emit func(engine.Chunk)) (engine.Finish, error) {
	type answer struct {
		finish engine.Finish
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if x := recover(); x != nil {
				done <- answer{err: fmt.Errorf("internal error: %v", x)}
			}
		}()
		f, err := provider.Stream(ctx, req, emit)
		done <- answer{f, err}
	}()
	select {
	case a := <-done:
		return a.finish, a.err
	case <-ctx.Done():
		return engine.Finish{}, context.Cause(ctx)
	}
}
