// This file reads a program's output.

package process

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/plain"
)

// chunkBytes is the size of one read: the capacity of a pipe.
const chunkBytes = 64 << 10

// readers read the two pipes of a program.
type readers struct {
	done   chan struct{} // closed when both pipes are at their end
	ours   []*os.File
	theirs []*os.File   // the program's ends: closed here once it has them
	tty    bool         // they are a terminal
	begin  func()       // starts the reading
	read   atomic.Int64 // bytes
	busy   atomic.Int32 // readers that are delivering output
}

func pipes(cmd *exec.Cmd, take func(string, bool)) (*readers, error) {
	begun := make(chan struct{})
	r := &readers{done: make(chan struct{}), begin: sync.OnceFunc(func() { close(begun) })}
	for range 2 {
		in, w, err := os.Pipe()
		if err != nil {
			close(r.done)
			r.close()
			return nil, err
		}
		r.ours, r.theirs = append(r.ours, in), append(r.theirs, w)
	}
	// files: cmd.Wait does not wait for the copying
	cmd.Stdout, cmd.Stderr = r.theirs[0], r.theirs[1]
	ends := make(chan struct{}, len(r.ours))
	for i, in := range r.ours {
		go func() {
			<-begun
			copyText(in, func(chunk string) {
				r.busy.Add(1)
				defer r.busy.Add(-1)
				r.read.Add(int64(len(chunk)))
				take(chunk, i == 1)
			})
			ends <- struct{}{}
		}()
	}
	go func() {
		for range r.ours {
			<-ends
		}
		close(r.done)
	}()
	return r, nil
}

// started closes the program's ends of the pipes, so that ours end with its last process, and
// begins to read.
func (r *readers) started() {
	for _, f := range r.theirs {
		f.Close()
	}
	r.theirs = nil
	r.begin()
}

// drain waits until the program's output is read: to the end of its pipes, or until no more
// arrives. The user waits for the terminal, so what background processes write to it counts less
// there: drain ends when all that was written has been delivered. On a busy machine readers may get
// no processor for a while: what they have not read yet is waited for.
func (r *readers) drain(ctx context.Context) {
	begun, late := r.read.Load(), time.After(drainTime)
	for last := begun; ; {
		select {
		case <-r.done:
			return
		case <-ctx.Done():
			return
		case <-late:
			return
		case <-time.After(pipeGrace):
		}
		now := r.read.Load()
		starved := now == last && slices.ContainsFunc(r.ours, unread)
		if r.busy.Load() == 0 && (r.tty || now == last) && !starved || now-begun > drainBytes {
			return
		}
		last = now
	}
}

// close ends the reading, even if other processes hold the pipes. A deadline lets each reader
// deliver what it has read: it may have been waiting for a processor since. On Windows pipes have
// no deadline, and closing does not end a read in progress; it ends with the last process.
func (r *readers) close() {
	r.started()
	for _, f := range r.ours {
		if f.SetReadDeadline(time.Unix(1, 0)) == nil {
			defer f.Close()
			continue
		}
		f.Close()
	}
	select {
	case <-r.done:
	case <-time.After(deliveryTime):
	}
}

// copyText reads in to its end. Chunks are whole characters; invalid UTF-8 becomes U+FFFD.
func copyText(in io.Reader, take func(chunk string)) {
	buf := make([]byte, chunkBytes)
	held := 0 // bytes of an incomplete character
	for {
		n, err := in.Read(buf[held:])
		n += held
		held = 0
		if err == nil {
			held = plain.Unfinished(buf[:n])
		}
		if n > held {
			take(strings.ToValidUTF8(string(buf[:n-held]), "\uFFFD"))
		}
		copy(buf, buf[n-held:n])
		if err != nil {
			return
		}
	}
}
