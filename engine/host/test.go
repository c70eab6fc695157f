// This file holds ext.test.

package host

import (
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine"
)

// test hands a test of the script to who runs tests. Elsewhere nobody does, and it registers
// nothing.
func (r *registry) test(c *engine.HostCall) (any, error) {
	name := text(c.Args[0])
	if name == "" {
		return nil, errors.New(`ext.test: name: got "", want what the test shows`)
	}
	if r.tests != nil {
		if err := r.tests(c.Gen, name, c.Pos.Line, c.Args[1].(engine.Func)); err != nil {
			return nil, fmt.Errorf("ext.test: %w", err)
		}
	}
	return nil, nil
}
