// This file defines the rows of the table of events. The rows of the program are in engine/spec.

package event

import (
	"slices"

	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// Phase says what handlers of an event may do and how they run.
type Phase string

const (
	// Observe: handlers run off the critical path, in order per script, and may return nothing.
	Observe Phase = "observe"
	// Intercept: handlers run in order, and the intercepted operation waits for them; each sees the
	// rewrite of the previous one.
	Intercept Phase = "intercept"
)

// Row is one row of the event table: everything that the engine needs to know about an event.
type Row struct {
	Name    string
	Phase   Phase
	Payload []value.Field // in the order in which scripts iterate
	Filters []string      // of tool, kind, match, reads, writes, depth, level, purpose
	// permitted outcome keys: verbs and payload fields; notify is implied unless empty
	Returns []string
	Failure Failure // what a failing handler means by default
	Kind    vm.Kind // deadlines
	// the fields that the match filter looks at: "args.command|args.path", "text", ...
	MainText string
	Respond  func(v any) error // checks the value of respond; nil = anything
	// Lifetime is how long context returned by handlers is sent to the model: ForSession, ForPrompt
	// or ForTurn. It is "" if the row does not permit context.
	Lifetime string
	Doc      string
	// Withhold describes what happens to the text that handlers examine if one with on_error =
	// block fails, for events that cannot be blocked: "a notice takes the place of the result". The
	// code that fires the event reads Verdict.Blocked.
	Withhold string

	// EndsPieces means that no piece of a text follows the event from the same agent: see
	// PieceText.
	EndsPieces bool

	shape func() *value.Shape // computes it when it is first used; nil before prepare
	at    places
}

// Values of Row.Lifetime: how long returned context is sent to the model.
const (
	ForSession = "session" // in every request, until the session is compacted
	ForPrompt  = "prompt"  // until the prompt is done
	ForTurn    = "turn"    // with the next request only
)

// Custom is the name of the row for all events of scripts: custom:NAME.
const Custom = "custom:NAME"

// Failure is what a handler's failure (error, deadline, budget, wrong shape) means.
type Failure string

const (
	FailAsk    Failure = "ask"    // the user decides; refused if no one can approve
	FailBlock  Failure = "block"  // refuse
	FailAllow  Failure = "allow"  // go on as if it had returned nothing; listings show this
	FailWarn   Failure = "warn"   // keep the previous value, notify the user
	FailIgnore Failure = "ignore" // keep the previous value silently
)

// OnErrorChoices lists the permitted values of on_error for handlers of the row.
func OnErrorChoices(row *Row) []string {
	switch {
	case row.Failure == FailAsk:
		return []string{string(FailAsk), string(FailBlock), string(FailAllow)}
	case row.Phase == Observe:
		return []string{string(FailWarn), string(FailIgnore)}
	case row.Withholds():
		return []string{string(FailWarn), string(FailBlock), string(FailIgnore)}
	}
	return []string{string(FailWarn), string(FailIgnore)}
}

// Withholds reports whether the failure of a handler can prevent the event's operation, or hide its
// text.
func (row *Row) Withholds() bool {
	return row.Withhold != "" ||
		slices.Contains(row.Returns, "block")
}
