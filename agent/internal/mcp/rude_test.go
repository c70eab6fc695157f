// This file tests servers that violate the protocol or send too much.

package mcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/chat"
)

// TestHandshakeErrors checks that the notice says what went wrong, and not that the process has
// ended, which it does after the connection is closed.
func TestHandshakeErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("rude", "rude"), server("liar", "liar"))
	w.wantNotice("rude: cannot connect: not before noon")
	w.wantNotice("liar: cannot connect: its answer is not understood: protocolVersion: want a " +
		"string")
	if told := w.told(); strings.Contains(told, "has ended") {
		t.Errorf("got %s", told)
	}
}

// TestRequestsWithoutEnd checks that a server that sends requests without end and reads no answer
// is disconnected before that fills the memory.
func TestRequestsWithoutEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("srv", "asks"))
	w.wantNotice("requests and does not read the answers")
}

// TestChangesWithoutEnd checks that a server whose tools change all the time does not delay the
// end, and causes no notices then.
func TestChangesWithoutEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("srv", "changes"))
	w.wantResult("mcp__srv__t", nil, "")
	w.m.Close()
	if told := w.told(); strings.Contains(told, "the old ones stay") {
		t.Errorf("got %s", told)
	}
	if w.engine.Scripts.Snapshot().Tool("mcp__srv__t") != nil {
		t.Error("Close returned before the server had ended")
	}
}

// TestLongResult checks that a long result is masked before it is shortened.
func TestLongResult(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	w := newWorld(t)
	w.start(server("srv", ""))
	r := w.call("mcp__srv__long", nil)
	if text := chat.PlainText(r.Content); len(text) < 2<<20 || !strings.HasSuffix(text, " end") {
		t.Errorf("got %d bytes", len(text))
	}
	if r.Details["full_output"] != nil {
		t.Errorf("got %v", r.Details)
	}
}

// TestLastAnswer checks that the last answer of a server counts, even if the server ends at once.
func TestLastAnswer(t *testing.T) {
	t.Parallel()
	const size, times = 60_000, 10 // fits into the buffer of a pipe
	for range times {
		w := newWorld(t)
		s := server("srv", "raw")
		s.Env["TOOLS"], s.Env["LAST"] = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`,
			"yes"
		s.Env["RESULT"] = `{"content":[{"type":"text","text":"` + strings.Repeat("x", size) + `"}]}`
		w.start(s)
		if r := w.call("mcp__srv__t", nil); r.IsError {
			t.Fatalf("got %.200s", chat.PlainText(r.Content))
		}
		w.m.Close()
	}
}

// TestWrongResult checks that an invalid result is reported at once.
func TestWrongResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := server("srv", "raw")
	s.Env["TOOLS"], s.Env["RESULT"] = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`,
		`{"content":"text"}`
	s.Timeout = time.Hour
	w.start(s)
	w.wantResult("mcp__srv__t", nil,
		"t of MCP server srv: its answer is not understood: content: want a list")
	w.wantResult("mcp__srv__t", nil,
		"t of MCP server srv: its answer is not understood: content: want a list")
}

// TestKeysAreHidden checks that values passed to a server appear neither in /mcp nor in errors.
func TestKeysAreHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := server("srv", "broken")
	s.Args, s.Env["TEST_TOKEN"] = []string{"--token=key-of-an-argument"}, "key-of-the-environment"
	w.start(s, config.MCPServer{Name: "web",
		URL: "http://me:key-of-me@127.0.0.1:1/?token=key-of-the-address", Timeout: deadline,
		StartupTimeout: deadline})
	w.wantNotice("the key is [TEST_TOKEN]")
	w.wantNotice("web: cannot connect")
	if text := w.slash("") + w.told(); strings.Contains(text, "key-of") ||
		!strings.Contains(text, "--token=[token]") {
		t.Errorf("got %s", text)
	}
}
