// Package remote is an agent that another program drives: the common part of all protocols for
// that. A protocol is a Wire, which translates messages.
//
//	s := remote.New(ctx)
//	err := s.Open(remote.Wire{Emit: tell, Ask: ask}, open)
//	err = s.Program().Start(ctx)
//	s.Go(func() { s.Work() })
//	id, err := s.Send(agent.Input{Text: "what is in here?"}, ended)
//	...
//	s.Close("exit")
//
// It promises: text is masked before it reaches the Wire; prompts take effect in the order in which
// they were sent; the end of each is reported once, after all its events; a question gets at most
// one answer; Close stops the current work, and waits for a limited time.
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
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/ui"
)

const (
	// WorkWait is how long cancelled work may take to end before its session ends without it.
	WorkWait = 3 * time.Second
	// TellWait is how long redactors may delay events that a client must receive before something
	// else, and how long a client may take, at the very end, to read the rest.
	TellWait = 2 * time.Second
)

// ErrEnding is the error of requests to a session that is about to end.
var ErrEnding = errors.New("the session is about to end")

// Wire is a protocol's connection to the client. Its functions are called on any goroutine.
type Wire struct {
	// Emit is called with the events that Wants selects, in order, as a user may see them. It must
	// not block.
	Emit  func(*event.Event)
	Wants event.Interest // nil: all events
	// Ask asks the user, and waits for the answer or the end of ctx; ErrAway means that the user
	// does not want to answer. nil: no one can answer.
	Ask func(ctx context.Context, q *Question) (Answer, error)
	// Insert receives the text that a command wants to put into the user's editor. nil: the end of
	// a prompt contains the text; other texts are dropped.
	Insert  func(text string)
	Surface *ui.Surface // nil: the client does not show what scripts draw
	Exit    func()      // called when a script ends the session
}

// User is how an agent reaches its user.
type User struct {
	Emit     func(*event.Event)
	Wants    event.Interest  // the events for Emit; nil: all
	Approver engine.Approver // nil: no one can approve
	Dialogs  ui.Dialogs      // nil: no one can answer
	Surface  *ui.Surface     // nil: the client does not show what scripts draw
	Confirm  func(ctx context.Context, d *ui.Dialog) (bool, error)
	Exit     func() // called when a script ends the session
}

// Program is an agent with the program around it.
type Program struct {
	Engine *engine.Engine
	Agent  *agent.Agent
	Start  func(ctx context.Context) error // loads the scripts and begins the session
	// Chosen are the settings from the start of the program.
	Chosen service.Settings
	// Close ends the session and the scripts; cause is exit or signal.
	Close func(ctx context.Context, cause string)
}

// Session is one agent for one client. Its methods may be called from any goroutine.
type Session struct {
	wire    Wire
	life    context.Context // of all work for the client
	cancel  context.CancelFunc
	program atomic.Pointer[Program] // nil before Open
	prompts prompts
	leave   chan struct{} // closed by Leave
	leaving sync.Once
	ending  sync.Once

	mu     sync.Mutex
	closed bool
	busy   sync.WaitGroup // goroutines of Go
}

// New returns a session, which ends with ctx at the latest.
func New(ctx context.Context) *Session {
	s := &Session{leave: make(chan struct{}), prompts: prompts{open: map[string]Ended{}}}
	s.life, s.cancel = context.WithCancel(ctx)
	return s
}

// Open creates the agent, once. It does not start it: see Program.Start.
func (s *Session) Open(w Wire, open func(User) (*Program, error)) error {
	s.wire = w
	u := User{Emit: s.wire.Emit, Wants: s.wire.Wants, Surface: s.wire.Surface, Exit: s.wire.Exit}
	if s.wire.Ask != nil {
		a := &asker{s}
		u.Approver, u.Dialogs = a, a
		u.Confirm = a.Confirm
	}
	p, err := open(u)
	if err == nil {
		s.program.Store(p)
	}
	return err
}

// Program returns the result of Open; nil before it.
func (s *Session) Program() *Program { return s.program.Load() }

// Life returns a context that ends when the session is about to end.
func (s *Session) Life() context.Context { return s.life }

// Go runs f on a goroutine that Close waits for; false: the session is closed, and f does not run.
func (s *Session) Go(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.busy.Go(f)
	return true
}

// Work processes inputs until the session is about to end, or until nothing is left to do after
// Leave: then it returns true.
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

// Leave makes Work return when nothing is left to do.
func (s *Session) Leave() { s.leaving.Do(func() { close(s.leave) }) }

// Cancel ends the life of the session; the caller must call Close.
func (s *Session) Cancel() { s.cancel() }

// Close stops the current work and waits for it for a limited time; then it ends all prompts, and
// the agent; cause is exit or signal. Only the first Close counts.
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

// Within waits for f to return, but not longer than d.
func Within(d time.Duration, f func()) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	_, _ = apart.Run(ctx, func() (any, error) {
		f()
		return nil, nil
	})
}
