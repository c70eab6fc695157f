package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/agentscripts/agent/engine/plain"
)

var errTooLong = errors.New("line too long")

// lines reads lines of limited length.
type lines struct {
	in   *bufio.Reader
	most int
}

// readBytes is how much is read at a time.
const readBytes = 64 << 10

func newLines(in io.Reader, most int) *lines {
	return &lines{in: bufio.NewReaderSize(in, readBytes), most: most}
}

// nextLine returns the next line, without its end, in newly allocated bytes. With io.EOF it returns
// the text after the last line end. errTooLong means that a line exceeded the limit and was
// skipped.
func (l *lines) nextLine() (line []byte, err error) {
	long := false
	line, err = plain.ReadLine(l.in, l.most, func(int) error {
		long = true
		return nil
	})
	// what follows is read next, or nothing
	if long && (err == nil || errors.Is(err, io.EOF)) {
		return nil, errTooLong
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), err
}
