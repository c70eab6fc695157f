// This file defines budgets, and the errors that end a run.

package vm

import (
	"errors"
	"time"
)

// LimitError reports that a script exceeded a budget. Turn passes it to an interpreter to stop it.
type LimitError struct {
	What  string        // "script time", "wall time", "memory", "the turn"
	Limit time.Duration // 0 if the limit is not a time
	Note  string
}

func (e *LimitError) Error() string {
	s := "stopped: used up its " + e.What
	if e.Limit > 0 {
		s += " of " + e.Limit.String()
	}
	if e.Note != "" {
		s += " (" + e.Note + ")"
	}
	return s
}

// ErrClosed is the error of runs whose generation has been unloaded.
var ErrClosed = errors.New("cancelled: the script was reloaded or unloaded")

// Kind says what a run is for; budgets depend on it.
type Kind string

const (
	KindLoad       Kind = "load"
	KindStart      Kind = "start" // loading of an extension that is a program
	KindGuard      Kind = "guard" // guards and interceptors
	KindObserver   Kind = "observer"
	KindTool       Kind = "tool"
	KindProvider   Kind = "provider"
	KindCommand    Kind = "command" // commands, timers, UI callbacks
	KindSessionEnd Kind = "session_end"
	KindRender     Kind = "render" // drawing of what a script shows
	KindRedact     Kind = "redact" // a redactor's function searches a text
)

// Limits are the budgets of a run; 0 = none. Source: docs/events.md, "Budgets".
type Limits struct {
	Script time.Duration // time the VM runs
	Wall   time.Duration // time since the start, excluding waits for the user or a model
	Turn   time.Duration // time to wait for the VM's turn
}

// kindLimits are the budgets of a kind of runs.
type kindLimits struct {
	kind Kind
	Limits
}

// limits are the defaults; a handler's timeout replaces Wall. They are a list, the most frequent
// kind first, because every run looks its budgets up: a map takes several times as long.
var limits = [...]kindLimits{
	{KindGuard, Limits{Script: 250 * time.Millisecond, Wall: 60 * time.Second, Turn: time.Second}},
	{KindLoad, Limits{Script: time.Second, Wall: 5 * time.Second}},
	{KindStart, Limits{Script: time.Second, Wall: 30 * time.Second}},
	{KindObserver, Limits{Script: 250 * time.Millisecond, Wall: 10 * time.Second}},
	{KindTool, Limits{Script: 10 * time.Second, Wall: 60 * time.Second}},
	{KindProvider, Limits{Script: 10 * time.Second}},
	{KindCommand, Limits{Script: 2 * time.Second}},
	{KindRender, Limits{Script: 250 * time.Millisecond, Wall: 5 * time.Second}},
	{KindRedact, Limits{Script: 250 * time.Millisecond, Wall: 5 * time.Second, Turn: time.Second}},
	{KindSessionEnd, Limits{Script: 250 * time.Millisecond, Wall: 2 * time.Second}},
}

// LimitsOf returns the budgets of runs of a kind; known is false for an unknown kind.
func LimitsOf(kind Kind) (l Limits, known bool) {
	for i := range limits {
		if limits[i].kind == kind {
			return limits[i].Limits, true
		}
	}
	return l, false
}

// AllLimits returns the budgets of all kinds of runs.
func AllLimits() map[Kind]Limits {
	all := map[Kind]Limits{}
	for _, l := range limits {
		all[l.kind] = l.Limits
	}
	return all
}

// Times returns the limits multiplied by n.
func (l Limits) Times(n float64) Limits {
	wider := func(d time.Duration) time.Duration { return time.Duration(n * float64(d)) }
	return Limits{wider(l.Script), wider(l.Wall), wider(l.Turn)}
}
