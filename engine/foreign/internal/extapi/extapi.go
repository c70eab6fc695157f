// Package extapi is what the formats of other hosts have in common: their extensions register
// through the functions of ext, as scripts do, with functions that are written in Go.
//
//	api := extapi.API{Bind: bind}
//	_, err := api.Invoke(run, "command", map[string]any{"name": "hi", "run": api.Func(sayHi)})
//	err = api.GuardCalls(run, nil, decide)
package extapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/vm"
)

// API calls the functions of ext for one extension.
type API struct {
	Bind *engine.Binding
	Line int // of the manifest, where what is registered is written; 0 = unknown
}

// At returns the API for what is written in a line of the manifest.
func (a API) At(line int) API { return API{a.Bind, line} }

// Pos is the position of what an extension registers and does.
func (a API) Pos() fault.Position { return fault.Position{File: a.Bind.Gen.Name, Line: a.Line} }

// NewRun begins a run of the extension that no one waits for.
func (a API) NewRun(ctx context.Context, label string) *engine.Run {
	g := a.Bind.Gen
	return engine.NewRun(ctx, g, vm.KindCommand, label, g.Engine().Events.Envelope(), nil)
}

// Invoke calls a function of ext by its name.
func (a API) Invoke(run *engine.Run, name string, args ...any) (any, error) {
	var noOther context.Context // only the run ends it
	return a.InvokeWithin(noOther, run, name, args...)
}

// InvokeWithin is Invoke for a call that ends when within does.
func (a API) InvokeWithin(within context.Context, run *engine.Run, name string,
	args ...any) (any, error) {
	for _, f := range a.Bind.Funcs {
		if f.Row.Name == name {
			return a.Bind.InvokeWithin(within, run, f, args, a.Pos())
		}
	}
	return nil, fmt.Errorf("ext.%s does not exist", name)
}

// Tell shows a notice to the user.
func (a API) Tell(level, text string) {
	run := a.NewRun(context.Background(), "notice")
	defer run.End()
	if _, err := a.Invoke(run, "notify", text, level); err != nil {
		a.Log("warn", "a notice was not shown: "+err.Error())
	}
}

// Log writes a line to the extension's log.
func (a API) Log(level, text string) {
	run := a.NewRun(context.Background(), "log")
	defer run.End()
	_, _ = a.Invoke(run, "log."+level, text) // there is no other place to report it
}

// function is a function in Go. It implements engine.Func.
type function struct {
	a    API
	call func(run *engine.Run, args []any) (any, error)
}

// Func returns a function for the functions of ext. Calls of it do not wait for one another.
func (a API) Func(call func(run *engine.Run, args []any) (any, error)) engine.Func {
	return &function{a, call}
}

// IsFunction implements engine.Func.
func (*function) IsFunction() {}

// EndsWithRun implements engine.Watchful.
func (*function) EndsWithRun() {}

// Call implements engine.Func.
func (f *function) Call(run *engine.Run, args ...any) (any, error) {
	v, err := f.call(run, args)
	if se := (*fault.ScriptError)(nil); errors.As(err, &se) {
		return nil, err // it has a position
	}
	if err != nil {
		return nil, &fault.ScriptError{Position: f.a.Pos(), Message: err.Error(), Err: err}
	}
	return v, nil
}

// CallOpen implements engine.Opener: what it returns may have functions, such as a panel.
func (f *function) CallOpen(run *engine.Run, args ...any) (any, error) {
	return f.Call(run, args...)
}

// logWriter writes what it gets to the log, line by line.
type logWriter struct {
	a    API
	mu   sync.Mutex
	rest []byte
}

// LogWriter returns a writer to the extension's log, for the stderr of a program.
func (a API) LogWriter() io.Writer { return &logWriter{a: a} }

// mostLine limits a line of the log in bytes.
const mostLine = 8 << 10

// Write implements io.Writer.
func (w *logWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range b {
		if c != '\n' {
			w.rest = append(w.rest, c)
		}
		if c == '\n' && len(w.rest) > 0 || len(w.rest) >= mostLine {
			w.a.Log("info", string(w.rest))
			w.rest = w.rest[:0]
		}
	}
	return len(b), nil
}
