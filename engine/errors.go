// This file defines the errors of scripts, which are data until they are shown, and the effect of a
// handler's failure.

package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
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
	if around := e.around(); around != "" {
		return e.Error() + "\n" + around
	}
	return e.Error()
}

// around returns the excerpt and hint, for use below an error that is already shown; "" if there is
// neither.
func (e *ScriptError) around() string {
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

// excerptContext is how many lines are shown before and after the line of an error.
const excerptContext = 1

// Excerpt returns the lines around line (1-based) of src, numbered, with a caret under column if it
// is known. It is "" if there is no such line.
func Excerpt(src []byte, line, column int) string {
	lines := strings.Split(string(src), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	var b strings.Builder
	for n := max(1, line-excerptContext); n <= min(len(lines), line+excerptContext); n++ {
		text := plain.Short(strings.ReplaceAll(strings.TrimRight(lines[n-1], "\r"), "\t", " "),
			160)
		mark := " "
		if n == line {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s%4d | %s\n", mark, n, text)
		if n == line && column > 0 && column <= 160 {
			fmt.Fprintf(&b, "     | %s^\n", strings.Repeat(" ", column-1))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// scriptError adds the engine's information to a runtime's error.
func (g *Generation) scriptError(err error, handler string) *ScriptError {
	c := *asScriptError(err)
	c.Script, c.Path, c.Generation, c.Handler = g.Name, g.Path, g.Number, handler
	if c.File == "" {
		c.File = g.Name
	}
	if src, ok := g.File(c.File); ok && c.Excerpt == "" {
		c.Excerpt = Excerpt(src, c.Line, c.Column)
	}
	return &c
}

// asScriptError returns err if it is a ScriptError, otherwise a new one.
func asScriptError(err error) *ScriptError {
	if se, ok := err.(*ScriptError); ok {
		return se
	}
	return &ScriptError{Message: plain.Error(err), Err: err}
}

// placed returns e with the line at which the failed function was registered, if e has no position.
// s is the script.
func (e *ScriptError) placed(s *Script, line int) *ScriptError {
	if e.Line == 0 && line > 0 {
		e.Line, e.Excerpt = line, Excerpt(s.Bytes, line, 0)
	}
	return e
}

// BrokenAfter is how many failures in a row mark a guard BROKEN: one may be accidental, three are
// persistent.
const BrokenAfter = 3

// policy returns what h's failure means.
func (h *Handler) policy(row *event.Row) event.Failure {
	if h.OnError != "" {
		return h.OnError
	}
	return row.Failure
}

// WithheldText replaces text that is withheld because a handler failed. It does not repeat the
// error, which may contain that text.
func (v *Verdict) WithheldText(what string) string {
	where := v.By.ScriptName()
	if se := v.Failed(); se != nil && se.Line > 0 {
		where = se.Position.String()
	}
	return fmt.Sprintf("[%s is withheld: %s failed at %s]", what, v.By.Label(), where)
}

// cut withholds the event's text if the user cancelled before a scrubbing handler was done.
func (h *Handler) cut(ev *event.Event, v *Verdict) bool {
	if ev.Row().Withhold == "" || h.policy(ev.Row()) != event.FailBlock {
		return false
	}
	v.Blocked, v.By, v.Reason = true, h, h.Label()+" was cancelled"
	return true
}

// scriptError returns err with its position: the place in the script, or the registering call.
func (h *Handler) scriptError(err error) *ScriptError {
	if h.Gen == nil {
		return &ScriptError{Script: h.ScriptName(), Handler: h.Label(),
			Position: Position{File: h.ScriptName(), Line: h.Line}, Message: err.Error(), Err: err}
	}
	return h.Gen.scriptError(err, h.Label()).placed(h.Gen.Script, h.Line)
}

// retired reports whether err only says that h's script was reloaded or unloaded while h waited.
func (h *Handler) retired(err error) bool {
	return errors.Is(err, vm.ErrClosed) && h.Gen != nil && h.Gen.ctx.Err() != nil
}

// failed applies the policy for c.h's failure, and notifies the user.
func (c *chain) failed(err error) *ScriptError {
	h, ev, v := c.h, c.ev, c.v
	se := h.scriptError(err)
	switch {
	case h.retired(err):
		v.retired = true
		return se
	case c.ctx.Err() != nil:
		h.cut(ev, v)
		return se // the user cancelled: this is not a failure, and nothing runs
	}
	if h.policy(ev.Row()) != event.FailIgnore {
		c.e.Notices.reportError(se, ev.Env())
	}
	if n := h.failures.Add(1); n >= BrokenAfter && ev.Row().Failure == event.FailAsk &&
		!h.broken.Swap(true) {
		c.e.Notices.Notify(ev.Env(), "agent",
			Notice{fmt.Sprintf(
				"%s:%d: %s is BROKEN: it failed %d times in a row; each call it guards follows "+
					"on_error = %s", h.ScriptName(), h.Line, h.Label(), n, h.policy(ev.Row())),
				"error"})
	}
	switch h.policy(ev.Row()) {
	case event.FailAsk:
		a := h.asks(Outcome{Ask: h.Label() + " failed: " + se.Error() +
			"; run this call all the same?"})
		a.Failure = se
		v.Asks = append(v.Asks, a)
	case event.FailBlock:
		v.Blocked, v.By, v.Reason = true, h, h.Label()+" failed: "+se.Error()
	}
	return se
}

// succeeded records that c.h has answered, and reports it if it was broken.
func (c *chain) succeeded() {
	h := c.h
	if h.failures.Load() == 0 {
		return
	}
	h.failures.Store(0)
	if h.broken.Swap(false) {
		c.e.Notices.Notify(c.ev.Env(), "agent",
			Notice{fmt.Sprintf("%s:%d: %s works again", h.ScriptName(), h.Line, h.Label()),
				"success"})
	}
}
