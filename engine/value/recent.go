package value

import "strings"

// Recent holds what short texts were converted to last, for the fields that are the same in most
// events: the name of a tool, its kind, the directory. An interpreter's value for a text is an
// allocation otherwise, for each handler that reads one. It is not safe for concurrent use.
type Recent[T any] struct {
	slots [recentSlots]struct {
		text  string
		value T
	}
}

const (
	recentSlots = 16
	// recentText is the length, in bytes, of the longest text that is kept.
	recentText = 16
)

// Get returns the value of text: that of convert, or the one kept since an earlier call.
func (r *Recent[T]) Get(text string, convert func(string) T) T {
	n := len(text)
	if n == 0 || n > recentText {
		return convert(text)
	}
	slot := &r.slots[(n+int(text[0])+3*int(text[n-1]))%recentSlots]
	if slot.text != text {
		text = strings.Clone(text) // it may be part of a long one
		slot.text, slot.value = text, convert(text)
	}
	return slot.value
}
