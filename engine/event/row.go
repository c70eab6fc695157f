// This file defines the rows of the table of events. The rows of the program stand in engine/spec.

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
	// Intercept: handlers run in order on the path of what they intercept; each sees the last one's
	// rewrite.
	Intercept Phase = "intercept"
)

// Row is one row of the event table: everything the engine needs to know of an event.
type Row struct {
	Name    string
	Phase   Phase
	Payload []value.Field // in the order in which scripts iterate
	Filters []string      // of tool, kind, match, reads, writes, depth, level, purpose
	// permitted outcome keys: verbs and payload fields; notify is implied unless empty
	Returns []string
	Failure Failure // what a failing handler means by default
	Kind    vm.Kind // deadlines
	// what the match filter looks at: "args.command|args.path", "text", ...
	MainText string
	Respond  func(v any) error // checks what stands for respond; nil = anything
	// Lifetime is how long the model is sent what handlers return as context: ForSession, ForPrompt
	// or ForTurn. It is "" if the row does not permit context.
	Lifetime string
	Doc      string
	// Withhold says what becomes of what the handlers look at if one fails that has on_error =
	// block, where none of them may return block: "a notice takes the place of the result". Whoever
	// fires the event sees Verdict.Blocked.
	Withhold string

	// EndsPieces says that no piece of a text comes after the event from the same agent: see
	// PieceText.
	EndsPieces bool

	shape *value.Shape // these two are made when the row is registered
	at    places
}

// How long the model is sent what a handler returned as context.
const (
	ForSession = "session" // in every request, until the session is compacted
	ForPrompt  = "prompt"  // until the prompt is done
	ForTurn    = "turn"    // with the next model call only
)

// Custom is the row that stands for all events of scripts: custom:NAME.
const Custom = "custom:NAME"

// Failure is what a handler's failure (error, deadline, budget, wrong shape) means.
type Failure string

const (
	FailAsk    Failure = "ask"    // the user decides; nobody there: refuse
	FailBlock  Failure = "block"  // refuse
	FailAllow  Failure = "allow"  // go on as if it had returned nothing; shown in every listing
	FailWarn   Failure = "warn"   // keep the previous value, tell the user
	FailIgnore Failure = "ignore" // keep the previous value, tell nobody
)

// OnErrorChoices lists what on_error may say for handlers of the row.
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

// Withholds reports whether the failure of a handler can stop what the event is about.
func (row *Row) Withholds() bool {
	return row.Withhold != "" ||
		slices.Contains(row.Returns, "block")
}
