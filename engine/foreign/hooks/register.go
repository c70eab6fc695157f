// This file registers the handlers of hooks.

package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
)

// Load implements engine.Runtime.
func (f *Format) Load(run *engine.Run, bind *engine.Binding) (engine.VM, error) {
	s, err := f.read(f.dialect, f.file, bind.Gen.Bytes)
	if err != nil {
		return nil, err
	}
	x := &extension{api: extapi.API{Bind: bind}, format: f, s: s, going: map[string]string{},
		judges: map[string]bool{}}
	f.given.forget()
	x.ctx, x.cancel = context.WithCancel(context.Background())
	if f.data != "" {
		bind.Gen.Data = filepath.Join(f.data, f.dataFolder(bind.Gen))
	}
	for _, note := range s.notes {
		x.api.Tell("warn", note)
	}
	for i := range x.s.rows {
		if r := &x.s.rows[i]; r.ours == ofCall {
			x.calls = append(x.calls, r)
		} else if err == nil {
			err = x.register(run, r)
		}
	}
	if err == nil {
		err = x.register(run, x.calls...)
	}
	for i := 0; i < len(x.s.hooks) && err == nil; i++ {
		err = x.registerMore(run, x.s.hooks[i])
	}
	if err == nil {
		err = x.registerStatus(run)
	}
	if err != nil {
		x.cancel()
		return nil, err
	}
	f.setups.count(bind.Gen.Name, 1)
	return x, nil
}

// dataFolder returns the name of the folder for the data of an extension: that of its folder, and
// of others of that name it differs by the path. A plugin that is called otherwise than its folder
// keeps it: the folder is that of a version.
func (f *Format) dataFolder(g *engine.Generation) string {
	from := f.root(g.Path)
	if name, is := strings.CutSuffix(g.Name, "/"+f.file); is && plugin(f.file) &&
		!strings.Contains(name, "/") && name != filepath.Base(from) {
		from = name
	}
	sum := sha256.Sum256([]byte(from))
	return filepath.Base(from) + "-" + hex.EncodeToString(sum[:4])
}

// root returns the folder that CLAUDE_PLUGIN_ROOT names, by the path of the file.
func (f *Format) root(path string) string {
	path = filepath.Dir(path)
	if plugin(f.file) && f.file != manifestName {
		path = filepath.Dir(path)
	}
	return path
}

// register registers the handler for the hooks of rows, which have the same event here.
func (x *extension) register(run *engine.Run, rows ...*row) error {
	var of []*hook
	for _, h := range x.s.hooks {
		if slices.Contains(rows, h.row) {
			of = append(of, h)
		}
	}
	if len(of) == 0 {
		return nil
	}
	options := object("timeout", wait(of))
	r := rows[0]
	if tools := strings.Join(x.s.toolsOf(of), "|"); r.ofTool && tools != "" {
		options["tool"] = tools
	}
	a := x.api.At(of[0].line)
	if r.ours == ofCall {
		about := func(ev *event.Event) bool { return len(x.choose(rows, ev)) > 0 }
		return a.GuardSome(run, options, about, x.decideCall)
	}
	_, err := a.Invoke(run, "on", r.ours, options, a.Func(func(run *engine.Run,
		args []any) (any, error) {
		return x.handle(run, r, args[0].(*event.Event))
	}))
	return err
}

// handle asks the hooks of an event, and returns what its handler returns.
func (x *extension) handle(run *engine.Run, r *row, ev *event.Event) (any, error) {
	list := x.choose([]*row{r}, ev)
	if len(list) == 0 {
		return nil, nil
	}
	a := x.newAsked(run, r, ev)
	if list = a.about(list); len(list) == 0 {
		return nil, nil
	}
	all := x.merge(run, list, a.askAll(list))
	if all.decision == "allow" && all.update != nil && !x.s.strict {
		all.err = fmt.Errorf("a hook of %s allows the call with other arguments, which is only "+
			"possible in PreToolUse", r.name)
	}
	out := x.outcome(r, ev, all)
	switch {
	case all.err != nil && (all.decision == "deny" || all.stop) && len(out) > 0:
		return out, nil // it is refused, whatever has failed besides
	case all.err != nil && r.decides:
		return nil, all.err
	case all.err != nil: // what the others say counts all the same
		x.api.Tell("warn", all.err.Error())
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// runBeside runs a hook for which nobody waits.
func (x *extension) runBeside(h *hook, env *event.Envelope, in []byte) {
	x.format.beside.Go(func() {
		run := x.api.NewRun(x.ctx, h.label())
		defer run.End()
		a := x.s.answerOf(h, x.runCommand(run, h, env, in))
		if x.ctx.Err() != nil {
			return
		}
		x.carryOut(run, h, &a.wishes)
		switch {
		case a.err != nil:
			x.api.Tell("warn", placed(x, h)+": "+a.err.Error())
		case h.rewake && a.decision == "deny":
			if _, err := x.api.Invoke(run, "agent.send", a.reason); err != nil {
				x.api.Tell("warn", placed(x, h)+": "+err.Error())
			}
		case a.say != "":
			x.api.Tell("info", a.say)
		}
	})
}
