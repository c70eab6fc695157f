// This file stands for parts that are not there yet.
package agent

import (
	"context"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

var errLater = &engine.WorldError{Code: "unsupported", Message: "not there yet"}

// Compact summarises the conversation so far. It fails with the code busy while the agent works.
func (a *Agent) Compact(ctx context.Context, instructions string) error { return errLater }

// NewSession ends the session and begins an empty one: cause is new or clear; prompt, if any, is its first.
func (a *Agent) NewSession(ctx context.Context, cause, prompt string) error {
	if a.atWork() {
		return &engine.WorldError{Code: "busy", Message: "the agent is at work"}
	}
	a.Clear(ctx)
	return nil
}

// Fork lets the conversation go on behind the entry, or before it.
func (a *Agent) Fork(ctx context.Context, id string, before bool) error { return errLater }

// Sessions lists the sessions of the project that were written to last, newest first.
func (a *Agent) Sessions(most int) ([]session.Info, error) {
	if a.o.Home == "" {
		return nil, errLater
	}
	return session.List(session.Dir(a.o.Home, a.o.Project), most)
}

// ResumeID goes on with the session of the project whose id begins with id.
func (a *Agent) ResumeID(ctx context.Context, id string) error { return errLater }
