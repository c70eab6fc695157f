// This file implements ext.store: permanent values of scripts.

package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/internal/store"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// owner returns the owner of a script's values: for a script of the user's folder its file name,
// otherwise with its folder, so that scripts of the same name have separate values.
func owner(s *scriptfile.Script) string {
	switch s.Source {
	case scriptfile.SourceProject, scriptfile.SourceCLI, scriptfile.SourceForeign:
		sum := sha256.Sum256([]byte(filepath.Dir(s.Path)))
		return s.Source.String() + "-" + hex.EncodeToString(sum[:8]) + "/" + s.Name
	}
	return s.Source.String() + "/" + s.Name
}

// storage implements ext.store.
type storage struct {
	store *store.Store // nil: there is no home folder
}

func (x *storage) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"store.get": x.getValue, "store.set": x.setValue, "store.delete": x.deleteValue,
		"store.keys": x.keys, "store.update": x.updateValue,
	}
}

// key checks the first argument of a call of name, which is a key.
func (x *storage) key(c *engine.HostCall, name string) (key string, err error) {
	if x.store == nil {
		return "", &fault.WorldError{Code: "unsupported",
			Message: name + ": there is no home folder to store values in"}
	}
	if len(c.Args) == 0 {
		return "", nil
	}
	key = text(c.Args[0])
	if key == "" || len(key) > maxStateKey {
		return "", fmt.Errorf("%s: key: got %.80q, want 1 to %d bytes", name, key, maxStateKey)
	}
	_, err = value.JSONData(name+": key", key)
	return key, err
}

// storeError converts a failure of the store for scripts.
func storeError(c *engine.HostCall, name string, err error) error {
	var damaged *store.DamagedError
	var known *fault.WorldError
	code := "failed"
	switch {
	case err == nil:
		return nil
	case c.Run.Err() != nil:
		return c.Run.Err()
	case errors.As(err, &known):
		return known
	case errors.As(err, &damaged): // the user is notified too, because a script may ignore it
		code = "damaged"
		c.Gen.Engine().Notices.Notify(c.Run.Env, c.Gen.Name,
			ui.Notice{Text: "ext.store: " + damaged.Error(), Level: "warn"})
	case errors.Is(err, store.ErrBusy):
		code = "busy"
	case errors.Is(err, store.ErrFull):
		code = "full"
	}
	return &fault.WorldError{Code: code, Message: name + ": " + plain.Error(err)}
}

// stored returns the value of a key.
func (x *storage) stored(c *engine.HostCall, key string) (v any, err error) {
	c.Aside(func() { v, err = x.store.Get(c.Run.Context(), owner(c.Gen.Script), key) })
	return v, err
}

// change sets a key to the result of f for its value. Waiting for the disk and for locks does not
// count as the script's time.
func (x *storage) change(c *engine.HostCall, key string,
	f func(now any) (any, bool, error)) (err error) {
	c.Aside(func() { err = x.store.Change(c.Run.Context(), owner(c.Gen.Script), key, f) })
	return err
}

func (x *storage) getValue(c *engine.HostCall) (any, error) {
	const name = "ext.store.get"
	key, err := x.key(c, name)
	if err != nil {
		return nil, err
	}
	v, err := x.stored(c, key)
	return v, storeError(c, name, err)
}

func (x *storage) keys(c *engine.HostCall) (any, error) {
	const name = "ext.store.keys"
	if _, err := x.key(c, name); err != nil {
		return nil, err
	}
	var values map[string]any
	var err error
	c.Aside(func() { values, err = x.store.Values(c.Run.Context(), owner(c.Gen.Script)) })
	keys := []any{}
	for _, k := range value.SortedKeys(values) {
		keys = append(keys, k)
	}
	return keys, storeError(c, name, err)
}

func (x *storage) setValue(c *engine.HostCall) (any, error) {
	return done(x.put(c, "ext.store.set", c.Args[1]))
}

func (x *storage) deleteValue(c *engine.HostCall) (any, error) {
	return done(x.put(c, "ext.store.delete", nil))
}

func (x *storage) put(c *engine.HostCall, name string, v any) error {
	key, err := x.key(c, name)
	if err != nil {
		return err
	}
	if v, err = kept(name+": value", v); err != nil {
		return err
	}
	err = x.change(c, key, func(any) (any, bool, error) { return v, true, nil })
	return storeError(c, name, err)
}

// updateValue sets a key to the result of fn for its value. No lock is held while fn runs: if the
// value changed meanwhile, fn is called again.
func (x *storage) updateValue(c *engine.HostCall) (any, error) {
	const name = "ext.store.update"
	key, err := x.key(c, name)
	if err != nil {
		return nil, err
	}
	fn, ok := c.Args[1].(engine.Inline)
	if !ok {
		return nil, errors.New(name + ": fn: got a function that cannot be called here")
	}
	before, err := x.stored(c, key)
	if err != nil {
		return nil, storeError(c, name, err)
	}
	for range maxUpdates {
		v, err := fn.CallInline(before)
		if err != nil {
			return nil, err
		}
		if v, err = kept(name+": fn returned", v); err != nil {
			return nil, err
		}
		done := false
		err = x.change(c, key, func(now any) (any, bool, error) {
			done, before = reflect.DeepEqual(now, before), now
			return v, done, nil
		})
		if done || err != nil {
			return v, storeError(c, name, err)
		}
	}
	return nil, &fault.WorldError{Code: "conflict",
		Message: name + ": " + key + " was changed concurrently too often"}
}
