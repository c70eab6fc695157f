// This file implements a fake agent for a case: it records what scripts request and returns the
// results that the case defines.

package scripttest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/service"
)

// agent is a fake of the agent that normally uses the engine.
type agent struct {
	tell func(line string)
	// handlers runs the handlers of llm_request, as each request to a model does.
	handlers func(ctx context.Context)

	mu      sync.Mutex
	busy    bool
	state   map[string]any // "script key": value
	entries []any
	name    string
	answers []service.ModelAnswer
	spawned int
	kills   sync.WaitGroup // sub-agents that are being ended
}

func newAgent(tell func(string)) *agent {
	return &agent{tell: tell, state: map[string]any{}, entries: []any{
		map[string]any{"id": "e1", "time": 1.0, "type": "message", "role": "user",
			"content": "hello"},
		map[string]any{"id": "e2", "parent": "e1", "time": 2.0, "type": "message",
			"role": "assistant", "content": "hi"},
	}}
}

func (a *agent) services() *service.Agent {
	return &service.Agent{
		Send: func(env *event.Envelope, text, when, source string, _ int) error {
			a.tell(fmt.Sprintf("sent %s by %s: %s", when, source, text))
			return nil
		},
		Abort:   func(*event.Envelope) { a.tell("aborted") },
		Exit:    func() { a.tell("exit asked for") },
		Idle:    func() bool { return !a.isBusy() },
		Compact: a.compact, Set: a.set, Models: a.models, Spawn: a.spawn, Complete: a.complete,
		Messages: a.messages, Entries: a.list, Tree: a.list, Append: a.append, Name: a.rename,
		Label: a.label, Usage: a.usage,
		New: func(_ context.Context, _ *event.Envelope, prompt string) error {
			return a.idle("new session, prompt: " + prompt)
		},
		Fork: a.fork, State: service.State{Get: a.get, Set: a.put, Keys: a.keys},
	}
}

func (a *agent) isBusy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.busy
}

// idle records line, or returns an error if the agent is busy.
func (a *agent) idle(line string) error {
	if a.isBusy() {
		return &fault.WorldError{Code: "busy", Message: "the agent is at work"}
	}
	a.tell(line)
	return nil
}

func (a *agent) compact(_ context.Context, _ *event.Envelope, instructions string) error {
	return a.idle("compacted, instructions: " + instructions)
}

func (a *agent) set(_ *event.Envelope, s service.Settings, source string) error {
	if s.Model == "no/such" {
		return &fault.WorldError{Code: "not_found", Message: "no model no/such"}
	}
	a.tell("set by " + source + ": " + compact(s))
	return nil
}

func (a *agent) models() []service.ModelInfo {
	return []service.ModelInfo{
		{Provider: "test", Model: chat.Model{ID: "model", Context: 1000, MaxOutput: 100,
			Images: true, Price: &chat.Price{Input: 1, Output: 2}}},
		{Provider: "test", Model: chat.Model{ID: "free"}}}
}

// spawn starts a sub-agent. Its prompt determines the outcome: "refuse" does not start, "fail" ends
// with an error, "hang" runs until it is killed, and everything else succeeds at once.
func (a *agent) spawn(ctx context.Context, _ *event.Envelope,
	s *service.SpawnSpec) (*service.Spawned, error) {
	if s.Prompt == "refuse" {
		return nil, &fault.WorldError{Code: "refused", Message: "no sub-agents today"}
	}
	a.mu.Lock()
	a.spawned++
	id := fmt.Sprintf("sub-%d", a.spawned)
	a.mu.Unlock()
	a.tell(fmt.Sprintf("spawned %s: %s", id,
		compact(map[string]any{"prompt": s.Prompt, "agent": s.Agent, "model": s.Model,
			"system": s.System, "tools": s.Tools})))
	life, kill := context.WithCancel(ctx)
	done := make(chan service.SpawnEnd, 1)
	a.kills.Add(1)
	go func() {
		defer a.kills.Done()
		end := a.work(life, s)
		if end.Status == "cancelled" {
			a.tell(id + " was killed")
		}
		done <- end
	}()
	return &service.Spawned{ID: id, Kill: kill, Wait: func(ctx context.Context) (service.SpawnEnd,
		error) {
		select {
		case end := <-done:
			done <- end // several may wait
			return end, nil
		case <-ctx.Done():
			return service.SpawnEnd{}, context.Cause(ctx)
		}
	}}, nil
}

func (a *agent) work(life context.Context, s *service.SpawnSpec) service.SpawnEnd {
	if s.OnEvent != nil {
		s.OnEvent("tool_start", map[string]any{"tool": "read"})
		for _, word := range strings.Fields(s.Prompt) {
			s.OnEvent("text", map[string]any{"text": word})
		}
	}
	cost := 0.25
	switch s.Prompt {
	case "hang":
		<-life.Done()
		return service.SpawnEnd{Status: "cancelled"}
	case "fail":
		return service.SpawnEnd{Status: "error", Error: "it failed"}
	}
	return service.SpawnEnd{Status: "completed", Response: "done: " + s.Prompt,
		Usage: chat.Usage{Input: 3, Output: 4}, Cost: &cost}
}

// complete returns the next answer that the case has defined. Without any it describes the request.
func (a *agent) complete(ctx context.Context, _ *event.Envelope,
	c *service.ModelCall) (*service.ModelAnswer, error) {
	last := chat.PlainText(c.Messages[len(c.Messages)-1].Content)
	a.tell(fmt.Sprintf("model %q asked with %d messages, system %q, max_tokens %d, schema %s: %s",
		c.Model, len(c.Messages), c.System, c.MaxTokens, compact(c.Schema), last))
	a.handlers(ctx)
	if last == "fail" {
		return nil, &fault.FailError{Message: "overloaded", Status: 529, Retryable: true}
	}
	a.mu.Lock()
	answer := service.ModelAnswer{Text: "answer to: " + last}
	if len(a.answers) > 0 {
		answer, a.answers = a.answers[0], a.answers[1:]
	}
	a.mu.Unlock()
	if answer.Finish == "" {
		answer.Finish = "stop"
	}
	answer.Usage = chat.Usage{Input: 1, Output: 2}
	if c.OnDelta != nil {
		for _, word := range strings.SplitAfter(answer.Text, " ") {
			c.OnDelta(word)
		}
	}
	return &answer, nil
}

func (a *agent) messages(*event.Envelope) []*chat.Message {
	return []*chat.Message{
		{ID: "m1", Role: "user", Content: []chat.Block{{Type: "text", Text: "hello"}}},
		{ID: "m2", Role: "assistant", Content: []chat.Block{{Type: "text", Text: "hi"}},
			ToolCalls: []chat.ToolUse{{ID: "c1", Tool: "read",
				Args: map[string]any{"path": "a"}}}},
		{ID: "m3", Role: "tool", CallID: "c1", Tool: "read",
			Content: []chat.Block{{Type: "text", Text: "text"}}},
	}
}

func (a *agent) list(*event.Envelope) []any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.entries)
}

func (a *agent) append(_ *event.Envelope, kind string, data any) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := fmt.Sprintf("e%d", len(a.entries)+1)
	a.entries = append(a.entries, map[string]any{"id": id, "type": "custom", "kind": kind,
		"data": data, "time": 3.0})
	return id, nil
}

func (a *agent) rename(_ *event.Envelope, name string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if name != "" {
		a.name = name
	}
	return a.name, nil
}

func (a *agent) label(_ *event.Envelope, id, text string) error {
	if !a.has(id) {
		return &fault.WorldError{Code: "not_found", Message: "no entry " + id}
	}
	a.tell("label of " + id + ": " + text)
	return nil
}

func (a *agent) has(id string) bool {
	return slices.ContainsFunc(a.list(nil),
		func(e any) bool { return e.(map[string]any)["id"] == id })
}

func (a *agent) usage(_ *event.Envelope, branch bool) map[string]any {
	u := chat.Usage{Input: 10, Output: 20}
	if branch {
		u.Output = 5
	}
	return map[string]any{"usage": u.Value(), "cost": 0.5, "turns": 2, "tool_calls": 1}
}

func (a *agent) fork(_ context.Context, _ *event.Envelope, id string, before bool) error {
	if !a.has(id) {
		return &fault.WorldError{Code: "not_found", Message: "no entry " + id}
	}
	return a.idle(fmt.Sprintf("fork at %s, before: %v", id, before))
}

func (a *agent) get(script, key string) (any, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.state[script+" "+key]
	return v, ok
}

func (a *agent) put(script, key string, v any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v == nil {
		delete(a.state, script+" "+key)
		return nil
	}
	a.state[script+" "+key] = v
	return nil
}

func (a *agent) keys(script string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var keys []string
	for k := range a.state {
		if key, ok := strings.CutPrefix(k, script+" "); ok {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys
}

// answer defines the model's next reply: text, or {text, data, cost}.
func (s *session) answer(rest string) {
	a := service.ModelAnswer{Text: rest}
	if strings.HasPrefix(rest, "{") {
		if err := json.Unmarshal([]byte(rest), &a); err != nil {
			s.t.Fatalf("input: answer %s: %v", rest, err)
		}
	}
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	s.agent.answers = append(s.agent.answers, a)
}

func (s *session) setBusy(rest string) {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	s.agent.busy = rest == "yes"
}

// unload unloads the script, as the removal of its file does.
func (s *session) unload(string) {
	s.eng.Scripts.Swap(nil, nil)
	s.agent.kills.Wait()
	s.flush()
}
