// This file holds the small services: notices, waiting, data, dialogs.

package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

func basicFuncs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"notify": notify, "say": say, "emit": emitToScripts,
		"sleep": sleep, "all": all, "fail": fail,
	}
}

func notify(c *engine.HostCall) (any, error) {
	level := text(c.Args[1])
	if level == "" {
		level = "info"
	}
	c.Gen.Engine().Notices.NotifyFrom(c.Run, c.Gen.Name, ui.Notice{Text: c.Args[0].(string),
		Level: level})
	return nil, nil
}

func say(c *engine.HostCall) (any, error) {
	c.Gen.Engine().Notices.SayFrom(c.Run, c.Gen.Name, c.Args[0].(string))
	return nil, nil
}

// emitToScripts sends an event to the other scripts.
func emitToScripts(c *engine.HostCall) (any, error) {
	v, err := value.JSONData("ext.emit: value", c.Args[1])
	if err != nil {
		return nil, err
	}
	if err := c.Gen.Engine().Emitter.EmitCustom(c.Run, c.Args[0].(string), v); err != nil {
		return nil, fmt.Errorf("ext.emit: event: %w", err)
	}
	return nil, nil
}

// maxSleep is the longest sleep, a year: longer ones could overflow, and are mistakes.
const maxSleep = 365 * 24 * 3600

func sleep(c *engine.HostCall) (any, error) {
	s := number(c.Args[0])
	if s < 0 || s > maxSleep {
		return nil, fmt.Errorf("ext.sleep: seconds: got %v, want 0 to %d", s, maxSleep)
	}
	t := time.NewTimer(time.Duration(s * float64(time.Second)))
	defer t.Stop()
	ctx := c.Run.Context()
	select {
	case <-t.C:
		return nil, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// maxTogether is how many functions ext.all runs concurrently: each uses a goroutine and a VM
// thread.
const maxTogether = 1000

func all(c *engine.HostCall) (any, error) {
	list := c.Args[0].([]any)
	if len(list) > maxTogether {
		return nil, fmt.Errorf("ext.all: functions: got %d, want at most %d", len(list),
			maxTogether)
	}
	fns := make([]engine.Func, len(list))
	for i, v := range list {
		fn, ok := v.(engine.Func)
		if !ok {
			return nil, fmt.Errorf("ext.all: functions[%d]: got %s, want function", i+1,
				value.TypeName(v))
		}
		fns[i] = fn
	}
	results, errs := make([]any, len(fns)), make([]error, len(fns))
	var wg sync.WaitGroup
	for i, fn := range fns {
		wg.Add(1)
		errs[i] = vm.ErrWedged // the call stays open if the VM is abandoned meanwhile
		go func() {
			defer wg.Done()
			err := apart.Call(func() (err error) {
				results[i], err = fn.Call(c.Run)
				return err
			})
			if p := (*apart.PanicError)(nil); errors.As(err, &p) {
				err = fmt.Errorf("ext.all: functions[%d]: %w", i+1, err)
			}
			errs[i] = err
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

func fail(c *engine.HostCall) (any, error) {
	m := c.Args[0].(map[string]any)
	again, said := m["retryable"].(bool)
	return nil, &fault.FailError{Message: text(m["message"]), Status: int(number(m["status"])),
		Retryable: again, Final: said && !again,
		RetryAfter: number(m["retry_after"]), Overflow: truth(m["overflow"])}
}

func dataFuncs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"copy": same, "list": same, "json.encode": jsonEncode, "json.decode": jsonDecode,
		"yaml.encode": yamlEncode, "yaml.decode": yamlDecode,
		"toml.encode": tomlEncode, "toml.decode": tomlDecode,
	}
}

// same returns its argument: values are copied when they cross the boundary.
func same(c *engine.HostCall) (any, error) {
	if copies(c.Args[0], 0) {
		return c.Args[0], nil
	}
	v, err := value.Plain(c.Args[0])
	if err != nil {
		return nil, fmt.Errorf("ext.copy: value: %w", err)
	}
	return v, nil
}

// copies reports whether a script that receives v gets a copy of plain data.
func copies(v any, depth int) bool {
	if depth > value.MaxDepth {
		return false
	}
	switch v := v.(type) {
	case nil, bool, string, float64:
		return true
	case map[string]any:
		for _, e := range v {
			if !copies(e, depth+1) {
				return false
			}
		}
		return true
	case []any:
		for _, e := range v {
			if !copies(e, depth+1) {
				return false
			}
		}
		return true
	}
	return false // for which Plain returns an error
}

// maxIndent is the most spaces per level of JSON: with more, the text would be mostly spaces.
const maxIndent = 16

func jsonEncode(c *engine.HostCall) (any, error) {
	v, err := value.Plain(c.Args[0])
	if err != nil {
		return nil, fmt.Errorf("ext.json.encode: value: %w", err)
	}
	indent := number(table(c.Args[1])["indent"])
	if indent < 0 || indent > maxIndent {
		return nil, fmt.Errorf("ext.json.encode: indent: got %s, want 0 to %d",
			value.NumberText(indent), maxIndent)
	}
	b, err := plain.JSON(v, strings.Repeat(" ", int(indent)))
	if err != nil {
		var number *json.UnsupportedValueError
		if errors.As(err, &number) {
			return nil, fmt.Errorf("ext.json.encode: value: got %s, which JSON does not have",
				number.Str)
		}
		return nil, fmt.Errorf("ext.json.encode: value: %w", err)
	}
	return string(b), nil
}

func jsonDecode(c *engine.HostCall) (any, error) {
	var v any
	if err := json.Unmarshal([]byte(c.Args[0].(string)), &v); err != nil {
		// a number that is too large for any value
		var wide *json.UnmarshalTypeError
		if errors.As(err, &wide) {
			err = fmt.Errorf("%s is out of range", wide.Value)
		}
		return nil, &fault.WorldError{Code: "invalid",
			Message: "ext.json.decode: " + plain.Error(err)}
	}
	if _, err := value.Plain(v); err != nil { // too deep for a script
		return nil, &fault.WorldError{Code: "invalid",
			Message: "ext.json.decode: " + plain.Error(err)}
	}
	return v, nil
}
