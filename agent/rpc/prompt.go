// This file is what a client does with prompts: sends them, ends them, hears of their end.

package rpc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// greet understands initialize, or not: then the client may try again.
func greet(s *server, p params) (err error) {
	if got := p.number("protocol", 0); got != Protocol {
		return wrong("initialize", "protocol: got %d, want %d", got, Protocol)
	}
	capabilities, _ := p["capabilities"].(map[string]any)
	if can := params(capabilities); can.truth("panels") && !can.truth("surface") {
		return wrong("initialize", "capabilities.panels: it goes with surface")
	}
	if s.filter, err = newFilter(p["events"], s.o.EventNames); err == nil {
		s.greeted.Store(true)
	}
	return err
}

func initialize(s *server, _ context.Context, p params) (any, error) {
	capabilities, _ := p["capabilities"].(map[string]any)
	if err := s.open(params(capabilities)); err != nil {
		s.end(err)
		return nil, err
	}
	return map[string]any{"protocol": Protocol, "events": s.o.EventVersion, "version": s.o.Version,
		"session": s.session(),
		"model":   s.p.Agent.Model(), "methods": s.names}, nil
}

func prompt(s *server, _ context.Context, p params) (any, error) {
	kind := p.text("kind")
	if kind == "" {
		kind = "prompt"
	}
	return s.input("prompt", kind, p)
}

func steer(s *server, _ context.Context, p params) (any,
	error) {
	return s.input("steer", "steer", p)
}

func followUp(s *server, _ context.Context, p params) (any, error) {
	return s.input("follow_up", "follow_up", p)
}

func (s *server) input(method, kind string, p params) (any, error) {
	images, err := readImages(method, p["images"])
	if err != nil {
		return nil, err
	}
	text := p.text("text")
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return nil, wrong(method, "text: there is nothing in it to ask a model")
	}
	id := s.p.Agent.Session().NewID()
	s.inputsMu.Lock()
	defer s.inputsMu.Unlock()
	if err := s.p.Agent.Send(agent.Input{Text: text, Images: images, Kind: kind, Source: "rpc",
		ID: id}); err != nil {
		return nil, err
	}
	s.inputs[id] = true
	return map[string]any{"id": id}, nil
}

var imageFields = []value.Field{{Name: "mime_type", Type: "string",
	Values: []string{"image/png", "image/jpeg", "image/gif", "image/webp"}},
	{Name: "data", Type: "string"}}

func readImages(method string, v any) ([]engine.Block, error) {
	list, _ := v.([]any)
	var images []engine.Block
	for i, x := range list {
		at := fmt.Sprintf("images[%d]", i)
		args, err := value.CheckArgs(method+": "+at,
			[]value.Field{{Type: "table", Fields: imageFields}}, []any{x})
		if err != nil {
			// the whole image is wrong
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%s",
				strings.Replace(err.Error(), ": : ", ": ", 1))
		}
		m, _ := args[0].(map[string]any)
		image, err := tool.PictureOf(engine.Block{Data: value.Text(m, "data")})
		if err != nil {
			return nil, wrong(method, "%s.data: %v", at, err)
		}
		images = append(images, image)
	}
	return images, nil
}

func abort(s *server, _ context.Context, p params) (any, error) {
	dropped := []string{}
	if p.text("kind") == "graceful" {
		s.p.Agent.Interrupt("graceful")
		return map[string]any{"dropped": dropped}, nil
	}
	s.abortRuns()
	for _, in := range s.p.Agent.Interrupt("hard") {
		if in.ID != "" {
			dropped = append(dropped, in.ID)
			s.ended(in, agent.End{Status: agent.Cancelled})
		}
	}
	return map[string]any{"dropped": dropped}, nil
}

// work works on what is sent until the session is to end.
func (s *server) work() {
	defer s.busy.Done()
	a, leave, leaving := s.p.Agent, s.leave, false
	for {
		select {
		case <-s.life.Done():
			return
		case <-leave:
			leave, leaving = nil, true
		case <-a.Wake():
			a.Work(s.life, s.ended)
			s.endLost()
		}
		if leaving && a.Idle() {
			s.end(nil)
			return
		}
	}
}

// ended tells the end of a prompt, behind what was told of it.
func (s *server) ended(in agent.Input, end agent.End) {
	if in.ID == "" || !s.forget(in.ID) {
		return
	}
	e := s.p.Engine
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.life), tellWait)
	defer cancel()
	e.Flush(ctx)
	fields := map[string]any{"id": in.ID, "status": string(end.Status), "response": end.Response,
		"refused": end.Refused}
	if end.Reason != "" {
		fields["reason"] = end.Reason
	}
	if end.Insert != "" {
		fields["insert"] = e.Mask.Text(end.Insert)
	}
	s.conn.Notify("prompt.end", fields)
}

// forget reports whether the end of a prompt has not been told; it will have been then.
func (s *server) forget(id string) bool {
	s.inputsMu.Lock()
	defer s.inputsMu.Unlock()
	open := s.inputs[id]
	delete(s.inputs, id)
	return open
}

// endLost tells the end of prompts that are no longer there though nobody has worked on them: a
// script has emptied the queue.
func (s *server) endLost() {
	s.inputsMu.Lock()
	lost := maps.Clone(s.inputs)
	for _, in := range s.p.Agent.Waiting() {
		delete(lost, in.ID)
	}
	s.inputsMu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		s.ended(agent.Input{ID: id}, agent.End{Status: agent.Cancelled})
	}
}

// endAll tells the end of all prompts: the session ends.
func (s *server) endAll() {
	s.inputsMu.Lock()
	open := slices.Sorted(maps.Keys(s.inputs))
	s.inputsMu.Unlock()
	for _, id := range open {
		s.ended(agent.Input{ID: id}, agent.End{Status: agent.Cancelled})
	}
}

func nothing(*server, context.Context, params) (any, error) { return nil, nil }

func shutdown(s *server, p params) {
	switch {
	case p.text("when") != "idle" || !s.greeted.Load():
		s.end(nil)
	case !s.leaving.Swap(true):
		s.lane <- job{run: func() { close(s.leave) }}
	}
}
