// This file handles the client's prompts and reports their ends.

package rpc

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

// greet handles initialize. If it fails, the client may try again.
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
	if err := s.openSession(params(capabilities)); err != nil {
		s.endSession(err)
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
	in := agent.Input{Text: p.text("text"), Images: images, Kind: kind}
	if remote.Empty(in) {
		return nil, wrong(method, "text: there is nothing in it to ask a model")
	}
	id, err := s.remote.Send(in, s.tellEnd)
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": id}, nil
}

var imageFields = []value.Field{{Name: "mime_type", Type: "string",
	Values: remote.ImageTypes()},
	{Name: "data", Type: "string"}}

func readImages(method string, v any) ([]chat.Block, error) {
	list, _ := v.([]any)
	var images []chat.Block
	for i, x := range list {
		at := fmt.Sprintf("images[%d]", i)
		args, err := value.CheckArgs(method+": "+at,
			[]value.Field{{Type: "table", Fields: imageFields}}, []any{x})
		if err != nil {
			// the error is about the whole image
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%s",
				strings.Replace(err.Error(), ": : ", ": ", 1))
		}
		m, _ := args[0].(map[string]any)
		image, err := remote.Image(value.Text(m, "data"))
		if err != nil {
			return nil, wrong(method, "%s.data: %v", at, err)
		}
		images = append(images, image)
	}
	return images, nil
}

func abort(s *server, _ context.Context, p params) (any, error) {
	kind := "graceful"
	if p.text("kind") != kind {
		kind = "hard"
		s.abortRuns()
	}
	dropped := append([]string{}, s.remote.Interrupt(kind)...)
	return map[string]any{"dropped": dropped}, nil
}

// tellEnd reports the end of a prompt.
func (s *server) tellEnd(id string, end agent.End) (answer func()) {
	fields := map[string]any{"id": id, "status": string(end.Status), "response": end.Response,
		"refused": end.Refused}
	if end.Reason != "" {
		fields["reason"] = end.Reason
	}
	if end.Insert != "" {
		fields["insert"] = end.Insert
	}
	return func() { s.conn.Notify("prompt.end", fields) }
}

func nothing(*server, context.Context, params) (any, error) { return nil, nil }

func shutdown(s *server, p params) {
	switch {
	case p.text("when") != "idle" || !s.greeted.Load():
		s.endSession(nil)
	case !s.leaving.Swap(true):
		s.lane <- job{run: func() { s.remote.Leave() }}
	}
}
