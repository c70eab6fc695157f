// This file speaks with servers of OpenAI's kind: one request, and the events of its answer.

package llm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/agentscripts/agent/engine"
)

// openAIURL is OpenAI itself.
const openAIURL = "https://api.openai.com/v1"

// openAI is a client for s. It knows nothing of the environment: a server that the user names never gets what was meant for another. The agent
// makes failed requests again, and tells of it: the SDK does not.
func openAI(s server) *openai.Client {
	opts := []option.RequestOption{option.WithBaseURL(s.baseURL), option.WithMaxRetries(0),
		option.WithHTTPClient(stays()), option.WithMiddleware(boundAnswer)}
	if s.key != "" {
		opts = append(opts, option.WithAPIKey(s.key))
	}
	for _, name := range slices.Sorted(maps.Keys(s.headers)) {
		opts = append(opts, option.WithHeader(name, s.headers[name]))
	}
	return &openai.Client{Options: opts}
}

// boundAnswer bounds the body of an answer; of one that says no the SDK reads all.
func boundAnswer(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	switch {
	case err != nil:
	case res.StatusCode >= http.StatusBadRequest:
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, errorBytes), res.Body}
	default:
		bounded(res)
	}
	return res, err
}

// reader takes the events of a reply.
type reader interface {
	// event reads one; whole says that nothing that matters follows.
	event(data []byte) (whole bool, err error)
	// ended reports whether all was said though the end was not marked.
	ended() bool
	// answer makes an event of an answer that came in one piece, JSON; nil = it is none.
	answer(body []byte) (event []byte)
}

// events posts params and hands r the events of the answer until the reply is whole. A stream that ends before that is an error.
func events(ctx context.Context, s server, path string, params any, r reader, in *pairs) error {
	defer in.end()
	client := openAI(s)
	var res *http.Response
	err := client.Post(ctx, path, params, &res, option.WithJSONSet("stream", true), option.WithHeader("Accept", "text/event-stream"))
	if res != nil {
		defer res.Body.Close()
		if no := answered(s, res); no != nil {
			return refusal(no, err)
		}
	}
	if err != nil {
		return failure(s, err)
	}
	if body, ok := inOnePiece(res); ok {
		event := r.answer(body)
		if event == nil {
			return noStream(s, body)
		}
		_, err := r.event(in.mark(event))
		return err
	}
	decoder := ssestream.NewDecoder(res)
	whole, some := false, false
	for !whole && decoder.Next() {
		data := bytes.TrimSpace(decoder.Event().Data)
		if len(data) == 0 {
			continue
		}
		some = true
		if whole, err = r.event(in.mark(data)); err != nil {
			return err
		}
	}
	switch err := decoder.Err(); {
	case whole, r.ended():
		return nil
	case err == nil && !some:
		return fmt.Errorf("%w: no event was in the answer; is %s right?", errBrokenOff, s.where())
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF):
		return failure(s, errBrokenOff)
	default:
		return failure(s, fmt.Errorf("the reply broke off: %w", err))
	}
}

// refused is a request that a server of OpenAI's kind does not take, and what it does not like in it.
type refused struct {
	error
	param, code string
}

func (r *refused) Unwrap() error { return r.error }

// refusal is no with what the SDK read of it.
func refusal(no, err error) error {
	var e *openai.Error
	if errors.As(err, &e) {
		return &refused{no, e.Param, e.Code}
	}
	return no
}

// inOnePiece reads an answer that is JSON in place of a stream. How it begins tells: some servers call a stream JSON, and JSON a stream.
func inOnePiece(res *http.Response) (body []byte, ok bool) {
	from := bufio.NewReader(res.Body)
	res.Body = struct {
		io.Reader
		io.Closer
	}{from, res.Body}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if begin := beginning(from); !bytes.HasPrefix(begin, []byte("{")) && (kind != "application/json" || eventField.Match(begin)) {
		return nil, false
	}
	body, _ = io.ReadAll(io.LimitReader(from, eventBytes))
	return body, true
}

// eventField is how a line of a stream of events begins: a field, or a comment.
var eventField = regexp.MustCompile(`^(data|event|id|retry)?:`)

// beginning returns the first bytes of what r will read, without the space before them.
func beginning(r *bufio.Reader) []byte {
	const longest = len("event:")
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

// noStream is the error of an answer in one piece that is no reply: an error that is called none, mostly.
func noStream(s server, body []byte) error {
	what := said(body)
	if what == "" {
		what = "got " + short(string(body[:min(len(body), shownError)])) + ", want a stream of events; is " + s.where() + " right?"
	}
	return &engine.FailError{Message: what}
}
