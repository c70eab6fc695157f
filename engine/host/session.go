// This file implements ext.session: the stored conversation.

package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/service"
)

// sessions implements ext.session.
type sessions struct{ services services }

func (x *sessions) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"session.messages": x.messages, "session.entries": x.entries, "session.tree": x.tree,
		"session.append": x.append, "session.name": x.name, "session.label": x.label,
		"session.usage": x.usage, "session.new": x.new, "session.fork": x.fork,
	}
}

func (x *sessions) messages(c *engine.HostCall) (any, error) {
	s, err := x.services.of("ext.session.messages")
	if err != nil {
		return nil, err
	}
	return chat.MessageList(s.Messages(c.Run.Env)), nil
}

func (x *sessions) entries(c *engine.HostCall) (any, error) {
	s, err := x.services.of("ext.session.entries")
	if err != nil {
		return nil, err
	}
	return s.Entries(c.Run.Env), nil
}

func (x *sessions) tree(c *engine.HostCall) (any, error) {
	s, err := x.services.of("ext.session.tree")
	if err != nil {
		return nil, err
	}
	return s.Tree(c.Run.Env), nil
}

// entryKind matches the kinds of entries that scripts may append: people and other programs read
// them.
var entryKind = lazyregexp.New(`^[A-Za-z0-9_.:-]+$`)

func (x *sessions) append(c *engine.HostCall) (any, error) {
	const name = "ext.session.append"
	s, err := x.services.of(name)
	if err != nil {
		return nil, err
	}
	kind := c.Args[0].(string)
	if !named(entryKind(), kind) {
		return nil, fmt.Errorf("%s: kind: got %.80q, want up to 64 letters, digits, _, ., : and -",
			name, kind)
	}
	data, err := kept(name+": data", c.Args[1])
	if err != nil {
		return nil, err
	}
	id, err := s.Append(c.Run.Env, kind, data)
	if err != nil {
		return nil, world(c, name, err)
	}
	return id, nil
}

func (x *sessions) name(c *engine.HostCall) (any, error) {
	const name = "ext.session.name"
	s, err := x.services.of(name)
	if err != nil {
		return nil, err
	}
	if c.Args[0] == "" {
		return nil, errors.New(name + `: text: got "", want a name, or no argument to get the name`)
	}
	now, err := s.Name(c.Run.Env, text(c.Args[0]))
	if err != nil {
		return nil, world(c, name, err)
	}
	if now == "" {
		return nil, nil
	}
	return now, nil
}

func (x *sessions) label(c *engine.HostCall) (any, error) {
	s, err := x.services.of("ext.session.label")
	if err != nil {
		return nil, err
	}
	return done(world(c, "ext.session.label", s.Label(c.Run.Env, c.Args[0].(string),
		text(c.Args[1]))))
}

func (x *sessions) usage(c *engine.HostCall) (any, error) {
	s, err := x.services.of("ext.session.usage")
	if err != nil {
		return nil, err
	}
	return s.Usage(c.Run.Env, truth(table(c.Args[0])["branch"])), nil
}

func (x *sessions) new(c *engine.HostCall) (any, error) {
	return x.switchTo(c, "ext.session.new", func(ctx context.Context, s *service.Agent) error {
		return s.New(ctx, c.Run.Env, text(table(c.Args[0])["prompt"]))
	})
}

func (x *sessions) fork(c *engine.HostCall) (any, error) {
	return x.switchTo(c, "ext.session.fork", func(ctx context.Context, s *service.Agent) error {
		return s.Fork(ctx, c.Run.Env, c.Args[0].(string), truth(table(c.Args[1])["before"]))
	})
}

// switchTo leaves the conversation for another one, which may run handlers.
func (x *sessions) switchTo(c *engine.HostCall, name string,
	change func(ctx context.Context, s *service.Agent) error) (any, error) {
	s, err := x.services.of(name)
	if err != nil {
		return nil, err
	}
	ctx, _, err := c.Run.Cause()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return done(world(c, name, change(ctx, s)))
}
