package extfiles

import "bytes"

// finder looks for a text in what is written to it: as it is, and with a NUL after each byte, as
// programs for Windows and Java have texts.
type finder struct {
	texts  [][]byte
	buffer []byte // the end of what was written, in which a text may begin
	found  bool
}

func newFinder(text string) *finder {
	f := &finder{}
	if text == "" {
		return f
	}
	wide := bytes.Join(bytes.Split([]byte(text), nil), []byte{0})
	f.texts = [][]byte{[]byte(text), wide} // the longer one last
	return f
}

func (f *finder) Write(p []byte) (int, error) {
	if f.found || len(f.texts) == 0 {
		return len(p), nil
	}
	f.buffer = append(f.buffer, p...)
	for _, text := range f.texts {
		f.found = f.found || bytes.Contains(f.buffer, text)
	}
	// a text may begin in the last bytes
	if more := len(f.buffer) - len(f.texts[1]) + 1; more > 0 {
		f.buffer = append(f.buffer[:0], f.buffer[more:]...)
	}
	return len(p), nil
}
