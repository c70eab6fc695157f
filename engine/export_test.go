package engine

import "time"

// DecodeOutcome is decodeOutcome for tests: the verb of what was decided.
func DecodeOutcome(row *EventRow, v any) (verb string, err error) {
	o, err := decodeOutcome(row, v)
	return o.verb(), err
}

// Queued is how many runs wait for the turn.
func (t *Turn) Queued() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}

// NewWatchdogWith is a watchdog to which cpu tells what processor time the process has used.
func NewWatchdogWith(cpu func() time.Duration) *Watchdog {
	w := NewWatchdog()
	w.cpu = cpu
	return w
}
