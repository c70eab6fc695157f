package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
)

// ErrGone is the error of a Call that cannot be answered: the client is gone, or sends no more.
var ErrGone = errors.New("the client is gone")

// answer is a client's answer to a Call.
type answer struct {
	result json.RawMessage
	err    *Error
}

// calls are the unanswered requests to the client.
type calls struct {
	mu     sync.Mutex
	number int
	open   map[string]chan answer // by encoded id; capacity 1
	left   map[string]bool        // by id: abandoned calls whose answers have not arrived
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

// answerCall passes an answer, nil for none, to the call with this id, and reports whether there
// was such a call. The answer to an abandoned call is no mistake: the client must send it.
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

// ever reports whether there was any call.
func (c *calls) ever() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.number > 0
}

// hangUp ends all calls, including future ones.
func (c *calls) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for id, got := range c.open {
		delete(c.open, id)
		close(got)
	}
}

// Call sends the client a request and waits for the answer. The error is the client's (an *Error),
// ctx's, or ErrGone; an answer that arrives later is dropped. Call it while Serve runs, and not
// from Handle.
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

// readAnswer parses the answer to a Call.
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
