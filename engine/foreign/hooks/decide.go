// This file asks the hooks about an event, and makes one answer of theirs.

package hooks

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/plain"
)

// chosen is a hook that an event is about.
type chosen struct {
	*hook
	name string // that its matcher matched
	err  error  // it is not known whether it is about the event
}

// choose returns the hooks of a row that an event is about, in the order of the file: identical
// ones once.
func (x *extension) choose(r *row, ev *event.Event) (list []chosen) {
	if !r.is(ev) {
		return nil
	}
	var names []string
	for _, h := range x.s.hooks {
		if h.row != r {
			continue
		}
		if names == nil && r.about != "" {
			names = r.names(ev)
		}
		name, ok, err := "", r.about == "", error(nil)
		if !ok {
			name, ok, err = h.matcher.fits(names)
		}
		if (ok || err != nil) && !has(list, h) {
			list = append(list, chosen{h, name, err})
		}
	}
	return list
}

func has(list []chosen, h *hook) bool {
	for _, c := range list {
		if c.key == h.key {
			return true
		}
	}
	return false
}

// asked is an event about which hooks are asked.
type asked struct {
	x    *extension
	run  *engine.Run
	row  *row
	ev   *event.Event
	in   message
	tool string // of calls
}

func (x *extension) newAsked(run *engine.Run, r *row, ev *event.Event) *asked {
	env := ev.Env()
	in := object("session_id", env.SessionID, "transcript_path", env.SessionPath, "cwd", env.CWD,
		"hook_event_name", r.name, "permission_mode", modeOf(env.Permission))
	if env.PromptID != "" {
		in["prompt_id"] = env.PromptID
	}
	if env.Depth > 0 {
		in["agent_id"], in["agent_type"] = env.AgentID, env.Agent
	}
	x.addFields(r, ev, in)
	a := &asked{x: x, run: run, row: r, ev: ev, in: in}
	if r.ofTool {
		a.tool = ev.Text("tool")
	}
	return a
}

// modeOf returns the name of a permission mode there.
func modeOf(p event.Permission) string {
	switch p {
	case event.PermissionAcceptEdits:
		return "acceptEdits"
	case event.PermissionYolo:
		return "bypassPermissions"
	}
	return string(p)
}

// about leaves out the hooks whose if is not about the call.
func (a *asked) about(list []chosen) (about []chosen) {
	for _, c := range list {
		if a.isAbout(c) {
			about = append(about, c)
		}
	}
	return about
}

// isAbout reports whether the if of a hook is about the call.
func (a *asked) isAbout(c chosen) bool {
	in, _ := a.in["tool_input"].(map[string]any)
	return c.rule == nil || !a.row.ofTool || c.rule.fits(a.x, a.run, a.tool, in, a.ev.Env().CWD)
}

// askAll runs hooks at the same time, and returns their answers in the same order.
func (a *asked) askAll(list []chosen) []answer {
	answers := make([]answer, len(list))
	texts := map[string][]byte{} // by the name of the tool
	for _, c := range list {
		if _, made := texts[c.name]; made {
			continue
		}
		in := maps.Clone(a.in)
		if a.row.ofTool && c.name != "" {
			in["tool_name"] = c.name
		}
		b, err := plain.JSON(in, "")
		if err != nil {
			for i := range answers {
				answers[i] = answer{err: err}
			}
			return answers
		}
		texts[c.name] = b
	}
	var all sync.WaitGroup
	for i, c := range list {
		if !a.isAbout(c) { // as the call is now
			continue
		}
		if c.async || c.rewake {
			a.x.runBeside(c.hook, a.ev.Env(), texts[c.name])
			continue
		}
		all.Go(func() { answers[i] = a.x.askOne(a.run, c, a.ev.Env(), texts[c.name]) })
	}
	all.Wait()
	return answers
}

// askOne runs one hook.
func (x *extension) askOne(run *engine.Run, c chosen, env *event.Envelope, in []byte) answer {
	var o output
	switch {
	case c.err != nil:
		o.err = c.err
	case c.wrong != nil:
		o.err = c.wrong
	case c.kind == "http":
		o = x.request(run, c.hook, in)
	case c.kind == "prompt":
		return x.askModel(run, c.hook, in)
	default:
		o = x.runCommand(run, c.hook, env, in)
	}
	return c.row.answerOf(o)
}

// failure adds the error of a hook that has not answered to those of others, which may be nil. The
// place is that of the first.
func (x *extension) failure(others *fault.ScriptError, h *hook, err error) *fault.ScriptError {
	text := h.label() + ": " + plain.Error(err)
	if others != nil {
		others.Message += "; " + text
		return others
	}
	return &fault.ScriptError{Position: fault.Position{File: x.api.Bind.Gen.Name, Line: h.line},
		Message: text, Err: err}
}

// merge makes one answer of those of several hooks: the firmest decision counts, of equal ones the
// first.
func (x *extension) merge(list []chosen, answers []answer) answer {
	var all answer
	var failed *fault.ScriptError
	for i, a := range answers {
		h := list[i].hook
		if a.err != nil {
			failed = x.failure(failed, h, a.err)
		}
		if a.failed != "" {
			x.api.Tell("warn", h.label()+": "+a.failed)
		}
		if a.say != "" {
			x.api.Tell("info", a.say)
		}
		if firm(a.decision) > firm(all.decision) {
			all.decision, all.reason = a.decision, a.reason
		}
		all.context = join(all.context, a.context)
		if a.stop && !all.stop {
			all.stop, all.why = true, a.why
		}
		if a.result != nil {
			all.result = a.result
		}
		if a.update != nil {
			all.update = a.update
		}
	}
	if failed != nil {
		all.err = failed
	}
	return all
}

// settle asks all hooks about a call. If one changes the arguments, those after it are asked again
// about the changed ones, and at the end those that have not seen the final ones, so that no hook
// can change what another has judged.
func (a *asked) settle(list []chosen) (answer, error) {
	args := plainArgs(a.ev)
	answers, last := a.askAll(list), -1
	made := make([]any, len(list)) // what the call was after each
	for i := range answers {
		want := answers[i].update
		made[i] = a.in["tool_input"]
		if want == nil || reflect.DeepEqual(want, a.in["tool_input"]) {
			continue
		}
		sent, _ := a.in["tool_input"].(map[string]any)
		now, err := ownArgs(a.tool, args, sent, want)
		if err != nil {
			answers[i].err = err
			continue
		}
		args, last = now, i
		a.in["tool_input"] = toolInput(a.tool, args, a.ev.Env().CWD)
		made[i] = a.in["tool_input"]
		copy(answers[i+1:], a.askAll(list[i+1:]))
	}
	if last > 0 {
		for i, again := range a.askAll(list[:last]) {
			if again.update != nil && reflect.DeepEqual(again.update, made[i]) &&
				!reflect.DeepEqual(again.update, a.in["tool_input"]) {
				again.err = errors.New("it would run the call with other arguments, which a hook " +
					"after it has replaced")
			}
			if answers[i].decision != "deny" && (again.err != nil ||
				firm(again.decision) > firm(answers[i].decision)) {
				answers[i] = again
			}
		}
	}
	all := a.x.merge(list, answers)
	if all.update = nil; last >= 0 {
		all.update = args
	}
	return all, all.err
}

// decideCall asks the hooks of PreToolUse about a call.
func (x *extension) decideCall(run *engine.Run, ev *event.Event) (extapi.Decision, error) {
	var d extapi.Decision
	r := rowNamed("PreToolUse")
	list := x.choose(r, ev)
	if len(list) == 0 {
		return d, nil
	}
	a := x.newAsked(run, r, ev)
	all, err := a.settle(list)
	switch {
	case all.decision == "deny" && all.stop: // whatever has failed besides
		return extapi.Decision{Abort: "prompt", Reason: all.reason}, nil
	case all.decision == "deny":
		return extapi.Decision{Block: true, Reason: all.reason}, nil
	case all.stop:
		return extapi.Decision{Abort: "prompt", Reason: all.why}, nil
	case err != nil:
		return d, err
	}
	d = extapi.Decision{Args: all.update, Context: all.context, Allow: all.decision == "allow"}
	if all.decision == "ask" {
		if d.Ask = all.reason; d.Ask == "" {
			d.Ask = fmt.Sprintf("a hook of %s asks about this call", x.api.Bind.Gen.Header.Name)
		}
	}
	return d, nil
}
