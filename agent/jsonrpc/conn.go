// Package jsonrpc is the server's side of JSON-RPC 2.0 on two streams, one message per line of
// UTF-8.
//
//	handle := func(r *jsonrpc.Request) {
//		go r.Do(func() (any, error) { return answer(r.Method, r.Params) })
//	}
//	c := jsonrpc.New(jsonrpc.Options{In: os.Stdin, Out: os.Stdout, Handle: handle})
//	err := c.Serve()   // until the client sends no more
//	c.Notify("event", value)
//	c.Close(ctx)
//
// It promises: every invalid message is answered with an error that names the mistake, and the next
// line is read; a client that stops reading is disconnected after a while, see Broken; a panic of a
// handler becomes an error. It does not support batches.
//
// It is our own because no library that we know limits the length of lines and of waiting output,
// and survives a client that stops reading.
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
	// maxLine limits a line of the client: it has room for many images, and the process can hold
	// it.
	maxLine = 64 << 20
	// maxWaiting is how many bytes of output may wait before its producers block: minutes of a
	// session with much output.
	maxWaiting = 16 << 20
	// patience is how long the client may read nothing, while that much output waits, before it is
	// disconnected. A working program reads; one that is stopped in a debugger loses its agent.
	patience = 10 * time.Second
)

// Options configures a Conn. In, Out and Handle are required.
type Options struct {
	In  io.Reader
	Out io.Writer
	// Handle is called for each request and notification, in order, on the reader's goroutine: slow
	// work must run on another one.
	Handle func(r *Request)
	// Log receives errors that cannot be sent to the client: an invalid notification, a panic. It
	// may be nil.
	Log func(text string)

	// For tests; 0 is the default.
	MaxLine    int
	MaxWaiting int
	Patience   time.Duration
}

// Conn is a connection to a client. Its methods are safe for concurrent use, except Serve, which is
// called once.
type Conn struct {
	o   Options
	out *outbox

	calls calls

	mu sync.Mutex
	// ids of unanswered requests: a client may reuse one as soon as it has read the answer
	open     map[string]bool
	owed     int           // requests whose answer is not in the outbox yet
	answered chan struct{} // closed when owed is 0; nil while nothing waits for it
}

// New makes a connection. It reads nothing before Serve.
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

// handleLine dispatches a line, or answers it with an error.
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

// beginRequest records a request; false if its id is in use.
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

// free releases the id of a request. It must precede the answer, after which the client may reuse
// the id at once.
func (c *Conn) free(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, string(id))
}

// sent records that an answer is in the outbox.
func (c *Conn) sent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owed--
	if c.owed == 0 && c.answered != nil {
		close(c.answered)
		c.answered = nil
	}
}

// Settled returns a channel that is closed when all answers are in the outbox.
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

// refuse answers an invalid request.
func (c *Conn) refuse(id json.RawMessage, e *Error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	c.sendMessage(message{ID: id, Error: e})
}

// Notify sends the client a notification. Those of one goroutine arrive in order. It blocks while
// too much output waits, and does nothing after the client was disconnected.
func (c *Conn) Notify(method string, params any) {
	c.sendMessage(message{Method: method, Params: params})
}

func (c *Conn) sendMessage(m message) {
	line, err := m.encodeLine()
	if err != nil { // not the client's mistake, and it must not wait for ever
		wrong := Errorf(InternalError, "the message cannot be encoded as JSON: %s",
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

// Broken returns a channel that is closed when the client cannot be reached any more: it has closed
// its end, or has stopped reading.
func (c *Conn) Broken() <-chan struct{} { return c.out.broken }

// Err returns why the client cannot be reached any more; nil = it can.
func (c *Conn) Err() error { return c.out.failure() }

// Close waits until all output was written, or done is closed, and ends the connection: later
// output is dropped. It returns why not all was written.
func (c *Conn) Close(done <-chan struct{}) error { return c.out.close(done) }

// Request is a request, or a notification.
type Request struct {
	Method string
	Params json.RawMessage // a JSON object; nil = none

	id     json.RawMessage // nil: a notification
	answer *answer         // set if it is an answer, not a request
	conn   *Conn
	once   sync.Once
}

// Notification reports whether no answer is expected.
func (r *Request) Notification() bool { return r.id == nil }

// Do answers with the result of f. A panic in f is an internal error.
func (r *Request) Do(f func() (any, error)) {
	r.answerPanic(apart.Catch(func() {
		result, err := f()
		r.Answer(result, err)
	}))
}

// Answer answers the request, with err if that is not nil. An error that is not an *Error becomes
// an ApplicationError. Only the first answer counts; for a notification, errors are logged instead.
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

// answerPanic answers a request whose handler panicked, if p is not nil.
func (r *Request) answerPanic(p *apart.PanicError) {
	if p == nil {
		return
	}
	r.conn.o.Log(fmt.Sprintf("%s: %v\n%s", r.Method, p, p.Stack))
	r.Answer(nil, Errorf(InternalError, "%v", p))
}
