// This file describes failures of a server, in a message that names what the user can change and in
// fields that the agent can act on.

package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// errorBytes is how much of an error response is read: enough for any message, and too little
	// to harm the process.
	errorBytes = 1 << 20
	// shownError bounds the part of a server's message that is shown, in characters.
	shownError = 500
	// statusOverloaded is Anthropic's status in place of 503.
	statusOverloaded = 529
)

// errBrokenOff reports a stream that ended before the reply did: the request is repeated.
var errBrokenOff = plain.Reword("the reply broke off", io.ErrUnexpectedEOF)

// answered checks the beginning of an answer. If the answer is an error or not a stream of events,
// it closes it and returns an error.
func answered(s server, res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case res.StatusCode >= http.StatusMultipleChoices:
		defer res.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(res.Body, errorBytes))
		return withRefusal(statusFailure(s, res.StatusCode, res.Header, said(body)), body)
	case kind == "text/html":
		defer res.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(res.Body, errorBytes))
		return &fault.FailError{Message: fmt.Sprintf(
			"got a web page, want a reply%s; is %s right?", quoted(said(body)), s.where())}
	}
	return nil
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// where names the setting of the address, and the address without secrets.
func (s server) where() string {
	return s.setting + " = " + shown(s.baseURL)
}

// failure converts an error of a request to one that the agent can act on.
func failure(s server, err error) error {
	var fail *fault.FailError
	var dial *url.Error
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, errBrokenOff):
		return err
	case errors.As(err, &fail):
		return fail
	case errors.As(err, &dial):
		cause := dial.Err
		if errors.Is(cause, io.EOF) { // usually a server that restarts: try again
			cause = plain.Reword("the connection was closed", io.ErrUnexpectedEOF)
		}
		return fmt.Errorf("no answer: %w; is %s right, and does the server run?", plain.Wrap(cause),
			s.where())
	}
	return err
}

// statusFailure returns the error of an answer with an error status. message is the server's.
func statusFailure(s server, status int, h http.Header, message string) error {
	f := &fault.FailError{Status: status, Overflow: status < 500 &&
		status != http.StatusTooManyRequests && overflows(message), RetryAfter: retryAfter(h)}
	text := strconv.Itoa(status)
	if name := statusName(status); name != "" {
		text += " " + name
	}
	if message != "" {
		text += ": " + message
	}
	switch {
	case (status == http.StatusUnauthorized || status == http.StatusForbidden) && s.keyEnv != "":
		text += "; is the key in " + s.keyEnv + " right?"
	case status == http.StatusUnauthorized:
		text += "; it needs a key: name its variable in api_key_env"
	case status >= 300 && status < 400:
		text += "; it points to " + strconv.Quote(short(shown(h.Get("Location")))) +
			", which is not followed; is " + s.where() + " right?"
	case status == http.StatusNotFound && !strings.Contains(strings.ToLower(message), "model"):
		text += "; is " + s.where() + " right?"
	}
	f.Message = text
	return f
}

func statusName(status int) string {
	if status == statusOverloaded {
		return "Overloaded"
	}
	return http.StatusText(status)
}

// streamFailure returns the error that a server reports within a stream.
func streamFailure(s server, data []byte) error {
	var e struct {
		Error *json.RawMessage `json:"error"`
	}
	inner := data
	if json.Unmarshal(data, &e) == nil && e.Error != nil {
		inner = *e.Error
	}
	var what struct {
		Code any    `json:"code"`
		Type string `json:"type"`
	}
	_ = json.Unmarshal(inner, &what)
	f := &fault.FailError{Message: said(data)}
	code, isNumber := what.Code.(float64)
	kind := strings.ToLower(fmt.Sprint(what.Code) + " " + what.Type)
	switch {
	case isNumber && code >= http.StatusBadRequest && code < 600:
		f.Status = int(code)
	case strings.Contains(kind, "rate_limit"):
		f.Status = http.StatusTooManyRequests
	case strings.Contains(kind, "overloaded"):
		f.Status = statusOverloaded
	case strings.Contains(kind, "timeout"):
		f.Status = http.StatusGatewayTimeout
	case strings.Contains(kind, "server_error"), strings.Contains(kind, "api_error"):
		f.Status = http.StatusInternalServerError
	}
	f.Overflow = f.Status < http.StatusInternalServerError && overflows(kind+" "+f.Message)
	if f.Message == "" {
		f.Message = "the server reported an error: " + short(string(data))
	}
	return f
}

// notJSON returns the error of an event that is not valid JSON. It was damaged on the way, so the
// request is repeated.
func notJSON(data []byte, err error) error {
	text := "the server sent invalid JSON: " + plain.Error(err) + ": " +
		short(string(plain.Head(data, 200)))
	return &fault.FailError{Message: text, Retryable: true}
}

// overflow matches servers' messages that a conversation is too long. Sources: the error texts of
// Anthropic, OpenAI, vLLM, llama.cpp, Ollama and OpenRouter.
var overflow = lazyregexp.New(
	`context_length|context[ -](length|window|size)|prompt is too long|maximum context|` +
		`too many (input )?tokens|` +
		`exceeds? the (available|maximum|model'?s?) (context|number of tokens|input)|input ` +
		`(is|length).{0,40}(too long|exceed)|request_too_large|exceed_context`)

func overflows(message string) bool { return overflow().MatchString(strings.ToLower(message)) }

// retryAfter returns how long a server asks to wait, in seconds; 0 = it does not say.
func retryAfter(h http.Header) float64 {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return ms / 1000
	}
	text := h.Get("Retry-After")
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 {
		return n
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(time.Until(t).Seconds(), 0)
	}
	return 0
}

var pageTitle = lazyregexp.New(`(?is)<title[^>]*>(.{1,200}?)</title>`)

// said returns the message in the body of an error: servers write {"error": {"message"}}, {"error":
// "..."}, {"message"}, {"detail"} or plain text. Of a web page it returns the title.
func said(body []byte) string {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	var m map[string]any
	if json.Unmarshal(body, &m) != nil {
		if text := bytes.TrimSpace(body); !bytes.HasPrefix(text, []byte("<")) {
			return short(string(text))
		}
		if t := pageTitle().FindSubmatch(body); t != nil {
			return short(string(t[1]))
		}
		return ""
	}
	if inner, ok := m["error"].(map[string]any); ok {
		m = inner
	}
	for _, key := range []string{"message", "error", "detail"} {
		if text, ok := m[key].(string); ok && text != "" {
			return short(text)
		}
	}
	return ""
}

// short returns text on one line, cut to a readable length.
func short(text string) string {
	return plain.Short(plain.OneLine(text), shownError)
}
