// This file handles the client's requests about sessions, and about the conversation in one.

package rpc

import (
	"context"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
)

// sessionsListed is the default number of listed sessions: a project's last weeks.
const sessionsListed = 50

func (s *server) session() map[string]any {
	now := s.p.Agent.Session()
	return map[string]any{"id": now.ID(), "path": now.Path(),
		"name": s.remote.Mask(now.Name())}
}

func (s *server) inSession(err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{"session": s.session()}, nil
}

// idly runs do so that it cannot come between an earlier prompt and the work on it.
func (s *server) idly(do func() error) error {
	if !s.p.Agent.Idle() {
		return &fault.WorldError{Code: "busy",
			Message: "busy: the agent is at work; wait for it, or abort it"}
	}
	return do()
}

func sessionsList(s *server, _ context.Context, p params) (any, error) {
	limit := p.number("limit", sessionsListed)
	if limit < 1 {
		return nil, wrong("sessions.list", "limit: got %d, want at least 1", limit)
	}
	infos, err := s.p.Agent.Sessions(limit)
	if err != nil {
		return nil, err
	}
	list, now := make([]any, len(infos)), s.p.Agent.Session().ID()
	for n := range infos {
		i := &infos[n]
		list[n] = map[string]any{"id": i.ID, "path": i.Path, "name": s.remote.Mask(i.Name),
			"title": s.remote.Mask(i.Title()), "cwd": i.CWD, "begun": seconds(i.Begun),
			"modified": seconds(i.Modified), "messages": i.Messages, "more": i.More,
			"damaged": i.Damaged, "current": i.ID == now}
	}
	return map[string]any{"sessions": list}, nil
}

func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6
}

func sessionsNew(s *server, ctx context.Context, _ params) (any, error) {
	return s.inSession(s.idly(func() error { return s.p.Agent.NewSession(ctx, "new", "") }))
}

func sessionsResume(s *server, ctx context.Context, p params) (any, error) {
	return s.inSession(s.idly(func() error { return s.p.Agent.ResumeID(ctx, p.text("id")) }))
}

func sessionsFork(s *server, ctx context.Context, p params) (any, error) {
	return s.inSession(s.idly(func() error {
		return s.p.Agent.Fork(ctx, p.text("entry"),
			p.truth("before"))
	}))
}

func sessionsName(s *server, _ context.Context, p params) (any, error) {
	if strings.TrimSpace(p.text("name")) == "" {
		return nil, wrong("sessions.name", "name: there is nothing in it")
	}
	_, err := s.p.Agent.Name(p.text("name"))
	return s.inSession(err)
}

func sessionsExport(s *server, _ context.Context, p params) (any, error) {
	var b strings.Builder
	export := session.Export{}.Markdown
	if p.text("format") == "json" {
		export = session.Export{}.JSON
	}
	if err := export(&b, s.p.Agent.Session()); err != nil {
		return nil, err
	}
	return map[string]any{"text": s.remote.Mask(b.String())}, nil
}

func compact(s *server, ctx context.Context, p params) (any, error) {
	if err := s.idly(func() error {
		return s.p.Agent.Compact(ctx,
			p.text("instructions"))
	}); err != nil {
		return nil, err
	}
	c := s.p.Agent.Session().Compaction()
	if c == nil { // the session has been switched meanwhile
		return nil, &fault.WorldError{Code: "cancelled", Message: "another session is worked on"}
	}
	return map[string]any{"dropped": c.Dropped, "kept": c.Kept, "tokens_before": c.TokensBefore,
		"tokens_after": c.TokensAfter}, nil
}

func messages(s *server, _ context.Context, p params) (any, error) {
	items := s.remote.History()
	if limit := p.number("limit", len(items)); limit < 0 {
		return nil, wrong("messages", "limit: got %d, want at least 0", limit)
	} else if limit < len(items) {
		items = items[len(items)-limit:]
	}
	list := make([]any, len(items))
	for n := range items {
		list[n] = itemFields(&items[n])
	}
	return map[string]any{"session": s.session(), "messages": list}, nil
}

// itemFields describes an item of the conversation.
func itemFields(i *session.Item) map[string]any {
	m := map[string]any{"kind": string(i.Kind), "time": seconds(i.Time)}
	text := func(key, value string) {
		if value != "" {
			m[key] = value
		}
	}
	text("id", i.ID)
	text("label", i.Label)
	if i.Kind != session.ItemTool {
		m["text"] = i.Text
		text("reasoning", i.Reasoning)
		text("status", i.Status)
		if i.Rewritten != nil {
			m["rewritten"] = i.Rewritten.Value()
		}
		if len(i.Images) > 0 {
			m["images"] = len(i.Images)
		}
		return m
	}
	m["call_id"], m["tool"], m["tool_kind"], m["args"] = i.CallID, i.Tool, i.ToolKind,
		i.Args
	m["content"], m["is_error"], m["silent"] = chat.BlockValues(i.Content),
		i.IsError, i.Silent
	text("skipped", i.Skipped)
	text("why", i.Why)
	if r := i.Rewritten; r != nil {
		m["rewritten"] = r.Value()
	}
	if r := i.ResultRewritten; r != nil {
		m["result_rewritten"] = r.Value()
	}
	text("for_user", i.ForUser)
	if i.Details != nil {
		m["details"] = i.Details
	}
	if d := i.Display; d != nil {
		m["display"] = map[string]any{"title": d.Title, "kind": d.Kind, "lang": d.Lang,
			"text": d.Text}
	}
	return m
}
