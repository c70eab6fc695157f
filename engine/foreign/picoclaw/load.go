// This file starts the processes of a file, and ends them.

package picoclaw

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/peer"
	"github.com/agentscripts/agent/engine/vm"
)

// extension are the processes of a file. It implements engine.VM.
type extension struct {
	api      extapi.API // not embedded: the linker keeps every method
	format   *Format
	settings *settings
	turn     *vm.Turn // its end makes the engine load the file again
	hooks    []*hook  // in the order of settings.processes
	ended    sync.Once
}

// Load implements engine.Runtime: it starts the processes, and returns when all are ready.
func (f *Format) Load(run *engine.Run, bind *engine.Binding) (engine.VM, error) {
	s, err := f.readSettings(bind.Gen.Bytes)
	if err != nil {
		return nil, err
	}
	x := &extension{api: extapi.API{Bind: bind}, format: f, settings: s}
	x.turn = bind.NewTurn(func(error) {}, func() {})
	if s.unknown != "" {
		x.api.Tell("warn", f.name+": hooks: it has no effect: "+s.unknown)
	}
	started := time.Now()
	err = x.startAll(run)
	for _, h := range x.hooks {
		if err == nil {
			err = h.register(run)
		}
	}
	if err != nil {
		x.abandon(err)
		return nil, err
	}
	for _, h := range x.hooks {
		go x.watchEnd(h, started)
	}
	return x, nil
}

// startAll starts the processes, and greets them all at the same time.
func (x *extension) startAll(run *engine.Run) error {
	for _, p := range x.settings.processes {
		h := &hook{ext: x, conf: p}
		if err := h.startProcess(); err != nil {
			return fmt.Errorf("hooks.processes.%s: %w", p.name, err)
		}
		x.hooks = append(x.hooks, h)
	}
	errs := make([]error, len(x.hooks))
	var all sync.WaitGroup
	for i, h := range x.hooks {
		all.Go(func() { errs[i] = h.greet(run) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// abandon ends the processes of a file that does not load.
func (x *extension) abandon(err error) {
	var all sync.WaitGroup
	for _, h := range x.hooks {
		h.peer.Fail(err)
		all.Go(h.peer.End)
	}
	all.Wait()
}

// Close implements engine.VM: the end of their input tells the processes to end.
func (x *extension) Close() {
	for _, h := range x.hooks {
		h.peer.Close(nil)
	}
}

// watchEnd gives the file up when a process ends by itself, so that it is loaded again.
func (x *extension) watchEnd(h *hook, started time.Time) {
	<-h.peer.Dead()
	h.peer.End()
	if !h.peer.Closing() {
		x.ended.Do(func() {
			err := fmt.Errorf("%s: %w", h.conf.name, h.peer.Err())
			x.format.host.Restart(x.api, x.turn, started, err)
		})
	}
}

// hook is a process that runs.
type hook struct {
	ext     *extension
	conf    *processConfig
	peer    *peer.Peer
	waiting peer.Questions[*message]
	unused  [5]atomic.Bool // the stages that it does not know, in the order of stages
}

// folder returns the folder in which the process runs.
func (h *hook) folder() string {
	if filepath.IsAbs(h.conf.Dir) {
		return filepath.Clean(h.conf.Dir)
	}
	return filepath.Join(filepath.Dir(h.ext.api.Bind.Gen.Path), filepath.FromSlash(h.conf.Dir))
}

// startProcess starts the process.
func (h *hook) startProcess() error {
	c, format, folder := h.conf, h.ext.format, h.folder()
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return &fault.ScriptError{Message: "dir: there is no folder " + folder,
			Hint: "make it, or correct dir", Err: err}
	}
	path, err := peer.Find(c.Command[0], folder,
		fmt.Sprintf("command of hooks.processes.%s in %s", c.name, format.name))
	if err != nil {
		return err
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, name+"="+c.Env[name])
	}
	h.peer, err = format.host.Start(h.ext.api, peer.Command{Path: path, Args: c.Command[1:],
		Dir: folder, Env: env})
	if err == nil {
		h.peer.Talk(h.receive)
	}
	return err
}

// modes are what hook.hello says of a process.
func (h *hook) modes() []string {
	modes := []string{}
	if len(h.conf.Observe) > 0 {
		modes = append(modes, "observe")
	}
	for _, m := range []struct{ name, stage string }{{"llm", "before_llm"}, {"tool", "before_tool"},
		{"approve", "approve_tool"}} {
		if asked, _ := h.conf.intercepts(m.stage); asked {
			modes = append(modes, m.name)
		}
	}
	return modes
}

// greet exchanges hook.hello.
func (h *hook) greet(run *engine.Run) error {
	raw, err := h.request(run, "hook.hello", map[string]any{"name": h.conf.name, "version": 1,
		"modes": h.modes()})
	if err != nil {
		if run.Context().Err() != nil {
			err = h.peer.Explain(err)
		}
		return err
	}
	var answer struct {
		OK *bool `json:"ok"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return h.wrong("hello", fmt.Errorf(`got %.80s, want {"ok": true, "name": "..."}`, raw))
	}
	if answer.OK != nil && !*answer.OK {
		return h.wrong("hello", fmt.Errorf("it is not ok: %.200s", raw))
	}
	return nil
}

// register registers what the process intercepts and observes.
func (h *hook) register(run *engine.Run) error {
	for _, stage := range stages {
		asked, named := h.conf.intercepts(stage)
		if !asked {
			continue
		}
		if err := h.intercept(run, stage, named); err != nil {
			return fmt.Errorf("%s: %s: %w", h.conf.name, stage, err)
		}
	}
	return h.observe(run)
}

// intercept registers the handlers of a stage. If the settings name it, a failure withholds what
// the process has not seen; the engine's policies for tool calls fail closed by themselves.
func (h *hook) intercept(run *engine.Run, stage string, named bool) error {
	options := map[string]any{"timeout": h.ext.settings.interceptor.Seconds()}
	on := func(event, strict string, v any, call func(*engine.Run, []any) (any, error)) error {
		if named {
			options[strict] = v
		}
		_, err := h.ext.api.Invoke(run, "on", event, options, h.ext.api.Func(call))
		return err
	}
	switch stage {
	case "before_llm":
		return on("llm_request", "on_error", "block", h.beforeLLM)
	case "after_llm":
		return on("llm_response", "scrub", true, h.afterLLM)
	case "before_tool":
		return h.ext.api.GuardCalls(run, options, h.beforeTool)
	case "after_tool":
		return on("tool_result", "scrub", true, h.afterTool)
	}
	options["timeout"] = h.ext.settings.approval.Seconds()
	_, err := h.ext.api.Invoke(run, "guard", options, h.ext.api.Func(h.approveTool))
	return err
}
