// This file calls a server's tool.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/stdio"
)

const (
	// maxWaiting is how many progress messages of a call wait to be shown; more are dropped.
	maxWaiting = 100
	// maxProgress limits each of them in bytes: it is one line.
	maxProgress = 500
	// maxLogs is how many log messages of a connection are shown.
	maxLogs = 20
	// deathWait is how long it may take to learn that a call failed because its server has died,
	// and why.
	deathWait = 2*stdio.OutputGrace + time.Second
	// logTimeout is how long a server may take to confirm the log level.
	logTimeout = 10 * time.Second
)

// progress receives a server's progress messages about one call.
type progress struct{ lines chan string }

// callTool calls a tool, by the server's name for it.
func (s *server) callTool(ctx context.Context, use *engine.Use, tool string) (*engine.Result,
	error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.cfg.Timeout,
		fmt.Errorf("no answer within %s (mcp.%s.timeout)", s.cfg.Timeout, s.cfg.Name))
	defer cancel()
	for again := true; ; again = false {
		c, err := s.connected(ctx)
		if err != nil {
			return nil, errors.New(s.hide(reason(err)))
		}
		r, err := c.callTool(ctx, use, tool)
		switch {
		case err == nil:
			return s.withRefused(use, s.result(r)), nil
		// it has lost the session, and has done nothing
		case again && errors.Is(err, sdk.ErrSessionMissing):
			continue
		}
		return nil, errors.New(plain.Line(s.hide(fmt.Sprintf("%s of MCP server %s: %s", tool,
			s.cfg.Name, reason(err))), maxNotice))
	}
}

// withRefused adds to the result of a call that failed what the sandbox of the server refused, as
// far as the text shows it.
func (s *server) withRefused(use *engine.Use, r *engine.Result) *engine.Result {
	if !r.IsError || s.confinement(nil) == engine.Unconfined {
		return r
	}
	list := s.m.o.Fence.Refused(fence.Program{Call: use.CallID, Tool: "mcp:" + s.cfg.Name},
		s.m.o.Dir, chat.PlainText(r.Content))
	if len(list) > 0 {
		note := "[the sandbox refused to " + fence.Words(list)
		if !fence.Forbidden(list) {
			note += "; if it has to be, " + s.sandbox().Otherwise
		}
		r.Content = append(r.Content, engine.TextResult(note+"]").Content...)
	}
	return r
}

// callTool calls the tool and waits on its own: the SDK may be blocked by a server that does not
// read.
func (c *connection) callTool(ctx context.Context, use *engine.Use,
	tool string) (*sdk.CallToolResult, error) {
	type answer struct {
		result *sdk.CallToolResult
		err    error
	}
	if c.proc != nil {
		c.proc.Use()
		defer tellLeft(c.proc, use)
	}
	p, token := c.beginProgress()
	defer c.forgetProgress(token)
	params := &sdk.CallToolParams{Name: tool, Arguments: use.Args}
	params.SetProgressToken(token)
	done := make(chan answer, 1)
	go func() {
		r, err := c.session.CallTool(ctx, params)
		done <- answer{r, err}
	}()
	for {
		select {
		case text := <-p.lines:
			use.Output(text+"\n", false)
		case a := <-done:
			for len(p.lines) > 0 { // those sent before the answer
				use.Output(<-p.lines+"\n", false)
			}
			if a.err != nil && ctx.Err() == nil {
				a.err = c.failure(a.err)
			}
			if ctx.Err() == nil || a.err == nil {
				return a.result, a.err
			}
			return nil, stopped(ctx)
		case <-c.dead:
			select { // the answer may have arrived before the end
			case a := <-done:
				if a.err == nil {
					return a.result, nil
				}
			case <-time.After(stdio.OutputGrace):
			}
			return nil, c.err
		case <-ctx.Done():
			return nil, stopped(ctx)
		}
	}
}

// stopped returns the error of a call that ended before its answer arrived.
func stopped(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.New("cancelled; the server was notified, and may have done a part of it")
	}
	return context.Cause(ctx)
}

// failure determines what err means for the connection.
func (c *connection) failure(err error) error {
	var answer *jsonrpc.Error
	var unreached *url.Error
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &unreached):
		c.failWith(err)
		return err
	case errors.Is(err, sdk.ErrSessionMissing):
		c.failWith(err)
		return err
	case errors.As(err, &answer), errors.As(err, &wrong): // still an answer
		return err
	}
	select { // the reader knows more, and the next call must not use a dead connection
	case <-c.dead:
		return c.err
	case <-time.After(deathWait):
		return err
	}
}

// beginProgress returns a token by which the server identifies a call.
func (c *connection) beginProgress() (*progress, string) {
	p := &progress{lines: make(chan string, maxWaiting)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	token := fmt.Sprint("call-", c.tokens)
	c.calls[token] = p
	return p, token
}

func (c *connection) forgetProgress(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, token)
}

// progressed passes a line to its call. It must not block: the SDK would keep further messages
// without limit.
func (c *connection) progressed(n *sdk.ProgressNotificationParams) {
	if n == nil {
		return
	}
	c.mu.Lock()
	p := c.calls[fmt.Sprint(n.ProgressToken)]
	c.mu.Unlock()
	if p == nil {
		return // the call has ended, or never existed
	}
	text := fmt.Sprint(n.Progress)
	if n.Total > 0 {
		text += fmt.Sprint("/", n.Total)
	}
	select {
	case p.lines <- plain.Line(strings.TrimSpace(text+" "+n.Message), maxProgress):
	default:
	}
}

// wantLogs asks the server for its important log messages.
func (c *connection) wantLogs(ctx context.Context) {
	r := c.session.InitializeResult()
	//lint:ignore SA1019 servers of today log like this
	if r == nil || r.Capabilities == nil || r.Capabilities.Logging == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	//lint:ignore SA1019 servers of today log like this
	// if not, it logs what it wants, or nothing
	_ = c.session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "warning"})
}

// logged tells the user of a log message that matters.
//
//lint:ignore SA1019 servers of today log like this
func (c *connection) logged(n *sdk.LoggingMessageParams) {
	switch {
	case n == nil:
		return
	case n.Level == "debug", n.Level == "info", n.Level == "notice":
		return
	}
	c.mu.Lock()
	c.logs++
	count := c.logs
	c.mu.Unlock()
	switch {
	case count > maxLogs:
		return
	case count == maxLogs:
		c.s.notifyChange("warn", "it logs a lot; no more of that is shown")
		return
	}
	text, ok := n.Data.(string)
	if !ok {
		text = asJSON(n.Data)
	}
	c.s.notifyChange("warn", "%s: %s", n.Level, text)
}
