// This file is one call of a server's tool.

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
)

const (
	// maxWaiting is how many progress messages of a call wait to be shown: what comes faster is
	// left out.
	maxWaiting = 100
	// maxProgress bounds one of them in bytes: it is a line.
	maxProgress = 500
	// maxLogs is how many log messages of a connection are told.
	maxLogs = 20
	// deathWait is how long it may take until it is known that a call failed because its server has
	// died, and of what.
	deathWait = 2*wordsGrace + time.Second
	// logTimeout is how long a server has to say that it heard which log messages are wanted.
	logTimeout = 10 * time.Second
)

// progress takes what a server tells of one call.
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
			return s.result(r), nil
		// it has forgotten us, and has done nothing
		case again && errors.Is(err, sdk.ErrSessionMissing):
			continue
		}
		return nil, errors.New(line(s.hide(fmt.Sprintf("%s of MCP server %s: %s", tool, s.cfg.Name,
			reason(err))), maxNotice))
	}
}

// callTool waits for the result on its own: the SDK may be held up by a server that does not read.
func (c *connection) callTool(ctx context.Context, use *engine.Use,
	tool string) (*sdk.CallToolResult, error) {
	type answer struct {
		result *sdk.CallToolResult
		err    error
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
			for len(p.lines) > 0 { // told before the answer
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
			select { // the answer may have come before the end
			case a := <-done:
				if a.err == nil {
					return a.result, nil
				}
			case <-time.After(wordsGrace):
			}
			return nil, c.err
		case <-ctx.Done():
			return nil, stopped(ctx)
		}
	}
}

// stopped is the error of a call that ended before its answer came.
func stopped(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.New("cancelled; the server was told, and may have done some of it")
	}
	return context.Cause(ctx)
}

// failure finds out what err means for the connection.
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
	case errors.As(err, &answer), errors.As(err, &wrong): // an answer, all the same
		return err
	}
	select { // the reader knows more, and the next call must not use a connection that has ended
	case <-c.dead:
		return c.err
	case <-time.After(deathWait):
		return err
	}
}

// beginProgress makes the token by which the server tells of a call.
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

// progressed hands a line to the call that it is about. It must not wait: the SDK keeps without
// bound what comes meanwhile.
func (c *connection) progressed(n *sdk.ProgressNotificationParams) {
	if n == nil {
		return
	}
	c.mu.Lock()
	p := c.calls[fmt.Sprint(n.ProgressToken)]
	c.mu.Unlock()
	if p == nil {
		return // it is over, or never was
	}
	text := fmt.Sprint(n.Progress)
	if n.Total > 0 {
		text += fmt.Sprint("/", n.Total)
	}
	select {
	case p.lines <- line(strings.TrimSpace(text+" "+n.Message), maxProgress):
	default:
	}
}

// wantLogs asks the server for log messages that somebody should see.
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
