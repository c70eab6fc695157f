// This file dispatches tool calls: every call of the program goes through here.

package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

// maxRounds is how often the guards are asked again because scripts or arguments changed just
// before the run: more than people cause by saving, and a limit.
const maxRounds = 100

// Dispatch runs one tool call through the steps of docs/events.md, "One tool call", and returns the
// result. It returns within the budgets of the handlers, excluding the time that the tool takes and
// that the user takes to answer. If the VM of a handler does not stop, the call is refused. Panics
// of handlers and tools become errors.
func (e *Engine) Dispatch(ctx context.Context, call *Call) *Result {
	d := e.newDispatch(ctx, call)
	defer func() { d.snap.release() }()
	return d.road()
}

func (e *Engine) newDispatch(ctx context.Context, call *Call) *dispatch {
	d := &dispatch{e: e, ctx: ctx, call: call, snap: e.Scripts.acquire()}
	d.decision.d, d.review.d = d, d
	if call.Env == nil || call.Args == nil {
		c := *call
		if c.Env == nil {
			c.Env = e.Events.Envelope()
		}
		if c.Args == nil {
			c.Args = map[string]any{}
		}
		d.call = &c
	}
	d.canonical()
	d.tool, d.args = d.call.Tool, d.call.Args
	return d
}

// dispatch is one call in progress.
type dispatch struct {
	e    *Engine
	ctx  context.Context
	call *Call
	snap *Snapshot // acquired; released when the call ends

	tool      string         // final name
	args      map[string]any // final arguments
	rewritten *Rewrite       // nil = tool and args are the original ones
	found     *Tool
	verdict   Verdict // of tool_call and guards together
	asked     Verdict // of the guards, in the current round
	decision  decision
	use       Use // by the tool
	result    *Result

	// unguarded: not every guard has answered about the current call. A handler was retired while
	// it was asked, or the arguments changed afterwards: the guards are asked again.
	unguarded bool
	announced bool
	notes     []string // changes to the form of the arguments, see canonical

	touch     *touches // files touched by this tool with these arguments
	touchTool string
	touchArgs uintptr
	touchSpec *Tool

	done   func(r *Result) // of DispatchTo, nil = of Dispatch
	asking *chain          // of DispatchTo: the handlers that are asked
	review review
}

// road runs the steps of a call, in order. A step that ends the call sets d.result and returns
// false.
func (d *dispatch) road() *Result {
	ok := d.enter() && d.rewrite()
	for round := 0; ok; round++ {
		ok = d.renew(round) && d.find() && d.check() && d.guards()
		if ok && d.changed() { // a script was reloaded while its guard waited
			continue
		}
		if !ok || d.call.Preview {
			break
		}
		if ok = d.decision.decide(); ok && !d.changed() {
			d.together()
			// it may have waited for other calls of its message, which may have cancelled it
			if ok = d.cancelled(); ok {
				d.announce()
				d.unguarded = d.unguarded || overtaken(d)
			}
		}
		if !ok || !d.changed() { // nothing happens between this check and the run
			break
		}
	}
	switch {
	case d.call.Preview:
		return d.preview()
	case !ok || !d.cancelled():
		return d.finishCall()
	}
	d.produceResult()
	d.review.rewriteResult()
	return d.finishCall()
}

// enter refuses calls that are nested too deep, before any handler sees them.
func (d *dispatch) enter() bool {
	if d.call.Depth > MaxCallDepth {
		d.skip("denied", fmt.Sprintf("refused: tool calls of scripts nest at most %d deep",
			MaxCallDepth), nil)
		return false
	}
	return true
}

// rewrite asks the tool_call handlers. If a script is reloaded while its handler waits, all are
// asked again, with the new version.
func (d *dispatch) rewrite() bool {
	for round := 0; d.renew(round); round++ {
		if !d.e.Emitter.wants(d.snap, event.ToolCall{}) {
			return true
		}
		v := Verdict{}
		ev := d.askHandlers(d.ctx, d.snap, d.event(event.ToolCall{}), &v)
		if v.retired && !v.Blocked {
			continue
		}
		return d.adopt(ev, &v)
	}
	return false
}

// adopt continues with the call as the tool_call handlers have rewritten it.
func (d *dispatch) adopt(ev *event.Event, v *Verdict) bool {
	d.verdict = *v
	d.tool, _ = ev.Field("tool").(string)
	if args, ok := ev.Field("args").(map[string]any); ok {
		d.args = args
	}
	if d.rewritten = d.rewriteSoFar(); d.rewritten != nil {
		ev = ev.With("rewritten", d.rewritten.Value())
	}
	d.e.Stream.Tell(ev)
	return d.pass(v)
}

// renew keeps the snapshot in the first round, and acquires the current one in each further round.
func (d *dispatch) renew(round int) bool {
	if round > maxRounds {
		d.refuse("denied", "guard",
			"refused: the scripts changed again and again while this call waited; try again")
		return false
	}
	if round > 0 {
		d.snap.release()
		d.snap = d.e.Scripts.acquire()
	}
	return true
}

// find looks up the tool by its final name. It is skipped for an answered call.
func (d *dispatch) find() bool {
	if d.found = d.snap.tools[d.tool]; d.found != nil || d.verdict.Answerer != nil {
		return true
	}
	d.skip("unknown", fmt.Sprintf("unknown tool %q%s", d.tool,
		suggest.DidYouMeanFor(suggest.ForeignTool, d.tool, d.snap.toolNames)), nil)
	return false
}

// check validates the final arguments against the tool's schema. It is skipped for an answered
// call.
func (d *dispatch) check() bool {
	if d.verdict.Answerer != nil || d.found.validate == nil {
		return true
	}
	if err := d.found.validate.Validate(d.args); err != nil {
		d.skip("invalid", fmt.Sprintf("invalid arguments for %s: %v", d.tool, err), nil)
		return false
	}
	return true
}

// guards asks the guards about the final arguments.
func (d *dispatch) guards() bool {
	v := &d.asked
	*v = Verdict{}
	if len(d.snap.handlers["guard"]) > 0 {
		d.askHandlers(d.ctx, d.snap, d.event(event.Guard{}), v)
	}
	return d.guarded(v)
}

// guarded continues with the answers of the guards.
func (d *dispatch) guarded(v *Verdict) bool {
	d.verdict.addVerdict(v)
	d.unguarded = v.retired
	return d.pass(v)
}

// pass ends the call if a handler blocked it or the user cancelled it.
func (d *dispatch) pass(v *Verdict) bool {
	d.verdict.Blocked, d.verdict.Reason, d.verdict.By = v.Blocked, v.Reason, v.By
	switch {
	case v.Blocked:
		d.refuse("denied", sourceOf(v.By), because("refused by", v.By, v.Reason))
		return false
	case v.Abort != "":
		d.refuse("aborted", "script", because("refused by", v.By, v.Reason))
		d.result.Abort, d.result.AbortBy = v.Abort, v.By.ScriptName()
		return false
	}
	return d.cancelled()
}

// cancelled ends the call, and returns false, if the user or the program has cancelled it;
// otherwise it returns true.
func (d *dispatch) cancelled() bool {
	switch {
	case d.e.Scripts.closed.Load():
		d.refuse("aborted", "cancelled", "cancelled: the program is ending")
		return false
	case d.ctx.Err() != nil:
		s := &SkipError{"aborted", "cancelled by the user" + d.verdict.interrupted()}
		errors.As(context.Cause(d.ctx), &s)
		d.refuse(s.Cause, "cancelled", s.Text)
		return false
	}
	return true
}

// SkipError is the cause with which the program, not the user, cancels the context of a call.
type SkipError struct {
	Cause string // the cause in tool_skipped: aborted or steered
	Text  string // for the model
}

func (e *SkipError) Error() string { return e.Text }

// changed reports whether the guards must be asked again: because not all of them have answered
// about these arguments, or because scripts have changed.
func (d *dispatch) changed() bool {
	return d.unguarded || d.snap != d.e.Scripts.current.Load()
}

// together notifies the other calls of the same message, once, that this one is about to run.
func (d *dispatch) together() {
	if d.call.Together != nil && !d.announced {
		d.call.Together(d.verdict.Answerer != nil || d.found.ReadOnly,
			strings.HasPrefix(d.decision.source, "user_"))
	}
}

// announce fires tool_approval and tool_start, once. This happens before the last check for changed
// scripts, because listeners may block.
func (d *dispatch) announce() {
	if d.announced {
		return
	}
	d.announced = true
	d.approve("allow", d.decision.source, d.decision.by)
	if d.verdict.Answerer == nil && d.e.Emitter.wants(d.snap, event.ToolStart{}) {
		d.e.Emitter.Emit(d.event(event.ToolStart{}))
	}
}

// produceResult runs the tool, unless a script answered for it.
func (d *dispatch) produceResult() {
	start := time.Now()
	if d.verdict.Answerer != nil {
		r, err := DecodeResult(d.verdict.Respond)
		if err != nil { // already checked when it was returned: see event.Row.Respond
			r = ErrorResult(plain.Error(err))
		}
		r.AnsweredBy = d.verdict.Answerer.ScriptName()
		d.result = r
	} else {
		r := d.runTool() // copied: the tool's own must not change
		d.e.Stream.EndOutput(d.call.ID)
		d.result = &Result{Content: r.Content, Details: r.Details, Display: r.Display,
			ForUser: r.ForUser, Silent: r.Silent, IsError: r.IsError}
	}
	d.result.DurationMS = float64(time.Since(start).Microseconds()) / 1e3
	d.annotate(d.result)
	d.mask()
}

// runTool runs the tool. A panic becomes a failure.
func (d *dispatch) runTool() *Result {
	var run *changes.Run
	if !d.found.ReadOnly {
		run = d.beginChange()
		defer run.End()
	}
	r, err := d.callTool(run)
	_, panicked := err.(*apart.PanicError) // in the tool itself, not in a function it called
	switch {
	case panicked:
		return ErrorResult(d.tool + " failed: " + err.Error())
	case err != nil:
		return ErrorResult(plain.Error(err))
	case r == nil:
		return TextResult("")
	}
	return r
}

// callTool calls the tool. Its panic is an *apart.PanicError.
func (d *dispatch) callTool(run *changes.Run) (r *Result, err error) {
	defer apart.Recover(&err)
	d.use = Use{CallID: d.call.ID, Args: d.args, Env: d.call.Env, Depth: d.call.Depth,
		engine: d.e, change: run, call: d}
	return d.found.Run(d.ctx, &d.use)
}

func (d *dispatch) output(chunk string, stderr bool) {
	if d.e.Emitter.wants(d.snap, event.ToolOutput{}) {
		d.e.Stream.TellOutput(d.event(event.ToolOutput{Chunk: chunk, Stderr: stderr}))
	}
}

// mask masks the result for everyone: handlers of tool_result also get it masked.
func (d *dispatch) mask() {
	red := d.e.Mask.Set()
	if red == nil {
		return
	}
	m, r := red.Look(true), d.result
	r.Content, r.ForUser = chat.BlocksMaskedBy(m, r.Content), m.Text(r.ForUser)
	if details, changed := m.Masked(r.Details, nil); changed {
		r.Details, _ = details.(map[string]any)
	}
	if r.Display != nil {
		display := *r.Display
		display.Title, display.Text = m.Text(display.Title), m.Text(display.Text)
		r.Display = &display
	}
}

// finishCall completes the result and records the decision.
func (d *dispatch) finishCall() *Result {
	r := d.result
	d.mask()
	r.Tool, r.Args = d.tool, d.args
	r.Contexts = append(d.verdict.Contexts, r.Contexts...)
	r.Trail, r.Source = d.verdict.Trail, d.decision.source
	d.record()
	return r
}

// record records the decision, and calls Options.Decided.
func (d *dispatch) record() {
	r := d.result
	n := Decision{Time: d.e.now(), Env: d.call.Env, CallID: d.call.ID, Origin: d.call.Origin,
		Tool: d.tool, Args: d.args, Before: d.rewritten, Allowed: r.Skipped == "",
		By: d.decision.source, Cause: r.Skipped, Ruling: d.decision.ruling.decision,
		Rule: d.decision.ruling.rule, IsError: r.IsError, Trail: r.Trail}
	if l := d.decision.lifted; l != nil && n.Allowed {
		n.Lifted = l.words()
	}
	if r.Skipped != "" {
		n.Told = chat.PlainText(r.Content)
	}
	n = n.brief(d.e.Mask)
	d.e.log.addDecision(n)
	if tell := d.e.opts.Decided; tell != nil && !d.call.Preview {
		tell(n)
	}
}

// event makes an event about the current call, with the event's own fields from f.
func (d *dispatch) event(f event.Fired) *event.Event {
	var space *event.Space
	if d.touchesStale() {
		first := &firstEvent{}
		d.setTouches(&first.touches)
		space = &first.event
	}
	now, came := d.snap.tools[d.tool], d.snap.tools[d.call.Tool]
	tool, kind, readOnly := now.values(d.tool)
	about := event.Call{ID: &d.touch.id, Tool: tool, Kind: kind, ReadOnly: readOnly, Args: d.args,
		Original: d.call.Args, Origin: d.call.Origin, Hops: d.call.Depth, Touches: d.touch,
		ArgsShape: now.args(), OriginalShape: came.args()}
	if d.rewritten != nil {
		about.Rewritten = d.rewritten.Value()
	}
	return d.e.Events.NewOfCall(space, d.call.Env, f, &about)
}

// sameArgs compares arguments by value.
func sameArgs(a, b map[string]any) bool {
	return maps.EqualFunc(a, b, func(x, y any) bool { return reflect.DeepEqual(x, y) })
}
