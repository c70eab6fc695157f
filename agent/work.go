// This file takes the input that waits, one after the other, and finds out what it is: a command,
// the user's own shell command, or a prompt.

package agent

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// settleWait is how long Work waits for observers before it believes that nothing comes any more: a
// program without a screen ends then, and one slow observer must not hold it up, unless it has
// asked for more by its timeout, as what runs tests at the end does. Where somebody still listens,
// what comes later is worked on all the same.
const settleWait = 2 * time.Second

// Work works on what waits until nothing does any more: what observers of the end send is worked
// on, too. each is told of every input's end, one at a time, from whatever goroutine; it may be
// nil. One Work at a time.
func (a *Agent) Work(ctx context.Context, each func(Input, End)) { a.worker.work(ctx, each) }

// Prompt works on one input to its end: it returns when nothing of it runs any more. When ctx ends,
// all that is under way stops, and the status is Cancelled. Prompts wait for each other.
func (a *Agent) Prompt(ctx context.Context, in Input) End { return a.worker.prompt(ctx, in) }

// worker takes inputs out of the queue of an agent and works on them.
type worker struct {
	a       *Agent
	queue   *queue
	token   workToken
	working atomic.Bool // busy_change was told so
	exiting atomic.Bool // a script wants the program to end
}

// work is Agent.Work.
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
		if !w.queue.rests() { // a command runs beside
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

// rest waits until the observers have seen the end of the work, and tells that a new session may be
// started. It returns false if it did not, because something waits, or did for a moment.
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

// quit ends the program if a script asked for it.
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

// setBusy tells that the agent begins or ends its work. Sub-agents are part of it.
func (w *worker) setBusy(busy bool) {
	if w.a.parent != nil || w.working.Swap(busy) == busy {
		return
	}
	state := map[bool]string{true: "working", false: "idle"}
	w.a.report.Tell(event.BusyChange{State: state[busy], Previous: state[!busy]})
}

// prompt is Agent.Prompt.
func (w *worker) prompt(ctx context.Context, in Input) End {
	in = in.complete()
	end := w.handle(w.queue.startNow(ctx, in))
	if w.queue.endNow() {
		w.setBusy(false)
	}
	w.queue.poke()
	return end
}

// handle works on one input to its end, which is told as a user may see it.
func (w *worker) handle(j *job) End {
	defer j.done()
	return seen(w.a.engine, w.tackle(j))
}

// seen is an end as a user may see it. Its response is that already.
func seen(e *engine.Engine, end End) End {
	if end.Reason != "" {
		end.Reason = e.Mask.Text(end.Reason)
	}
	if end.Error != "" {
		end.Error = end.Reason
	}
	return end
}

// tackle finds out what an input is, and works on it.
func (w *worker) tackle(j *job) End {
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
	if name, rest, ok := commandLine(in.Text); ok {
		free() // it may begin another session
		c, over := w.command(ctx, name, rest, in.Source != sourceScript && in.Text == typed)
		if over != nil {
			return *over
		}
		in.Text, insert = c.Prompt, c.Insert
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
	p := &prompt{a: w.a, ctx: ctx, text: in.Text, images: in.Images, contexts: contexts,
		start: time.Now(), names: []any{}, priced: true}
	p.end.Insert = insert
	return p.work()
}

// follows reports whether a command's prompt is worked on by whoever ran the command. If a prompt
// is worked on already, it becomes steering instead.
func (w *worker) follows(in Input) bool {
	busy := w.queue.othersWork()
	if busy {
		in.asked, in.ID = true, "" // the command itself is over
		w.queue.enqueue(in)
	}
	return !busy
}
