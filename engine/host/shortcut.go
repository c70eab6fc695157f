package host

import (
	"fmt"

	"github.com/agentscripts/agent/engine"
)

// shortcut registers a key chord.
func shortcut(c *engine.HostCall) (any, error) {
	m := table(c.Args[0])
	key, err := engine.Chord(text(m["key"]))
	if err != nil {
		return nil, fmt.Errorf("ext.shortcut: key: %w", err)
	}
	return nil, c.Gen.Registry.AddShortcut(&engine.Shortcut{Key: key,
		Description: text(m["description"]),
		Line:        c.Pos.Line, Run: m["run"].(engine.Func)})
}
