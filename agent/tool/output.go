// This file keeps the output of a command: the beginning and the end for the model, all of it in a file
// when that is not all.
package tool

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// outputBytes is how much of a command's output the model gets: some 8,000 tokens.
	outputBytes = 30 << 10
	// outputFile bounds the file with the whole output: a disk is not to be filled by an endless loop.
	outputFile = 64 << 20
	// outputChunk is how much is read at once: what a pipe holds.
	outputChunk = 64 << 10
)

// output takes what a command writes. Its methods are safe for concurrent use.
type output struct {
	report func(chunk string, stderr bool) // may be nil

	mu      sync.Mutex
	head    []byte   // all of it until it is more than outputBytes, then the first half
	tail    []byte   // then the last bytes, more than needed: see take
	total   int64    // bytes
	file    *os.File // made when the model cannot have all
	written int64
	fileErr error
	closed  bool
}

func newOutput(report func(string, bool)) *output { return &output{report: report} }

// copy reads in to its end. Chunks are reported whole characters at a time.
func (o *output) copy(in io.Reader, stderr bool) {
	buf := make([]byte, outputChunk)
	held := 0 // bytes of a character that has not come in whole
	for {
		n, err := in.Read(buf[held:])
		n += held
		held = 0
		if err == nil {
			held = incomplete(buf[:n])
		}
		o.take(buf[:n-held], stderr)
		copy(buf, buf[n-held:n])
		if err != nil {
			return
		}
	}
}

// incomplete is how many bytes at the end of b begin a character that is not whole.
func incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// take keeps b, and reports it outside the lock: who is told may be slow, and then the command is too.
func (o *output) take(b []byte, stderr bool) {
	if len(b) == 0 {
		return
	}
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return
	}
	o.keep(b)
	o.mu.Unlock()
	if o.report != nil {
		o.report(strings.ToValidUTF8(string(b), "\uFFFD"), stderr)
	}
}

func (o *output) keep(b []byte) {
	o.total += int64(len(b))
	if o.file == nil && o.fileErr == nil {
		if o.head = append(o.head, b...); o.total > outputBytes {
			o.spill()
		}
		return
	}
	o.save(b)
	o.tail = append(o.tail, b...)
	if len(o.tail) > 2*outputBytes { // rarely, so that not each byte is moved each time
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-outputBytes/2:]...)
	}
}

// spill begins the file, with what was kept so far, and divides that into head and tail.
func (o *output) spill() {
	o.file, o.fileErr = os.CreateTemp("", "agent-bash-*.txt")
	o.save(o.head)
	const half = outputBytes / 2
	o.tail = append([]byte(nil), o.head[half:]...)
	o.head = o.head[:half:half]
}

func (o *output) save(b []byte) {
	if o.fileErr != nil || o.written >= outputFile {
		return
	}
	n, err := o.file.Write(b[:min(int64(len(b)), outputFile-o.written)])
	o.written += int64(n)
	o.fileErr = err
}

// close ends the keeping; the file stays, for the model to read.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.file != nil {
		o.file.Close()
	}
}

// path is the file with the whole output, "" if the model has it all.
func (o *output) path() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil {
		return ""
	}
	return o.file.Name()
}

// text is what the model gets: the output, or its beginning and end, and the note.
func (o *output) text(note string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := string(o.head)
	if o.total > outputBytes {
		room := outputBytes - len(o.head)
		tail := o.tail[max(0, len(o.tail)-room):]
		left := o.total - int64(len(o.head)) - int64(len(tail))
		s = trimEnd(o.head) + fmt.Sprintf("\n[%d bytes left out; %s]\n", left, o.where()) + trimStart(tail)
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	switch {
	case note == "" && s == "":
		return "[no output]"
	case note == "":
		return s
	case s == "" || strings.HasSuffix(s, "\n"):
		return s + note
	}
	return s + "\n" + note
}

func (o *output) where() string {
	switch {
	case o.fileErr != nil:
		return "the whole output could not be kept: " + o.fileErr.Error()
	case o.written < o.total:
		return fmt.Sprintf("the first %d MB are in %s", outputFile>>20, o.file.Name())
	}
	return "the whole output is in " + o.file.Name()
}

// trimEnd and trimStart cut off what is left of a character that was cut in two.
func trimEnd(b []byte) string { return string(b[:len(b)-incomplete(b)]) }

func trimStart(b []byte) string {
	for n := 0; n < utf8.UTFMax && n < len(b); n++ {
		if utf8.RuneStart(b[n]) {
			return string(b[n:])
		}
	}
	return string(b)
}
