package plain

// TrimBOM returns a text without the byte order mark of UTF-8 that some editors put in front.
func TrimBOM[T string | []byte](text T) T {
	const mark = "\ufeff"
	if len(text) >= len(mark) && string(text[:len(mark)]) == mark {
		return text[len(mark):]
	}
	return text
}
