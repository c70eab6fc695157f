package scripttest

import (
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
)

// NewEngine returns an engine with the standard events besides those of o. It is closed at the end
// of the test.
func NewEngine(tb testing.TB, o engine.Options) *engine.Engine {
	tb.Helper()
	o.Events = append(spec.Events(), o.Events...)
	e, err := engine.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(e.Close)
	return e
}
