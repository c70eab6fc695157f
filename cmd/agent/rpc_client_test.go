// This file implements a client of agent rpc for tests.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/jsonrpc"
)

// message is a message from the program.
type message map[string]any

// params returns the parameters of a notification.
func (m message) params() message {
	p, _ := m["params"].(map[string]any)
	return p
}

func (m message) text(key string) string {
	s, _ := m[key].(string)
	return s
}

// event returns the name of the event in the message, or "" if it holds none.
func (m message) event() string {
	if m.text("method") != "event" {
		return ""
	}
	return m.params().text("event")
}

// client is a client of the program, which runs in the same process.
type client struct {
	*drive
	in     *io.PipeWriter
	write  io.Writer // in, or the input of a process
	out    *io.PipeReader
	stop   context.CancelFunc // stops the program, as a signal does
	code   chan int
	ids    int
	limits jsonrpc.Options

	mu   sync.Mutex
	got  []message
	raw  strings.Builder
	seen int // the index after the last message that was waited for
}

func newClient(t testing.TB, files map[string]string) *client {
	return &client{drive: newDrive(t, files)}
}

// open starts the program and reads its output.
func (c *client) open(args ...string) {
	c.start(args...)
	go func() {
		lines := bufio.NewReaderSize(c.out, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil { // ignores an incomplete line
				return
			}
			c.addMessage(line)
		}
	}()
}

// start starts the program. Nothing reads its output yet.
func (c *client) start(args ...string) {
	c.t.Helper()
	f, err := parseFlags(append([]string{"rpc"}, args...))
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	c.in, c.write, c.out, c.code = in, in, out, make(chan int, 1)
	streams := c.limits
	streams.In, streams.Out = stdin, stdout
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		code := serveRPC(ctx, f, c.place(), streams, &c.err)
		stdout.Close()
		stdin.Close()
		c.code <- code
	}()
	c.t.Cleanup(func() {
		stop()
		in.Close()
		out.Close()
		waitFor(c.t, "the end of the program", ended) // the program writes to its home until then
	})
}

// waitFor waits until a channel is closed, and fails after a timeout.
func waitFor(t testing.TB, what string, closed <-chan struct{}) {
	t.Helper()
	select {
	case <-closed:
	case <-time.After(driveTime):
		t.Errorf("timed out: %s", what)
	}
}

func (c *client) addMessage(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(line)
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Errorf("not JSON: %.300q", line)
	}
	c.got = append(c.got, m)
}

// line sends a line unchanged.
func (c *client) line(text string) {
	c.t.Helper()
	if err := c.tryLine(text); err != nil {
		c.t.Errorf("writing to the program: %v", err)
	}
}

// tryLine sends a line to a program that may have exited.
func (c *client) tryLine(text string) error {
	_, err := io.WriteString(c.write, text+"\n")
	return err
}

// send sends a request and returns its id.
func (c *client) send(method string, params any) float64 {
	c.t.Helper()
	c.ids++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.ids, "method": method,
		"params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.line(string(b))
	return float64(c.ids)
}

// find returns the first message from the given index on for which ok returns true.
func (c *client) find(from int, ok func(m message) bool) (message, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := from; i < len(c.got); i++ {
		if ok(c.got[i]) {
			return c.got[i], i
		}
	}
	return nil, -1
}

// wait waits for a message after the last one that was waited for.
func (c *client) wait(what string, ok func(m message) bool) message {
	c.t.Helper()
	m, at := c.await(what, c.seen, ok)
	c.seen = at + 1
	return m
}

func (c *client) await(what string, from int, ok func(m message) bool) (message, int) {
	c.t.Helper()
	for end := time.Now().Add(driveTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if m, at := c.find(from, ok); at >= 0 {
			return m, at
		}
	}
	c.t.Fatalf("timed out: %s; messages:\n%.80000s\non standard error:\n%s", what, c.output(),
		c.err.String())
	return nil, 0
}

// output returns everything that the program has sent.
func (c *client) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// waitAnswer waits for the answer to a request, anywhere in the output.
func (c *client) waitAnswer(id float64) message {
	c.t.Helper()
	m, _ := c.await("an answer", 0, func(m message) bool {
		return m["method"] == nil &&
			m["id"] == id
	})
	return m
}

// call sends a request and returns its result.
func (c *client) call(method string, params any) message {
	c.t.Helper()
	m := c.waitAnswer(c.send(method, params))
	if m["error"] != nil {
		c.t.Fatalf("%s: %v", method, m["error"])
	}
	result, _ := m["result"].(map[string]any)
	return result
}

// refused sends a request that must fail and returns the message, the code and the data of its
// error.
func (c *client) refused(method string, params any) (text string, code float64, data any) {
	c.t.Helper()
	m := c.waitAnswer(c.send(method, params))
	e, _ := m["error"].(map[string]any)
	if e == nil {
		c.t.Fatalf("%s was not refused: %v", method, m["result"])
	}
	text, _ = e["message"].(string)
	code, _ = e["code"].(float64)
	return text, code, e["data"]
}

// openSession starts the program and its session. With ui, the client answers dialogs.
func (c *client) openSession(ui bool, args ...string) message {
	c.t.Helper()
	c.open(append([]string{"-e", played, "--model", "played/m"}, args...)...)
	return c.call("initialize", map[string]any{"protocol": 1,
		"client": map[string]any{"name": "test"}, "capabilities": map[string]any{"ui": ui}})
}

// prompt sends a prompt and returns its id.
func (c *client) prompt(text string) string {
	c.t.Helper()
	return c.call("prompt", map[string]any{"text": text}).text("id")
}

// waitEnd waits for the end of a prompt.
func (c *client) waitEnd(id string) message {
	c.t.Helper()
	m, _ := c.await("the end of "+id, 0,
		func(m message) bool {
			return m.text("method") == "prompt.end" &&
				m.params().text("id") == id
		})
	return m.params()
}

// runPrompt sends a prompt and waits for its end.
func (c *client) runPrompt(text string) message {
	c.t.Helper()
	return c.waitEnd(c.prompt(text))
}

// waitDialog waits for a dialog after the last message that was waited for.
func (c *client) waitDialog(kind string) message {
	c.t.Helper()
	return c.wait("a dialog: "+kind, func(m message) bool {
		return m.text("method") == "ui.request" && m.params().text("kind") == kind
	}).params()
}

// waitEvent waits for an event after the last message that was waited for.
func (c *client) waitEvent(name string) message {
	c.t.Helper()
	return c.wait("event "+name, func(m message) bool { return m.event() == name }).params()
}

// waitExit waits for the program to exit, and checks its exit code.
func (c *client) waitExit(code int) {
	c.t.Helper()
	select {
	case got := <-c.code:
		if got != code {
			c.t.Errorf("exit code %d, want %d; on standard error:\n%s", got, code, c.err.String())
		}
	case <-time.After(driveTime):
		c.t.Fatalf("the program does not exit; it sent\n%.8000s", c.output())
	}
}

// endSession ends the session.
func (c *client) endSession() {
	c.t.Helper()
	c.call("shutdown", map[string]any{})
	c.waitExit(exitOK)
}
