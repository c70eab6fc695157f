// Package fault defines the failures of scripts: data, until they are shown to a person or thrown
// in a script. What a failure means for a call is decided by package engine.
package fault

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// Position is a place in a script's source; Line and Column are 1-based, 0 when unknown.
type Position struct {
	File   string
	Line   int
	Column int
}

func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// ScriptError is the failure of a script: a syntax error, a throw, a wrong return, an exceeded
// budget.
type ScriptError struct {
	Script     string // file name: the script's identity
	Path       string // path of the file
	Generation int
	Handler    string // "guard", "on tool_call", "command /x", "load", ...
	Position          // as precise as the interpreter knows
	Message    string // without the position
	Excerpt    string // the line and its neighbours, with a caret
	Stack      string
	Hint       string // what to do next
	Waits      bool   // nothing failed: a new version waits for the user
	Err        error  // the Go cause, if any: *LimitError, context.Canceled, ...
}

// Error returns "guard.lua:12: message".
func (e *ScriptError) Error() string {
	if e.File == "" {
		return e.Message
	}
	at := e.Position
	at.File = plain.RevealName(at.File)
	return at.String() + ": " + e.Message
}

func (e *ScriptError) Unwrap() error { return e.Err }

// Detail returns the error with excerpt and hint, for a person, in several lines.
func (e *ScriptError) Detail() string {
	if around := e.Around(); around != "" {
		return e.Error() + "\n" + around
	}
	return e.Error()
}

// Around returns the excerpt and hint, for use below an error that is already shown; "" if there is
// neither.
func (e *ScriptError) Around() string {
	var lines []string
	if e.Excerpt != "" {
		lines = append(lines, e.Excerpt)
	}
	if e.Hint != "" {
		lines = append(lines, "hint: "+e.Hint)
	}
	return strings.Join(lines, "\n")
}

// WorldError is an external failure, not a mistake of the script: in Lua the call returns nil,
// {code, message}; in JS it throws or rejects with an Error that has the code.
type WorldError struct {
	Code    string // "not_found", "timeout", "headless", ...
	Message string
}

func (e *WorldError) Error() string { return e.Message }

// ThrownError is the cause of a failure for which a script threw its own value: when ext.all raises
// it again, a script gets that value.
type ThrownError struct {
	Value any // plain data: a table, or a list
}

func (e *ThrownError) Error() string { return "a " + value.TypeName(e.Value) + " was thrown" }

// FailError is the error that ext.fail raises, with fields that its receiver (the agent, for a
// provider) understands.
type FailError struct {
	Message    string
	Status     int
	Retryable  bool
	Final      bool    // explicitly not retryable, whatever the status
	RetryAfter float64 // seconds
	Overflow   bool    // the request was larger than the model's context
}

func (e *FailError) Error() string { return e.Message }

// Fields returns the error as the table that a script's pcall or catch sees.
func (e *FailError) Fields() map[string]any {
	m := map[string]any{"message": e.Message}
	if e.Status != 0 {
		m["status"] = e.Status
	}
	if e.Retryable || e.Final {
		m["retryable"] = e.Retryable
	}
	if e.RetryAfter != 0 {
		m["retry_after"] = e.RetryAfter
	}
	if e.Overflow {
		m["overflow"] = true
	}
	return m
}

// Of returns err if it is a ScriptError, otherwise a new one, with the hint of one that it wraps.
func Of(err error) *ScriptError {
	if se, ok := err.(*ScriptError); ok {
		return se
	}
	se := &ScriptError{Message: plain.Error(err), Err: err}
	if cause := (*ScriptError)(nil); errors.As(err, &cause) {
		se.Hint = cause.Hint
	}
	return se
}

// Placed returns e with the line of src at which the failed function was registered, if e has no
// position.
func (e *ScriptError) Placed(src []byte, line int) *ScriptError {
	if e.Line == 0 && line > 0 {
		e.Line, e.Excerpt = line, Excerpt(src, line, 0)
	}
	return e
}

// maxErrorText is the maximal length in bytes of an error of an API function: it repeats arguments.
const maxErrorText = 4 << 10

// briefError is a shortened error.
type briefError struct {
	text string
	err  error
}

func (e *briefError) Error() string { return e.text }

func (e *briefError) Unwrap() error { return e.err }

// Briefly shortens the middle of an API function's long error. Messages of the script itself are
// not cut.
func Briefly(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if len(text) <= maxErrorText {
		return err
	}
	head, tail := plain.Head(text, maxErrorText/4), plain.Tail(text, maxErrorText/4)
	text = fmt.Sprintf("%s… (%d bytes) …%s", head, len(text), tail)
	var script *ScriptError
	var fail *FailError
	if errors.As(err, &script) || errors.As(err, &fail) {
		return err
	}
	if world, ok := err.(*WorldError); ok {
		return &WorldError{Code: world.Code, Message: text}
	}
	return &briefError{text, err}
}

const (
	// MaxFrames is how many frames a stack has: endless recursion fills a thousand, and says
	// nothing more with them.
	MaxFrames = 20
	// maxMessage bounds what one error can put on the screen and in the log, in bytes.
	maxMessage = 4096
)

// BoundMessage gives e a message if it has none, and cuts a long one.
func (e *ScriptError) BoundMessage() {
	switch {
	case e.Message == "":
		e.Message = "an error without a message"
	case len(e.Message) > maxMessage:
		e.Message = plain.Head(e.Message, maxMessage) + "…"
	}
}

// Stopped returns the error of a run of the script name that was stopped by stop; err, if not nil,
// is what the run ended with, and tells where it was.
func Stopped(name string, err, stop error) error {
	var at, se *ScriptError
	found := errors.As(err, &at)
	switch {
	case errors.As(stop, &se): // it knows its place
		return se
	case found && errors.Is(at, stop):
		return at
	}
	se = &ScriptError{Position: Position{File: name}, Message: stop.Error(), Err: stop}
	if found {
		se.Position, se.Stack = at.Position, at.Stack
	}
	return se
}
