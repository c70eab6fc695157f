// This file makes connections to a server.

package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/engine/apart"
)

// handshake is the protocol version that is offered first: every server knows the handshake of it.
// "" is the newest.
const handshake = "2025-11-25"

// maxMessage bounds one message of a server in bytes: what is longer ends the connection. A large
// image is 10 MB.
const maxMessage = 16 << 20

// maxRetries is how often the SDK takes up an event stream again that has ended: some servers end
// idle ones each minute.
const maxRetries = 30

// connection is one connection to a server, with its tools.
type connection struct {
	s           *server
	session     *sdk.ClientSession
	wire        sdk.Connection // what session stands on: there before session is
	tools       []*sdk.Tool
	proc        *process      // nil: HTTP
	carrier     *carrier      // nil: a process
	listChanged chan struct{} // its tools have changed

	dead chan struct{} // closed when it is of no use any more
	once sync.Once
	err  error // why; set before dead is closed

	mu     sync.Mutex
	calls  map[string]*progress // by progress token
	tasks  []string             // tools that run as tasks only
	logs   int                  // log messages that were told
	tokens int                  // that were given out
}

// way is one way to reach a server.
type way struct {
	version string
	sse     bool // the HTTP transport before 2025-03-26
}

// ways are tried in this order; a further one only if the server has answered, and refused.
func (s *server) ways() []way {
	if s.cfg.URL == "" {
		return []way{{version: handshake}, {}}
	}
	return []way{{version: handshake}, {}, {version: handshake, sse: true}}
}

// connect returns a connection that has listed its tools. It takes at most the server's startup
// timeout.
func (s *server) connect(ctx context.Context) (*connection, error) {
	timeout := s.cfg.StartupTimeout
	ctx, cancel := context.WithTimeoutCause(ctx, timeout,
		fmt.Errorf("no answer within %s (startup_timeout)", timeout))
	defer cancel()
	var first error
	for _, w := range s.ways() {
		c, err := s.dial(ctx, w)
		if err == nil {
			return c, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil || !refused(err) {
			break
		}
	}
	return nil, first
}

// refusal is an answer of a server that does not want to talk like this.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refused(err error) bool { return errors.As(err, &refusal{}) }

// dial tries one way.
func (s *server) dial(ctx context.Context, w way) (*connection, error) {
	c := &connection{s: s, listChanged: make(chan struct{}, 1), dead: make(chan struct{}),
		calls: map[string]*progress{}}
	t, err := c.transport(w)
	if err != nil {
		return nil, err
	}
	// the SDK does not always heed ctx
	_, err = apart.Run(ctx, func() (any, error) { return nil, c.greet(ctx, t, w) })
	if err == nil {
		go c.watch()
		return c, nil
	}
	err = c.explain(err)
	c.failWith(err)
	c.endConnection()
	return nil, err
}

// transport starts the server's process, or prepares to reach its address.
func (c *connection) transport(w way) (sdk.Transport, error) {
	s := c.s
	if s.cfg.URL == "" {
		var err error
		if c.proc, err = s.startProcess(); err != nil {
			return nil, err
		}
		return &sdk.IOTransport{Reader: c.proc.messages(), Writer: c.proc.stdin, MaxLineLength: -1},
			nil
	}
	var err error
	if c.carrier, err = s.newCarrier(w.sse); err != nil {
		return nil, err
	}
	c.carrier.heard = c.noteTasks
	client := &http.Client{Transport: c.carrier}
	if w.sse {
		return &sdk.SSEClientTransport{Endpoint: s.cfg.URL, HTTPClient: client,
			MaxEventSize: maxMessage}, nil
	}
	return &sdk.StreamableClientTransport{Endpoint: s.cfg.URL, HTTPClient: client,
		MaxRetries: maxRetries, MaxEventSize: maxMessage}, nil
}

// greet does the handshake and lists the tools. If nobody waits for it any more, end has taken the
// transport away, so that it returns.
func (c *connection) greet(ctx context.Context, t sdk.Transport, w way) error {
	client := c.client()
	// Without ctx's end: a stream that the handshake opens must outlive it.
	session, err := client.Connect(context.WithoutCancel(ctx), tapped{t, c},
		&sdk.ClientSessionOptions{ProtocolVersion: w.version})
	if err != nil {
		if c.refusing(err) {
			err = refusal{err}
		}
		return err
	}
	c.mu.Lock()
	c.session = session
	c.mu.Unlock()
	if c.isDead() { // end has not seen it
		_ = session.Close()
		return c.err
	}
	c.tools, err = c.list(ctx)
	return err
}

// refusing reports whether the server has answered with an error, rather than not at all.
func (c *connection) refusing(err error) bool {
	if c.carrier != nil {
		status := int(c.carrier.status.Load())
		return status >= 400 && status < 500 && status != http.StatusUnauthorized &&
			status != http.StatusForbidden
	}
	var answer *jsonrpc.Error
	return errors.As(err, &answer)
}

// client is what servers see of the agent.
func (c *connection) client() *sdk.Client {
	s := c.s
	client := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: s.m.o.Version},
		&sdk.ClientOptions{
			//lint:ignore SA1019 servers of today ask for roots
			Capabilities: &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
			ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
				select {
				case c.listChanged <- struct{}{}:
				default:
				}
			},
			ProgressNotificationHandler: func(_ context.Context,
				r *sdk.ProgressNotificationClientRequest) {
				c.progressed(r.Params)
			},
			LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { c.logged(r.Params) }, //lint:ignore SA1019 servers of today log like this
		})
	//lint:ignore SA1019 servers of today ask for roots
	client.AddRoots(&sdk.Root{URI: fileURL(s.m.o.Dir), Name: filepath.Base(s.m.o.Dir)})
	return client
}

// fileURL is the file: URL of a path.
func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// watch notices that the connection has ended.
func (c *connection) watch() {
	err := c.session.Wait()
	if err == nil {
		err = errGone
	}
	c.failWith(c.explain(err))
}

// explain adds details to err: how the process ended and its last output, or the server's answer.
func (c *connection) explain(err error) error {
	if c.proc != nil {
		return c.proc.explain(err)
	}
	if status := int(c.carrier.status.Load()); status == http.StatusUnauthorized ||
		status == http.StatusForbidden {
		return permanent{fmt.Errorf(
			"%w (%d: the server wants other credentials: see bearer_env and headers)", err, status)}
	}
	return err
}

// failWith ends the use of the connection; the first reason counts.
func (c *connection) failWith(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.dead)
	})
}

func (c *connection) isDead() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

// live waits until the connection is of no use any more, and returns why.
func (c *connection) live(ctx context.Context, refresh func(context.Context, *connection)) error {
	go c.wantLogs(ctx)
	for {
		select {
		case <-ctx.Done():
			c.failWith(errClosed)
		case <-c.listChanged:
			refresh(ctx, c)
			continue
		case <-c.dead:
		}
		<-c.dead
		return c.err
	}
}

// sayGoodbye is how long a server has to answer that it has heard of the end.
const sayGoodbye = 500 * time.Millisecond

// endConnection lets go of the server: its process is gone when it returns. It comes after fail.
func (c *connection) endConnection() {
	if c.proc != nil {
		c.proc.endProcess()
	}
	c.mu.Lock()
	session, wire := c.session, c.wire
	c.mu.Unlock()
	within(sayGoodbye, func() { // it is gone, or may not want to hear of it
		if wire != nil {
			_ = wire.Close()
		}
		if session != nil {
			_ = session.Close()
		}
	})
	if c.carrier != nil {
		c.carrier.close()
	}
}
