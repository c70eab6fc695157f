// This file holds the connection that carries a session's messages.

package mcp

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tapped keeps hold of what a transport connects to: a handshake that hangs is ended by closing
// that.
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
		wire = &bounded{Connection: wire, fail: t.c.failWith, heard: t.c.noteTasks}
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

// maxAsked is how many requests of a server may wait for their answers. The SDK keeps them all, and
// a server that asks on and on without reading an answer would fill the memory; an honest one asks
// for the roots, and whether we are there.
const maxAsked = 1000

var errAsks = fmt.Errorf("it has sent %d requests and does not read the answers", maxAsked)

// bounded is a connection that fails if too many requests of the other end wait for answers.
type bounded struct {
	sdk.Connection
	// ends the use of it; the SDK would wait until all answers are written
	fail  func(error)
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
