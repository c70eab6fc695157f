package host

import (
	"sync"

	"github.com/agentscripts/agent/engine"
)

// counter counts what each script has open. Its zero value is ready.
type counter struct {
	mu   sync.Mutex
	open map[*engine.Generation]int
}

// add changes the number of g's by n; false: it would be more than most, and stays.
func (c *counter) add(g *engine.Generation, n, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[*engine.Generation]int{}
	}
	if n > 0 && c.open[g]+n > most {
		return false
	}
	if c.open[g] += n; c.open[g] == 0 {
		delete(c.open, g)
	}
	return true
}
