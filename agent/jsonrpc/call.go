package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
)

// ErrGone is that of a Call which nobody will answer: the client has gone, or sends no more.
var ErrGone = errors.New("the client is gone")

// answer is what a client answered to a Call.
type answer struct {
	result json.RawMessage
	err    *Error
}

// calls are the requests to the client that wait for their answer.
type calls struct {
	mu     sync.Mutex
	number int
	open   map[string]chan answer // by id as it is written; capacity 1
	left   map[string]bool        // by id: nobody waits any more, and the answer has not come
	gone   bool
}

func (c *calls) beginCall() (id string, got chan answer, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return "", nil, ErrGone
	}
	if c.open == nil {
		c.open, c.left = map[string]chan answer{}, map[string]bool{}
	}
	c.number++
	id, got = strconv.Itoa(c.number), make(chan answer, 1)
	c.open[id] = got
	return id, got, nil
}

// answerCall gives the call with this id its answer; nil: nobody waits for one any more. It reports
// whether there was such a call: the answer of one that was left is no mistake, a client owes it.
func (c *calls) answerCall(id string, a *answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	got, ok := c.open[id]
	left := c.left[id]
	delete(c.open, id)
	delete(c.left, id)
	switch {
	case ok && a != nil:
		got <- *a
	case ok:
		c.left[id] = true
	}
	return ok || left
}

// ever reports whether there was a call.
func (c *calls) ever() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.number > 0
}

// hangUp ends all calls, those to come too.
func (c *calls) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for id, got := range c.open {
		delete(c.open, id)
		close(got)
	}
}

// Call asks the client something and waits for the answer. The error is the client's (an *Error),
// that of ctx, or ErrGone: then the answer, should it come, is dropped. Call it while Serve reads,
// and not from Handle.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, got, err := c.calls.beginCall()
	if err != nil {
		return nil, err
	}
	c.sendMessage(message{Method: method, Params: params, ID: json.RawMessage(id)})
	select {
	case a, ok := <-got:
		switch {
		case !ok:
			return nil, ErrGone
		case a.err != nil:
			return nil, a.err
		}
		return a.result, nil
	case <-c.out.broken:
		err = ErrGone
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.calls.answerCall(id, nil)
	return nil, err
}

// readAnswer reads the answer to a Call.
func readAnswer(fields map[string]json.RawMessage) (*answer, *Error) {
	text, failed := fields["error"]
	if !failed || string(text) == "null" {
		return &answer{result: fields["result"]}, nil
	}
	a := &answer{err: &Error{}}
	if err := json.Unmarshal(text, a.err); err != nil {
		return nil, Errorf(InvalidRequest, "invalid answer: error: %v", err)
	}
	if strings.TrimSpace(a.err.Message) == "" {
		a.err.Message = "the client refused, and said nothing"
	}
	return a, nil
}
