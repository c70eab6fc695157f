// This file simulates the environment of a world.

package trial

import (
	"errors"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
)

// variables are the environment variables of a test, which does not see the real ones.
type variables struct {
	varsMu sync.Mutex
	vars   map[string]string
}

// setVariables sets the variables that always exist.
func (v *variables) setVariables(home string) {
	v.vars = map[string]string{"HOME": home, "PATH": "/usr/bin:/bin", "USER": "user",
		"LANG": "C.UTF-8", "TERM": "xterm-256color"}
}

func (v *variables) get(name string) (string, bool) {
	v.varsMu.Lock()
	defer v.varsMu.Unlock()
	value, ok := v.vars[name]
	return value, ok
}

// env implements t.env.
func (v *variables) env(c *engine.HostCall, _ *last) (any, error) {
	name, value := c.Args[0].(string), c.Args[1]
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return nil, errors.New("t.env: name: got none that a variable can have")
	}
	v.varsMu.Lock()
	defer v.varsMu.Unlock()
	if text, ok := value.(string); ok {
		v.vars[name] = text
	} else {
		delete(v.vars, name)
	}
	return nil, nil
}
