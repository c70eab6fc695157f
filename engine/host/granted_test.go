package host

import (
	"context"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/vm"
)

// testTime is the deadline of a test. It is much longer than needed.
const testTime = time.Minute

// granted makes calls of a script with grants.
func granted(t *testing.T, grants ...string) (ctx context.Context,
	call func(f engine.HostFunc, args ...any) (object, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	t.Cleanup(cancel)
	return ctx, callIn(ctx, grants...)
}

func callIn(ctx context.Context, grants ...string) func(f engine.HostFunc, args ...any) (object,
	error) {
	gen := &engine.Generation{Script: &scriptfile.Script{Name: "a.lua",
		Header: scriptfile.Header{Grants: grants}}}
	return func(f engine.HostFunc, args ...any) (object, error) {
		run := engine.NewRun(ctx, gen, vm.KindCommand, "test", &event.Envelope{CWD: "/"}, nil)
		defer run.End()
		v, err := f(&engine.HostCall{Gen: gen, Run: run, Args: args})
		return table(v), err
	}
}

// goFunc is a function of a script.
type goFunc func(args ...any) (any, error)

var _ engine.Func = goFunc(nil)

func (f goFunc) Call(_ *engine.Run, args ...any) (any, error) { return f(args...) }

// IsFunction implements engine.Func.
func (goFunc) IsFunction() {}
