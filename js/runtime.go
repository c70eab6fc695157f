package js

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/suggest"
)

// maxCallStack is how deep calls in a script may nest. Normal recursion stays far below it, and a
// thousand interpreter frames are far below the limit of Go's stack.
const maxCallStack = 1000

// language has the programs that each VM runs first. They are compiled when the first VM is made,
// so that a process without JavaScript scripts does not compile them.
type language struct {
	prelude func() *goja.Program
	concat  func() *goja.Program
	web     func(file int) *goja.Program
}

// New returns the JavaScript runtime. It sets the match timeout of the regular expression library
// for the whole process, once: the library reads it when it compiles a pattern.
func New() engine.Runtime {
	setRegexpTimeout()
	return &language{concat: sync.OnceValue(compileConcat), web: compileWeb(),
		prelude: sync.OnceValue(func() *goja.Program {
			return goja.MustCompile(preludeName, prelude, true)
		})}
}

func (*language) Language() string { return "js" }
func (*language) Extensions() []string {
	return []string{".js", ".mjs", ".cjs", ".ts", ".mts",
		".cts"}
}

// CheckSyntax returns the error with which a script does not compile, a *fault.ScriptError. It runs
// nothing of it.
func (*language) CheckSyntax(ctx context.Context, name string, src []byte) error {
	_, err := compile(ctx, name, src, false)
	return err
}

// Load implements engine.Runtime. The calling goroutine must not hold a turn.
func (l *language) Load(run *engine.Run, bind *engine.Binding) (engine.VM, error) {
	script := bind.Gen.Script
	main, err := compile(run.Context(), script.Name, script.Bytes, false)
	if err != nil {
		return nil, err
	}
	v := newVM(bind)
	act := &activation{run: run, main: true}
	_, err = v.perform(act, func() (goja.Value, error) {
		v.setup(l)
		return v.runMain(main)
	})
	if err == nil {
		err = v.checkUse()
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// runMain runs the script's top level, and its default export with ext if it has one. A promise
// that the export returns belongs to the load, and so does everything the script does until it
// settles.
func (v *VM) runMain(main *unit) (goja.Value, error) {
	out, err := v.rt.RunProgram(main.program)
	if err != nil || !main.module {
		return nil, err
	}
	exports := v.rt.NewObject()
	module := v.rt.NewObject()
	_ = module.Set("exports", exports)
	body, _ := goja.AssertFunction(out)
	waits, err := body(goja.Undefined(), exports, v.rt.Get("require"), module)
	if err != nil {
		return nil, err
	}
	exported, ok := module.Get("exports").(*goja.Object)
	if !ok {
		return waits, nil
	}
	if _, is := goja.AssertFunction(exported); is { // it would never be called
		return nil, errors.New(
			"module.exports: got a function, which only modules of lib/ can have: export default " +
				"(ext) => { ... }")
	}
	entry := exported.Get("default")
	if entry == nil || goja.IsUndefined(entry) {
		v.exports = strings.Join(exported.Keys(), ", ")
		return waits, nil
	}
	start, ok := goja.AssertFunction(entry)
	if !ok {
		return nil, fmt.Errorf(
			"export default: got %s, want a function: export default (ext) => { ... }",
			typeName(entry))
	}
	return start(goja.Undefined(), v.rt.Get("ext"))
}

// checkUse returns an error for a script that loaded without registering anything. A script that
// exports named functions expects a host that looks for them.
func (v *VM) checkUse() error {
	gen := v.bind.Gen
	if v.exports != "" && gen.Registry.Hollow() {
		return gen.Unused(
			fmt.Sprintf("the export of %s is not used, and nothing is registered (want "+
				"export default (ext) => { ... })", v.exports))
	}
	if onlyComments(gen.Script.Bytes) {
		return nil
	}
	return gen.CheckUse()
}

// mainAnswer checks the result of a script's default export. Functions in the result are handlers
// for another host, and would never be called here.
func (v *VM) mainAnswer(out goja.Value) error {
	obj, ok := out.(*goja.Object)
	if !ok {
		return nil
	}
	if _, is := goja.AssertFunction(obj); is { // from ext.every, for example
		return nil
	}
	for _, key := range obj.Keys() {
		if _, is := goja.AssertFunction(obj.Get(key)); is {
			return v.bind.Gen.Unused(
				fmt.Sprintf("export default returned a table with the function %q, which nobody "+
					"calls%s", key,
					eventHint(v.bind.Gen, key)))
		}
	}
	return nil
}

// eventHint returns the name of our event for an event name of another host.
func eventHint(gen *engine.Generation, key string) string {
	var names []string
	for _, row := range gen.Engine().Events.Rows() {
		names = append(names, row.Name)
	}
	return suggest.ForeignHint(suggest.ForeignEvent, key, names)
}
