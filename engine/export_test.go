package engine

// DecodeOutcome is decodeOutcome for tests: the verb of what was decided.
func DecodeOutcome(row *EventRow, v any) (verb string, err error) {
	o, err := decodeOutcome(row, v)
	return o.verb(), err
}

// OutcomeKeys is outcomeKeys for tests.
func OutcomeKeys(row *EventRow) []string { return outcomeKeys(row) }

// Queued is how many runs wait for the turn.
func (t *Turn) Queued() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}
