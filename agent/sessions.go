// This file switches between sessions, and between the branches of one.

package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

// NewSession ends the session and begins an empty one: cause is new or clear. prompt, if it is not
// "", is sent to the new one. An error is a *fault.WorldError: busy while the agent works, refused
// if a script refuses it; then nothing has changed. It may be called from any goroutine.
func (a *Agent) NewSession(ctx context.Context, cause, prompt string) error {
	prompt = strings.TrimSpace(prompt)
	ends := "switch"
	if cause == "clear" {
		ends = cause
	}
	err := a.life.idly(func() error {
		if err := a.report.Permit(ctx, event.SessionBeforeSwitch{Cause: cause,
			Prompt: prompt}); err != nil {
			return err
		}
		a.life.close(ctx, ends)
		a.life.openSession(a.life.newSession())
		a.life.beginSession(ctx, cause)
		return nil
	})
	if err != nil || prompt == "" {
		return err
	}
	return a.Send(Input{Text: prompt, Source: sourceScript})
}

// Resume ends the session and continues with s, which must be open for writing. Errors are those of
// NewSession; then s is closed, and nothing has changed. It may be called from any goroutine.
func (a *Agent) Resume(ctx context.Context, s *session.Session) error {
	err := a.life.idly(func() error {
		if err := a.report.Permit(ctx, event.SessionBeforeSwitch{Cause: "resume"}); err != nil {
			return err
		}
		a.life.close(ctx, "switch")
		a.life.openSession(s)
		a.life.beginSession(ctx, "resume")
		return nil
	})
	if err != nil {
		_ = s.Close() // nothing was written to it
	}
	return err
}

// Fork continues the conversation after the entry, or before it; what came after it stays in the
// file, on a branch of its own. Errors are those of NewSession, and not_found. It may be called
// from any goroutine.
func (a *Agent) Fork(ctx context.Context, id string, before bool) error {
	return a.life.idly(func() error {
		e := a.journal.session().Entry(id)
		if e == nil {
			return found(&session.NoEntryError{ID: id, Session: a.journal.session().ID()})
		}
		if err := a.report.Permit(ctx, event.SessionBeforeFork{EntryID: id, Text: e.Text(),
			IsUserMessage: e.Message != nil && e.Message.Role == "user"}); err != nil {
			return err
		}
		a.life.endSession(ctx, "switch")
		if _, err := a.journal.session().Fork(id, before); err != nil { // it has forked even so
			a.report.Fail("session",
				plain.Error(err)+"; the conversation continues, but is not saved",
				false)
		}
		a.life.openSession(a.journal.session())
		a.life.beginSession(ctx, "fork")
		return nil
	})
}

// History returns the session's branch as the user saw it, for a screen to show a resumed session.
// It may be called from any goroutine.
func (a *Agent) History() []session.Item {
	items := a.Session().History()
	snap := a.engine.Scripts.Snapshot()
	for i := range items {
		if items[i].Kind == session.ItemTool {
			items[i].ToolKind = "other"
			if t := snap.Tool(items[i].Tool); t != nil {
				items[i].ToolKind = t.Kind
			}
		}
	}
	return items
}

// Sessions lists the project's most recently written sessions, newest first.
func (a *Agent) Sessions(most int) ([]session.Info, error) {
	if a.o.Home == "" {
		return nil, fmt.Errorf("sessions are not written down here")
	}
	return session.List(session.Dir(a.o.Home, a.o.Project), most)
}

// ResumeID resumes the project's session whose id begins with id.
func (a *Agent) ResumeID(ctx context.Context, id string) error {
	path, err := session.Find(session.Dir(a.o.Home, a.o.Project), id)
	if err != nil {
		return &fault.WorldError{Code: "not_found", Message: plain.Error(err)}
	}
	if path == a.Session().Path() {
		return &fault.WorldError{Code: "refused", Message: "this is session " + a.Session().ID()}
	}
	s, err := session.Open(path)
	if err != nil {
		return err
	}
	return a.Resume(ctx, s)
}
