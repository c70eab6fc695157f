// This file makes handles of secrets.

package js

import (
	"reflect"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/value"
)

var secretType = reflect.TypeOf((*secretHandle)(nil))

// secretHandle is a secret as scripts see it. Its text and its JSON are [secret NAME]; it has no
// other properties. It implements goja.DynamicObject.
type secretHandle struct {
	realm  *realm
	secret *value.Secret
}

// Get implements goja.DynamicObject.
func (s *secretHandle) Get(key string) goja.Value {
	if key == "toString" || key == "toJSON" {
		return s.realm.native(key,
			func(goja.FunctionCall) goja.Value { return s.realm.rt.ToValue(s.secret.String()) })
	}
	return nil
}

// Has implements goja.DynamicObject.
func (s *secretHandle) Has(string) bool { return false }

// Keys implements goja.DynamicObject.
func (s *secretHandle) Keys() []string { return nil }

// Set implements goja.DynamicObject. A handle cannot be changed.
func (s *secretHandle) Set(string, goja.Value) bool { return false }

// Delete implements goja.DynamicObject. A handle cannot be changed.
func (s *secretHandle) Delete(string) bool { return false }
