// This file sends the requests to a server over HTTP.

package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// streamWait is how long a server may take to say whether it has a stream of notifications: the
// handshake waits for that, and some servers do not answer before the first notification.
const streamWait = 3 * time.Second

// carrier is the http.RoundTripper of one connection: it adds the user's headers, and limits the
// response.
type carrier struct {
	base   *http.Transport
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	to     *url.URL
	header http.Header // for requests to this server, not to others that it redirects to
	// set after the request for a stream; true from the start if all messages use the stream
	asked  atomic.Bool
	status atomic.Int32 // of the last answer to a message

	listening atomic.Int32 // > 0: tools are being listed
	heard     func(result []byte)
}

func (s *server) newCarrier(sse bool) (*carrier, error) {
	c := &carrier{header: http.Header{}}
	var err error
	if c.to, err = url.Parse(s.cfg.URL); err != nil {
		return nil, permanent{err}
	}
	for name, v := range s.cfg.Headers {
		c.header.Set(name, v)
	}
	if name := s.cfg.BearerEnv; name != "" {
		token, ok := s.m.o.LookupEnv(name)
		token = strings.TrimSpace(token)
		switch {
		case !ok || token == "":
			return nil, permanent{fmt.Errorf(
				"bearer_env: %s is not set in the environment of the agent", name)}
		case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
			return nil, permanent{fmt.Errorf(
				"bearer_env: %s holds spaces or control characters: it is no token", name)}
		}
		c.header.Set("Authorization", "Bearer "+token)
	}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		c.base = t.Clone()
	} else {
		c.base = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	c.asked.Store(sse)
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c, nil
}

// close ends all requests.
func (c *carrier) close() {
	c.cancel()
	c.base.CloseIdleConnections()
}

// RoundTrip implements http.RoundTripper.
func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(c.ctx, func() { cancel(errClosed) })
	end := func() { stop(); cancel(nil) }
	r = r.Clone(ctx)
	if r.URL.Host == c.to.Host && r.URL.Scheme == c.to.Scheme {
		for name, v := range c.header {
			r.Header[name] = v
		}
	}
	wondering := r.Method == http.MethodGet && c.asked.CompareAndSwap(false, true)
	if wondering {
		t := time.AfterFunc(streamWait, func() { cancel(errSilent) })
		defer t.Stop()
	}
	resp, err := c.base.RoundTrip(r)
	if err != nil {
		end()
		if wondering && errors.Is(context.Cause(ctx), errSilent) {
			return noStream(r), nil
		}
		return nil, err
	}
	if r.Method == http.MethodPost {
		c.status.Store(int32(resp.StatusCode))
	}
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	resp.Body = &body{ReadCloser: resp.Body, end: end, bounded: !stream,
		ear: ear{listening: &c.listening, stream: stream, heard: c.heard}}
	return resp, nil
}

var errSilent = errors.New("no answer")

// noStream returns the response of a server without a stream.
func noStream(r *http.Request) *http.Response {
	return &http.Response{Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r}
}

// body is the body of an answer. It limits the size of a single message; in a stream, the SDK
// limits each one.
type body struct {
	io.ReadCloser
	end     func()
	bounded bool
	read    int
	ear     ear
}

// errFlood is the error for an answer that is too long.
var errFlood = fmt.Errorf("it sent a message of more than %d MB", maxMessage>>20)

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += n; b.bounded && b.read > maxMessage {
		return 0, errFlood
	}
	b.ear.hear(p[:n])
	if errors.Is(err, io.EOF) {
		b.ear.reportFailure()
	}
	return n, err
}

func (b *body) Close() error {
	b.end()
	return b.ReadCloser.Close()
}
