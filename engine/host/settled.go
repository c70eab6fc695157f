// This file tells when the screen shows what scripts want shown: who tests them has to know.

package host

// Settled reports whether all that scripts show is shown as it is to be, and panels have done with
// what they heard. A function that draws again and again, or at its refresh, is settled between.
func (t *Table) Settled() bool { return t.screen.board.settled() }

func (b *board) settled() bool {
	if b.courier.under() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pieces {
		if p.drawing || p.again && p.failures < mostFailures {
			return false
		}
	}
	for p := range b.panels {
		if p.pending.Load() > 0 || p.isOver() {
			return false
		}
	}
	return len(b.dirty) == 0 && !b.tidying
}

// opening notes a panel that is about to open, over one that is gone.
func (b *board) opening(p *panel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.panels == nil {
		b.panels = map[*panel]bool{}
	}
	b.panels[p] = true
	p.pending.Add(1)
}

func (b *board) over(p *panel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.panels, p)
}

// under reports whether something is told to the front end at the moment, or waits to be.
func (c *courier) under() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}
