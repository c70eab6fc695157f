// This file reads answers of servers: whole and bounded, or in pieces.

package host

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/web"
)

const (
	// bodyBytes is the largest body, uncompressed, that is returned as one string.
	bodyBytes = 8 << 20
	// streamBytes is the largest body, uncompressed, that is read in pieces: a protection against
	// endless ones.
	streamBytes = 256 << 20
	// pieceBytes is the size of one read.
	pieceBytes = 32 << 10
)

// response reads one answer.
type response struct {
	c       *engine.HostCall
	name    string
	binary  bool
	timeout time.Duration // for the whole answer; 0 = only patience applies
	clock   *patience
	kind    string // on_chunk, on_line or on_event; "" = the whole body is returned
	fn      engine.Func
	head    engine.Func // on_response
	failed  error       // of either function, or of the replacement of the server
}

func newAnswer(c *engine.HostCall, name string, m map[string]any) (*response, error) {
	a := &response{c: c, name: name, binary: truth(m["binary"])}
	if v, ok := m["timeout"]; ok {
		d, err := seconds(v)
		if err != nil {
			return nil, fmt.Errorf("%s: timeout: %w", name, err)
		}
		a.timeout = *d
	}
	for _, kind := range []string{"on_chunk", "on_line", "on_event"} {
		fn, ok := m[kind].(engine.Func)
		if !ok {
			continue
		}
		if a.fn != nil {
			return nil, fmt.Errorf("%s: got both %s and %s, want one of them", name, a.kind, kind)
		}
		a.kind, a.fn = kind, fn
	}
	if a.binary && a.fn != nil && a.kind != "on_chunk" {
		return nil, fmt.Errorf("%s: got both binary and %s, want one of them", name, a.kind)
	}
	a.head, _ = m["on_response"].(engine.Func)
	return a, nil
}

// readBody reads the answer to its end. A streamed body is not kept, unless the status is an error:
// then it describes the error and is not the requested data.
func (a *response) readBody(resp *http.Response) (map[string]any, error) {
	result := map[string]any{"status": resp.StatusCode, "headers": headers(resp.Header),
		"url": resp.Request.URL.Redacted()}
	if a.head != nil {
		if err := a.callFunction(a.head, maps.Clone(result)); err != nil {
			return nil, err
		}
	}
	body := io.LimitReader(resp.Body, bodyBytes+1)
	if a.fn != nil && resp.StatusCode/100 == 2 {
		return result, a.stream(resp.Body)
	}
	data, err := io.ReadAll(&patient{body, a.clock})
	if err != nil {
		return nil, err
	}
	if len(data) > bodyBytes {
		return nil, &fault.WorldError{Code: "too_large",
			Message: fmt.Sprintf("the answer has more than %d bytes: read it with on_chunk",
				bodyBytes)}
	}
	result["body"] = encoded(data, a.binary)
	return result, nil
}

// stream passes the body on as it arrives. The server is blocked while the script's function runs.
func (a *response) stream(body io.Reader) error {
	take, end := a.parts()
	in := &patient{body, a.clock}
	buf := make([]byte, pieceBytes)
	held, total := 0, 0
	for {
		n, err := in.Read(buf[held:])
		if total += n; total > streamBytes {
			return &fault.WorldError{Code: "too_large",
				Message: fmt.Sprintf("the answer has more than %d bytes", streamBytes)}
		}
		n += held
		held = 0
		if err == nil && !a.binary {
			held = plain.Unfinished(buf[:n])
		}
		if n > held {
			if err := take(a.chunk(buf[:n-held])); err != nil {
				return err
			}
		}
		copy(buf, buf[n-held:n])
		if err == io.EOF {
			return end()
		}
		if err != nil {
			return err
		}
	}
}

func (a *response) chunk(b []byte) string {
	if a.binary {
		return base64.StdEncoding.EncodeToString(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// parts returns functions that split the body into chunks, lines or events.
func (a *response) parts() (take func(string) error, end func() error) {
	switch a.kind {
	case "on_line":
		l := &web.Lines{Line: func(line string) error { return a.tellFailure(line) }}
		return l.Add, l.End
	case "on_event":
		l := web.NewEvents(func(e web.Event) error {
			ev := map[string]any{"event": e.Name, "data": e.Data}
			if e.ID != "" {
				ev["id"] = e.ID
			}
			return a.tellFailure(ev)
		})
		return l.Add, l.End
	}
	return func(chunk string) error { return a.tellFailure(chunk) }, func() error { return nil }
}

func (a *response) tellFailure(v any) error { return a.callFunction(a.fn, v) }

// callFunction calls a function of the script. The time it takes does not count as the server's.
func (a *response) callFunction(fn engine.Func, v any) error {
	if !a.clock.all {
		a.clock.timer.Stop()
	}
	_, err := fn.Call(a.c.Run, v)
	a.failed = err
	return err
}

// headers returns the headers of an answer: names in lower case, several values of one name joined.
func headers(h http.Header) map[string]any {
	out := make(map[string]any, len(h))
	for name, values := range h {
		out[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(slices.Clone(values), ", "),
			"\uFFFD")
	}
	return out
}

var errSilent = &fault.WorldError{Code: "timeout",
	Message: fmt.Sprintf("nothing came for %v", requestPatience)}

// patience cancels a request that takes too long: in total, if there is a limit, or in a single
// wait.
type patience struct {
	timer *time.Timer
	all   bool
}

func newPatience(cancel context.CancelCauseFunc, all time.Duration) *patience {
	if all > 0 {
		late := &fault.WorldError{Code: "timeout",
			Message: fmt.Sprintf("it took longer than %v", all)}
		return &patience{time.AfterFunc(all, func() { cancel(late) }), true}
	}
	return &patience{time.AfterFunc(requestPatience, func() { cancel(errSilent) }), false}
}

func (p *patience) stop() { p.timer.Stop() }

// patient is a body whose reads are limited by patience.
type patient struct {
	in    io.Reader
	clock *patience
}

func (p *patient) Read(b []byte) (int, error) {
	if !p.clock.all {
		p.clock.timer.Reset(requestPatience)
		defer p.clock.timer.Stop()
	}
	return p.in.Read(b)
}
