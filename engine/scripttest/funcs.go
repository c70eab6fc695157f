// This file implements the functions of ext for tests of a runtime alone.

package scripttest

import (
	"context"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/spec"
)

// Funcs returns all functions of ext for tests of a runtime, which need none of the real ones. all,
// sleep, fail, copy and list work, because runtimes treat their arguments or their results
// specially. The others do nothing; the test replaces those that it looks at.
func Funcs() map[string]engine.HostFunc {
	funcs := map[string]engine.HostFunc{}
	for _, row := range spec.API() {
		if !row.Fact {
			funcs[row.Name] = func(*engine.HostCall) (any, error) { return nil, nil }
		}
	}
	funcs["all"], funcs["sleep"], funcs["fail"] = hostAll, hostSleep, hostFail
	funcs["copy"] = func(c *engine.HostCall) (any, error) { return c.Args[0], nil }
	funcs["list"] = funcs["copy"]
	return funcs
}

func hostAll(c *engine.HostCall) (any, error) {
	fns := c.Args[0].([]any)
	results, errs := make([]any, len(fns)), make([]error, len(fns))
	var wg sync.WaitGroup
	for i, f := range fns {
		wg.Go(func() { results[i], errs[i] = f.(engine.Func).Call(c.Run) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

func hostSleep(c *engine.HostCall) (any, error) {
	select {
	case <-time.After(time.Duration(c.Args[0].(float64) * float64(time.Second))):
		return nil, nil
	case <-c.Run.Context().Done():
		return nil, context.Cause(c.Run.Context())
	}
}

func hostFail(c *engine.HostCall) (any, error) {
	m := c.Args[0].(map[string]any)
	status, _ := m["status"].(float64)
	return nil, &fault.FailError{Message: m["message"].(string), Status: int(status),
		Retryable: m["retryable"] == true}
}
