// This file defines the Engine and its options.

package engine

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/stream"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// Options configures an Engine. Events, API, Host and Runtimes are required for scripts.
type Options struct {
	Events    []event.Row
	API       []APIRow
	Host      map[string]HostFunc // by APIRow.Name; one for each row except facts
	Fact      func(g *Generation, name string) any
	Runtimes  []Runtime
	Schema    Schema  // nil: arguments of tools are not checked
	Tools     []*Tool // built in
	Providers []*Provider
	Rules     Rules // nil: there are none
	// Touch returns what a tool call reads and writes; it is called on demand; the tool is nil if
	// there is none of that name. When ctx ends, nobody waits for the result any more, nor for that
	// of its methods. nil: unknown for every call.
	Touch func(ctx context.Context, c *Call, t *Tool) Touched
	// Protect returns which protected files a call would change; it gets what the call touches, and
	// the files of the loaded scripts. nil: nothing is protected, and accept-edits covers each
	// edit.
	Protect func(c *Call, t Touched, scripts []string) Protection
	// MayWrite reports whether a program in the sandbox may write the file at path, an absolute
	// path with its links followed; nil = there is no sandbox.
	MayWrite func(path string) bool
	// Secrets are texts such as keys: they are masked wherever redactors mask. Secrets of less than
	// 8 bytes are not masked, because they would match in the middle of words.
	Secrets  []string
	Approver Approver    // nil: calls that would ask are refused
	Dialogs  ui.Dialogs  // nil: ext.ui dialogs answer "headless"
	Surface  *ui.Surface // nil: output of scripts for the screen is dropped
	// Emit gets the events that EmitWants selects, in order, for screens, --json and logs: see
	// stream.Stream.Subscribe. May be nil.
	Emit      func(ev *event.Event)
	EmitWants event.Interest // nil: all events
	// Envelope returns the envelope of events that the engine itself fires. May be nil.
	Envelope func() *event.Envelope
	// Decided is called with every decision about a call that is not a preview, when the call has
	// ended. It must be quick. The decision is not masked: see Decision.Masked, which Decided must
	// not call itself. May be nil.
	Decided func(d Decision)
	Clock   vm.Clock // the clock of scripts; nil: the system's
	// Random gives the bytes that all random numbers of scripts are made from. It must be safe for
	// concurrent use. nil: the system's.
	Random io.Reader
	// Heap returns the size of the heap in bytes, by which scripts are stopped that take too much.
	// nil = that of the whole process, to which everything else adds that runs in it.
	Heap func() uint64
	// Patience multiplies the default budgets of scripts: more than 1 for a slow machine, or an
	// instrumented build. A handler's own timeout is not changed. 0 = 1.
	Patience float64
	// Wedged is called when the VM of a generation did not stop and was abandoned; the loader loads
	// it again.
	Wedged func(g *Generation)
}

// Engine runs scripts. Its methods are safe for concurrent use.
type Engine struct {
	Events   *event.Table   // the table of events, which creates them
	Mask     *redact.Mask   // masks secrets
	Scripts  Scripts        // the scripts in force
	Commands Commands       // commands of scripts that the user runs
	Screen   Screen         // what scripts show
	User     User           // asks the user
	Notices  Notices        // notifies the user
	Stream   *stream.Stream // the masked events, in order
	Emitter  Emitter        // sends events to the stream and to observers

	opts Options
	api  []*Builtin

	log     decisionLog
	changes changes.Log
	written changes.Files
	strands vm.Strands
}

// New makes an engine with an empty snapshot. Close ends it.
func New(o Options) (*Engine, error) {
	e := &Engine{opts: o, Mask: redact.NewMask(o.Secrets)}
	e.User.init(o.Approver, o.Dialogs)
	if o.Rules != nil {
		e.User.grant = e.allowForSession
	}
	var err error
	if e.Events, err = event.NewTable(o.Events, e.now, o.Envelope, e.argsOf); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	for i := range o.API {
		row := &o.API[i]
		if !row.Fact && o.Host[row.Name] == nil {
			return nil, fmt.Errorf("engine: API row %q has no host function", row.Name)
		}
		e.api = append(e.api, &Builtin{Row: row, Func: o.Host[row.Name]})
	}
	for _, t := range o.Tools {
		if err := e.CheckTool(t); err != nil {
			return nil, err
		}
	}
	e.Stream = stream.New(stream.Options{Mask: e.Mask, Observe: e.Emitter.tellObservers,
		Failed: func(text string) { e.Notices.internalError("listener", text) },
		Lost: func() {
			e.Notices.Notify(nil, "agent",
				ui.Notice{Text: "redactors are too slow: events were not shown", Level: "warn"})
		}})
	e.connect()
	if o.Emit != nil {
		e.Stream.Subscribe(o.EmitWants, o.Emit)
	}
	e.Scripts.init(e)
	return e, nil
}

// connect links the parts of e with each other.
func (e *Engine) connect() {
	em, ns := &e.Emitter, &e.Notices
	em.events, em.mask, em.stream = e.Events, e.Mask, e.Stream
	em.scripts, em.notices = &e.Scripts, ns
	ns.events, ns.emitter, ns.stream = e.Events, em, e.Stream
	ns.scripts, ns.intercept = &e.Scripts, e.intercept
	e.Commands.scripts, e.Commands.notices, e.Commands.mask = &e.Scripts, ns, e.Mask
	e.Screen.scripts, e.Screen.mask, e.Screen.surface = &e.Scripts, e.Mask, e.opts.Surface
}

// argsOf returns the shape of the arguments of a tool, nil = unknown.
func (e *Engine) argsOf(tool string) *value.Shape {
	return e.Scripts.current.Load().tools[tool].args()
}

// closeWait is how long Close waits for the stream to deliver earlier events.
const closeWait = 2 * time.Second

// Close retires every generation. Calls in progress end with errors; the watchdog ends when nothing
// runs. The stream has then delivered all events, unless a redactor takes too long.
func (e *Engine) Close() {
	e.Scripts.closed.Store(true) // before guards are removed: no call may run without them
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	e.Stream.Flush(ctx)
	e.Scripts.Swap(nil, nil)
	e.Stream.Flush(ctx) // texts that redactors did not finish are withheld
	e.strands.Close()
	e.Emitter.strands.Close()
	e.Scripts.dog.Close()
}

// API returns the rows of the API table.
func (e *Engine) API() []APIRow { return e.opts.API }

// Fits checks plain data against a JSON Schema. The error lists the faults.
func (e *Engine) Fits(v any, schema map[string]any) error {
	if e.opts.Schema == nil {
		return nil
	}
	c, err := e.opts.Schema.Compile(schema)
	if err != nil {
		return err
	}
	return c.Validate(v)
}

// CheckTool prepares the tool for calls: its schema is compiled, so that its arguments can be
// checked.
func (e *Engine) CheckTool(t *Tool) error {
	t.shape, t.name, t.kind = value.ArgsShape(t.Name, t.Schema), t.Name, t.Kind
	if e.opts.Schema == nil || t.Schema == nil {
		return nil
	}
	v, err := e.opts.Schema.Compile(t.Schema)
	if err != nil {
		return fmt.Errorf("tool %s: schema: %w", t.Name, err)
	}
	t.validate = v
	return nil
}
