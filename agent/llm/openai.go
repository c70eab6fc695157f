// This file speaks with servers of OpenAI's kind: one request, and the events of its answer.

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
	"regexp"

	"github.com/agentscripts/agent/engine"
)

// openAIURL is OpenAI itself.
const openAIURL = "https://api.openai.com/v1"

// reader takes the events of a reply.
type reader interface {
	// event reads one; whole says that nothing that matters follows.
	event(data []byte) (whole bool, err error)
	// ended reports whether all was said though the end was not marked.
	ended() bool
	// readWhole makes an event of an answer that came in one piece, JSON; nil = it is none.
	readWhole(body []byte) (event []byte)
}

// events posts a request and hands r the events of the answer until the reply is whole. A stream
// that ends before that is an error.
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

// refused is a request that a server does not take, and what it does not like in it.
type refused struct {
	error
	param, code string
}

func (r *refused) Unwrap() error { return r.error }

// refusal is no with what the body of the answer says of it, as servers of OpenAI's kind do.
func refusal(no error, body []byte) error {
	var answer struct {
		Error struct {
			Param wireText `json:"param"`
			Code  wireText `json:"code"`
		} `json:"error"`
	}
	_ = decodeObject(body, &answer) // it may be anything
	return &refused{no, string(answer.Error.Param), string(answer.Error.Code)}
}

// inOnePiece reads an answer that is JSON in place of a stream. How it begins tells: some servers
// call a stream JSON, and JSON a stream.
func inOnePiece(res *http.Response) (body []byte, ok bool) {
	from := bufio.NewReader(res.Body)
	res.Body = struct {
		io.Reader
		io.Closer
	}{from, res.Body}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if begin := beginning(from); !bytes.HasPrefix(begin, []byte("{")) &&
		(kind != "application/json" || eventField.Match(begin)) {
		return nil, false
	}
	body, _ = io.ReadAll(io.LimitReader(from, eventBytes))
	return body, true
}

// eventField is how a line of a stream of events begins: a field, or a comment.
var eventField = regexp.MustCompile(`^(data|event|id|retry)?:`)

// beginning returns the first bytes of what r will read, without the byte order mark and the space
// before them.
func beginning(r *bufio.Reader) []byte {
	const mark, longest = "\uFEFF", len("event:")
	if begin, _ := r.Peek(len(mark)); string(begin) == mark { // encoding/json does not take it
		_, _ = r.Discard(len(mark))
	}
	for {
		first, err := r.Peek(1)
		if err != nil {
			return nil
		}
		if !bytes.ContainsAny(first, " \t\r\n") {
			begin, _ := r.Peek(longest) // shorter, if that is all there is
			return begin
		}
		_, _ = r.Discard(1)
	}
}

// noStream is the error of an answer in one piece that is no reply: an error that is called none,
// mostly.
func noStream(s server, body []byte) error {
	what := said(body)
	if what == "" {
		what = "got " + short(string(body[:min(len(body), shownError)])) +
			", want a stream of events; is " + s.where() + " right?"
	}
	return &engine.FailError{Message: what}
}
