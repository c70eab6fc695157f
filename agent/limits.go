// This file limits what one prompt may use.

package agent

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

// defaultTurns ends a prompt in which the model loops: real work takes fewer turns.
const defaultTurns = 100

// Limits limits one prompt. They are checked before each model call; Time also while tools run. 0 =
// no limit, except for Turns.
type Limits struct {
	Turns  int     // model calls of one agent; 0 = 100
	Cost   float64 // US dollars, including sub-agents
	Tokens int     // input and output, including sub-agents
	Time   float64 // seconds, excluding the time spent waiting for the user
	// ScriptInputs is how many inputs scripts may send to the agent without one of the user's in
	// between; 0 = 8.
	ScriptInputs int
}

func (l Limits) orUsual() Limits {
	if l.Turns <= 0 {
		l.Turns = defaultTurns
	}
	if l.ScriptInputs <= 0 {
		l.ScriptInputs = maxContinues // such inputs can form a loop too, with a prompt in it
	}
	return l
}

// budget is what a prompt of the main agent, and all its sub-agents, may still use.
type budget struct {
	mu     sync.Mutex // not held during a question
	limits map[string]float64
	tokens int
	cost   float64
	start  time.Time
	waited time.Duration // the engine's total wait for the user at the start

	asking  sync.Mutex // one question at a time
	refused bool       // the user refused an extension
}

// pool is what the prompt of the main agent and all sub-agents may use together, and the cost of
// the session.
type pool struct {
	limits Limits           // of the main agent
	report *report.Reporter // of the main agent
	budget atomic.Pointer[budget]
	spent  spent
}

// beginBudget begins the budget of a prompt. A sub-agent's prompt shares that of the main agent's
// prompt, if there is one.
func (l *pool) beginBudget(sub bool) *budget {
	if b := l.budget.Load(); b != nil && sub {
		return b
	}
	b := &budget{start: time.Now(), waited: l.report.Engine().User.Time(),
		limits: map[string]float64{"cost": l.limits.Cost, "tokens": float64(l.limits.Tokens),
			"time": l.limits.Time}}
	l.budget.Store(b)
	return b
}

// charge counts the usage of a request of any agent.
func (l *pool) charge(tokens int, cost *float64) {
	b := l.budget.Load()
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens += tokens
	if cost != nil {
		b.cost += *cost
	}
}

// unpriced tells the user, once for each reason, that the cost limit cannot include all requests.
func (l *pool) unpriced(why string) {
	if limit := l.limits.Cost; limit > 0 {
		l.report.Complain("limit cost", plain.Amount("cost", limit)+" cannot be held: "+why)
	}
}

// used returns how much of a limit is used.
func (b *budget) used(kind string, now time.Duration) (value, limit float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch kind {
	case "cost":
		value = b.cost
	case "tokens":
		value = float64(b.tokens)
	case "time":
		value = (time.Since(b.start) - (now - b.waited)).Seconds()
	}
	return value, b.limits[kind]
}

// within reports whether the prompt may make another model call. If not, the prompt ends with the
// status limit, unless a script or the user extends it. They are asked once for each kind of limit
// and model call: time passes and sub-agents work meanwhile, and an extension that is used up
// already must not lead to one question after the other.
func (p *prompt) within() bool {
	if p.turns >= p.most {
		if !p.extend("turns", float64(p.turns), float64(p.most),
			func(n float64) { p.most = int(min(n, maxTurns)) }) {
			return false
		}
	}
	return p.withinBudget("cost") && p.withinBudget("tokens") && p.withinBudget("time")
}

// withinBudget is within for a limit that the prompt shares with its sub-agents.
func (p *prompt) withinBudget(kind string) bool {
	b := p.budget
	value, limit := b.used(kind, p.a.engine.User.Time())
	return limit <= 0 || value < limit || p.extend(kind, value, limit, func(n float64) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.limits[kind] = max(n, b.limits[kind])
	})
}

// inTime is within for the time limit alone.
func (p *prompt) inTime() bool { return p.withinBudget("time") }

// noLimit is longer than any prompt.
const noLimit = 365 * 24 * time.Hour

// timeLeft returns the time until the time limit may be reached.
func (p *prompt) timeLeft() time.Duration {
	value, limit := p.budget.used("time", p.a.engine.User.Time())
	if left := limit - value; limit > 0 && left < noLimit.Seconds() {
		return time.Duration(left * float64(time.Second))
	}
	return noLimit
}

// maxTurns is the largest number of turns that a prompt can be extended to: longer than users wait.
const maxTurns = 1_000_000

// extend asks whether the prompt may exceed a limit, and raises the limit if so.
func (p *prompt) extend(kind string, value, limit float64, set func(float64)) bool {
	_, v := p.a.engine.Intercept(p.ctx, p.a.engine.Events.New(p.a.Envelope(),
		event.LimitReached{Kind: kind, Value: value, Limit: limit}))
	by, more := "script", v.Extend
	if kind == "turns" && more > 0 {
		more = max(more, 1)
	}
	if more <= 0 {
		by, more = "user", p.askMore(kind, limit)
	}
	switch {
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case more <= 0:
		why := fmt.Sprintf("ended after %s: continue with another prompt",
			plain.Amount(kind, limit))
		p.a.engine.Notices.NotifyAbout(p.a.Envelope(), "limit", ui.Notice{Text: why,
			Level: "warn"})
		return p.over(Limit, why)
	}
	raised := limit + more
	if raised <= value { // one message can use more than that
		raised = value + more
	}
	set(raised)
	p.a.report.Tell(event.LimitExtended{Kind: kind, Previous: limit, New: raised, By: by})
	return true
}

// askMore asks the user for an extension by the original limit, and returns it; 0 = no.
func (p *prompt) askMore(kind string, limit float64) float64 {
	b, dialogs := p.budget, p.a.engine.User.Dialogs()
	if dialogs == nil || !p.a.o.Interactive {
		return 0
	}
	b.asking.Lock() // sub-agents reach the same limit at the same time
	defer b.asking.Unlock()
	first := p.a.shared.pool.limits.of(kind)
	if kind == "turns" {
		first = float64(p.a.o.Limits.Turns)
	} else if _, now := b.used(kind, 0); now > limit { // another agent has asked meanwhile
		return first
	}
	if b.refused {
		return 0
	}
	p.a.engine.Notices.Waiting(p.a.Envelope(), "question")
	yes, err := dialogs.Confirm(p.ctx, &ui.Dialog{Kind: "confirm",
		Title: fmt.Sprintf("%s: the limit of this prompt is reached. Continue for %s more?",
			plain.Amount(kind, limit), plain.Amount(kind, first))})
	if err != nil || !yes {
		b.refused = p.ctx.Err() == nil
		return 0
	}
	return first
}

func (l Limits) of(kind string) float64 {
	return map[string]float64{"turns": float64(l.Turns), "cost": l.Cost,
		"tokens": float64(l.Tokens), "time": l.Time}[kind]
}
