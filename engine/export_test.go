package engine

// DecodeOutcome is decodeOutcome for tests: the verb of what was decided.
func DecodeOutcome(row *EventRow, v any) (verb string, err error) {
	o, err := decodeOutcome(row, v)
	return o.verb(), err
}
