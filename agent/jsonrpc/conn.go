// Package jsonrpc is the server's side of JSON-RPC 2.0 on two streams, one message per line of
// UTF-8.
//
//	c := jsonrpc.New(jsonrpc.Options{In: os.Stdin, Out: os.Stdout, Handle: func(r *jsonrpc.Request) {
//		go r.Do(func() (any, error) { return answer(r.Method, r.Params) })
//	}})
//	err := c.Serve()   // until the client sends no more
//	c.Notify("event", value)
//	c.Close(ctx)
//
// It promises: whatever a client sends, it gets an answer that names what is wrong, and the next
// line is read; a client that does not read is waited for, and then given up, see Broken; a panic
// of who answers is an answer. It takes no batches.
//
// It is our own because what we ask of it is in no library that we know: bounds for a line and for
// what waits to be written, and a client that stops reading hanging nobody.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// maxLine bounds a line of the client: images for a prompt fit in it many times, and the
	// process can hold it.
	maxLine = 64 << 20
	// maxWaiting is how many bytes wait to be written before who tells more waits too: minutes of a
	// talkative session.
	maxWaiting = 16 << 20
	// patience is how long nothing may be read by the client, while so much waits, before it is
	// given up. A program that works reads; one that is stopped in a debugger loses its agent.
	patience = 10 * time.Second
)

// Options is what a Conn is made of. In, Out and Handle are required.
type Options struct {
	In  io.Reader
	Out io.Writer
	// Handle is given each request and each notification, in the order in which they came, on the
	// goroutine that reads: what takes its time belongs on another one.
	Handle func(r *Request)
	// Log is told what the client cannot be: a notification that could not be understood, a panic.
	// May be nil.
	Log func(text string)

	// What follows is for tests; 0 is the usual.
	MaxLine    int
	MaxWaiting int
	Patience   time.Duration
}

// Conn is a connection to a client. Its methods are safe for concurrent use, but for Serve, which
// is called once.
type Conn struct {
	o   Options
	out *outbox

	calls calls

	mu sync.Mutex
	// ids of requests under way: a client may use one again as soon as it has read the answer
	open     map[string]bool
	owed     int           // requests whose answer has not been handed to the outbox
	answered chan struct{} // closed when none is owed; nil while nobody waits for that
}

// New makes a connection. Nothing is read before Serve.
func New(o Options) *Conn {
	if o.MaxLine <= 0 {
		o.MaxLine = maxLine
	}
	if o.MaxWaiting <= 0 {
		o.MaxWaiting = maxWaiting
	}
	if o.Patience <= 0 {
		o.Patience = patience
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return &Conn{o: o, out: newOutbox(o.Out, o.MaxWaiting, o.Patience), open: map[string]bool{}}
}

// Serve reads until the client sends no more, which is no error.
func (c *Conn) Serve() error {
	defer c.calls.hangUp()
	in := newLines(c.o.In, c.o.MaxLine)
	for {
		line, err := in.nextLine()
		switch {
		case errors.Is(err, errTooLong):
			c.refuse(nil, Errorf(InvalidRequest, "a line is longer than %d MB: it was skipped",
				c.o.MaxLine>>20))
			continue
		case err == nil || errors.Is(err, io.EOF):
			if line = bytes.TrimSpace(line); len(line) > 0 {
				c.handleLine(line)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
}

// handleLine hands a line on, or answers what is wrong with it.
func (c *Conn) handleLine(line []byte) {
	r, wrong := parseRequest(line)
	if wrong != nil {
		c.refuse(r.id, wrong)
		return
	}
	if r.answer != nil {
		switch {
		case !c.calls.ever():
			c.refuse(r.id, Errorf(InvalidRequest,
				"invalid request: got an answer: no request was sent to the client"))
		case !c.calls.answerCall(string(r.id), r.answer):
			c.o.Log(fmt.Sprintf(
				"the client answered %.40s: no request with this id waits for an answer",
				or(r.id, "no id")))
		}
		return
	}
	r.conn = c
	if !r.Notification() && !c.beginRequest(r.id) {
		c.refuse(r.id, Errorf(InvalidRequest, "id %s: a request with this id is under way", r.id))
		return
	}
	r.answerPanic(apart.Catch(func() { c.o.Handle(r) }))
}

// beginRequest notes that a request is under way; false if one with its id is.
func (c *Conn) beginRequest(id json.RawMessage) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[string(id)] {
		return false
	}
	c.open[string(id)] = true
	c.owed++
	return true
}

// free lets the client use an id again. It comes before the answer is sent: who has read that may
// be quick.
func (c *Conn) free(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, string(id))
}

// sent notes that an answer is on its way.
func (c *Conn) sent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owed--
	if c.owed == 0 && c.answered != nil {
		close(c.answered)
		c.answered = nil
	}
}

// Settled returns what is closed when no answer is owed: all are on their way.
func (c *Conn) Settled() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owed == 0 {
		done := make(chan struct{})
		close(done)
		return done
	}
	if c.answered == nil {
		c.answered = make(chan struct{})
	}
	return c.answered
}

// refuse answers what is no request.
func (c *Conn) refuse(id json.RawMessage, e *Error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	c.sendMessage(message{ID: id, Error: e})
}

// Notify tells the client something. What is told by one goroutine arrives in order. It waits while
// too much waits to be read, and does nothing once the client was given up.
func (c *Conn) Notify(method string, params any) {
	c.sendMessage(message{Method: method, Params: params})
}

func (c *Conn) sendMessage(m message) {
	line, err := m.encodeLine()
	if err != nil { // not the client's fault, and it must not wait for ever
		wrong := Errorf(InternalError, "what was to be told cannot be written as JSON: %s",
			plain.Error(err))
		if m.Method != "" {
			c.o.Log(fmt.Sprintf("%s: %s", m.Method, wrong.Message))
			c.calls.answerCall(string(m.ID), &answer{err: wrong})
			return
		}
		m = message{ID: m.ID, Error: wrong}
		if line, err = m.encodeLine(); err != nil {
			return
		}
	}
	c.out.pushLine(line)
}

// Broken returns what is closed when the client can be told nothing any more: its end is closed, or
// it has stopped reading.
func (c *Conn) Broken() <-chan struct{} { return c.out.broken }

// Err is why the client can be told nothing any more; nil = it can.
func (c *Conn) Err() error { return c.out.failure() }

// Close waits until the client has been told everything, or done is closed, and ends the
// connection: nothing is told after. It returns why not all of it could be told.
func (c *Conn) Close(done <-chan struct{}) error { return c.out.close(done) }

// Request is a request, or a notification.
type Request struct {
	Method string
	Params json.RawMessage // a JSON object; nil = there are none

	id     json.RawMessage // nil: a notification
	answer *answer         // it is one, and no request
	conn   *Conn
	once   sync.Once
}

// Notification reports whether nobody waits for an answer.
func (r *Request) Notification() bool { return r.id == nil }

// Do answers with what f returns. A panic in f is an internal error.
func (r *Request) Do(f func() (any, error)) {
	r.answerPanic(apart.Catch(func() {
		result, err := f()
		r.Answer(result, err)
	}))
}

// Answer answers: with err if that is not nil. An error that is no *Error is one of the
// application. Only the first answer counts; to a notification there is none, but what went wrong
// is logged.
func (r *Request) Answer(result any, err error) {
	r.once.Do(func() {
		e := asError(err)
		if r.Notification() {
			if e != nil {
				r.conn.o.Log(fmt.Sprintf("notification %s: %s", r.Method, e.Message))
			}
			return
		}
		m := message{ID: r.id, Result: result, Error: e}
		if e == nil && result == nil {
			m.Result = struct{}{}
		}
		r.conn.free(r.id)
		r.conn.sendMessage(m)
		r.conn.sent()
	})
}

// answerPanic answers if p is not nil: working on the request panicked.
func (r *Request) answerPanic(p *apart.PanicError) {
	if p == nil {
		return
	}
	r.conn.o.Log(fmt.Sprintf("%s: %v\n%s", r.Method, p, p.Stack))
	r.Answer(nil, Errorf(InternalError, "%v", p))
}
