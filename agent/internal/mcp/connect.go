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
	"github.com/agentscripts/agent/engine/stdio"
)

// handshake is the protocol version that is offered first: every server supports its handshake. ""
// is the newest.
const handshake = "2025-11-25"

// maxMessage limits a message of a server in bytes: a longer one ends the connection. A large image
// is 10 MB.
const maxMessage = 16 << 20

// maxRetries is how often the SDK reopens an event stream that has ended: some servers end idle
// ones each minute.
const maxRetries = 30

// connection is one connection to a server, with its tools.
type connection struct {
	s           *server
	session     *sdk.ClientSession
	wire        sdk.Connection // below session; it exists before session does
	tools       []*sdk.Tool
	proc        *stdio.Program // nil: HTTP
	carrier     *carrier       // nil: a process
	listChanged chan struct{}  // signals that its tools have changed

	dead chan struct{} // closed when it can no longer be used
	once sync.Once
	err  error // why; set before dead is closed

	mu     sync.Mutex
	calls  map[string]*progress // by progress token
	tasks  []string             // tools that only run as tasks
	logs   int                  // log messages shown
	tokens int                  // tokens in use so far
}

// way is a way to reach a server.
type way struct {
	version string
	sse     bool // the HTTP transport before 2025-03-26
}

// ways returns the ways in order. The next one is tried only if the server has answered with a
// refusal.
func (s *server) ways() []way {
	if s.cfg.URL == "" {
		return []way{{version: handshake}, {}}
	}
	return []way{{version: handshake}, {}, {version: handshake, sse: true}}
}

// connect returns a connection with its list of tools. It takes at most the server's startup
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

// refusal is a server's answer that it does not support a way.
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
	// the SDK sometimes ignores ctx
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

// transport starts the server's process, or prepares an HTTP connection.
func (c *connection) transport(w way) (sdk.Transport, error) {
	s := c.s
	if s.cfg.URL == "" {
		var err error
		if c.proc, err = s.startProcess(); err != nil {
			return nil, err
		}
		return &sdk.IOTransport{Reader: c.proc.Lines(isMessage, maxMessage), Writer: c.proc,
			MaxLineLength: -1}, nil
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

// greet performs the handshake and lists the tools. If its caller has given up, endConnection has
// closed the transport, so that greet returns.
func (c *connection) greet(ctx context.Context, t sdk.Transport, w way) error {
	client := c.client()
	// Not cancelled with ctx: a stream that the handshake opens must outlive it.
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
	if c.isDead() { // endConnection has not seen it
		_ = session.Close()
		return c.err
	}
	c.tools, err = c.list(ctx)
	return err
}

// refusing reports whether the server has answered with an error.
func (c *connection) refusing(err error) bool {
	if c.carrier != nil {
		status := int(c.carrier.status.Load())
		return status >= 400 && status < 500 && status != http.StatusUnauthorized &&
			status != http.StatusForbidden
	}
	var answer *jsonrpc.Error
	return errors.As(err, &answer)
}

// client returns the SDK's client with the agent's description.
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
			//lint:ignore SA1019 servers of today log like this
			LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
				c.logged(r.Params)
			},
		})
	//lint:ignore SA1019 servers of today ask for roots
	client.AddRoots(&sdk.Root{URI: fileURL(s.m.o.Dir), Name: filepath.Base(s.m.o.Dir)})
	return client
}

// fileURL returns the file: URL of a path.
func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// watch detects the end of the connection.
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
		return c.proc.Explain(err, lost(err))
	}
	if status := int(c.carrier.status.Load()); status == http.StatusUnauthorized ||
		status == http.StatusForbidden {
		return permanent{fmt.Errorf(
			"%w (%d: the server wants other credentials: see bearer_env and headers)", err, status)}
	}
	return err
}

// failWith marks the connection as dead; the first reason counts.
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

// live waits until the connection is dead, and returns why.
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

// closeTimeout is how long a server may take to confirm the end.
const closeTimeout = 500 * time.Millisecond

// endConnection ends the connection: the server's process is gone when it returns. It comes after
// failWith.
func (c *connection) endConnection() {
	if c.proc != nil {
		c.proc.End()
	}
	c.mu.Lock()
	session, wire := c.session, c.wire
	c.mu.Unlock()
	within(closeTimeout, func() { // the server may be gone or not answer
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
