// This file processes the waiting input, one at a time: a command, the user's own shell command, or
// a prompt. Only the holder of the work token works.

package agent

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/slash"
)

// settleWait is how long Work waits for observers before it assumes that no more input comes. A
// program without a screen ends then, and a slow observer must not delay that, unless its timeout
// asks for more time, such as for a script that runs tests at the end. If the program does not end,
// Work also processes later input.
const settleWait = 2 * time.Second

// Work processes the waiting input until there is none, including what observers of an input's end
// send. It calls each with every input's end, one at a time and from any goroutine; each may be
// nil. Only one Work may run at a time.
func (a *Agent) Work(ctx context.Context, each func(Input, End)) { a.worker.work(ctx, each) }

// Prompt processes one input to its end and returns when nothing of it runs any more. If ctx ends,
// all its work stops, and the status is Cancelled. Prompts wait for each other.
func (a *Agent) Prompt(ctx context.Context, in Input) End { return a.worker.prompt(ctx, in) }

// worker takes inputs from the queue of an agent and processes them.
type worker struct {
	a       *Agent
	queue   *queue
	token   workToken
	working atomic.Bool // the value of the last busy_change
	exiting atomic.Bool // a script has asked to end the program
}

// work implements Agent.Work.
func (w *worker) work(ctx context.Context, each func(Input, End)) {
	var one sync.Mutex
	w.queue.serve(ctx, func(in Input, end End) {
		one.Lock()
		defer one.Unlock()
		if each != nil {
			each(in, end)
		}
	})
	defer w.queue.unserve()
	defer w.setBusy(false)
	for told := true; ctx.Err() == nil && !w.a.life.closed.Load(); {
		j, ok := w.queue.takeInput(ctx)
		w.queue.tellExcess()
		if ok {
			told = false
			w.queue.finished(j.in, w.handle(j))
			continue
		}
		if !w.queue.rests() { // a command is still running beside
			select {
			case <-w.queue.wake:
			case <-ctx.Done():
			}
			continue
		}
		w.setBusy(false)
		if !told {
			told = w.rest(ctx)
		}
		if told && w.queue.rests() {
			w.quit()
			return
		}
	}
}

// rest waits until the observers have seen the end of the work, and reports that a new session may
// be started. It returns false without that if input waits, or did in the meantime.
func (w *worker) rest(ctx context.Context) bool {
	wait := settleWait
	if !w.exiting.Load() {
		wait = max(wait, w.a.engine.Emitter.LongestTimeout("agent_end"))
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if w.queue.waitObservers(ctx); !w.queue.idle() {
		return false
	}
	if w.a.parent == nil {
		w.a.engine.Notices.Waiting(w.a.Envelope(), "idle")
	}
	w.queue.waitObservers(ctx)
	return true
}

// quit ends the program if a script has asked for it.
func (w *worker) quit() {
	if w.exiting.Load() && w.a.o.Exit != nil {
		w.a.o.Exit()
	}
}

// exit ends the program once nothing waits.
func (w *worker) exit() {
	w.exiting.Store(true)
	if w.queue.rests() {
		w.quit()
	}
}

// setBusy reports that the agent begins or ends its work, which includes its sub-agents'.
func (w *worker) setBusy(busy bool) {
	if w.a.parent != nil || w.working.Swap(busy) == busy {
		return
	}
	state := map[bool]string{true: "working", false: "idle"}
	w.a.report.Tell(event.BusyChange{State: state[busy], Previous: state[!busy]})
}

// prompt implements Agent.Prompt.
func (w *worker) prompt(ctx context.Context, in Input) End {
	in = in.complete()
	end := w.handle(w.queue.startNow(ctx, in))
	if w.queue.endNow() {
		w.setBusy(false)
	}
	w.queue.poke()
	return end
}

// handle processes one input and returns its end as a user may see it.
func (w *worker) handle(j *job) End {
	defer j.done()
	return maskEnd(w.a.engine, w.processInput(j))
}

// maskEnd returns an end as a user may see it. The response has been masked already.
func maskEnd(e *engine.Engine, end End) End {
	if end.Reason != "" {
		end.Reason = e.Mask.Text(end.Reason)
	}
	if end.Error != "" {
		end.Error = end.Reason
	}
	return end
}

// processInput determines the kind of an input, and processes it.
func (w *worker) processInput(j *job) End {
	ctx, in := j.ctx, j.in
	if command, show, ok := shellLine(in); ok {
		return w.userShell(ctx, command, show)
	}
	held := false
	hold := func() bool {
		if held = w.token.acquire(ctx); held {
			w.queue.halt(false)
			w.a.report.Change(func(env *event.Envelope) {
				env.PromptID, env.Turn, env.Model = cmp.Or(in.ID, w.a.journal.session().NewID()), 0,
					w.a.Model()
			})
		}
		return held
	}
	free := func() {
		if held {
			w.token.release()
		}
		held = false
	}
	defer free()
	if !isCommand(in.Text) && !hold() {
		return End{Status: Cancelled}
	}
	if w.a.life.closed.Load() {
		return *failed("the session has ended")
	}
	typed := in.Text
	contexts, over := w.input(ctx, &in)
	if over != nil {
		return *over
	}
	insert := ""
	if name, rest, ok := slash.Split(in.Text); ok {
		free() // the command may begin another session
		c, over := w.command(ctx, name, rest, in.Source != sourceScript && in.Text == typed)
		if over != nil {
			return *over
		}
		in.Text, insert = c.Prompt, c.Insert
		if over := w.attachNamed(ctx, &in, c.Attach); over != nil {
			return *over
		}
		if !w.follows(in) {
			return End{Status: Handled, Insert: insert}
		}
		if !hold() {
			return End{Status: Cancelled}
		}
		if w.a.life.closed.Load() {
			return *failed("the session has ended")
		}
	}
	p := &prompt{a: w.a, ctx: ctx, text: in.Text, images: in.Images, files: in.files,
		contexts: contexts, start: time.Now(), names: []any{}, priced: true}
	p.end.Insert = insert
	return p.work()
}

// follows reports whether the caller must process a command's prompt itself. If a prompt is already
// in progress, it becomes steering instead.
func (w *worker) follows(in Input) bool {
	busy := w.queue.othersWork()
	if busy {
		in.asked, in.ID = true, "" // the command itself has ended
		w.queue.enqueue(in)
	}
	return !busy
}

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
