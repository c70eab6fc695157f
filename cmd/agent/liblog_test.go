package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBytesAfterReplyAreLogged checks that bytes that a server sends after the end of its reply are
// logged, masked, and not shown.
func TestBytesAfterReplyAreLogged(t *testing.T) {
	t.Parallel()
	const key = "sk-0123456789abcdef"
	d := newDrive(t, nil)
	logged := func() string {
		b, _ := os.ReadFile(filepath.Join(d.home, "logs", "agent.log"))
		return string(b)
	}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		// the tool runs until the log mentions the first reply: before that, the client would read
		// the extra bytes as the second reply
		args, _ := json.Marshal(map[string]any{"command": "until grep -q Unsolicited '" +
			filepath.Join(d.home, "logs", "agent.log") + "'; do sleep 0.02; done"})
		delta, finish := fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"1","type":"function",`+
			`"function":{"name":"bash","arguments":%q}}]}`, args), "tool_calls"
		if asked++; asked > 1 {
			delta, finish = `{"content":"done"}`, "stop"
		}
		body := fmt.Sprintf(
			"data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%q}]}\n\ndata: "+
				"[DONE]\n\n", delta, finish)
		conn, out, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(out,
			"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: "+
				"%d\r\n\r\n%s%s too much", len(body), body, key)
		out.Flush()
		conn.Read(make([]byte, 1)) // the connection stays open until the client closes it
	}))
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), driveTime)
	defer cancel()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "-p", "--yolo", "--model", "openai/test-model", "hello")
	cmd.Args[0], cmd.Dir, cmd.Stdout, cmd.Stderr = "agent", d.dir, &out, &said
	cmd.Env = append(os.Environ(), "AGENT_HOME="+d.home, "OPENAI_API_KEY="+key,
		"OPENAI_BASE_URL="+server.URL+"/v1")
	if err := cmd.Run(); err != nil || strings.TrimSpace(out.String()) != "done" {
		t.Errorf("got %q, %v: %s", out.String(), err, said.String())
	}
	if text := said.String(); strings.Contains(text, "Unsolicited") ||
		strings.Contains(text, "too much") {
		t.Errorf("stderr is %s", text)
	}
	if text := logged(); strings.Contains(text, key) || !strings.Contains(text, "[redacted:") {
		t.Errorf("the log is %s", text)
	}
}

// TestLibraryLog checks that slog writes to the same file as the standard logger, in lines without
// control characters.
func TestLibraryLog(t *testing.T) {
	t.Parallel()
	d := newDrive(t, nil)
	l := &libraryLog{path: filepath.Join(d.home, "logs", "agent.log"),
		mask: func(text string,
			use func(string)) {
			use(strings.ReplaceAll(text, "secret", "***"))
		}}
	defer l.close()
	slog.New(slog.NewTextHandler(l, nil)).Error("a secret \x1b[2J")
	l.Write([]byte("one\ntwo\x1b[2J\n"))
	b, err := os.ReadFile(l.path)
	if text := string(b); err != nil || strings.Contains(text, "secret") ||
		strings.Contains(text, "\x1b") || !strings.Contains(text, "one\n    two\n") {
		t.Errorf("got %q, %v", text, err)
	}
	if err := os.Truncate(l.path, libraryLogMost+1); err != nil {
		t.Fatal(err)
	}
	l.Write([]byte("after\n"))
	if b, err = os.ReadFile(l.path); err != nil || len(b) > 100 ||
		!strings.Contains(string(b), "after") {
		t.Errorf("a full log has %d bytes: %v", len(b), err)
	}
}
