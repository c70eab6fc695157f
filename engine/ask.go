// This file defines how a person is asked.
package engine

import "context"

// Ask is one question about a tool call: of a handler, a failed guard, or the permission mode.
type Ask struct {
	Script  string // "" = the permission mode
	Path    string
	Line    int
	Text    string // the question
	Reason  string
	Detail  map[string]any
	Failure *ScriptError // the handler failed, and that is why the user is asked

	guard   bool // asked by a guard: asked anew in each round
	routine bool // the permission mode's
}

// Question is what one dialog shows: the final arguments, and everybody who asks.
type Question struct {
	Call *Call // Tool and Args are final
	Kind string
	Asks []Ask
	// Always tells whether the answer may be remembered beyond this session: never for a guard's or
	// script's ask.
	Always bool
}

// Answer is what the user decided.
type Answer struct {
	Allow   bool
	Session bool           // the same for the rest of the session (same tool, same askers)
	Args    map[string]any // nil, or the arguments as the user edited them
	Reason  string         // why not, for the model
}

// Approver asks the user about tool calls. It may be called by several goroutines at a time, and shows one
// dialog after the other. Any error refuses the call; it is ctx's when the user went away.
type Approver interface {
	Approve(ctx context.Context, q *Question) (Answer, error)
}

// Dialog is a question that is not about a tool call: of a script or, with none named, of the program.
type Dialog struct {
	Script string
	Kind   string // "confirm", "select", "input"
	Title  string
	Detail string
	Yes    string // confirm: label, "" = "Yes"
	No     string
	// Default is what Enter gives to a confirm.
	Default bool
	Choices []Choice // select: what there is, in order
	Text    string   // input: what stands in the line at first
}

// Choice is one thing that can be selected.
type Choice struct {
	Label       string // "" = the value
	Value       string
	Description string
}

// Dialogs asks the user. Each waits for the answer; the error is ctx's when the user went away.
type Dialogs interface {
	Confirm(ctx context.Context, d *Dialog) (bool, error)
	// Select returns the value of the choice that was picked; ok is false if the user wants none.
	Select(ctx context.Context, d *Dialog) (value string, ok bool, err error)
	// Input returns a line that the user wrote; ok is false if the user does not want to.
	Input(ctx context.Context, d *Dialog) (text string, ok bool, err error)
}
