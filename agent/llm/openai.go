// This file sends a request to an OpenAI-compatible server and reads the events of the answer.

package llm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
)

// openAIURL is the address of OpenAI's own server.
const openAIURL = "https://api.openai.com/v1"

// reader reads the events of a reply.
type reader interface {
	// event reads one; whole means that the reply is complete.
	event(data []byte) (whole bool, err error)
	// ended reports whether the reply is complete although its end was not marked.
	ended() bool
	// readWhole converts an answer in one piece, JSON, to an event; nil = it is not a reply.
	readWhole(body []byte) (event []byte)
}

// events posts a request and passes the events of the answer to r until the reply is complete. A
// stream that ends before that is an error.
func events(ctx context.Context, s server, path string, request []byte, r reader, in *pairs) error {
	defer in.emitRest()
	res, err := s.post(ctx, path, request, "text/event-stream")
	var no *refused
	if errors.As(err, &no) {
		return no
	}
	if err != nil {
		return failure(s, err)
	}
	defer res.Body.Close()
	if body, ok := inOnePiece(res); ok {
		event := r.readWhole(body)
		if event == nil {
			return noStream(s, body)
		}
		_, err := r.event(in.markHalves(event))
		return err
	}
	from := newEventReader(res.Body)
	whole, some := false, false
	for !whole {
		e, end := from.nextEvent()
		if end != nil {
			err = end
			break
		}
		data := bytes.TrimSpace([]byte(e.Data))
		if len(data) == 0 {
			continue
		}
		some = true
		if whole, err = r.event(in.markHalves(data)); err != nil {
			return err
		}
	}
	switch {
	case whole, r.ended():
		return nil
	case err == io.EOF && !some:
		return fmt.Errorf("%w: no event was in the answer; is %s right?", errBrokenOff, s.where())
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return failure(s, errBrokenOff)
	default:
		return failure(s, fmt.Errorf("the reply broke off: %w", err))
	}
}

// refused is a request that a server rejects, and the part that it rejects.
type refused struct {
	error
	param, code string
}

func (r *refused) Unwrap() error { return r.error }

// withRefusal adds the error message in the body to the error no, in the format of
// OpenAI-compatible servers.
func withRefusal(no error, body []byte) error {
	var answer struct {
		Error struct {
			Param wireText `json:"param"`
			Code  wireText `json:"code"`
		} `json:"error"`
	}
	_ = decodeObject(body, &answer) // it may be anything
	return &refused{no, string(answer.Error.Param), string(answer.Error.Code)}
}

// inOnePiece reads an answer that is JSON instead of a stream. The first bytes decide, because some
// servers label a stream as JSON, and JSON as a stream.
func inOnePiece(res *http.Response) (body []byte, ok bool) {
	from := bufio.NewReader(res.Body)
	res.Body = struct {
		io.Reader
		io.Closer
	}{from, res.Body}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if begin := beginning(from); !bytes.HasPrefix(begin, []byte("{")) &&
		(kind != "application/json" || eventField().Match(begin)) {
		return nil, false
	}
	body, _ = io.ReadAll(io.LimitReader(from, eventBytes))
	return body, true
}

// eventField matches the beginning of a line in a stream of events: a field, or a comment.
var eventField = lazyregexp.New(`^(data|event|id|retry)?:`)

// beginning returns the next bytes of r without consuming them, after a byte order mark and white
// space.
func beginning(r *bufio.Reader) []byte {
	const mark, longest = "\uFEFF", len("event:")
	if begin, _ := r.Peek(len(mark)); string(begin) == mark { // encoding/json rejects it
		_, _ = r.Discard(len(mark))
	}
	for {
		first, err := r.Peek(1)
		if err != nil {
			return nil
		}
		if !bytes.ContainsAny(first, " \t\r\n") {
			begin, _ := r.Peek(longest) // may return less
			return begin
		}
		_, _ = r.Discard(1)
	}
}

// noStream returns the error of an answer in one piece that is not a reply: usually an error with a
// success status.
func noStream(s server, body []byte) error {
	what := said(body)
	if what == "" {
		what = "got " + short(string(plain.Head(body, shownError))) +
			", want a stream of events; is " + s.where() + " right?"
	}
	return &fault.FailError{Message: what}
}
