// This file takes the input that waits, one after the other, and finds out what it is: a command,
// the user's own shell command, or a prompt.

package agent

import (
	"cmp"
	"context"
	"sync"
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
func (a *Agent) Work(ctx context.Context, each func(Input, End)) {
	var one sync.Mutex
	a.queue.serve(ctx, func(in Input, end End) {
		one.Lock()
		defer one.Unlock()
		if each != nil {
			each(in, end)
		}
	})
	defer a.queue.unserve()
	defer a.setBusy(false)
	for told := true; ctx.Err() == nil && !a.closed.Load(); {
		j, ok := a.queue.take(ctx)
		a.queue.tellExcess()
		if ok {
			told = false
			a.queue.finished(j.in, a.handle(j))
			continue
		}
		if !a.queue.rests() { // a command runs beside
			select {
			case <-a.queue.wake:
			case <-ctx.Done():
			}
			continue
		}
		a.setBusy(false)
		if !told {
			told = a.rest(ctx)
		}
		if told && a.queue.rests() {
			a.quit()
			return
		}
	}
}

// rest waits until the observers have seen the end of the work, and tells that a new session may be
// started. It returns false if it did not, because something waits, or did for a moment.
func (a *Agent) rest(ctx context.Context) bool {
	wait := settleWait
	if !a.exiting.Load() {
		wait = max(wait, a.engine.Patience("agent_end"))
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if a.queue.settle(ctx); !a.queue.idle() {
		return false
	}
	if a.parent == nil {
		a.engine.Waiting(a.Envelope(), "idle")
	}
	a.queue.settle(ctx)
	return true
}

// quit ends the program if a script asked for it.
func (a *Agent) quit() {
	if a.exiting.Load() && a.o.Exit != nil {
		a.o.Exit()
	}
}

// setBusy tells that the agent begins or ends its work. Sub-agents are part of it.
func (a *Agent) setBusy(busy bool) {
	if a.parent != nil || a.working.Swap(busy) == busy {
		return
	}
	state := map[bool]string{true: "working", false: "idle"}
	a.report.Tell(event.BusyChange{State: state[busy], Previous: state[!busy]})
}

// Prompt works on one input to its end: it returns when nothing of it runs any more. When ctx ends,
// all that is under way stops, and the status is Cancelled. Prompts wait for each other.
func (a *Agent) Prompt(ctx context.Context, in Input) End {
	in = in.complete()
	a.queue.mu.Lock()
	if in.Source != sourceScript {
		a.queue.row, a.queue.over = 0, false
	}
	j := a.queue.start(ctx, in)
	a.queue.mu.Unlock()
	end := a.handle(j)
	a.queue.mu.Lock()
	a.queue.working--
	last := a.queue.working == 0
	a.queue.mu.Unlock()
	if last {
		a.setBusy(false)
	}
	a.queue.poke()
	return end
}

// handle works on one input to its end, which is told as a user may see it.
func (a *Agent) handle(j *job) End {
	defer j.done()
	return seen(a.engine, a.tackle(j))
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
func (a *Agent) tackle(j *job) End {
	ctx, in := j.ctx, j.in
	if command, show, ok := shellLine(in); ok {
		return a.userShell(ctx, command, show)
	}
	held := false
	hold := func() bool {
		if held = a.token.acquire(ctx); held {
			a.queue.halt(false)
			a.report.Change(func(env *engine.Envelope) {
				env.PromptID, env.Turn, env.Model = cmp.Or(in.ID, a.journal.session().NewID()), 0,
					a.Model()
			})
		}
		return held
	}
	free := func() {
		if held {
			a.token.release()
		}
		held = false
	}
	defer free()
	if !isCommand(in.Text) && !hold() {
		return End{Status: Cancelled}
	}
	if a.closed.Load() {
		return *failed("the session has ended")
	}
	typed := in.Text
	contexts, over := a.input(ctx, &in)
	if over != nil {
		return *over
	}
	insert := ""
	if name, rest, ok := commandLine(in.Text); ok {
		free() // it may begin another session
		c, over := a.command(ctx, name, rest, in.Source != sourceScript && in.Text == typed)
		if over != nil {
			return *over
		}
		in.Text, insert = c.Prompt, c.Insert
		if !a.follows(in) {
			return End{Status: Handled, Insert: insert}
		}
		if !hold() {
			return End{Status: Cancelled}
		}
		if a.closed.Load() {
			return *failed("the session has ended")
		}
	}
	p := &prompt{a: a, ctx: ctx, text: in.Text, images: in.Images, contexts: contexts,
		start: time.Now(), names: []any{}, priced: true}
	p.end.Insert = insert
	return p.work()
}

// follows reports whether a command's prompt is worked on by whoever ran the command. If a prompt
// is worked on already, it becomes steering instead.
func (a *Agent) follows(in Input) bool {
	a.queue.mu.Lock()
	busy := a.queue.working > 1
	a.queue.mu.Unlock()
	if busy {
		in.asked, in.ID = true, "" // the command itself is over
		a.queue.enqueue(in)
	}
	return !busy
}
