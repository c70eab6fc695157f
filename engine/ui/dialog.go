// Package ui defines what scripts and the program show to the user through a front end, and what
// they ask: dialogs, notices, pieces of the screen, panels, and drawings in the transcript.
//
// A front end implements Dialogs and Surface. The engine masks what it passes to them.
package ui

import (
	"context"
	"errors"
)

// Dialog is a question that is not about a tool call: of a script or, without one, of the program.
type Dialog struct {
	Script string
	Kind   string // "confirm", "select", "input", "edit"
	Title  string
	Detail string // may contain changes of files, as unified diffs without the names of files
	Lang   string // of the code in these changes, "" = unknown
	Yes    string // confirm: label, "" = "Yes"
	No     string
	// Default is the answer of Enter to a confirm.
	Default bool
	// the answer applies for longer than this once: no single letter may give a yes, and letters do
	// not choose among Choices
	Lasting bool
	Choices []Choice // select: the choices, in order
	// select: the values selected initially, at most one unless several are allowed
	Picked []string
	Other  bool   // select: the user may write something else instead
	Text   string // input, edit: the initial text
	// Secret is set if the text of an input must not be seen while the user writes it.
	Secret bool
	// Patience ends the context of the question, with the cause context.DeadlineExceeded; nil =
	// there is no time limit. A front end that shows one question after the other holds it until
	// this one can be answered.
	Patience *Patience
}

// Choice is one item of a select.
type Choice struct {
	Label       string // "" = the value
	Value       string
	Description string
}

// ErrHeadless is the error of a dialog that a front end cannot show: the script gets the answer for
// programs without a user.
var ErrHeadless = errors.New("no user is available to answer")

// Dialogs asks the user. Each function waits for the answer; the error is ctx's if the user went
// away.
type Dialogs interface {
	Confirm(ctx context.Context, d *Dialog) (bool, error)
	// Select returns the value of the selected choice, or with Other the user's text; ok is false
	// if the user cancels.
	Select(ctx context.Context, d *Dialog) (value string, ok bool, err error)
	// Many returns the values of all selected choices, in order; ok is false if the user cancels.
	Many(ctx context.Context, d *Dialog) (values []string, ok bool, err error)
	// Edit returns the user's text of several lines; ok is false if the user cancels.
	Edit(ctx context.Context, d *Dialog) (text string, ok bool, err error)
	// Input returns the user's line; ok is false if the user cancels.
	Input(ctx context.Context, d *Dialog) (text string, ok bool, err error)
}
