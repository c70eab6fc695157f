// This file makes hooks run once for an event that several files have.

package hooks

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"sync"
)

// given has what hooks of all files have answered last, so that a hook of another file takes the
// answer to the same question: the same definition, input and surroundings, at one event. Nothing
// but an answer that was given counts: a hook whose twin is not in force, does not run, fails or
// ends later than its own event runs itself.
type given struct {
	mu    sync.Mutex
	now   map[[sha256.Size]byte]*reply
	order [][sha256.Size]byte
}

// reply is the answer of a hook.
type reply struct {
	owner string        // the extension
	ended chan struct{} // closed when a is set
	a     *answer       // nil: it has not answered
}

// mostReplies is how many answers are remembered: more than are given to events that are going on.
const mostReplies = 100

// forget forgets all answers: a file is loaded or unloaded, so the next event is for other hooks.
func (g *given) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now, g.order = nil, nil
}

// begin returns the reply of another extension to a question, or one that owner is to give.
func (g *given) begin(key [sha256.Size]byte, owner string) (r *reply, mine bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r = g.now[key]; r != nil && r.owner != owner {
		return r, false
	}
	if g.now == nil {
		g.now = map[[sha256.Size]byte]*reply{}
	}
	if r == nil {
		g.order = append(g.order, key)
	}
	r = &reply{owner: owner, ended: make(chan struct{})}
	if g.now[key] = r; len(g.order) > mostReplies {
		delete(g.now, g.order[0])
		g.order = g.order[1:]
	}
	return r, true
}

// answerOnce returns what ask returns, or what the same hook of another file has answered.
func (a *asked) answerOnce(c chosen, text []byte, ask func() *answer) *answer {
	key, ok := a.question(c, text)
	if !ok {
		return ask()
	}
	name := a.x.api.Bind.Gen.Name
	r, mine := a.x.format.given.begin(key, name)
	if mine {
		defer close(r.ended)
		got := ask()
		if got.err == nil && got.failed == "" {
			r.a = got
		}
		return got
	}
	select {
	case <-r.ended:
	case <-a.run.Context().Done():
	}
	if a.run.Context().Err() != nil || r.a == nil {
		return ask()
	}
	a.x.api.Log("info", c.label()+": "+r.owner+" has the same hook, and its answer counts")
	own := *r.a
	if c.row.tells == "continue_with" && own.decision+own.context != "" {
		a.x.setContinued(a.ev.Env())
	}
	own.context, own.say, own.wishes = "", "", wishes{} // they were told
	switch {
	case !c.row.decides && !c.row.refuses: // so was the reason
		own.decision, own.reason = "", ""
	case own.reason != "":
		own.reason += " (answered by " + r.owner + ")"
	}
	return &own
}

// question returns what tells the question to a hook from others. ok is false if only this
// extension can answer it.
func (a *asked) question(c chosen, text []byte) (key [sha256.Size]byte, ok bool) {
	if c.err != nil || c.wrong != nil || c.kind == "builtin" {
		return key, false
	}
	id, _ := a.ev.Get("id")
	env, root := a.ev.Env(), ""
	if plugin(a.x.format.file) || strings.Contains(c.hook.key, "CLAUDE_PLUGIN") {
		root = a.x.format.root(a.x.api.Bind.Gen.Path)
	}
	b, err := json.Marshal([]any{a.x.s.strict, id, c.row.name, c.hook.key, string(text), env.CWD,
		env.Project, root})
	return sha256.Sum256(b), err == nil
}
