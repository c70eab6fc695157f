// This file asks the hooks about an event, and makes one answer of theirs.

package hooks

import (
	"cmp"
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

// choose returns the hooks of rows that an event is about, row by row in the order of the file:
// identical ones once.
func (x *extension) choose(rows []*row, ev *event.Event) (list []chosen) {
	for _, r := range rows {
		if !r.is(ev) || x.ownNotice(r, ev) {
			continue
		}
		var names []string
		if r.about != "" {
			names = r.names(x.s.dialect, ev)
		}
		for _, h := range x.s.hooks {
			if h.row != r {
				continue
			}
			name, ok, err := "", r.about == "", error(nil)
			if !ok {
				name, ok, err = h.matcher.fits(names)
			}
			if (ok || err != nil) && !has(list, h) {
				list = append(list, chosen{h, name, err})
			}
		}
	}
	return list
}

// ownNotice reports whether an event tells what the hooks themselves have told.
func (x *extension) ownNotice(r *row, ev *event.Event) bool {
	return r.ours == "notification" && ev.Text("source") == x.api.Bind.Gen.Name
}

func has(list []chosen, h *hook) bool {
	for _, c := range list {
		if c.row == h.row && c.key == h.key {
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
	// final: nothing of the call changes any more, so only hooks that decide are asked
	final bool
}

func (x *extension) newAsked(run *engine.Run, r *row, ev *event.Event) *asked {
	in := x.s.common(ev.Env())
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
func (a *asked) askAll(list []chosen) []*answer {
	answers := make([]*answer, len(list))
	for i := range answers {
		answers[i] = &answer{}
	}
	// by the event, and the name of the tool
	texts, reads := map[string][]byte{}, map[string]message{}
	for _, c := range list {
		key := c.row.name + c.name
		if _, made := texts[key]; made {
			continue
		}
		in := maps.Clone(a.in)
		in["hook_event_name"] = c.row.name
		if a.row.ofTool && c.name != "" {
			in["tool_name"] = c.name
		}
		b, err := plain.JSON(in, "")
		if err != nil {
			for i := range answers {
				answers[i].err = err
			}
			return answers
		}
		texts[key], reads[key] = b, in
	}
	var all sync.WaitGroup
	for i, c := range list {
		key := c.row.name + c.name
		if !a.isAbout(c) || a.final && !c.row.decides { // as the call is now
			continue
		}
		if c.async || c.rewake {
			a.x.runBeside(c.hook, a.ev.Env(), texts[key])
			continue
		}
		all.Go(func() {
			answers[i] = a.answerOnce(c, texts[key],
				func() *answer { return a.askOne(c, reads[key], texts[key]) })
		})
	}
	all.Wait()
	return answers
}

// askOne runs one hook. in is what it reads, and text the same as JSON.
func (a *asked) askOne(c chosen, in message, text []byte) *answer {
	var o output
	x := a.x
	switch {
	case c.err != nil:
		o.err = c.err
	case c.wrong != nil:
		o.err = c.wrong
	case c.kind == "http":
		if len(c.texts) > 0 {
			text = []byte(c.filled(in))
		}
		if o = x.request(a.run, c.hook, text); c.builtin != nil {
			o.stdout = ""
		}
	case c.kind == "mcp_tool":
		o = a.callTool(c.hook, in)
	case c.kind == "agent":
		return a.askAgent(c.hook, text)
	case c.kind == "prompt":
		return x.askModel(a.run, c.hook, text)
	case c.kind == "model":
		return c.orElse(a.askShaped(c.hook, in))
	case c.kind == "builtin":
		return c.orElse(c.builtin.run(a, c.hook, in))
	default:
		o = x.runCommand(a.run, c.hook, a.ev.Env(), text)
	}
	return c.orElse(x.s.answerOf(c.hook, o))
}

// orElse returns an answer, or what the hook says is to happen instead of an error.
func (h *hook) orElse(a *answer) *answer {
	switch {
	case a.err == nil:
	case h.onError == "block" && (h.row.blocks || h.row.refuses):
		return &answer{decision: "deny", reason: h.label() + " failed: " + plain.Error(a.err)}
	case h.row.decides && h.row.ours == ofCall, !h.warns:
	case h.onError == "ignore":
		return &answer{}
	default:
		return &answer{failed: plain.Error(a.err)}
	}
	return a
}

// failure adds the error of a hook that has not answered to those of others, which may be nil. The
// place is that of the first.
func (x *extension) failure(others *fault.ScriptError, h *hook, err error) *fault.ScriptError {
	if others != nil {
		others.Message += "; " + placed(x, h) + ": " + plain.Error(err)
		return others
	}
	return &fault.ScriptError{Position: place(x, h), Message: h.label() + ": " + plain.Error(err),
		Err: err}
}

// place returns where the file has a hook.
func place(x *extension, h *hook) fault.Position {
	return fault.Position{File: x.api.Bind.Gen.Name, Line: h.line}
}

// placed names a hook for the user, with its place in the file.
func placed(x *extension, h *hook) string { return place(x, h).String() + ": " + h.label() }

// merge makes one answer of those of several hooks: the firmest decision counts, of equal ones the
// first.
func (x *extension) merge(run *engine.Run, list []chosen, answers []*answer) *answer {
	all := &answer{}
	var failed *fault.ScriptError
	for i, a := range answers {
		h := list[i].hook
		if a.err != nil {
			failed = x.failure(failed, h, a.err)
		}
		if a.failed != "" {
			x.api.Tell("warn", placed(x, h)+": "+a.failed)
		}
		if a.say != "" {
			x.api.Tell("info", a.say)
		}
		x.carryOut(run, h, &a.wishes)
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
		if a.messages != nil {
			all.messages = a.messages
		}
		all.summary = cmp.Or(all.summary, a.summary)
		if a.metadata != nil {
			all.metadata = a.metadata
		}
	}
	if failed != nil {
		all.err = failed
	}
	return all
}

// settle asks all hooks about a call, those of one event after those of another. If one changes the
// arguments, those after it are asked again about the changed ones, and at the end those that have
// not seen the final ones, so that no hook can change what another has judged.
func (a *asked) settle(list []chosen) (*answer, error) {
	args := plainArgs(a.ev)
	answers, last := make([]*answer, len(list)), -1
	made := make([]any, len(list)) // what the call was after each
	end := 0                       // of those that have been asked
	for i := range answers {
		if i == end {
			for end < len(list) && list[end].row == list[i].row {
				end++
			}
			copy(answers[i:end], a.askAll(list[i:end]))
		}
		want := answers[i].update
		made[i] = a.in["tool_input"]
		if want == nil || reflect.DeepEqual(want, a.in["tool_input"]) {
			continue
		}
		sent, _ := a.in["tool_input"].(map[string]any)
		if a.x.s.strict {
			all := maps.Clone(sent)
			maps.Copy(all, want)
			want = all
		}
		t := a.x.s.tools
		now, err := t.ownArgs(a.tool, args, sent, want)
		if err != nil {
			answers[i].err = err
			continue
		}
		args, last = now, i
		a.in["tool_input"] = t.toolInput(a.tool, args, a.ev.Env().CWD)
		made[i] = a.in["tool_input"]
		copy(answers[i+1:end], a.askAll(list[i+1:end]))
	}
	if a.final = true; last > 0 {
		for i, again := range a.askAll(list[:last]) {
			if again.update != nil && !a.x.s.strict && reflect.DeepEqual(again.update, made[i]) &&
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
	all := a.x.merge(a.run, list, answers)
	if all.update = nil; last >= 0 {
		all.update = args
	}
	return all, all.err
}

// decideCall asks the hooks that decide about calls about one.
func (x *extension) decideCall(run *engine.Run, ev *event.Event) (extapi.Decision, error) {
	var d extapi.Decision
	list := x.choose(x.calls, ev)
	if len(list) == 0 {
		return d, nil
	}
	a := x.newAsked(run, x.calls[0], ev)
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
	x.setLabels(ev.Text("call_id"), all.metadata)
	d = extapi.Decision{Args: all.update, Context: all.context, Allow: all.decision == "allow"}
	if all.decision == "ask" {
		if d.Ask = all.reason; d.Ask == "" {
			d.Ask = fmt.Sprintf("a hook of %s asks about this call", x.api.Bind.Gen.Header.Name)
		}
	}
	return d, nil
}
