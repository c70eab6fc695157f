// This file decides what a user sees of a message of the model: scripts may rewrite it
// (assistant_message). Scripts that observe it, the model, and the session's `original` get the
// model's words in any case.

package ask

import (
	"context"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// lastWord is the time limit of all scripts together, after the user has cancelled, to decide how
// much of the last message is shown: the user waits for it.
const lastWord = time.Second

// screen is what the user sees of one message. While scripts may rewrite it, text is shown in whole
// lines, each when the rewrite of all text so far is known. Its methods are called by one goroutine
// at a time.
type screen struct {
	a        *Asker
	id       string        // of the message
	branch   func() string // of git: cached for all deltas, because finding it reads files
	text     pane
	thoughts pane
	by       []engine.Author   // who rewrote the whole message
	last     string            // the kind of the last piece
	hidden   map[string]string // why a script hides all of a kind, and which one
}

// pane is what the user sees of the text or of the reasoning.
type pane struct {
	said   strings.Builder // the model's words
	judged int             // bytes of said whose rewrite is known
	plain  bool            // no rewrite yet: view is said[:judged]
	view   string          // the rewrite of said[:judged]
	out    string          // all deltas that the user was shown
	// the rewrite no longer continues what was shown: the rest is shown at the end
	stuck bool
	begun bool
}

func (s *screen) pane(kind string) *pane {
	p := &s.text
	if kind == "reasoning" {
		p = &s.thoughts
	}
	if !p.begun {
		p.begun, p.plain = true, true
	}
	return p
}

// rewrites reports whether scripts may rewrite what is shown.
func (a *Asker) rewrites() bool {
	return len(a.engine.Scripts.Snapshot().Handlers("assistant_message")) > 0
}

// addText adds a piece of the message. It sends it to scripts at once, and to the user when the
// rewrite is known. last means that the end follows, so that the text is final.
func (s *screen) addText(ctx context.Context, kind, text string, last bool) {
	if s.last != kind {
		s.pause(ctx)
	}
	s.last = kind
	p := s.pane(kind)
	held := s.a.rewrites()
	caughtUp := p.plain && !p.stuck && len(p.out) == p.said.Len()
	p.said.WriteString(text)
	ev := s.delta(kind, text)
	if !held && caughtUp {
		p.judged, p.out = p.said.Len(), p.said.String()
		p.view = p.out
		s.a.o.Heard(kind, text, text)
		s.a.engine.Emitter.Emit(ev)
		return
	}
	s.a.o.Heard(kind, text, "")
	s.a.engine.Emitter.EmitShown(ev, nil)
	if last || p.stuck {
		return
	}
	said := p.said.String()
	if held {
		said = said[:strings.LastIndexByte(said, '\n')+1]
	}
	if len(said) <= p.judged {
		return
	}
	if view, ok := s.judge(ctx, kind, said, false); ok {
		s.showNew(kind, view)
	}
}

// pause shows the visible text of the last kind so far, because what comes next, the other kind or
// a tool call, is shown after it.
func (s *screen) pause(ctx context.Context) {
	if s.last == "" {
		return
	}
	p := s.pane(s.last)
	if p.stuck || p.said.Len() == p.judged {
		return
	}
	if view, ok := s.judge(ctx, s.last, p.said.String(), false); ok {
		s.showNew(s.last, view)
	}
}

// showNew shows the new part of view, the whole visible text.
func (s *screen) showNew(kind, view string) {
	p := s.pane(kind)
	if !strings.HasPrefix(view, p.out) {
		p.stuck = true
		return
	}
	if delta := view[len(p.out):]; delta != "" {
		p.out = view
		s.a.o.Heard(kind, "", delta)
		s.a.engine.Emitter.EmitShown(nil, s.delta(kind, delta))
	}
}

// judge returns the visible form of said, the text so far; ok is false if it is unknown because the
// user cancelled.
func (s *screen) judge(ctx context.Context, kind, said string, final bool) (view string, ok bool) {
	p := s.pane(kind)
	view = said
	if !p.plain && strings.HasPrefix(said, p.said.String()[:p.judged]) {
		// the script that rewrote it may be gone: what it hid stays hidden
		view = p.view + said[p.judged:]
	}
	asked := s.a.rewrites()
	var authors []engine.Author
	if asked {
		ev, v := s.a.engine.InterceptUnseen(ctx, s.question(kind, said, final))
		if ctx.Err() != nil {
			return "", false
		}
		// a failure counts only at the end: the next attempt may succeed
		if !final && v.Failed() != nil {
			p.stuck = true
			return "", false
		}
		authors = v.Trail.Authors("assistant_message")
		if view = ev.Text("text"); v.Blocked {
			view = ""
			if final && v.Reason != "" {
				s.hide(kind, report.Reason("hidden", v))
			}
		}
	}
	switch {
	case !final:
		p.judged, p.view, p.plain = len(said), view, p.plain && view == said
	case asked:
		s.by = report.Merge(s.by, authors)
		s.a.engine.Emitter.EmitShown(nil, s.question(kind, view, true))
	}
	return view, true
}

// hide records why nothing of a kind is shown.
func (s *screen) hide(kind, why string) {
	if s.hidden == nil {
		s.hidden = map[string]string{}
	}
	s.hidden[kind] = why
}

// hiddenText says why the user does not see all of the message; "" if no script gives a reason.
func (s *screen) hiddenText() string {
	text, thought := s.hidden["text"], s.hidden["reasoning"]
	switch {
	case text == "" && thought == "":
		return ""
	case text == "":
		return "the reasoning is " + thought
	}
	return "the answer is " + text // one reason is enough
}

func (s *screen) question(kind, text string, final bool) *event.Event {
	return s.a.engine.Events.New(s.a.report.Envelope(), event.AssistantMessage{MessageID: s.id,
		Text: text,
		Kind: kind, Final: final})
}

// endScreen returns the visible form of the whole text, and shows the missing rest if it continues
// what was shown.
func (s *screen) endScreen(ctx context.Context, kind, said string) string {
	p := s.pane(kind)
	if said == "" && p.out == "" {
		return ""
	}
	view, ok := "", false
	if ctx.Err() == nil {
		view, ok = s.judge(ctx, kind, said, true)
	}
	if !ok {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
		defer cancel()
		if view, ok = s.judge(grace, kind, said, true); !ok {
			return p.out // it is unknown what else may be shown
		}
	}
	s.showNew(kind, view)
	return view
}

// View returns the visible form of a text of the model that is not a message: a summary.
func (a *Asker) View(ctx context.Context, id, text string) string {
	view, _ := (&screen{a: a, id: id}).judge(ctx, "text", text, true)
	return view
}

// endMessage ends the message: scripts get the model's words, the user the visible ones.
func (a *Asker) endMessage(ctx context.Context, r *Reply) {
	if r.ID == "" || !r.begun && r.Said == "" && r.Thought == "" {
		return
	}
	if !r.begun { // a script provided all of it
		a.report.Tell(event.MessageStart{MessageID: r.ID})
	}
	r.Shown = &Shown{}
	if r.screen.last == "reasoning" { // in their original order
		r.Shown.Text = r.screen.endScreen(ctx, "text", r.Said)
		r.Shown.Thought = r.screen.endScreen(ctx, "reasoning", r.Thought)
	} else {
		r.Shown.Thought = r.screen.endScreen(ctx, "reasoning", r.Thought)
		r.Shown.Text = r.screen.endScreen(ctx, "text", r.Said)
	}
	r.Shown.Hidden = r.screen.hiddenText()
	r.By = report.Merge(r.By, r.screen.by)
	a.tellEndOf(r, r.Said, r.Thought, r.Shown)
	if r.Shown.Hidden != "" {
		a.report.Notify("warn", r.Shown.Hidden)
	}
}

// Drop ends the message of a request that is repeated: nothing of it is kept.
func (a *Asker) Drop(r *Reply) {
	if r.begun && r.ID != "" {
		a.tellEndOf(r, "", "", &Shown{})
	}
}

func (a *Asker) tellEndOf(r *Reply, text, thought string, view *Shown) {
	end := func(text, thought, hidden string) *event.Event {
		fired := event.MessageEnd{MessageID: r.ID, Text: text, Reasoning: thought, Hidden: hidden}
		if len(r.By) > 0 {
			fired.Rewritten = (&engine.Rewrite{By: r.By}).Value()
		}
		return a.engine.Events.New(a.report.Envelope(), fired)
	}
	ev := end(text, thought, "")
	if view.Text == text && view.Thought == thought && view.Hidden == "" {
		a.engine.Emitter.Emit(ev)
		return
	}
	a.engine.Emitter.EmitShown(ev, end(view.Text, view.Thought, view.Hidden))
}

// Shown is what the user saw of a whole message.
type Shown struct {
	Text, Thought string
	Hidden        string // why a part is hidden, if a script says so
}

func (s *screen) delta(kind, text string) *event.Event {
	env := *s.a.report.Envelope()
	env.Branch = s.branch
	return s.a.engine.Events.New(&env, event.MessageDelta{MessageID: s.id, Kind: kind, Delta: text})
}
