// This file replaces the functions that need the outside world.

package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// stubs are the test's stubs, by kind.
type stubs struct {
	mu  sync.Mutex
	fns map[string]*stub
}

// stub is a stub, and the line of its registration.
type stub struct {
	fn   engine.Func
	file string
	line int
}

func newStubs() *stubs { return &stubs{fns: map[string]*stub{}} }

func (s *stubs) setStub(kind string, x *stub) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fns[kind] = x
}

func (s *stubs) get(kind string) *stub {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fns[kind]
}

// wrap returns the host functions of the world: those of the program, except those that need the
// outside world or let time pass.
func (w *world) wrap(program map[string]engine.HostFunc) map[string]engine.HostFunc {
	funcs := maps.Clone(program)
	for name, f := range funcs {
		if !waitsForTest(name) {
			funcs[name] = counted(&w.calls, f)
		}
	}
	funcs["sleep"] = w.clock.sleep
	for _, r := range spec.API() {
		if strings.HasPrefix(r.Name, "fs.") {
			funcs[r.Name] = w.within(r, funcs[r.Name])
		}
	}
	funcs["llm.complete"] = w.stubs.complete
	if w.untried != nil {
		for _, r := range spec.API() {
			if f := funcs[r.Name]; f != nil {
				funcs[r.Name] = w.untried.watch(&r, f)
			}
		}
	}
	return funcs
}

// waitsForTest reports whether a function only combines others, or is answered by the test: while
// it waits, time may pass.
func waitsForTest(name string) bool {
	kind, _, _ := strings.Cut(name, ".")
	return slices.Contains([]string{"all", "exec", "sh", "http"}, kind)
}

// within restricts a function of ext.fs to the files of the world.
func (w *world) within(row engine.APIRow, f engine.HostFunc) engine.HostFunc {
	return func(c *engine.HostCall) (any, error) {
		for i, p := range row.Params {
			file, isText := c.Args[i].(string)
			if !isText || !p.File || strings.HasPrefix(file, "~") && !strings.Contains(file, "..") {
				continue
			}
			if !filepath.IsAbs(file) {
				file = filepath.Join(w.project(), file)
			}
			if _, ok := realpath.Below(w.dir, filepath.Clean(file)); !ok {
				return nil, &OutsideError{Name: "ext." + row.Name, Param: p.Name,
					Path: c.Args[i].(string)}
			}
		}
		return f(c)
	}
}

// OutsideError is the error of a function of ext.fs for a path outside of the world.
type OutsideError struct {
	Name  string // "ext.fs.read"
	Param string // the parameter that names the path
	Path  string
}

func (e *OutsideError) Error() string {
	return fmt.Sprintf(
		"%s: %s: got %s, which is outside of the test's world: in a test there are its working "+
			"directory and ~", e.Name, e.Param, e.Path)
}

// tools returns the built-in tools, which only say what they would have done unless they have a
// stub.
func (w *world) tools() []*engine.Tool {
	var out []*engine.Tool
	for _, t := range tool.Builtin(tool.Options{}) {
		stand := *t
		stand.Run = func(ctx context.Context, use *engine.Use) (*engine.Result, error) {
			x := w.stubs.get("tool")
			if x == nil {
				return engine.TextResult(stand.Name + " " + compact(use.Args)), nil
			}
			r := engine.NewRun(ctx, w.gen, vm.KindTool, "stub of tools", use.Env, nil)
			v, err := w.gen.Run(r, x.fn, map[string]any{"call": stand.Name, "args": use.Args})
			if err != nil {
				return nil, err
			}
			result, err := engine.DecodeResult(v)
			if err != nil {
				return nil, x.wrong("tool", err)
			}
			return result, nil
		}
		out = append(out, &stand)
	}
	return out
}

// provider returns the world's model provider, which answers with the stub.
func (w *world) provider() *engine.Provider {
	name, id, _ := strings.Cut(testModel, "/")
	return &engine.Provider{Name: name, Models: []chat.Model{
		{ID: id, Context: 100_000, MaxOutput: 4_000}}, Source: "builtin", Stream: w.stream}
}

func (w *world) stream(ctx context.Context, q *chat.Request,
	emit func(chat.Chunk)) (chat.Finish, error) {
	x := w.stubs.get("llm")
	if x == nil {
		return chat.Finish{},
			&fault.FailError{Message: `no model answers in a test: say what it answers with ` +
				`t.stub("llm", function)`}
	}
	messages, err := value.Plain(chat.MessageList(q.Messages))
	if err != nil {
		return chat.Finish{}, err
	}
	asked := map[string]any{"call": "model", "model": testModel, "system": q.System,
		"purpose": q.Purpose, "messages": messages}
	if n := len(q.Messages); n > 0 {
		asked["prompt"] = chat.PlainText(q.Messages[n-1].Content)
	}
	v, err := w.gen.Run(engine.NewRun(ctx, w.gen, vm.KindProvider, "stub of llm", q.Env, nil),
		x.fn, asked)
	if err != nil {
		return chat.Finish{}, err
	}
	m, err := x.answerCall("llm", "the model", v)
	if err != nil {
		return chat.Finish{}, &fault.FailError{Message: err.Error()}
	}
	parts, err := pieces(m["text"])
	if err != nil {
		return chat.Finish{}, &fault.FailError{Message: x.wrong("llm", err).Error()}
	}
	for _, part := range parts {
		emit(chat.Chunk{Text: part})
	}
	return chat.Finish{Reason: "stop"}, nil
}

// compact returns v as JSON on one line with sorted keys.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
