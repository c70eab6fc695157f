// This file runs the lines of a case's input.

package scripttest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/ui"
)

// commands are the commands of input lines. Empty lines, and those that begin with #, are ignored.
//
//	emit EVENT JSON         fires the event with these payload fields
//	call TOOL JSON          makes a tool call, with all handlers, guards and questions
//	guardcall TOOL JSON     asks handlers and guards about a call that does not run
//	command /NAME ARGS      runs a slash command
//	complete /NAME PREFIX   asks for the completions of a slash command
//	complete WORD           asks for what can replace a word
//	stream PROVIDER TEXT    sends TEXT to a provider as the user's message
//	list                    prints what the script has registered
//	confirm yes|no          the user's answer to the next unanswered ext.ui.confirm
//	say TEXT                the user's answer to the next unanswered ext.ui.select or
//	                        ext.ui.input; "-": cancels; "...": does not answer
//	approve yes|no|session|late|JSON
//	                        the user's answer to the next dialog about a tool call; late: yes,
//	                        after a while; JSON: yes, with these arguments instead
//	permission MODE, origin WHO, depth N
//	                        apply to all later lines
//	context N               runs the context handlers with N messages, m1 to mN, and prints which
//	                        ones were not copied
//	request N               the same for the handlers of llm_request
//	busy yes|no             whether the agent is busy, for all later lines
//	answer TEXT|JSON        the model's reply to the next unanswered ext.llm.complete; JSON:
//	                        {text, data, cost}
//	mask TEXT               prints TEXT with secrets masked
//	set NAME TEXT           (anywhere) the value of --set for an option, from the start
//	config NAME JSON        (anywhere) the value in config.toml for an option
//	screen TEXT             waits until the scripts' part of the screen has TEXT, and prints it;
//	                        without TEXT: until it is empty
//	await TEXT              the same without printing
//	draw call|result|entry NAME JSON
//	                        renders the arguments or the result of a tool, or an entry of a kind
//	chord KEY               presses a shortcut
//	key NAME TEXT           presses a key in the panel; "leave" is not a key: the user leaves it
//	press NAME TEXT         presses a key that is for the editor
//	resize N                sets the width of the screen to N cells
//	unload                  unloads the script
//	headless                (as the first line) no user is available
//	alone                   (as the first line) there is no agent
func commands() map[string]func(*session, string) {
	return map[string]func(*session, string){
		"emit": (*session).emit, "call": (*session).call, "guardcall": (*session).guardcall,
		"command": (*session).command, "complete": (*session).complete, "press": (*session).press,
		"stream":  (*session).stream,
		"list":    (*session).list,
		"confirm": (*session).confirm, "approve": (*session).approve, "say": (*session).say,
		"context": (*session).context, "request": (*session).request, "busy": (*session).setBusy,
		"answer": (*session).answer, "unload": (*session).unload,
		"screen": (*session).showScreen, "chord": (*session).chord, "draw": (*session).draw,
		"key":      func(s *session, rest string) { s.screen.key(rest) },
		"await":    func(s *session, rest string) { s.awaitScreen(rest) },
		"resize":   func(s *session, rest string) { s.screen.resize(s.t, rest) },
		"mask":     func(s *session, rest string) { s.flush(s.eng.Mask.Text(rest)) },
		"headless": func(*session, string) {}, "alone": func(*session, string) {},
		"set": func(*session, string) {}, "config": func(*session, string) {},
		"permission": func(s *session, rest string) {
			s.change(func(env *event.Envelope) { env.Permission = event.Permission(rest) })
		},
		"origin": func(s *session,
			rest string) {
			s.change(func(env *event.Envelope) { env.Origin = rest })
		},
		"depth": func(s *session,
			rest string) {
			s.change(func(env *event.Envelope) { fmt.Sscan(rest, &env.Depth) })
		},
	}
}

// begins reports whether the first line of input is word.
func begins(input, word string) bool { return strings.HasPrefix(input, word+"\n") }

func (s *session) change(f func(*event.Envelope)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.env)
}

// run runs all lines and prints the result of each. A script that did not load gets no input.
func (s *session) run(input string) {
	s.t.Helper()
	if s.gen == nil {
		return
	}
	for _, line := range strings.Split(input, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		f := commands()[name]
		if f == nil {
			s.t.Fatalf("input: unknown line %q", line)
		}
		fmt.Fprintf(&s.out, "> %s\n", line)
		f(s, strings.TrimSpace(rest))
		s.flush()
	}
}

// object parses "NAME JSON", where JSON is an object.
func (s *session) object(rest string) (name string, fields map[string]any) {
	name, text, _ := strings.Cut(rest, " ")
	if text = strings.TrimSpace(text); text == "" {
		text = "{}"
	}
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		s.t.Fatalf("input: %s: %v", rest, err)
	}
	return name, fields
}

func (s *session) emit(rest string) {
	name, fields := s.object(rest)
	row := s.eng.Events.Row(name)
	if row == nil {
		s.t.Fatalf("input: unknown event %q", name)
	}
	ev := s.eng.Events.Named(name, s.envelope(), fields)
	s.made = ev
	if row.Phase == event.Observe {
		s.flush(compact(verdict(ev, s.eng.Emitter.Observe(ev))))
		return
	}
	ev, v := s.eng.Intercept(s.ctx, ev)
	s.flush(compact(verdict(ev, v)))
}

func (s *session) newCall(rest string) *engine.Call {
	tool, args := s.object(rest)
	env := s.envelope()
	origin := env.Origin
	if origin == "" {
		origin = "model"
	}
	return &engine.Call{ID: "c1", Tool: tool, Args: args, Origin: origin, Env: env}
}

func (s *session) call(rest string) {
	c := s.newCall(rest)
	s.flush(compact(answer(c, s.eng.Dispatch(s.ctx, c))))
}

func (s *session) guardcall(rest string) {
	c := s.newCall(rest)
	c.Preview = true
	r := s.eng.Dispatch(s.ctx, c)
	o := verdict(nil, r.Verdict)
	if r.Skipped != "" {
		o["skipped"] = r.Skipped
	}
	if compact(r.Args) != compact(c.Args) {
		o["changed"] = map[string]any{"args": r.Args}
	}
	s.flush(compact(o))
}

func (s *session) command(rest string) {
	name, args, _ := strings.Cut(strings.TrimPrefix(rest, "/"), " ")
	r, err := s.eng.Commands.Run(s.ctx, s.envelope(), name, args)
	if err != nil {
		if _, ok := err.(*fault.ScriptError); !ok { // hear has printed those of scripts
			s.tell("error: " + err.Error())
		}
		return
	}
	s.flush(compact(map[string]any{"prompt": r.Prompt, "insert": r.Insert, "display": r.Display,
		"error": r.Error}))
}

func (s *session) draw(rest string) {
	part, rest, _ := strings.Cut(rest, " ")
	tool, text, _ := strings.Cut(rest, " ")
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		s.t.Fatalf("input: draw %s: %v", text, err)
	}
	part, how, _ := strings.Cut(part, "+")
	d, ok := s.eng.Screen.Draw(ui.DrawRequest{Part: ui.DrawPart(part), Name: tool, Value: value,
		Width: 40, Expanded: how == "expanded", Partial: how == "partial"})
	out := []string{fmt.Sprintf("drawn: %v %s", ok, d.Markdown)}
	for _, l := range d.Lines {
		out = append(out, "  |"+l.Text())
	}
	s.flush(out...)
}

func (s *session) chord(key string) {
	r, err := s.eng.Commands.RunShortcut(s.ctx, s.envelope(), key)
	if err != nil {
		if _, ok := err.(*fault.ScriptError); !ok {
			s.tell("error: " + err.Error())
		}
		return
	}
	s.flush(compact(map[string]any{"prompt": r.Prompt, "insert": r.Insert, "display": r.Display,
		"error": r.Error}))
}

func (s *session) complete(rest string) {
	var list []slash.Completion
	if line, ok := strings.CutPrefix(rest, "/"); ok {
		name, prefix, _ := strings.Cut(line, " ")
		var err error
		if list, err = s.eng.Commands.Complete(s.ctx, s.envelope(), name, prefix); err != nil {
			return // hear has printed it
		}
	} else {
		list = s.eng.Commands.CompleteWord(s.ctx, s.envelope(), rest)
	}
	out := []any{}
	for _, c := range list {
		out = append(out, map[string]any{"value": c.Value, "description": c.Description})
	}
	s.flush(compact(out))
}

// press presses a key that is for the editor, and prints whether a script has taken it.
func (s *session) press(rest string) {
	name, text, _ := strings.Cut(rest, " ")
	taken := s.eng.Commands.TakeKey(s.ctx, s.envelope(), name, text)
	s.flush(fmt.Sprint(taken))
}

func (s *session) stream(rest string) {
	name, text, _ := strings.Cut(rest, " ")
	p := s.eng.Scripts.Snapshot().Provider(name)
	if p == nil {
		s.t.Fatalf("input: no provider %q", name)
	}
	req := &chat.Request{Model: p.Models[0].ID, System: "be brief", Purpose: "agent",
		Env: s.envelope(), ToolChoice: "required", Thinking: "low",
		Messages: []*chat.Message{{ID: "m1", Role: "user",
			Content: []chat.Block{{Type: "text", Text: text}}}}}
	finish, err := p.Stream(s.ctx, req,
		func(c chat.Chunk) { s.tell("chunk: " + compact(chunk(c))) })
	if _, told := err.(*fault.ScriptError); told { // hear has printed it
		return
	}
	if err != nil {
		s.failed(err)
		return
	}
	s.flush("finish: " + finish.Reason + " " + compact(finish.Usage))
}

func (s *session) confirm(rest string) {
	s.user.mu.Lock()
	defer s.user.mu.Unlock()
	s.user.confirms = append(s.user.confirms, rest == "yes")
}

func (s *session) say(rest string) {
	s.user.mu.Lock()
	defer s.user.mu.Unlock()
	s.user.words = append(s.user.words, rest)
}

func (s *session) approve(rest string) {
	a := engine.Answer{Allow: rest != "no", Session: rest == "session"}
	s.user.mu.Lock()
	s.user.late = rest == "late"
	s.user.mu.Unlock()
	if strings.HasPrefix(rest, "{") {
		_, a.Args = s.object("args " + rest)
	}
	s.user.mu.Lock()
	defer s.user.mu.Unlock()
	s.user.approves = append(s.user.approves, a)
}

// compact formats v as JSON on one line with sorted keys.
func compact(v any) string {
	b, err := plain.JSON(v, "")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
