package value

// TextList returns texts as a list of a script.
func TextList(texts []string) []any {
	list := make([]any, len(texts))
	for i, t := range texts {
		list[i] = t
	}
	return list
}
