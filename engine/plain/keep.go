package plain

// AppendTail appends text to kept, of which only the last n bytes are needed: Tail returns them. It
// keeps up to twice as many, so that bytes are moved rarely, and drops whole characters.
func AppendTail[T string | []byte](kept []byte, text T, n int) []byte {
	if len(text) > n {
		return append(kept[:0], Tail(text, n)...)
	}
	if kept = append(kept, text...); len(kept) > 2*n {
		kept = append(kept[:0], Tail(kept, n)...)
	}
	return kept
}
