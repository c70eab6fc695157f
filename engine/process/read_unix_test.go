//go:build unix

package process

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestStarvedReaders: what a program has written is not lost if those who read it get to run only
// long after its end.
func TestStarvedReaders(t *testing.T) {
	var got strings.Builder
	r, err := pipes(&exec.Cmd{}, func(chunk string, _ bool) { got.WriteString(chunk) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.theirs[0].WriteString("hi"); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.theirs {
		f.Close()
	}
	r.theirs = nil
	drained := make(chan struct{})
	go func() { defer close(drained); r.drain(t.Context()) }()
	select {
	case <-drained:
		t.Error("the output has not been read, and is not waited for")
	case <-time.After(3 * pipeGrace):
	}
	r.begin()
	<-drained
	r.close()
	if got.String() != "hi" {
		t.Errorf("got %q", got.String())
	}
}
