// This file repeats failed requests to a model.

package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// maxAttempts is the greatest number of attempts.
	maxAttempts = 4
	// firstBackoff is the delay after the first failure; each further delay is twice as long.
	firstBackoff = 500 * time.Millisecond
	// maxBackoff bounds the delay that a provider may request: the user prefers an error to a
	// longer one.
	maxBackoff = time.Minute
)

var errSilent = fmt.Errorf("nothing came for %s", silence)

// attempt repeats the request until it succeeds, fails permanently, or has failed too often. A
// reply that breaks off is requested again from the start: it has had no effects, and a message_end
// without text withdraws the part that was shown. Its usage still counts.
func (a *Asker) attempt(ctx context.Context, q *Request, said *chat.Reply) (*Reply, error) {
	var used chat.Usage
	for n := 1; ; n++ {
		r, err := a.once(ctx, q, said)
		used = used.Add(r.Usage)
		r.Usage = used
		cause := retryCause(err)
		if cause == "" || n == maxAttempts || ctx.Err() != nil {
			return r, err
		}
		wait, ok := backoff(n, err)
		if !ok {
			return r, fmt.Errorf("%w; the server wants no request for %s", err, requestedDelay(err))
		}
		if r.begun && q.OnDelta != nil { // a listener's deltas cannot be withdrawn
			return r, err
		}
		a.Drop(r)
		a.report.Tell(event.LLMRetry{Attempt: n, Max: maxAttempts, Cause: cause,
			Error:     plain.Error(err),
			BackoffMS: float64(wait.Milliseconds())})
		if e := a.sleep(ctx, wait); e != nil {
			return &Reply{Model: r.Model, Name: r.Name, Usage: used}, e
		}
	}
}

// once makes one attempt. The model may differ from the last attempt's: its script may have been
// reloaded.
func (a *Asker) once(ctx context.Context, q *Request, said *chat.Reply) (*Reply, error) {
	provider, model, err := a.o.Settings.Resolve(q.Model)
	if err != nil && said == nil {
		return &Reply{}, err
	}
	r := &Reply{Model: model, Name: a.o.Settings.ModelName(q.Model)}
	if said != nil { // a script answers in the model's place, which costs nothing
		provider, r.Model.Price, r.Scripted = scriptedProvider(said), &chat.Price{}, true
	} else if model.Price == nil {
		a.o.Unpriced(fmt.Sprintf(
			"the price of %s is unknown; set it in config.toml, below [models.%[1]q]", r.Name))
	}
	if err := a.stream(ctx, q, provider, a.outgoing(q, model), r); err != nil {
		if ctx.Err() != nil {
			return r, err
		}
		var f *fault.FailError
		if errors.As(err, &f) && f.Status == http.StatusNotFound {
			return r, fmt.Errorf("model %s: %w%s", r.Name, err, a.o.Similar(r.Name))
		}
		return r, fmt.Errorf("model %s: %w", r.Name, err)
	}
	return r, nil
}

// outgoing returns the request for the provider, with all secrets masked.
func (a *Asker) outgoing(q *Request, model chat.Model) *chat.Request {
	req := &chat.Request{Model: model.ID, System: q.System, Messages: q.Messages,
		Tools: q.Tools, ToolChoice: q.ToolChoice,
		Options: q.Options, Thinking: a.o.Settings.Level(), Purpose: q.Purpose,
		Env: a.report.Envelope()}
	if a.engine.Mask.On() {
		req.System, req.Messages = a.engine.Mask.Text(q.System), a.MaskMessages(q.Messages)
	}
	return req
}

// scriptedProvider returns a provider that replies what a script wants.
func scriptedProvider(said *chat.Reply) *engine.Provider {
	return &engine.Provider{Stream: func(_ context.Context, _ *chat.Request,
		emit func(chat.Chunk)) (chat.Finish, error) {
		emit(chat.Chunk{Reasoning: said.Reasoning})
		emit(chat.Chunk{Text: said.Text})
		finish := chat.Finish{Reason: "stop"}
		for i, u := range said.ToolCalls {
			finish.Reason = "tool_calls"
			args, err := jsonText(u.Args)
			if err != nil {
				return finish, err
			}
			emit(chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: u.ID, Name: u.Tool,
				ArgsDelta: args}})
		}
		return finish, nil
	}}
}

// retryCause returns why a request failed if repeating it may succeed, else "".
func retryCause(err error) string {
	var fail *fault.FailError
	var netErr net.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &fail):
		return failCause(fail)
	// the provider's script was just reloaded: the new one is asked
	case errors.Is(err, vm.ErrClosed):
		return "other"
	case errors.Is(err, errSilent), errors.As(err, &netErr) && netErr.Timeout():
		return "timeout"
	case netErr != nil, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return "network"
	}
	return ""
}

func failCause(f *fault.FailError) string {
	const siteOverloaded = 529 // some providers use it instead of 503
	switch {
	case f.Overflow, f.Final:
		return ""
	case f.Status == http.StatusTooManyRequests:
		return "rate_limit"
	case f.Status == http.StatusRequestTimeout, f.Status == http.StatusGatewayTimeout:
		return "timeout"
	case f.Status == http.StatusServiceUnavailable, f.Status == siteOverloaded:
		return "overloaded"
	case f.Status >= 500, f.Retryable:
		return "other"
	}
	return ""
}

// backoff returns the delay after the n-th failed attempt. ok is false if the provider asks for a
// longer delay than users accept.
func backoff(n int, err error) (wait time.Duration, ok bool) {
	if errors.Is(err, vm.ErrClosed) {
		return 0, true
	}
	wait = firstBackoff << (n - 1)
	var f *fault.FailError
	if errors.As(err, &f) && f.RetryAfter > 0 {
		if f.RetryAfter > maxBackoff.Seconds() {
			return 0, false
		}
		wait = time.Duration(f.RetryAfter * float64(time.Second))
	}
	return wait, true
}

// requestedDelay returns the delay that a provider asks for if backoff has rejected it.
func requestedDelay(err error) time.Duration {
	const most = 365 * 24 * time.Hour
	var f *fault.FailError
	if !errors.As(err, &f) || f.RetryAfter > most.Seconds() {
		return most
	}
	return time.Duration(f.RetryAfter) * time.Second
}

// sleep waits, or returns why it was woken.
func (a *Asker) sleep(ctx context.Context, d time.Duration) error {
	if a.o.Sleep != nil {
		return a.o.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
