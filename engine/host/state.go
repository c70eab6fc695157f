// This file implements ext.state: values of scripts in the session.

package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxStateKey is how long a key may be, in bytes: a longer one is probably a value.
	maxStateKey = 256
	// maxKept is the largest size of a value as JSON: the session file holds each version of it.
	maxKept = 1 << 20
	// maxUpdates is how often update tries again if the value was changed concurrently.
	maxUpdates = 100
)

// states implements ext.state.
type states struct {
	services services
	// changes serializes changes. It is never held while a function of a script runs.
	changes sync.Mutex
}

func (x *states) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"state.get": x.getState, "state.set": x.setState, "state.delete": x.deleteState,
		"state.keys": x.stateKeys, "state.update": x.updateState,
	}
}

// of returns the services and the checked key for a call of name.
func (x *states) of(c *engine.HostCall, name string) (service.State, string, error) {
	s, err := x.services.of(name)
	if err != nil {
		return service.State{}, "", err
	}
	key := text(c.Args[0])
	if key == "" || len(key) > maxStateKey {
		return service.State{}, "", fmt.Errorf("%s: key: got %.80q, want 1 to %d bytes", name, key,
			maxStateKey)
	}
	if _, err := value.JSONData(name+": key", key); err != nil {
		return service.State{}, "", err
	}
	return s.State, key, nil
}

// whose returns the owner of a script's state: for a script of the user its file name, as session
// files have it, otherwise with its folder.
func whose(s *scriptfile.Script) string {
	if s.Source == scriptfile.SourceProject || s.Source == scriptfile.SourceCLI ||
		s.Source == scriptfile.SourceForeign {
		return owner(s)
	}
	return s.Name
}

// kept checks a value to be stored in the session file.
func kept(name string, v any) (any, error) {
	v, err := value.JSONData(name, v)
	if err != nil {
		return nil, err
	}
	if j, err := json.Marshal(v); err != nil || len(j) > maxKept {
		return nil, fmt.Errorf("%s: got %d bytes of JSON, want at most %d", name, len(j), maxKept)
	}
	return v, nil
}

func (x *states) getState(c *engine.HostCall) (any, error) {
	state, key, err := x.of(c, "ext.state.get")
	if err != nil {
		return nil, err
	}
	v, _ := state.Get(whose(c.Gen.Script), key)
	return v, nil
}

func (x *states) setState(c *engine.HostCall) (any, error) {
	const name = "ext.state.set"
	state, key, err := x.of(c, name)
	if err != nil {
		return nil, err
	}
	v, err := kept(name+": value", c.Args[1])
	if err != nil {
		return nil, err
	}
	x.changes.Lock()
	defer x.changes.Unlock()
	return done(world(c, name, state.Set(whose(c.Gen.Script), key, v)))
}

func (x *states) deleteState(c *engine.HostCall) (any, error) {
	const name = "ext.state.delete"
	state, key, err := x.of(c, name)
	if err != nil {
		return nil, err
	}
	x.changes.Lock()
	defer x.changes.Unlock()
	return done(world(c, name, state.Set(whose(c.Gen.Script), key, nil)))
}

func (x *states) stateKeys(c *engine.HostCall) (any, error) {
	s, err := x.services.of("ext.state.keys")
	if err != nil {
		return nil, err
	}
	keys := []any{}
	for _, k := range s.State.Keys(whose(c.Gen.Script)) {
		keys = append(keys, k)
	}
	return keys, nil
}

// updateState sets a key to the result of fn for its value. If the value changed while fn ran, fn
// is called again.
func (x *states) updateState(c *engine.HostCall) (any, error) {
	const name = "ext.state.update"
	state, key, err := x.of(c, name)
	if err != nil {
		return nil, err
	}
	fn, ok := c.Args[1].(engine.Inline)
	if !ok {
		return nil, errors.New(name + ": fn: got a function that cannot be called here")
	}
	for range maxUpdates {
		before, _ := state.Get(whose(c.Gen.Script), key)
		v, err := fn.CallInline(before)
		if err != nil {
			return nil, err
		}
		if v, err = kept(name+": fn returned", v); err != nil {
			return nil, err
		}
		if done, err := x.swap(state, whose(c.Gen.Script), key, before, v); done ||
			err != nil {
			return v, world(c, name, err)
		}
	}
	return nil, &fault.WorldError{Code: "conflict",
		Message: name + ": " + key + " was changed concurrently too often"}
}

// swap sets key to v if its value is still before.
func (x *states) swap(state service.State, script, key string, before, v any) (done bool,
	err error) {
	x.changes.Lock()
	defer x.changes.Unlock()
	if now, _ := state.Get(script, key); !reflect.DeepEqual(now, before) {
		return false, nil
	}
	return true, state.Set(script, key, v)
}
