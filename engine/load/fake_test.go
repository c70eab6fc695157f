package load_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// fake is a script language with one command per line, so that these tests need no interpreter:
//
//	guard TOOLS   a guard that blocks
//	tool NAME     a tool; tests recognize a version by the name of its tool
//	command NAME  a slash command
//	require "lib/X"  a tool whose name is the first line of the module
//	on EVENT      an observer that sends "SCRIPT EVENT" to heard
//	error TEXT    fails the load, in this line
//	hang          runs until it is stopped
//	wait NAME     runs until the test opens the gate NAME, and cannot be stopped
type fake struct {
	live  atomic.Int64 // VMs that are open
	heard chan string

	mu    sync.Mutex
	gates map[string]*gate
}

// gate blocks scripts.
type gate struct {
	reached, open chan struct{}
	once          sync.Once
}

func (f *fake) gate(name string) *gate {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gates == nil {
		f.gates = map[string]*gate{}
	}
	if f.gates[name] == nil {
		f.gates[name] = &gate{reached: make(chan struct{}), open: make(chan struct{})}
	}
	return f.gates[name]
}

func (*fake) Language() string     { return "fake" }
func (*fake) Extensions() []string { return []string{".fake"} }

func (f *fake) Load(run *engine.Run, bind *engine.Binding) (engine.VM, error) {
	g := bind.Gen
	for i, line := range strings.Split(string(g.Bytes), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var err error
		switch {
		case word == "" || strings.HasPrefix(word, "--"):
		case word == "guard":
			err = f.guard(g, rest, i+1)
		case word == "tool":
			err = g.Registry.AddTool(&engine.Tool{Name: rest, Line: i + 1})
		case word == "command":
			err = g.Registry.AddCommand(&engine.Command{Name: rest, Line: i + 1})
		case word == "on":
			note := g.Name + " " + rest
			err = g.Registry.AddHandler(&engine.Handler{Event: rest,
				Priority: engine.DefaultPriority,
				Line:     i + 1,
				Fn:       answer(func() any { f.heard <- note; return nil })})
		case word == "require":
			var m *scriptfile.Module
			if m, err = g.Library.Module(strings.Trim(rest, `"`)); err == nil {
				err = g.Registry.AddTool(&engine.Tool{Name: strings.TrimSpace(strings.SplitN(string(
					m.Bytes),
					"\n", 2)[0]), Line: i + 1})
			}
		case word == "hang":
			<-run.Context().Done()
			err = run.Err()
		case word == "wait":
			at := f.gate(rest)
			at.once.Do(func() { close(at.reached) })
			<-at.open
		case word == "error":
			err = errors.New(rest)
		default:
			err = errors.New("unknown word " + word)
		}
		if err != nil {
			return nil, &fault.ScriptError{Position: fault.Position{File: g.Name, Line: i + 1},
				Message: err.Error(), Err: err}
		}
	}
	f.live.Add(1)
	return &fakeVM{f}, nil
}

func (f *fake) guard(g *engine.Generation, tools string, line int) error {
	row := g.Engine().Events.Row("guard")
	filter, err := event.NewFilter(row, map[string]any{"tool": tools})
	if err != nil {
		return err
	}
	return g.Registry.AddHandler(&engine.Handler{Event: "guard", Priority: engine.DefaultPriority,
		Filter: filter, Line: line,
		Fn: answer(func() any { return map[string]any{"block": true, "reason": "no"} })})
}

type answer func() any

func (answer) IsFunction() {}

func (a answer) Call(*engine.Run, ...any) (any, error) { return a(), nil }

type fakeVM struct{ f *fake }

func (vm *fakeVM) Close() { vm.f.live.Add(-1) }
