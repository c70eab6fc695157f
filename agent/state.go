// This file is what scripts keep in the branch of the session.

package agent

import "github.com/agentscripts/agent/engine"

// State is the durable state of scripts: it follows the branch of the session, through fork and
// resume. Sub-agents share that of the main agent. Its functions may be called from any goroutine.
func (a *Agent) State() engine.State {
	return engine.State{
		Get:  func(script, key string) (any, bool) { return a.root().Session().State(script, key) },
		Keys: func(script string) []string { return a.root().Session().StateKeys(script) },
		Set: func(script, key string, value any) error {
			plain, err := engine.Plain(value)
			if err != nil {
				return err
			}
			return a.root().Session().SetState(script, key, plain)
		},
	}
}
