package process

import (
	"os"
	"testing"
	"time"
)

// TestReadIsDelivered checks that the end of the reading waits for a reader that has read the last
// piece and gets no processor, although another process holds the pipe.
func TestReadIsDelivered(t *testing.T) {
	t.Parallel()
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if in.SetReadDeadline(time.Time{}) != nil {
		t.Skip("pipes have no deadline here")
	}
	r := &readers{done: make(chan struct{}), ours: []*os.File{in}, begin: func() {}}
	taken, delivered := make(chan struct{}), false
	go func() {
		defer close(r.done)
		b := make([]byte, 10)
		for {
			n, err := in.Read(b)
			if err != nil {
				return
			}
			close(taken)
			time.Sleep(2 * pipeGrace) // it waits for a processor
			delivered = string(b[:n]) == "the end"
		}
	}()
	if _, err := w.WriteString("the end"); err != nil {
		t.Fatal(err)
	}
	<-taken
	r.close()
	select {
	case <-r.done:
		if !delivered {
			t.Error("another text was delivered")
		}
	default:
		t.Error("the last piece was not waited for")
	}
}
