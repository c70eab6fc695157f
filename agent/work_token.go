package agent

import (
	"context"

	"github.com/agentscripts/agent/agent/session"
)

// workToken lets one at a time work on a prompt, or change the session. What others want to put
// into the session meanwhile waits in the journal.
type workToken struct {
	slot    chan struct{} // capacity 1: holds a token while somebody is in
	journal *journal
}

func newWorkToken(j *journal) workToken { return workToken{make(chan struct{}, 1), j} }

// acquire waits for the agent to be free; false if ctx ended first.
func (t workToken) acquire(ctx context.Context) bool {
	select {
	case t.slot <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// tryAcquire is acquire for who does not wait.
func (t workToken) tryAcquire() bool {
	select {
	case t.slot <- struct{}{}:
		return true
	default:
		return false
	}
}

// release lets the next one in.
func (t workToken) release() {
	<-t.slot
	t.flush()
}

// taken reports whether somebody is in: a prompt is worked on.
func (t workToken) taken() bool { return len(t.slot) > 0 }

// noteEntry puts an entry into the session: at once, or, while a prompt is worked on, before its
// next model call.
func (t workToken) noteEntry(e session.Entry) {
	t.journal.keepNote(e)
	t.flush()
}

// flush puts what waits into the session if nobody works on it; who does, does it when he is done.
func (t workToken) flush() {
	for t.journal.hasNotes() && t.tryAcquire() {
		t.journal.addNotes()
		<-t.slot
	}
}
