package jsonrpc

import (
	"bufio"
	"errors"
	"io"
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
	for {
		piece, err := l.in.ReadSlice('\n')
		if !long {
			line = append(line, piece...)
		}
		if len(line) > l.most {
			line, long = nil, true
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		// what follows is read next, or nothing
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		case err == nil:
			line = line[:len(line)-1]
		}
		return line, err
	}
}
