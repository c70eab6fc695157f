// Package ask sends requests to a model: scripts can change the request, it is repeated if that may
// help, and the reply is assembled, shown as it arrives, and changed by scripts.
//
//	a := ask.New(ask.Options{Report: r, Settings: settings, NewID: session.NewID})
//	reply, err := a.Ask(ctx, &ask.Request{Purpose: "agent", Messages: messages, Shown: true})
//
// It knows no session and no tools: the caller adds the reply to the session.
package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

// Request is a request to a model.
type Request struct {
	Purpose    string // one of chat.Purposes
	Model      string // "provider/id"; "" = the agent's
	System     string
	Messages   []*chat.Message // not changed
	Tools      []chat.ToolSpec
	ToolChoice string
	Options    map[string]any
	Iteration  int  // turn of the prompt, 1-based
	Last       bool // no more tool calls wanted
	Shown      bool // it is part of the conversation: message events report it
	OnDelta    func(kind, text string)
}

// Halt is the error of a request that a script has stopped.
type Halt struct {
	Refused bool // otherwise it was aborted
	Why     string
	All     bool // abort = "agent": everything ends
}

// Error implements error.
func (h *Halt) Error() string { return h.Why }

// Settings is the agent's settings.
type Settings interface {
	// Resolve finds the provider and the model for a request that names its own model; "" = it does
	// not.
	Resolve(own string) (*engine.Provider, chat.Model, error)
	ModelName(own string) string // the same as "provider/id"
	Level() string               // the thinking level; "" = the model's default
}

// Options configures an Asker.
type Options struct {
	Report   *report.Reporter
	Settings Settings
	NewID    func() string            // of an entry of the session
	Similar  func(name string) string // "; did you mean ...", for a model that does not exist
	// Heard is called with each piece of a message, as the model wrote it and as the user sees it.
	Heard func(kind, raw, shown string)
	// Account is called after each request. whole means that the reply is complete.
	Account func(q *Request, r *Reply, whole bool)
	// Unpriced is called with the reason if the cost of a request is unknown.
	Unpriced func(why string)
	EndAll   func(why string) // ends the main agent and all its sub-agents
	// Sleep waits before a request is repeated, or returns why it was woken; nil = it always waits
	// the whole time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Asker sends requests to models for one agent. Only the goroutine that works on the prompt may
// make a request that is Shown; otherwise its methods are safe for concurrent use.
type Asker struct {
	o        Options
	engine   *engine.Engine
	report   *report.Reporter
	memories memories // the scripts' answers about messages
	masked   maskedMessages
	taken    map[string]bool // ids of the conversation's tool calls
}

// New makes an Asker.
func New(o Options) *Asker {
	return &Asker{o: o, engine: o.Report.Engine(), report: o.Report, taken: map[string]bool{}}
}

// Begin begins a conversation whose tool calls have the given ids: new calls get different ones.
func (a *Asker) Begin(ids map[string]bool) { a.taken = ids }

// maxNested is how deeply requests may be nested by handlers of their events: deeper nesting is a
// loop.
const maxNested = 3

type nestedKey struct{}

// nested counts a request that is made within another.
func nested(ctx context.Context) (context.Context, error) {
	n, _ := ctx.Value(nestedKey{}).(int)
	if n > maxNested {
		return ctx, &fault.WorldError{Code: "refused", Message: fmt.Sprintf(
			"a model was asked from within handlers of the request before, more than %d times: "+
				"this is a circle", maxNested)}
	}
	return context.WithValue(ctx, nestedKey{}, n+1), nil
}

// Ask sends a request to a model. If it returns an error, the reply holds what has arrived, without
// tool uses. The user is notified of an error, except a *Halt, an error of a script's own request,
// and a cancellation by the user. Every request of the program passes through Ask: the handlers of
// llm_message, llm_request and llm_response see all of them. It may only be called by the goroutine
// that works on the prompt, or for a script.
func (a *Asker) Ask(ctx context.Context, q *Request) (*Reply, error) {
	ctx, err := nested(ctx)
	if err != nil {
		return &Reply{}, err
	}
	own := *q
	q = &own // scripts change it
	said, err := a.Prepare(ctx, q)
	if err != nil {
		return &Reply{}, a.reportFailure(ctx, q, err)
	}
	r, err := a.attempt(ctx, q, said)
	if err == nil {
		err = a.afterResponse(ctx, q, r)
	}
	if err != nil {
		r.Uses = nil
	}
	a.endMessage(ctx, r)
	a.o.Account(q, r, err == nil)
	return r, a.reportFailure(ctx, q, err)
}

// reportFailure notifies the user of a request's failure, unless its caller does. If a script has
// aborted everything, it ends everything.
func (a *Asker) reportFailure(ctx context.Context, q *Request, err error) error {
	var h *Halt
	var f *fault.FailError
	switch {
	case errors.As(err, &h):
		if h.All && !q.Shown { // for the conversation's own requests, the turn does it
			a.o.EndAll(h.Why)
		}
		return err
	case err == nil, ctx.Err() != nil, q.Purpose == "script":
		return err
	case errors.As(err, &f) && f.Overflow: // the turn compacts and repeats the request
		return err
	}
	a.report.Fail("model", plain.Error(err), retryCause(err) != "")
	return err
}

// callProvider calls the provider on a goroutine of its own. It does not wait for one that ignores
// ctx, whose later chunks are dropped. A panic becomes an error.
func callProvider(ctx context.Context, provider *engine.Provider, req *chat.Request,
	emit func(chat.Chunk)) (chat.Finish, error) {
	return apart.Run(ctx,
		func() (chat.Finish, error) { return provider.Stream(ctx, req, emit) })
}
