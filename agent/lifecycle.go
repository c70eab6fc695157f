// This file manages the session of an agent from its beginning to its end.

package agent

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
)

// lifecycle begins the session of one agent, replaces it by another one, and ends it.
type lifecycle struct {
	home, dir, project string // as in Options
	now                func() time.Time
	sub                bool // the agent is a sub-agent

	engine    *engine.Engine
	report    *report.Reporter
	settings  *settings
	journal   *journal
	asker     *ask.Asker
	compactor *compactor
	jobs      *tool.Jobs
	pool      *pool
	subagents *subagents
	token     workToken

	closed atomic.Bool // no session begins any more
}

func (l *lifecycle) newSession() *session.Session {
	o := session.Options{CWD: l.dir, Now: l.now}
	if l.home != "" {
		o.Dir = session.Dir(l.home, l.project)
	}
	return session.New(o)
}

// openSession makes s the current session.
func (l *lifecycle) openSession(s *session.Session) {
	l.compactor.uncompacted = 0
	l.journal.openSession(s)
	if !l.sub {
		l.pool.spent.reset(s.Used(false))
	}
	cost := l.pool.spent.value()
	ids := map[string]bool{}
	for _, e := range s.All() {
		if e.Message != nil {
			for _, u := range e.Message.ToolCalls {
				ids[u.ID] = true
			}
		}
	}
	l.asker.Begin(ids)
	l.report.Change(func(env *event.Envelope) {
		env.SessionID, env.SessionPath = s.ID(), s.Path()
		env.PromptID, env.Turn, env.Cost = "", 0, cost
	})
	l.resetWindow()
}

// resetWindow sets the envelope's model, and its window from the branch's last request, if there
// was one.
func (l *lifecycle) resetWindow() {
	size := l.journal.session().Size()
	limit := 0
	if _, m, err := l.settings.Resolve(""); err == nil {
		limit = m.Context
	}
	l.report.Change(func(env *event.Envelope) {
		env.Model, env.Window = l.settings.ModelName(""), window(size.Tokens, limit, size.Estimated)
	})
}

func (l *lifecycle) beginSession(ctx context.Context, cause string) {
	l.resetWindow()
	l.settings.learn()
	_, v := l.engine.Intercept(ctx, l.engine.Events.New(l.report.Envelope(),
		event.SessionStart{Cause: cause}))
	l.journal.addContexts(v.Contexts, session.ForSession, 0)
}

// close emits session_end to scripts, waits for them, and closes the file.
func (l *lifecycle) close(ctx context.Context, cause string) {
	l.endSession(ctx, cause)
	// each entry was written when it was appended, and a failure was reported then
	_ = l.journal.session().Close()
}

// endSession emits session_end to scripts and waits for them.
func (l *lifecycle) endSession(ctx context.Context, cause string) {
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	l.subagents.endAll(ctx, false)
	l.jobs.End()
	l.tellEnd(ctx, cause)
}

func (l *lifecycle) tellEnd(ctx context.Context, cause string) {
	l.report.Tell(event.SessionEnd{Cause: cause})
	l.engine.Emitter.Drain(ctx)
}

// idly runs do while no prompt is in progress.
func (l *lifecycle) idly(do func() error) error {
	switch {
	case l.sub:
		return &fault.WorldError{Code: "unsupported",
			Message: "a sub-agent's session is its parent's business"}
	case !l.token.tryAcquire():
		return &fault.WorldError{Code: "busy",
			Message: "busy: the agent is at work; wait for it, or stop it"}
	}
	defer l.token.release()
	if l.closed.Load() {
		return &fault.WorldError{Code: "cancelled", Message: "the program is about to end"}
	}
	return do()
}
