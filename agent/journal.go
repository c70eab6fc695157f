package agent

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// journal reads and writes the session of one agent. It masks entries, and keeps those that cannot
// be added yet. Its methods are safe for concurrent use.
type journal struct {
	report *report.Reporter
	main   *journal // the main agent's, which knows the total cost; nil = this one

	current atomic.Pointer[session.Session]
	lost    atomic.Bool // a write failed, and the user was notified

	mu     sync.Mutex
	joined []engine.Context // of scripts loaded during the session; not in it yet
	notes  []session.Entry  // of the user's commands; not in the session yet
}

// session returns the current session.
func (j *journal) session() *session.Session { return j.current.Load() }

// openSession makes s the current session.
func (j *journal) openSession(s *session.Session) {
	j.lost.Store(false)
	j.current.Store(s)
}

// append adds an entry to the session. The first failure to write is reported, and so is the first
// success after it: the work goes on.
func (j *journal) append(e session.Entry) string {
	s := j.session()
	added, err := s.Append(maskEntry(j.report.Engine(), e))
	if text := s.Restored(); text != "" {
		j.report.Notify("warn", text)
	}
	switch lost := err != nil; {
	case j.lost.Swap(lost) == lost:
	case lost:
		j.report.Fail("session", plain.Error(err)+"; the conversation continues, but is not saved",
			false)
	default:
		j.report.Notify("info",
			"the session can be written again: all of the conversation is saved")
	}
	return added.ID
}

// addContexts adds the contexts that scripts return for the model to the session.
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

// join keeps the contexts of a script that was loaded during the session, until addJoined.
func (j *journal) join(contexts []engine.Context) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.joined = append(j.joined, contexts...)
}

// addJoined adds those contexts to the session.
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

// addNotes adds the kept entries to the session. Call it with the agent's token, and not between
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

// spend records the usage of a request to a model, for any purpose: the main agent's session knows
// the total cost.
func (j *journal) spend(u session.Usage) {
	j.append(session.Entry{Usage: &u})
	if j.main != nil {
		below := u
		below.AgentID = j.report.Envelope().AgentID
		j.main.append(session.Entry{Usage: &below})
	}
}

// maskEntry returns e as it may be written, and so sent to models and shown when the session is
// resumed. It does not mask the scripts' own data (custom entries, state), which scripts must read
// back unchanged. Call it on a goroutine that holds no VM's turn.
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
		c.Text, c.Path = eng.Mask.Text(c.Text), eng.Mask.Text(c.Path)
		e.Context = &c
	}
	if e.Event != nil {
		data := maskedTable(eng, e.Event.Data)
		if status, ok := e.Event.Data["status"]; ok { // one of a fixed set
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
