package scripttest

import (
	"cmp"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/standard"
)

// SteadyHeap is the Heap of engines in tests: other tests allocate memory at the same time, which
// would be charged to a script that takes long. Tests of the limit of memory have another one.
func SteadyHeap() uint64 { return 1 }

// steady sets the Heap of an engine that has none.
func steady(o *engine.Options) {
	if o.Heap == nil {
		o.Heap = SteadyHeap
	}
}

// unhurry lets the scripts of an engine run on a busy machine: they have more time, unless o says
// how much, and are not charged for the memory of other tests.
func unhurry(o *engine.Options) {
	o.Patience = cmp.Or(o.Patience, patience)
	steady(o)
}

// NewEngine returns an engine with the standard events besides those of o, and nothing else that o
// does not have. It is closed at the end of the test.
func NewEngine(tb testing.TB, o engine.Options) *engine.Engine {
	tb.Helper()
	steady(&o)
	o.Events = append(spec.Events(), o.Events...)
	e, err := engine.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(e.Close)
	return e
}

// NewStandard returns an engine as the program has it, with all that scripts can call. It is closed
// at the end of the test, and then the table of its functions.
func NewStandard(tb testing.TB, o standard.Options) *engine.Engine {
	tb.Helper()
	unhurry(&o.Engine)
	e, table, err := standard.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		e.Close()
		table.Close()
	})
	return e
}
