// This file defines a tool call, and tools.

package engine

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/canonical"
	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// Call is one tool call on its way through Dispatch.
type Call struct {
	ID   string
	Tool string
	Args map[string]any
	// Origin is "model", "user", "script:NAME", "command:NAME", "mcp:SERVER" or "subagent".
	Origin string
	Env    *event.Envelope // session, directory, mode, turn: the envelope of all events of the call
	// Number is its place, from 1, among the Of calls of one message; both are 0 for other calls.
	Number, Of int
	// Depth counts nested calls by tools of scripts; a call deeper than MaxCallDepth is refused.
	Depth int
	// Preview takes the call through rewrites, schema and guards, and stops there: no routine
	// question, no dialog, no run. The Result has the Verdict.
	Preview bool
	// Together, if not nil, is called once, when the call has been approved and before its tool
	// runs: a call that only reads may run concurrently with others; any other call waits in it for
	// the others to end. asked: the user has just been asked about it, and allowed it.
	Together func(readOnly, asked bool)
}

// MaxCallDepth is how deep tool calls of scripts may nest: deeper nesting is a loop.
const MaxCallDepth = 8

// Tool is a tool that the model can call; a built-in one and a script's are of this same type.
type Tool struct {
	Name        string
	Description string
	Schema      map[string]any   // JSON Schema, type = "object"
	Aliases     *Aliases         // other names that models use for its arguments; may be nil
	Kind        string           // read, edit, execute, search, agent, other
	Subject     *subject.Subject // the subject of its calls; nil: see Describe
	ReadOnly    bool             // only reads: no routine question
	NoApproval  bool             // a script's approve = false
	Override    bool             // may replace a built-in tool of the same name
	Source      string           // "builtin", "script:NAME", "mcp:SERVER"
	Server      string           // the MCP server that runs it; "" = none
	Gen         *Generation      // the script's generation, nil for built-in ones
	Line        int              // of the registering call
	// Run does the work. The error is the tool's failure; it becomes a result with IsError.
	Run func(ctx context.Context, use *Use) (*Result, error)
	// Sandbox confines the program that Run starts, or that answers the call; nil = nothing does.
	Sandbox *Sandbox
	// Preview describes what Run would do with the same arguments, and changes nothing. It is
	// called before the user is asked about the call, for at most previewWait. It returns an error
	// if Run would fail. nil = the user is shown the arguments.
	Preview func(ctx context.Context, use *Use) (*ui.Preview, error)

	validate Validator
	shape    *value.Shape // of the arguments, nil = unknown
	// Name and Kind as payload fields: the events of all calls share them. CheckTool sets them.
	name, kind any
}

// Confinement is how the operating system confines the program of a call.
type Confinement int

// The confinements of a call.
const (
	Unconfined Confinement = iota // it has the user's permissions, or its confinement is unknown
	Confined                      // a sandbox limits what it writes: Options.MayWrite
	Sealed                        // the sandbox enforces all its limits: auto needs no question
	Outside                       // there is a sandbox, and the call asks to run outside of it
)

// values returns the payload fields of an event about a call of t: its name, kind, and whether it
// only reads. t is nil if there is no tool called name.
func (t *Tool) values(name string) (tool, kind any, readOnly bool) {
	switch {
	case t == nil:
		return name, "other", false
	case t.name == nil:
		return t.Name, t.Kind, t.ReadOnly
	}
	return t.name, t.kind, t.ReadOnly
}

// args returns the shape of the arguments of t, which may be nil; nil = unknown.
func (t *Tool) args() *value.Shape {
	if t == nil {
		return nil
	}
	return t.shape
}

// Aliases are names that models give to the arguments of a tool instead of those of its schema.
type Aliases = canonical.Aliases

// Use is passed to a running tool: the final arguments and functions to report progress.
type Use struct {
	CallID string
	Args   map[string]any
	Env    *event.Envelope
	Depth  int
	// Heard gets the output of a tool that is called without an engine; nil = the output is
	// dropped.
	Heard func(chunk string, stderr bool)

	engine *Engine      // nil: the tool was called without an engine
	change *changes.Run // nil: the tool only reads, or was called without an engine
	call   *dispatch    // nil: it was called without an engine
}

// Output reports a piece of output as it happens (tool_output).
func (u *Use) Output(chunk string, stderr bool) {
	switch {
	case u.call != nil:
		u.call.output(chunk, stderr)
	case u.Heard != nil:
		u.Heard(chunk, stderr)
	}
}

// Decided returns the paths, with links followed, on which the decision about the call was based:
// those that it reads, and those that it writes. They are nil if the tool was called without an
// engine. Call it on the goroutine on which Run was called.
func (u *Use) Decided() (reads, writes []string) {
	if u.call == nil {
		return nil, nil
	}
	whole := u.call.touches().whole()
	return whole.Reads(), whole.Writes()
}

// DecidedDir returns the folder, with links followed, in which the decision about the call has its
// commands run; "" if there was none. See Decided.
func (u *Use) DecidedDir() string {
	if u.call == nil {
		return ""
	}
	return u.call.touches().whole().Dir()
}

// Seen reports whether a file that the tool has opened at one of the decided paths was compared
// with what guards and rules name, or need not be. It is false for a file with several names (hard
// links) that was not there then. Call it as Decided.
func (u *Use) Seen(info fs.FileInfo) bool {
	return u.call == nil || u.call.touches().whole().Seen(info)
}

// Continues reports that the tool's work continues after Run returns, as that of a background job
// does: files that it writes still count as written by this call. The caller must call ended when
// the work ends.
func (u *Use) Continues() (ended func()) {
	if u.change == nil {
		return func() {}
	}
	u.change.AddWork()
	return sync.OnceFunc(u.change.End)
}

// Leaves reports that processes go on running that the call has started; what returns their name,
// such as "sleep (pid 7)". Files that they write count as written by this call. It must be called
// before Run returns, or before the end of what continues, and ended when they have ended.
func (u *Use) Leaves(what func() string) (ended func()) {
	if u.change == nil {
		return func() {}
	}
	return u.change.Leave(what)
}

// NewMasker returns a Masker for output that the tool writes to a file, during and after its run.
func (u *Use) NewMasker() *redact.Masker {
	if u.engine == nil {
		return nil
	}
	return u.engine.Mask.NewMasker()
}

// Validator checks plain data, such as the arguments of a tool, against one schema. The error says
// what is wrong and where.
type Validator interface {
	Validate(v any) error
}

// Schema compiles JSON Schemas.
type Schema interface {
	Compile(schema map[string]any) (Validator, error)
}

// inherit returns t, which replaces old, with the Subject of old if it has none and takes the same
// argument: rules and guards for old then apply to it.
func (t *Tool) inherit(old *Tool) *Tool {
	properties, _ := t.Schema["properties"].(map[string]any)
	if t.Subject != nil || old.Subject == nil || properties[old.Subject.Arg] == nil {
		return t
	}
	c := *t
	c.Subject = old.Subject
	return &c
}

// Title describes a call of t. t may be nil. clip shortens an argument to one line, and reports
// whether it is complete.
func (t *Tool) Title(args map[string]any, clip func(string) (string, bool)) subject.Title {
	if t == nil {
		return (*subject.Subject)(nil).Describe(args, clip)
	}
	return t.Subject.Describe(args, clip)
}

// previewWait is how long a question waits for the preview of its call: a local disk answers in
// milliseconds, and one that hangs must not prevent the question.
const previewWait = 3 * time.Second

// previewCall asks the tool what the call would do. It returns nil if the tool cannot say, or not
// in time.
func (d *dispatch) previewCall() *ui.Preview {
	if d.found == nil || d.found.Preview == nil || d.verdict.Answerer != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(d.ctx, previewWait)
	defer cancel()
	use := &Use{CallID: d.call.ID, Args: d.args, Env: d.call.Env, Depth: d.call.Depth, engine: d.e}
	preview := d.found.Preview // an abandoned goroutine must not read d
	p, err := apart.Run(ctx, func() (*ui.Preview, error) { return preview(ctx, use) })
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return &ui.Preview{Fails: err.Error()}
	}
	return p
}
