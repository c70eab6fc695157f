// Package ask asks a model: scripts see and change the request, it is made again when that may
// help, and the reply is put together, shown as it comes, and changed by scripts.
//
//	a := ask.New(ask.Options{Report: r, Settings: settings, NewID: session.NewID})
//	reply, err := a.Ask(ctx, &ask.Request{Purpose: "agent", Messages: messages, Shown: true})
//
// It knows no session and no tools: who asks puts the reply into the session.
package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
)

// Request is what a model is asked.
type Request struct {
	Purpose    string // one of chat.Purposes
	Model      string // "provider/id"; "" = the agent's
	System     string
	Messages   []*chat.Message // not changed
	Tools      []chat.ToolSpec
	ToolChoice string
	Options    map[string]any
	Iteration  int  // turn of the prompt, 1-based
	Last       bool // no more tools wanted
	Shown      bool // it is part of the conversation: message events tell of it
	OnDelta    func(kind, text string)
}

// Halt is the error of a request that a script ended.
type Halt struct {
	Refused bool // else it was aborted
	Why     string
	All     bool // abort = "agent": everything ends
}

// Error implements error.
func (h *Halt) Error() string { return h.Why }

// Settings is what the agent is set to.
type Settings interface {
	// Resolve finds the provider and the model for a request that names its own model; "" = it does
	// not.
	Resolve(own string) (*engine.Provider, chat.Model, error)
	ModelName(own string) string // the same as "provider/id"
	Level() string               // how much the model thinks; "" = its default
}

// Options is what an Asker is made of.
type Options struct {
	Report   *report.Reporter
	Settings Settings
	NewID    func() string            // of an entry of the session
	Similar  func(name string) string // "; did you mean ...", for a model that does not exist
	// Heard is told of each piece of a message, as the model said it and as the user sees it.
	Heard func(kind, raw, shown string)
	// Account is told of each request that was made, once it is over. whole says that the reply has
	// come to its end.
	Account func(q *Request, r *Reply, whole bool)
	// Unpriced is told why it is not known what a request costs.
	Unpriced func(why string)
	EndAll   func(why string) // ends the main agent and all below it
	// Sleep waits before a request is made again, or returns why it was woken; nil = as long as it
	// takes.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Asker asks models for one agent. Only who works on the prompt may make a request that is Shown;
// otherwise its methods are safe for concurrent use.
type Asker struct {
	o        Options
	engine   *engine.Engine
	report   *report.Reporter
	memories memories // what scripts said of messages
	masked   maskedMessages
	taken    map[string]bool // ids of the conversation's tool calls
}

// New makes an Asker.
func New(o Options) *Asker {
	return &Asker{o: o, engine: o.Report.Engine(), report: o.Report, taken: map[string]bool{}}
}

// Begin begins a conversation whose tool calls have the ids: those of new calls will differ.
func (a *Asker) Begin(ids map[string]bool) { a.taken = ids }

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

// Ask asks a model. The reply holds what came, also when there is an error; then it has no tool
// uses. An error is told to the user, but for a *Halt, a script's own requests, and what the user
// cancelled. Every request of the program goes through here: the handlers of llm_message,
// llm_request and llm_response see all of them. It may only be called by who works on the prompt,
// or for a script.
func (a *Asker) Ask(ctx context.Context, q *Request) (*Reply, error) {
	ctx, err := nested(ctx)
	if err != nil {
		return &Reply{}, err
	}
	own := *q
	q = &own // scripts change it
	said, err := a.Prepare(ctx, q)
	if err != nil {
		return &Reply{}, a.told(ctx, q, err)
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
	return r, a.told(ctx, q, err)
}

// told tells the user of a request's failure, unless somebody else does; what a script ended
// altogether, ends.
func (a *Asker) told(ctx context.Context, q *Request, err error) error {
	var h *Halt
	var f *engine.FailError
	switch {
	case errors.As(err, &h):
		if h.All && !q.Shown { // of the conversation's own requests the turn makes an end
			a.o.EndAll(h.Why)
		}
		return err
	case err == nil, ctx.Err() != nil, q.Purpose == "script":
		return err
	case errors.As(err, &f) && f.Overflow: // the turn compacts, and asks again
		return err
	}
	a.report.Fail("model", plain.Error(err), retryCause(err) != "")
	return err
}

// callProvider asks the provider on a goroutine of its own, so that one that does not heed ctx is
// left behind (its chunks go nowhere then). Its panic is an error.
func callProvider(ctx context.Context, provider *engine.Provider, req *chat.Request,
	emit func(chat.Chunk)) (chat.Finish, error) {
	return apart.Run(ctx,
		func() (chat.Finish, error) { return provider.Stream(ctx, req, emit) })
}
