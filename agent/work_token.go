package agent

import (
	"context"

	"github.com/agentscripts/agent/agent/session"
)

// workToken is a lock: its holder may work on a prompt or change the session. Entries of others
// wait in the journal meanwhile.
type workToken struct {
	slot    chan struct{} // capacity 1: holds a token while the lock is taken
	journal *journal
}

func newWorkToken(j *journal) workToken { return workToken{make(chan struct{}, 1), j} }

// acquire waits for the token; false if ctx ended first.
func (t workToken) acquire(ctx context.Context) bool {
	select {
	case t.slot <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// tryAcquire takes the token if it is free, and reports whether it did.
func (t workToken) tryAcquire() bool {
	select {
	case t.slot <- struct{}{}:
		return true
	default:
		return false
	}
}

// release returns the token.
func (t workToken) release() {
	<-t.slot
	t.flush()
}

// taken reports whether the token is taken, for example by a prompt in progress.
func (t workToken) taken() bool { return len(t.slot) > 0 }

// noteEntry adds an entry to the session: at once or, during a prompt, before its next model call.
func (t workToken) noteEntry(e session.Entry) {
	t.journal.keepNote(e)
	t.flush()
}

// flush adds the waiting entries to the session if the token is free. Otherwise its holder does so
// before it releases the token.
func (t workToken) flush() {
	for t.journal.hasNotes() && t.tryAcquire() {
		t.journal.addNotes()
		<-t.slot
	}
}
