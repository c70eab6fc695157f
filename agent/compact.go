// This file replaces the beginning of a conversation by a summary in requests to the model. The
// session keeps the whole conversation.

package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// fullPercent is how full the model's context may get before the conversation is compacted: one
	// more turn with large results and its answer must fit.
	fullPercent = 80
	// triedAgain is by how much, in percent, a conversation must grow after a failed or refused
	// compaction before the next attempt: otherwise every turn would make a request in vain.
	triedAgain = 10
)

// Compact replaces earlier messages by a summary in all further requests to the model; instructions
// are for the model that writes it. An error is a *fault.WorldError: busy while the agent works,
// refused if a script refuses it; then nothing has changed. It may be called from any goroutine.
func (a *Agent) Compact(ctx context.Context, instructions string) error {
	return a.life.idly(func() error { return a.compactor.compact(ctx, "manual", instructions) })
}

// compactor replaces earlier messages of one agent's conversation by a summary. Callers of its
// methods must be working on the prompt or hold the agent's token.
type compactor struct {
	engine       *engine.Engine
	report       *report.Reporter
	settings     *settings
	journal      *journal
	asker        *ask.Asker
	tools        *toolset
	instructions *instructions
	begin        func(ctx context.Context, cause string) // begins the session again for scripts

	uncompacted int // tokens of the conversation when compaction failed; 0 = it did not
}

// compact implements Compact for every cause: manual, threshold or overflow. On error the session
// is unchanged.
func (k *compactor) compact(ctx context.Context, cause, instructions string) error {
	c, err := k.newCompaction(ctx, cause)
	if err != nil {
		return err
	}
	summary, err := c.askSummary(ctx, strings.TrimSpace(instructions))
	switch {
	case ctx.Err() != nil:
		return &fault.WorldError{Code: "cancelled",
			Message: "cancelled: the conversation is as it was"}
	case err != nil:
		return err
	case strings.TrimSpace(summary) == "":
		return errors.New("the summary is empty: the conversation is as it was")
	}
	c.commit(ctx, summary)
	return nil
}

// compactIfFull compacts the conversation if the last request filled most of the model's context. A
// failure or refusal is reported but does not stop the prompt; a returned error is ctx's.
func (k *compactor) compactIfFull(ctx context.Context) error {
	_, model, err := k.settings.Resolve("")
	if err != nil { // the request will report it
		return nil
	}
	tokens, limit := k.tokens(), model.Context
	if limit <= 0 || tokens*100 < limit*fullPercent || tokens*100 < k.uncompacted*(100+triedAgain) {
		return nil
	}
	err = k.compact(ctx, "threshold", "")
	var refused *fault.WorldError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return nil
	case !errors.As(err, &refused) || refused.Code != "refused":
		k.report.Fail("compact", "the conversation could not be compacted: "+plain.Error(err),
			false)
	}
	k.uncompacted = tokens
	return nil
}

// tokens returns the size of the next request: the provider's count of the last one, or an
// estimate, plus what was added since.
func (k *compactor) tokens() int {
	size := k.journal.session().Size()
	n, since := size.Tokens, size.Since
	if n == 0 {
		env := k.report.Envelope()
		since = k.journal.session().Messages(env.PromptID, env.Turn)
	}
	for _, m := range since {
		n += ask.Estimate(m)
	}
	return n
}

// compaction is one run of compact.
type compaction struct {
	*compactor
	cause    string
	model    chat.Model
	messages []*chat.Message // the conversation as it is
	sizes    []int           // estimated tokens of each
	before   int             // tokens
	fixed    int             // those not of messages: system prompt and tools
	last     *session.Usage  // the last request; nil = none since the last compaction
	prompt   int             // index of the prompt, which must stay
	keep     int             // index of the first message that stays, besides the prompt
	previous string          // the previous summary, which is then the first message
}

func (k *compactor) newCompaction(ctx context.Context, cause string) (*compaction, error) {
	_, model, err := k.settings.Resolve("")
	if err != nil {
		return nil, err
	}
	env := k.report.Envelope()
	c := &compaction{compactor: k, cause: cause, model: model,
		messages: k.journal.session().Messages(env.PromptID, env.Turn)}
	for i, m := range c.messages {
		c.sizes = append(c.sizes, ask.Estimate(m))
		if e := k.journal.session().Entry(m.ID); e != nil && e.Compaction != nil && i == 0 {
			c.previous = e.Compaction.Summary
		}
	}
	size := k.journal.session().Size()
	if c.before = size.Tokens; c.before <= 0 { // there was no request yet
		c.before = sum(c.sizes)
	}
	c.last = size.Last
	fixed := &ask.Request{System: k.instructions.systemPrompt(), Tools: k.tools.specs(ctx)}
	c.fixed = max(0, min(fixed.Estimate(), c.before-sum(c.sizes)))
	c.prompt = c.lastPrompt()
	c.keep = c.choose()
	if cause == "overflow" && len(c.dropped()) == 0 {
		c.keep = c.least()
	}
	if len(c.dropped()) == 0 {
		return nil, &fault.WorldError{Code: "unsupported",
			Message: "there is nothing to compact yet: the conversation is one prompt long"}
	}
	return c, nil
}

// askSummary asks the handlers of session_before_compact, then a model if they return no summary.
func (c *compaction) askSummary(ctx context.Context, instructions string) (string, error) {
	fired := event.SessionBeforeCompact{Cause: c.cause,
		Messages: chat.MessageList(c.asker.MaskMessages(c.dropped())), KeepFrom: c.keepFrom(),
		Limit: c.model.Context, InputTokens: c.before, PreviousSummary: c.previous,
		Instructions: instructions}
	if c.last != nil {
		fired.InputTokens, fired.OutputTokens = c.before-c.last.Tokens.Output, c.last.Tokens.Output
	}
	ev, v := c.engine.InterceptUnseen(ctx, c.engine.Events.New(c.report.Envelope(), fired))
	fired.Messages, fired.PreviousSummary = nil, "" // shown to handlers already, and long
	c.engine.Emitter.EmitShown(nil, c.engine.Events.New(c.report.Envelope(), fired))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case v.Blocked:
		return "", &fault.WorldError{Code: "refused",
			Message: "the compaction was " + report.Reason("refused", v)}
	}
	c.moveTo(ev.Text("keep_from"), v)
	if v.Summary != nil {
		return *v.Summary, nil
	}
	return c.summarise(ctx, ev.Text("instructions"))
}

// moveTo makes the message with the id the first one that stays, if scripts returned one; otherwise
// id is "".
func (c *compaction) moveTo(id string, v *engine.Verdict) {
	if id == c.keepFrom() {
		return
	}
	at, why := len(c.messages), ""
	if id != "" {
		at, why = c.findStart(id)
	}
	if old := c.keep; why == "" {
		if c.keep = at; len(c.dropped()) > 0 {
			return
		}
		c.keep, why = old, "nothing would be left to be summarised"
	}
	c.report.Fail("compact",
		fmt.Sprintf("%s: session_before_compact: keep_from = %q: %s; what would have stayed stays",
			rewriter(v), id, why), false)
}

// findStart returns the index of the message with the id, or why the conversation cannot begin
// there.
func (c *compaction) findStart(id string) (at int, why string) {
	for i, m := range c.messages {
		switch {
		case m.ID != id:
		case m.Role == "tool":
			return 0, "it is the result of a tool, which would stand without its call: keep from " +
				"the message before it that calls the tool"
		case !c.legal(i):
			return 0, "it is no message of the user or the model"
		default:
			return i, ""
		}
	}
	return 0, "no message of the conversation has this id"
}

// rewriter returns the script that changed the event last.
func rewriter(v *engine.Verdict) string {
	name := "a script"
	for _, s := range v.Trail {
		if s.Outcome == "rewrite" && s.Script != "" {
			name = fmt.Sprintf("%s:%d", s.Script, s.Line)
		}
	}
	return name
}

// commit adds the summary to the session and emits the event.
func (c *compaction) commit(ctx context.Context, summary string) {
	e := &session.Compaction{Summary: summary, KeepFrom: c.keepFrom(), Cause: c.cause,
		TokensBefore: c.before, Dropped: len(c.dropped())}
	kept := c.sizes[c.keep:]
	if c.keep > c.prompt && c.prompt >= 0 {
		e.Pinned = c.messages[c.prompt].ID
		kept = append([]int{c.sizes[c.prompt]}, kept...)
	}
	e.Kept = len(kept)
	e.TokensAfter = c.fixed + c.scaled(sum(kept)+len(summary)/ask.BytesPerToken)
	id := c.journal.session().NewID()
	shown := c.asker.View(ctx, id, summary)
	if shown != summary {
		e.Shown = &shown
	}
	c.journal.append(session.Entry{ID: id, Compaction: e})
	// what fills the context cannot be dropped
	if c.uncompacted = 0; e.TokensAfter*100 >= c.model.Context*fullPercent {
		c.uncompacted = e.TokensAfter
	}
	c.report.Change(func(env *event.Envelope) {
		env.Window = window(e.TokensAfter, c.model.Context,
			true)
	})
	fired := event.SessionCompact{Cause: c.cause, Summary: summary, TokensBefore: e.TokensBefore,
		TokensAfter: e.TokensAfter, Dropped: e.Dropped, Kept: e.Kept}
	ev := c.engine.Events.New(c.report.Envelope(), fired)
	fired.Summary = shown
	c.engine.Emitter.EmitShown(ev, c.engine.Events.New(c.report.Envelope(), fired))
	c.begin(ctx, "compact")
}
