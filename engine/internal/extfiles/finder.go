package extfiles

import "bytes"

// finder looks for a text in what is written to it: as it is, and with a NUL after each byte, as
// programs for Windows and Java have texts.
type finder struct {
	texts [][]byte
	last  []byte // the end of what was written, in which a text may begin
	found bool
}

func newFinder(text string) *finder {
	f := &finder{}
	if text == "" {
		return f
	}
	wide := bytes.Join(bytes.Split([]byte(text), nil), []byte{0})
	f.texts = [][]byte{[]byte(text), wide}
	return f
}

func (f *finder) Write(p []byte) (int, error) {
	if f.found || len(f.texts) == 0 {
		return len(p), nil
	}
	keep := len(f.texts[1]) - 1 // the longer one
	edge := append(f.last, p[:min(keep, len(p))]...)
	for _, text := range f.texts {
		f.found = f.found || bytes.Contains(edge, text) || bytes.Contains(p, text)
	}
	all := edge
	if len(p) > keep {
		all = p
	}
	f.last = append([]byte(nil), all[max(0, len(all)-keep):]...)
	return len(p), nil
}
