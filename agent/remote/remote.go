// Package remote is an agent that another program drives: what all protocols for that have in
// common. A protocol is a Wire, which translates messages.
//
//	s := remote.New(ctx)
//	err := s.Open(remote.Wire{Emit: tell, Ask: ask}, open)
//	err = s.Program().Start(ctx)
//	s.Go(func() { s.Work() })
//	id, err := s.Send(agent.Input{Text: "what is in here?"}, ended)
//	...
//	s.Close("exit")
//
// It promises: what a user may not see does not reach the Wire; prompts take effect in the order in
// which they were sent; the end of each is told once, behind all its events; a question gets one
// answer at most; Close ends what is under way, and does not wait for ever.
package remote

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/event"
)

const (
	// WorkWait is how long cancelled work may take to end before its session ends without it.
	WorkWait = 3 * time.Second
	// TellWait is how long redactors may hold up events that a client must be told before
	// something else, and how long a client may take, at the very end, to read what is left.
	TellWait = 2 * time.Second
)

// ErrEnding is for what is asked of a session that is about to end.
var ErrEnding = errors.New("the session is about to end")

// Wire is how a protocol talks to the client. Its functions are called on any goroutine.
type Wire struct {
	// Emit is given every event, in order, as a user may see it. It must not block.
	Emit func(*event.Event)
	// Ask puts a question to the user, and waits for the answer or the end of ctx; ErrAway is that
	// the user does not want to answer. nil: nobody can be asked.
	Ask func(ctx context.Context, q *Question) (Answer, error)
	// Insert is given the text that a command wants in the user's editor, whoever ran the command.
	// nil: a text is told with the end of its prompt, and those of others are not.
	Insert  func(text string)
	Surface *engine.Surface // nil: the client shows nothing of scripts
	Exit    func()          // a script ends the session
}

// User is what an agent is given to talk to its user.
type User struct {
	Emit     func(*event.Event)
	Approver engine.Approver // nil: nobody can be asked
	Dialogs  engine.Dialogs  // nil: nobody can be asked
	Surface  *engine.Surface // nil: the client shows nothing of scripts
	Confirm  func(ctx context.Context, question string) (bool, error)
	Exit     func() // a script ends the session
}

// Program is an agent with what is around it.
type Program struct {
	Engine *engine.Engine
	Agent  *agent.Agent
	Start  func(ctx context.Context) error // loads the scripts and begins the session
	// Chosen are the settings that the program was started with.
	Chosen engine.Settings
	// Close ends the session and the scripts: cause is exit or signal.
	Close func(ctx context.Context, cause string)
}

// Session is one agent for one client. Its methods may be called from any goroutine.
type Session struct {
	wire    Wire
	life    context.Context // of all that is done for the client
	cancel  context.CancelFunc
	program atomic.Pointer[Program] // nil until Open has made it
	prompts prompts
	leave   chan struct{} // closed by Leave
	leaving sync.Once
	ending  sync.Once

	mu     sync.Mutex
	closed bool
	busy   sync.WaitGroup // what Go runs
}

// New makes a session, which ends with ctx at the latest.
func New(ctx context.Context) *Session {
	s := &Session{leave: make(chan struct{}), prompts: prompts{open: map[string]Ended{}}}
	s.life, s.cancel = context.WithCancel(ctx)
	return s
}

// Open makes the agent, once. It is not started: see Program.Start.
func (s *Session) Open(w Wire, open func(User) (*Program, error)) error {
	s.wire = w
	u := User{Emit: s.wire.Emit, Surface: s.wire.Surface, Exit: s.wire.Exit}
	if s.wire.Ask != nil {
		a := &asker{s}
		u.Approver, u.Dialogs = a, a
		u.Confirm = func(ctx context.Context, question string) (bool, error) {
			return a.Confirm(ctx, &engine.Dialog{Kind: "confirm", Title: question})
		}
	}
	p, err := open(u)
	if err == nil {
		s.program.Store(p)
	}
	return err
}

// Program is what Open has made; nil until then.
func (s *Session) Program() *Program { return s.program.Load() }

// Life ends when the session is about to end.
func (s *Session) Life() context.Context { return s.life }

// Go runs f on a goroutine for which Close waits; false: the session is closed, and f does not run.
func (s *Session) Go(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.busy.Go(f)
	return true
}

// Work works on what is sent, until the session is about to end, or until nothing is left to do
// behind Leave: then it returns true.
func (s *Session) Work() (left bool) {
	a, leave := s.Program().Agent, s.leave
	for {
		select {
		case <-s.life.Done():
			return false
		case <-leave:
			leave, left = nil, true
		case <-a.Wake():
			a.Work(s.life, s.ended)
			s.endLost()
		}
		if left && a.Idle() {
			return true
		}
	}
}

// Leave lets Work return when nothing is left to do.
func (s *Session) Leave() { s.leaving.Do(func() { close(s.leave) }) }

// Cancel ends the life of the session; Close must follow.
func (s *Session) Cancel() { s.cancel() }

// Close ends what is under way and waits for it, not for ever; then it ends all prompts, and the
// agent: cause is exit or signal. Only the first Close counts.
func (s *Session) Close(cause string) {
	s.ending.Do(func() {
		s.cancel()
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		Within(WorkWait, s.busy.Wait)
		if p := s.Program(); p != nil {
			s.finish(s.prompts.list(), agent.End{Status: agent.Cancelled})
			p.Close(context.Background(), cause)
		}
	})
}

// Within waits for f, not longer than d; f is left behind then.
func Within(d time.Duration, f func()) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	_, _ = apart.Run(ctx, func() (any, error) {
		f()
		return nil, nil
	})
}
