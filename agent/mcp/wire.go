// This file is what a session stands on: the connection that carries messages.

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tapped keeps hold of what a transport connects to: a handshake that hangs is ended by closing that.
type tapped struct {
	sdk.Transport
	c *connection
}

// Connect implements sdk.Transport.
func (t tapped) Connect(ctx context.Context) (sdk.Connection, error) {
	wire, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if t.c.proc != nil { // the SDK wants to see its own type of connection where it speaks HTTP
		wire = &bounded{Connection: wire, fail: t.c.fail, heard: t.c.noteTasks}
	}
	t.c.mu.Lock()
	t.c.wire = wire
	t.c.mu.Unlock()
	if t.c.isDead() { // end has not seen it
		_ = wire.Close()
		return nil, t.c.err
	}
	return wire, nil
}

// maxAsked is how many requests of a server may wait for their answers. The SDK keeps them all, and a server that asks on and on without
// reading an answer would fill the memory; an honest one asks for the roots, and whether we are there.
const maxAsked = 1000

var errAsks = fmt.Errorf("it has sent %d requests and does not read the answers", maxAsked)

// bounded is a connection that fails if too many requests of the other end wait for answers.
type bounded struct {
	sdk.Connection
	fail  func(error)         // ends the use of it; the SDK would wait until all answers are written
	asked atomic.Int64        // and not answered yet
	heard func(result []byte) // is told of each answer
}

// Read implements sdk.Connection.
func (b *bounded) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := b.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok {
		b.heard(r.Result)
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && b.asked.Add(1) > maxAsked {
		b.fail(errAsks)
		return nil, errAsks
	}
	return m, err
}

// Write implements sdk.Connection.
func (b *bounded) Write(ctx context.Context, m jsonrpc.Message) error {
	if _, ok := m.(*jsonrpc.Response); ok {
		defer b.asked.Add(-1)
	}
	return b.Connection.Write(ctx, m)
}

// noteTasks notes the tools in an answer that run as tasks only, which we cannot call: the SDK does not read that. Over HTTP the
// SDK reads the wire itself, and a call of such a tool fails with what the server says.
func (c *connection) noteTasks(result []byte) {
	if !bytes.Contains(result, []byte(`"taskSupport"`)) {
		return
	}
	var list struct {
		Tools []struct {
			Name      string `json:"name"`
			Execution struct {
				TaskSupport string `json:"taskSupport"`
			} `json:"execution"`
		} `json:"tools"`
	}
	if json.Unmarshal(result, &list) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range list.Tools {
		c.tasks = slices.DeleteFunc(c.tasks, func(name string) bool { return name == t.Name })
		if t.Execution.TaskSupport == "required" {
			c.tasks = append(c.tasks, t.Name)
		}
	}
}

// withoutTasks leaves out the tools that run as tasks only, and says so.
func (c *connection) withoutTasks(tools []*sdk.Tool) []*sdk.Tool {
	c.mu.Lock()
	tasks := slices.Clone(c.tasks)
	c.mu.Unlock()
	kept := slices.DeleteFunc(tools, func(t *sdk.Tool) bool { return t != nil && slices.Contains(tasks, t.Name) })
	if len(kept) < len(tools) {
		c.s.tell("warn", "left out, as they run as tasks only, which are not supported: %s", cut(fmt.Sprintf("%q", tasks), shownTasks))
	}
	return kept
}

// shownTasks bounds the names in that notice, in bytes.
const shownTasks = 300
