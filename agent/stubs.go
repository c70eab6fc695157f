// This file stands for parts that are not there yet.
package agent

import (
	"context"

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

func resumeCmd(a *Agent, ctx context.Context, words []string) (string, error)  { return "", errLater }
func forkCmd(a *Agent, ctx context.Context, words []string) (string, error)    { return "", errLater }
func nameCmd(a *Agent, ctx context.Context, words []string) (string, error)    { return "", errLater }
func labelCmd(a *Agent, ctx context.Context, words []string) (string, error)   { return "", errLater }
func exportCmd(a *Agent, ctx context.Context, words []string) (string, error)  { return "", errLater }
func sessionCmd(a *Agent, ctx context.Context, words []string) (string, error) { return "", errLater }

// serveRest fills in what is served elsewhere.
func (a *Agent) serveRest(s *engine.Services) {
	s.State = a.State()
}
