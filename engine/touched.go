// This file defines the files that tool calls read and write, for events and filters.

package engine

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// Touched predicts which files a tool call reads and writes, before it runs.
type Touched interface {
	Reads() []string // absolute, links followed
	Writes() []string
	Unknown() bool // there may be other writes
	// WritesBelow returns the folders below which everything is written, too.
	WritesBelow() []string
	Commands() []string // the command lines that are run
	// Fills returns those of Writes about whose contents the call decides.
	Fills() []string
	// RunsWritten reports whether a command line runs a file about whose contents an earlier call
	// has decided: see Engine.Written.
	RunsWritten() bool
	// Seen reports whether a file that is opened now was compared with the files of guards under
	// all its names, or need not be.
	Seen(info fs.FileInfo) bool
	Dir() string // the folder in which they run, with links followed; "" = it is unknown
	// CanWrite reports whether the call may write the file at path, an absolute path with its links
	// followed. A command line that runs a program such as make may write any file.
	CanWrite(path string) bool
	// Fits reports whether one of the paths that are read ("reads") or written ("writes") matches a
	// glob, and, if none does, whether that is certain.
	Fits(what, glob string) (fits, sure bool)
	// Rooted returns a glob as one for absolute paths, with links followed in its part without
	// wildcards.
	Rooted(glob string) string
	// Perhaps describes, for users, the program that may read or write a path that matches a glob,
	// if the call names that path and its use is unknown: "openssl may write ~/.ssh/x". It is "" if
	// there is none; otherwise the result of Fits is not certain.
	Perhaps(what, glob string) string
	// Why says, for users, why the call touches or may touch a file that matches a glob: which word
	// names it, and how that is known; if it is not certain, also how to write the call so that it
	// is. It is "" if the call touches no such file.
	Why(what, glob string) string
	// Risks returns what a user should know about the call before allowing it.
	Risks() Risks
}

// Risks are sentences, for users, about what a call does, as far as that is known; "" = it does not
// do that, or it is unknown.
type Risks struct {
	Outside string // which files it writes outside of the project
	Unknown string // that it may write files that it does not name, and why
	Network string // which of its programs connect to other machines
	// OnlyReads reports that it is a command line of programs that only read, as far as is known:
	// in a sandbox in which they can do nothing else, nobody needs to be asked.
	OnlyReads bool
}

// unknownTouched is the Touched of an unknown call: it may touch files that cannot be predicted.
type unknownTouched struct{}

func (*unknownTouched) Reads() []string                    { return nil }
func (*unknownTouched) Writes() []string                   { return nil }
func (*unknownTouched) Unknown() bool                      { return true }
func (*unknownTouched) WritesBelow() []string              { return []string{"/"} }
func (*unknownTouched) Commands() []string                 { return nil }
func (*unknownTouched) Fills() []string                    { return nil }
func (*unknownTouched) RunsWritten() bool                  { return false }
func (*unknownTouched) Seen(fs.FileInfo) bool              { return true }
func (*unknownTouched) Dir() string                        { return "" }
func (*unknownTouched) CanWrite(string) bool               { return true }
func (*unknownTouched) Fits(_, _ string) (fits, sure bool) { return false, false }
func (*unknownTouched) Rooted(glob string) string          { return glob }
func (*unknownTouched) Perhaps(_, _ string) string         { return "" }
func (*unknownTouched) Risks() Risks                       { return Risks{} }
func (*unknownTouched) Why(_, _ string) string {
	return "the files that the call touches could not be determined"
}

// touches provides the fields of an event that describe what its call touches: computed once, when
// one of them is read. Each call has them, and few handlers read them, so creating them must be
// cheap.
type touches struct {
	e    *Engine
	ctx  context.Context // of the call: when it ends, waiting for a hanging disk ends
	call Call
	tool *Tool
	// how often files had been written before, see Engine.Written
	written int

	once                       sync.Once
	found                      Touched
	id, reads, writes, unknown value.Lazy

	guard      sync.Once
	protection Protection // of the call, under guard
}

// init makes the fields for a call.
func (t *touches) init(e *Engine, ctx context.Context, c Call, tool *Tool) {
	t.e, t.ctx, t.call, t.tool, t.written = e, ctx, c, tool, e.written.Added()
	t.id.Init(t, idPart)
	t.reads.Init(t, readsPart)
	t.writes.Init(t, writesPart)
	t.unknown.Init(t, unknownPart)
}

// The parts of touches as a value.Source.
const (
	idPart = iota
	readsPart
	writesPart
	unknownPart
)

// Compute implements value.Source.
func (t *touches) Compute(part int) any {
	switch part {
	case idPart:
		return t.call.ID
	case readsPart:
		return value.TextList(t.whole().Reads())
	case writesPart:
		return value.TextList(t.whole().Writes())
	}
	return t.whole().Unknown()
}

// lookTime is the time limit for what the engine determines about the files of a call: a local disk
// takes a few milliseconds. Beyond it, the files are unknown. The time limit of a guard applies,
// too: see chain.fits.
const lookTime = 5 * time.Second

// whole returns what the call touches; unknown if the call is cancelled, or if the computation
// fails or takes too long.
func (t *touches) whole() Touched {
	t.once.Do(func() {
		t.found = &unknownTouched{}
		if t.e.opts.Touch == nil {
			return
		}
		ctx, cancel := withLimit(t.ctx, lookTime)
		defer cancel()
		found, err := within(ctx, func() Touched { return t.e.opts.Touch(t.ctx, &t.call, t.tool) })
		if t.report(err); err == nil {
			t.found = found
		}
	})
	return t.found
}

// Fields implements event.Touches.
func (t *touches) Fields() (reads, writes, unknown *value.Lazy) {
	return &t.reads, &t.writes, &t.unknown
}

// Fits calls Fits of the call's Touched, which may also access files. What the sandbox holds is
// certain.
func (t *touches) Fits(what, glob string) (fits, sure bool) {
	whole := t.whole()
	ctx, cancel := withLimit(t.ctx, lookTime)
	defer cancel()
	answer, err := within(ctx, func() [2]bool {
		fits, sure := whole.Fits(what, glob)
		if !fits && !sure {
			sure = t.tool.Holds(t.call.Args, what, whole.Rooted(glob))
		}
		return [2]bool{fits, sure}
	})
	t.report(err)
	return answer[0], answer[1]
}

// Perhaps calls Perhaps of the call's Touched.
func (t *touches) Perhaps(what, glob string) string {
	whole := t.whole()
	ctx, cancel := withLimit(t.ctx, lookTime)
	defer cancel()
	text, err := within(ctx, func() string { return whole.Perhaps(what, glob) })
	t.report(err)
	return text
}

// Why calls Why of the call's Touched.
func (t *touches) Why(what, glob string) string {
	whole := t.whole()
	text, err := within(t.ctx, func() string { return whole.Why(what, glob) })
	t.report(err)
	return text
}

// risks calls Risks of the call's Touched.
func (t *touches) risks() Risks {
	whole := t.whole()
	ctx, cancel := withLimit(t.ctx, lookTime)
	defer cancel()
	out, err := within(ctx, whole.Risks)
	t.report(err)
	return out
}

// report reports a panic to the user.
func (t *touches) report(err error) {
	var panicked *apart.PanicError
	if errors.As(err, &panicked) {
		t.e.Notices.internalError("touch", panicked.Value)
	}
}

// withLimit returns ctx, which may be nil, with a time limit.
func withLimit(ctx context.Context, limit time.Duration) (context.Context, func()) {
	if ctx == nil {
		ctx = context.Background()
	}
	return context.WithTimeout(ctx, limit)
}

// within runs look, which may wait for a disk. When ctx ends, look is abandoned, and the error is
// the cause of ctx. A panic of look is an *apart.PanicError.
func within[T any](ctx context.Context, look func() T) (out T, err error) {
	if ctx == nil || ctx.Done() == nil {
		err = apart.Call(func() error {
			out = look()
			return nil
		})
		return out, err
	}
	return apart.Run(ctx, func() (T, error) { return look(), nil })
}

// touches returns the fields for the current call; the events of one call share them.
func (d *dispatch) touches() *touches {
	if d.touchesStale() {
		d.setTouches(&touches{})
	}
	return d.touch
}

// touchesStale reports whether there are no fields yet for the current call.
func (d *dispatch) touchesStale() bool {
	return d.touch == nil || d.touchTool != d.tool ||
		d.touchArgs != reflect.ValueOf(d.args).Pointer() || d.touchSpec != d.snap.tools[d.tool]
}

// setTouches makes the fields for the current call in t.
func (d *dispatch) setTouches(t *touches) {
	d.touchTool, d.touchArgs = d.tool, reflect.ValueOf(d.args).Pointer()
	d.touchSpec = d.snap.tools[d.tool]
	t.init(d.e, d.ctx, Call{ID: d.call.ID, Tool: d.tool, Args: d.args, Origin: d.call.Origin,
		Env: d.call.Env}, d.touchSpec)
	d.touch = t
}

// overtaken reports whether the call runs a file that another call has written since the guards and
// rules were asked: one of the same message, for which this one has waited. They are asked again.
func overtaken(d *dispatch) bool {
	old := d.touch
	if old == nil || d.call.Origin == "user" || old.written == d.e.written.Added() {
		return false
	}
	d.setTouches(&touches{})
	if d.touch.whole().RunsWritten() {
		return true
	}
	d.touch = old // a tool opens what was decided about
	return false
}

// firstEvent is memory for the first event of a call: most have no other one.
type firstEvent struct {
	touches touches
	event   event.Space
}

// retouch makes the fields again, after a handler changed the arguments or the tool.
func (c *chain) retouch() {
	if !c.ev.HasTouches() {
		return
	}
	args, _ := c.ev.Field("args").(map[string]any)
	tool := c.ev.Text("tool")
	id := c.ev.Text("call_id")
	t := &touches{}
	t.init(c.e, c.ctx, Call{ID: id, Tool: tool, Args: args, Origin: c.ev.Origin(),
		Env: c.ev.Env()}, c.tools[tool])
	c.ev = c.ev.WithTouches(t)
}

// fits reports whether the event passes the filter of c.h, and if not, whether that is certain. The
// files of the call are looked at for the handler, within its time limit.
func (c *chain) fits() (fits, sure bool) {
	filter, ev := &c.h.Filter, c.ev
	if !filter.NamesPaths() {
		return filter.Fits(ev)
	}
	answer, err := forHandler(c, func() [2]bool {
		fits, sure := filter.Fits(ev)
		return [2]bool{fits, sure}
	})
	return answer[0], answer[1] && err == nil
}

// forHandler runs look, which looks at the files of the call, within the time limit of c.h.
func forHandler[T any](c *chain, look func() T) (T, error) {
	limit := c.h.Timeout
	if limit == nil || *limit <= 0 {
		return look(), nil
	}
	ctx, cancel := withLimit(c.ctx, *limit)
	defer cancel()
	return within(ctx, look)
}

// why says why the call touches paths that match the filter of c.h, or may; "" if the filter is
// about no paths.
func (c *chain) why() string {
	filter, ev := &c.h.Filter, c.ev
	text, _ := forHandler(c, func() string { return filter.Why(ev) })
	return text
}

// doubtful asks on behalf of a guard whose filter may match the paths of a call, which are unknown.
func (c *chain) doubtful() {
	t := c.h.step(c.ev, 0)
	guards := c.h.ScriptName() + " guards (" + c.h.Filter.String() + ")"
	text := "this call may touch paths that " + guards
	filter, ev := &c.h.Filter, c.ev
	if who, _ := forHandler(c, func() string { return filter.Perhaps(ev) }); who != "" {
		text = who + ", which " + guards
	}
	t.Outcome, t.Reason = "ask", c.why()
	c.v.Asks = append(c.v.Asks, c.h.asks(Outcome{Ask: text, Reason: t.Reason}))
	c.v.Trail = append(c.v.Trail, t)
}
