package plain

import (
	"bufio"
	"bytes"
	"errors"
)

// ReadLine reads a line with its newline, if it has one. Of a line of more than most bytes, not
// counting the newline, it returns the first most bytes and no newline. It then calls over with the
// number of bytes that it has omitted so far, each time that it has read a part of them. An error
// of over ends the reading and is returned.
func ReadLine(in *bufio.Reader, most int, over func(omitted int) error) (line []byte, err error) {
	omitted := 0
	for {
		part, err := in.ReadSlice('\n')
		text := bytes.TrimSuffix(part, []byte{'\n'})
		if room := most - len(line); omitted > 0 || len(text) > room {
			line = append(line, text[:room]...)
			omitted += len(text) - room
			if err := over(omitted); err != nil {
				return line, err
			}
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
