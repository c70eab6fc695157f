// This file holds require, which loads the modules that scripts share.

package js

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/scriptfile"
)

// loadedModule is a module of this VM.
type loadedModule struct {
	object *goja.Object // module, whose exports are the value
	done   bool
}

// requireModule implements require(name). It returns the exports of a module, and runs the module
// at its first use.
func (v *VM) requireModule(call goja.FunctionCall) goja.Value {
	if !goja.IsString(call.Argument(0)) {
		v.failures.raise(fmt.Errorf("require: name: got %s, want text", typeName(call.Argument(0))))
	}
	name := call.Argument(0).String()
	m, err := v.bind.Gen.Library.Module(name)
	if err != nil {
		v.failures.raise(err)
	}
	if old := v.modules[m.File]; old != nil {
		if !old.done {
			v.failures.raise(fmt.Errorf("require: %s requires itself: %s", name,
				strings.Join(append(v.evaluating, m.File), " > ")))
		}
		return old.object.Get("exports")
	}
	return v.evaluate(m)
}

// evaluate runs a module. A module must not wait, because its promise would belong to whichever
// call requires it first.
func (v *VM) evaluate(m *scriptfile.Module) goja.Value {
	u, err := compile(v.current.run.Context(), m.File, m.Bytes, true)
	if err != nil {
		v.failures.raise(err)
	}
	loaded := &loadedModule{object: v.rt.NewObject()}
	exports := v.rt.NewObject()
	_ = loaded.object.Set("exports", exports)
	v.modules[m.File] = loaded
	v.evaluating = append(v.evaluating, m.File)
	v.inline++
	defer func() {
		v.inline--
		v.evaluating = v.evaluating[:len(v.evaluating)-1]
		if !loaded.done {
			delete(v.modules, m.File)
		}
	}()
	body := raw(v.realm.runProgram(u.program))
	body(goja.FunctionCall{This: goja.Undefined(),
		Arguments: []goja.Value{exports, v.rt.Get("require"), loaded.object}})
	loaded.done = true
	return loaded.object.Get("exports")
}

// sourceFiles returns the names of the script and its modules in positions.
func sourceFiles(s *scriptfile.Script) map[string]bool {
	files := map[string]bool{s.Name: true}
	if s.Library != nil {
		for _, m := range s.Library.Modules {
			files[m.File] = m.File != ""
		}
	}
	return files
}
