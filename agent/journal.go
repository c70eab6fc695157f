package agent

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// journal is the session of one agent as it is written and read: masked, and with what waits for a
// moment at which it may be added. Its methods are safe for concurrent use.
type journal struct {
	report *report.Reporter
	main   *journal // of the main agent: it knows the whole cost; nil = this one

	current atomic.Pointer[session.Session]
	lost    atomic.Bool // it could not be written, and the user was told

	mu     sync.Mutex
	joined []engine.Context // of scripts that came in the middle of the session; not in it yet
	notes  []session.Entry  // of the user's commands; not in the session yet
}

// session is the session of this moment.
func (j *journal) session() *session.Session { return j.current.Load() }

// openSession makes s the current session.
func (j *journal) openSession(s *session.Session) {
	j.lost.Store(false)
	j.current.Store(s)
}

// append puts an entry into the session. That it could not be written is said once, and that it
// could then: the work goes on.
func (j *journal) append(e session.Entry) string {
	s := j.session()
	added, err := s.Append(maskEntry(j.report.Engine(), e))
	if text := s.Restored(); text != "" {
		j.report.Notify("warn", text)
	}
	switch lost := err != nil; {
	case j.lost.Swap(lost) == lost:
	case lost:
		j.report.Fail("session", plain.Error(err)+"; the conversation goes on, but is not saved",
			false)
	default:
		j.report.Notify("info",
			"the session can be written again: all of the conversation is saved")
	}
	return added.ID
}

// addContexts puts what scripts add for the model into the session.
func (j *journal) addContexts(contexts []engine.Context, life session.Lifetime, turn int) {
	prompt := ""
	if life != session.ForSession {
		prompt = j.report.Envelope().PromptID
	}
	for _, c := range contexts {
		j.append(session.Entry{Context: &session.Context{Context: c, Lifetime: life, Prompt: prompt,
			Turn: turn}})
	}
}

// join keeps what a script said that came in the middle of the session, until addJoined.
func (j *journal) join(contexts []engine.Context) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.joined = append(j.joined, contexts...)
}

// addJoined puts what such scripts said into the session.
func (j *journal) addJoined() {
	j.mu.Lock()
	contexts := j.joined
	j.joined = nil
	j.mu.Unlock()
	j.addContexts(contexts, session.ForSession, 0)
}

// keepNote keeps an entry until addNotes.
func (j *journal) keepNote(e session.Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notes = append(j.notes, e)
}

// hasNotes reports whether entries wait for addNotes.
func (j *journal) hasNotes() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.notes) > 0
}

// addNotes puts what waits into the session. Call it with the token of the agent, and not between
// calls and their results.
func (j *journal) addNotes() {
	j.mu.Lock()
	notes := j.notes
	j.notes = nil
	j.mu.Unlock()
	for _, e := range notes {
		j.append(e)
	}
}

// spend notes what a request to a model used, whatever it was for: the main agent's session knows
// the whole cost.
func (j *journal) spend(u session.Usage) {
	j.append(session.Entry{Usage: &u})
	if j.main != nil {
		below := u
		below.AgentID = j.report.Envelope().AgentID
		j.main.append(session.Entry{Usage: &below})
	}
}

// maskEntry returns e as it may be written down, and so be sent to models and shown when the
// session is resumed. What scripts keep for themselves (custom entries, state) stays as it is: they
// must find again what they put there. Call it on a goroutine that holds no VM's turn.
func maskEntry(eng *engine.Engine, e session.Entry) session.Entry {
	if !eng.Mask.On() {
		return e
	}
	e.Message = e.Message.Masked(eng.Mask)
	e.Shown, e.ShownReasoning = maskedText(eng, e.Shown), maskedText(eng, e.ShownReasoning)
	if e.Tool != nil {
		t := *e.Tool
		t.Args, t.Details = maskedTable(eng, t.Args), maskedTable(eng, t.Details)
		t.ForUser = eng.Mask.Text(t.ForUser)
		if t.Display != nil {
			d := *t.Display
			d.Title, d.Text = eng.Mask.Text(d.Title), eng.Mask.Text(d.Text)
			t.Display = &d
		}
		t.Trail = append(engine.Trail(nil), t.Trail...)
		for i := range t.Trail {
			t.Trail[i].Reason = eng.Mask.Text(t.Trail[i].Reason)
		}
		e.Tool = &t
	}
	if e.Context != nil {
		c := *e.Context
		c.Text = eng.Mask.Text(c.Text)
		e.Context = &c
	}
	if e.Event != nil {
		data := maskedTable(eng, e.Event.Data)
		if status, ok := e.Event.Data["status"]; ok { // one of a few
			data = maps.Clone(data)
			data["status"] = status
		}
		e.Event = &session.Event{Name: e.Event.Name, Data: data}
	}
	if e.Compaction != nil {
		c := *e.Compaction
		c.Summary = eng.Mask.Text(c.Summary)
		e.Compaction = &c
	}
	return e
}

func maskedText(e *engine.Engine, s *string) *string {
	if s == nil {
		return nil
	}
	masked := e.Mask.Text(*s)
	return &masked
}

func maskedTable(e *engine.Engine, t map[string]any) map[string]any {
	masked, _ := e.Mask.Value(t).(map[string]any)
	return masked
}
