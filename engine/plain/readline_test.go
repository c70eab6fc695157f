package plain_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/plain"
)

func TestReadLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40) // several buffers
	for _, test := range []struct {
		text    string
		most    int
		want    string
		omitted int
		err     error
		rest    string
	}{
		{"", 20, "", 0, io.EOF, ""},
		{"\n", 20, "\n", 0, nil, ""},
		{"\nb", 0, "\n", 0, nil, "b"},
		{"ab", 2, "ab", 0, io.EOF, ""},
		{"ab\ncd", 2, "ab\n", 0, nil, "cd"},
		{"abc\ncd", 2, "ab", 1, nil, "cd"},
		{"abc", 0, "", 3, io.EOF, ""},
		{long + "\nb", 40, long + "\n", 0, nil, "b"},
		{long + "\nb", 39, long[:39], 1, nil, "b"},
		{long + "\nb", 16, long[:16], 24, nil, "b"},
		{long + "\nb", 0, "", 40, nil, "b"},
		{long, 20, long[:20], 20, io.EOF, ""},
	} {
		in := bufio.NewReaderSize(strings.NewReader(test.text), 16)
		omitted := 0
		line, err := plain.ReadLine(in, test.most, func(n int) error {
			omitted = n
			return nil
		})
		rest, _ := io.ReadAll(in)
		if string(line) != test.want || omitted != test.omitted || err != test.err ||
			string(rest) != test.rest {
			t.Errorf("%q, %d: got %q, %d, %v, and then %q", test.text, test.most, line, omitted,
				err,
				rest)
		}
	}
}

// TestReadLineStops: a line without an end does not have to be read.
func TestReadLineStops(t *testing.T) {
	t.Parallel()
	stop, calls := errors.New("stop"), 0
	_, err := plain.ReadLine(bufio.NewReader(endless{}), 10, func(int) error {
		if calls++; calls == 3 {
			return stop
		}
		return nil
	})
	if err != stop || calls != 3 {
		t.Errorf("got %v after %d calls, want %v after 3", err, calls, stop)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
