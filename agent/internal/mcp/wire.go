// This file holds the connection for a session's messages.

package mcp

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tapped records the connection that a transport opens: closing it ends a handshake that hangs.
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
	if t.c.proc != nil { // over HTTP, the SDK requires its own type of connection
		wire = &bounded{Connection: wire, fail: t.c.failWith, heard: t.c.noteTasks}
	}
	t.c.mu.Lock()
	t.c.wire = wire
	t.c.mu.Unlock()
	if t.c.isDead() { // endConnection has not seen it
		_ = wire.Close()
		return nil, t.c.err
	}
	return wire, nil
}

// maxAsked is how many requests of a server may be unanswered. The SDK keeps them all, and a server
// that sends requests without reading the answers would fill the memory; an honest one only asks
// for the roots, and pings.
const maxAsked = 1000

var errAsks = fmt.Errorf("it has sent %d requests and does not read the answers", maxAsked)

// bounded is a connection that fails if the other end has too many unanswered requests.
type bounded struct {
	sdk.Connection
	// ends its use; the SDK would wait until all answers are written
	fail  func(error)
	asked atomic.Int64        // unanswered requests
	heard func(result []byte) // called with each answer
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
