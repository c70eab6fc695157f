package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/process"
)

func TestCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("srv", ""))
	w.wantResult("mcp__srv__echo", map[string]any{"text": "hello"}, "hello")
	if r := w.call("mcp__srv__fail", map[string]any{"text": "fly"}); !r.IsError ||
		!strings.Contains(r.Content[0].Text, "cannot fly") {
		t.Errorf("got %+v, want an error", r)
	}
	if r := w.call("mcp__srv__echo", map[string]any{"text": 3}); r.Skipped != "invalid" {
		t.Errorf("wrong arguments: got %+v", r)
	}
	w.wantNotice("info: mcp: srv: connected, ")
	w.wantResult("mcp__srv__ask", nil, "elicit: ")
	w.wantResult("mcp__srv__roots", nil, "file://"+w.dir)
	w.wantResult("mcp__srv__structured", nil, `"only"`)
	if !strings.Contains(w.slash(""), "**srv** ready · yours · 15 tools") ||
		!strings.Contains(w.slash("reconect srv"), `did you mean "reconnect"?`) ||
		!strings.Contains(w.slash("reconnect svr"), `no server "svr"; did you mean "srv"?`) ||
		w.slash("reconnect") != "reconnect: name a server: srv" {
		t.Errorf("/mcp: got %s", w.slash(""))
	}
}

// TestRefusedByTheSandbox checks that the model is told what the sandbox refused to a server, as
// far as its answer shows that.
func TestRefusedByTheSandbox(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"confined", "free"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			var told []string
			w.fence = fence.New(fence.Options{
				Policy: func(string) fence.Policy {
					return fence.Policy{Writable: []string{w.dir}}
				},
				Because: func(verb, what string) fence.Reason {
					return fence.Reason{Text: "guard.lua:3, writes **", Script: "guard.lua"}
				}})
			if m, err := w.fence.Method(); m == fence.None {
				t.Skip(err)
			}
			w.fence.OnRefused(func(p fence.Program, list []fence.Refusal) {
				told = append(told, p.Call+" "+p.Tool+" "+fence.Words(list))
			})
			free := server("srv", "")
			free.Unconfined = kind == "free"
			w.start(free)
			path := filepath.Join(t.TempDir(), "x")
			fails := map[string]any{"text": "save: open " + path + ": read-only file system"}
			got := chat.PlainText(w.call("mcp__srv__fail", fails).Content)
			want := "[the sandbox refused to write " + path + " (guard.lua:3, writes **); if it " +
				"has " +
				"to be, use the tools read, write and edit"
			if strings.Contains(got, want) == free.Unconfined {
				t.Errorf("got %q", got)
			}
			if want := "c-mcp__srv__fail mcp:srv write " + path; (len(told) == 1 &&
				strings.HasPrefix(told[0], want)) == free.Unconfined {
				t.Errorf("told %q", told)
			}
			w.wantResult("mcp__srv__echo", map[string]any{"text": fails["text"]}, "save: open ")
		})
	}
}

// TestCallsAreGuarded checks that tools of servers pass handlers and guards like all others.
func TestCallsAreGuarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("srv", ""))
	tool := w.engine.Scripts.Snapshot().Tool("mcp__srv__echo")
	if tool == nil || tool.Source != "mcp:srv" || tool.ReadOnly || tool.Kind != "other" {
		t.Fatalf("got %+v", tool)
	}
	ask := w.engine.Dispatch(w.ctx, &engine.Call{ID: "1", Tool: "mcp__srv__echo", Origin: "model",
		Env: &event.Envelope{}})
	if ask.Skipped != "denied" {
		t.Errorf("the user was not asked: %+v", ask)
	}
	remove := w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "g.lua", Event: "guard",
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			return map[string]any{"block": ev.Text("tool") == "mcp__srv__echo",
					"reason": "no echo"},
				nil
		}})
	w.wantResult("mcp__srv__echo", map[string]any{"text": "x"}, "no echo")
	remove()
	w.wantResult("mcp__srv__echo", map[string]any{"text": "x"}, "x")
}

// TestTerminalText checks that the model gets terminal output of a server as a terminal would show
// it, and that other text is not changed.
func TestTerminalText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := server("srv", "raw")
	s.Env["TOOLS"] = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
	s.Env["RESULT"] =
		`{"content":[{"type":"text","text":"\u001b[31mred\u001b[0m ` +
			`1%\r\u001b[2Kdone\n"},{"type":"text","text":"a\r\nb\rc"}]}`
	w.start(s)
	if got := chat.PlainText(w.call("mcp__srv__t", nil).Content); got != "done\n\na\r\nb\rc" {
		t.Errorf("got %q", got)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("srv", ""))
	r := w.call("mcp__srv__content", nil)
	text := chat.PlainText(r.Content)
	for _, want := range []string{"one", "two", "[image]", "audio/wav", "inside", "file:///y"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %s in it", text, want)
		}
	}
	if r.Details == nil {
		t.Error("the structured content is not in the details")
	}
	if r := w.call("mcp__srv__flood", nil); len(chat.PlainText(r.Content)) > 12<<20 {
		t.Errorf("a flood: got %d bytes", len(chat.PlainText(r.Content)))
	}
	w.wantResult("mcp__srv__echo", map[string]any{"text": "still there"}, "still there")
}

func TestProgressAndLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("srv", ""))
	// progress that is sent with the answer may arrive too late
	w.eventually("a step without escapes", func() bool {
		w.wantResult("mcp__srv__progress", nil, "done")
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Contains(w.output, "1/3 step\n")
	})
	if strings.Contains(w.output, "\x1b") {
		t.Errorf("got %q", w.output)
	}
	// the log level is set concurrently with the first calls
	w.eventually("a log message is told", func() bool {
		w.wantResult("mcp__srv__log", map[string]any{"text": "the disk is full"}, "logged")
		return strings.Contains(w.told(), "the disk is full")
	})
	if told := w.told(); strings.Contains(told, "below the level") ||
		strings.Count(told, "the disk is full") > 30 {
		t.Errorf("got %s", told)
	}
}

// TestCancel checks that a cancelled call ends at once and that the server is notified, and that a
// server that ignores this blocks nothing.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"slow", "stubborn"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			w.start(server("srv", ""))
			file := filepath.Join(w.dir, "told")
			ctx, cancel := context.WithCancel(w.ctx)
			done := make(chan *engine.Result)
			go func() { done <- w.callIn(ctx, "mcp__srv__"+kind, map[string]any{"text": file}) }()
			w.eventually("the call to begin", func() bool {
				w.mu.Lock()
				defer w.mu.Unlock()
				return strings.Contains(w.output, "begun")
			})
			cancel()
			select {
			case <-done:
			case <-w.ctx.Done():
				t.Fatal("the call did not end")
			}
			if kind == "slow" {
				w.eventually("the server to be notified",
					func() bool { _, err := os.Stat(file); return err == nil })
			}
			w.wantResult("mcp__srv__echo", map[string]any{"text": "well"}, "well")
		})
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := server("srv", "")
	s.Timeout = 300 * time.Millisecond
	w.start(s)
	w.wantResult("mcp__srv__stubborn", nil, "no answer within 300ms (mcp.srv.timeout)")
}

// TestServerIsRestarted checks that a server that ends causes a notice and an error, and is
// restarted.
func TestServerIsRestarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("srv", ""))
	r := w.call("mcp__srv__die", nil)
	if text := chat.PlainText(r.Content); !r.IsError || !strings.Contains(text, "out of memory") {
		t.Errorf("got %s, want an error with its last words", text)
	}
	w.wantNotice("out of memory")
	w.wantResult("mcp__srv__echo", map[string]any{"text": "back"}, "back")
}

func TestServerIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := server("srv", "once")
	s.Env["ONCE_FILE"] = filepath.Join(w.dir, "once")
	w.start(s)
	w.call("mcp__srv__die", nil)
	if r := w.call("mcp__srv__echo", map[string]any{"text": "x"}); !r.IsError ||
		!strings.Contains(chat.PlainText(r.Content), "srv") {
		t.Errorf("got %+v, want an error that names the server", r)
	}
}

// TestBadServers checks that a server that cannot be used causes a notice, and that the others
// work.
func TestBadServers(t *testing.T) {
	t.Parallel()
	deaf := server("deaf", "deaf")
	deaf.StartupTimeout = 500 * time.Millisecond
	absent := server("absent", "")
	absent.Command = "/no/such/program"
	broken := server("broken", "broken")
	broken.EnvFrom = []string{"TEST_TOKEN"}
	dead := config.MCPServer{Name: "dead", URL: "http://127.0.0.1:1/mcp", Timeout: deadline,
		StartupTimeout: deadline}
	w := newWorld(t)
	w.env["TEST_TOKEN"] = "very-secret-token"
	w.start(absent, broken, dead, deaf, server("well", ""), server("noise", "noise"),
		server("old", "old"))
	w.wantResult("mcp__well__echo", map[string]any{"text": "x"}, "x")
	w.wantResult("mcp__noise__echo", map[string]any{"text": "x"}, "x")
	w.wantResult("mcp__old__t", nil, "old but well")
	for _, want := range []string{"absent: cannot connect: command: /no/such/program: no such file",
		"broken: ", "cannot open the database",
		"dead: cannot connect to 127.0.0.1:1: connection refused; trying again", "deaf: "} {
		w.wantNotice(want)
	}
	if told := w.told(); strings.Contains(told, "very-secret") || strings.Contains(told, "\x1b") {
		t.Errorf("got %s", told)
	}
}

// TestHangingServer checks that the output of a server that hangs at its start is shown. It retries
// with longer timeouts.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	for timeout := time.Second; ; timeout *= 4 {
		w := newWorld(t)
		s := server("hangs", "hang")
		s.StartupTimeout = timeout
		w.start(s)
		w.wantNotice("hangs: ")
		if !strings.Contains(w.told(), "waiting for the database") && timeout < deadline/4 {
			continue
		}
		w.wantNotice("waiting for the database")
		return
	}
}

// TestBadTools checks that invalid tools are left out and reported, and that the others work.
func TestBadTools(t *testing.T) {
	t.Parallel()
	raw := func(name, tools string) config.MCPServer {
		s := server(name, "raw")
		s.Env["TOOLS"] = tools
		return s
	}
	w := newWorld(t)
	w.start(
		raw("odd",
			strings.ReplaceAll(`{"tools":[{"name":"ok","inputSchema":{"type":"object"}},{"name":"ok","inputSchema":{"type":"object"}},{"name":"a b","inputSchema":{}},{"name":"a_b","inputSchema":{}},
			{"name":"`+strings.Repeat("n", 200)+
				`","inputSchema":{}},{"name":"bad","inputSchema":{"type":"string"}},{"name":"worse","inputSchema":{"type":"object","properties":3}},{"name":"","inputSchema":{}},
			{"name":"esc","description":"\u001b[31mred\u202e","inputSchema":{}}]}`, "\n", "")),
		raw("many", "many"), raw("endless", "endless"), raw("same", `{"tools":[]}`),
		raw("same!", `{"tools":[{"name":"t","inputSchema":{}}]}`))
	names := strings.Join(w.engine.Scripts.Snapshot().ToolNames(), " ")
	if !strings.Contains(names, "mcp__odd__ok") || strings.Count(names, "mcp__odd__a_b") != 2 ||
		strings.Count(names, "mcp__many__") != 500 {
		t.Errorf("got %.3000s", names)
	}
	for _, n := range w.engine.Scripts.Snapshot().ToolNames() {
		if len(n) > 64 || strings.ContainsAny(n, " !") {
			t.Errorf("got the name %q", n)
		}
	}
	if d := w.engine.Scripts.Snapshot().Tool("mcp__odd__esc"); d == nil ||
		strings.ContainsAny(d.Description, "\x1b\u202e") {
		t.Errorf("got %+v", d)
	}
	w.wantNotice(`"bad": its arguments are not checked here: its schema has type = string, want ` +
		`object`)
	if d := w.engine.Scripts.Snapshot().Tool("mcp__odd__worse"); d == nil ||
		!strings.HasSuffix(d.Description, `{"properties":3,"type":"object"}`) ||
		fmt.Sprint(d.Schema) != "map[type:object]" {
		t.Errorf("got %+v", d)
	}
	w.wantNotice("only the first 500 of 10000 are offered")
	w.wantNotice("without end")
}

// TestSchemasWithNulls checks that a keyword that is null is ignored, and the rest of the schema is
// checked.
func TestSchemasWithNulls(t *testing.T) {
	t.Parallel()
	s := server("srv", "raw")
	s.Env["TOOLS"] =
		`{"tools":[{"name":"none","inputSchema":{"type":"object","properties":null,` +
			`"required":null}},` +
			`{"name":"some","inputSchema":{"type":"object","properties":{"a":{"type":"integer",` +
			`"enum":null,"description":null},"b":{"enum":[1,null]},"c":{"const":null}}}}]}`
	w := newWorld(t)
	w.start(s)
	w.wantResult("mcp__srv__none", nil, "")
	w.wantResult("mcp__srv__some", map[string]any{"a": "x"}, "a: got string, want integer")
	w.wantResult("mcp__srv__some", map[string]any{"b": 2, "c": 3},
		"b: value must be one of 1, null; c: value must be null")
	if told := w.told(); strings.Contains(told, "warn") {
		t.Errorf("got %s", told)
	}
}

// TestToolsThatRunAsTasksOnly checks that such tools are not offered, because each call of them
// would fail.
func TestToolsThatRunAsTasksOnly(t *testing.T) {
	t.Parallel()
	s := server("jobs", "raw")
	s.Env["TOOLS"] =
		`{"tools":[{"name":"long","inputSchema":{},"execution":{"taskSupport":"required"}},` +
			`{"name":"either","inputSchema":{},"execution":{"taskSupport":"optional"}},` +
			`{"name":"quick","inputSchema":{}}]}`
	w := newWorld(t)
	w.start(s)
	names := strings.Join(w.engine.Scripts.Snapshot().ToolNames(), " ")
	if strings.Contains(names, "long") || !strings.Contains(names, "mcp__jobs__either") ||
		!strings.Contains(names, "mcp__jobs__quick") {
		t.Errorf("got %s", names)
	}
	w.wantNotice("only run as tasks")
}

// TestSecretsInTools checks that descriptions of tools are masked before they are sent to the
// model's server.
func TestSecretsInTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.engine.Mask.NewSecret("token", "key-0123456789", "%s")
	s := server("docs", "raw")
	s.Env["TOOLS"] =
		`{"tools":[{"name":"t","description":"with ` +
			`key-0123456789","inputSchema":{"type":"object","title":"key-0123456789",` +
			`"properties":{"a":{"anyOf":[{"description":"key-0123456789"}],` +
			`"enum":["key-0123456789"]},"description":{"type":"string"}}}}]}`
	w.start(s)
	tool := w.engine.Scripts.Snapshot().Tool("mcp__docs__t")
	want := `with [redacted:secret] ` +
		`map[properties:map[a:map[anyOf:[map[description:[redacted:secret]]] ` +
		`enum:[key-0123456789]] description:map[type:string]] title:[redacted:secret] type:object]`
	if tool == nil {
		t.Fatal(w.told())
	}
	if got := fmt.Sprint(tool.Description, " ", tool.Schema); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestListChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(server("srv", ""))
	w.wantResult("mcp__srv__grow", map[string]any{"text": "extra"}, "grown")
	w.eventually("the new tool",
		func() bool { return w.engine.Scripts.Snapshot().Tool("mcp__srv__extra") != nil })
	w.eventually("the old one to go",
		func() bool { return w.engine.Scripts.Snapshot().Tool("mcp__srv__fail") == nil })
	w.wantResult("mcp__srv__extra", nil, "new")
}

// TestEnvironment checks that a server gets the variables of its config, and few others.
func TestEnvironment(t *testing.T) {
	t.Setenv("AGENT_TEST_SECRET", "not for servers")
	w := newWorld(t)
	w.env["GIVEN"] = "yes"
	s := server("srv", "")
	s.EnvFrom, s.Env["OWN"] = []string{"GIVEN"}, "mine"
	s.Tools, s.ReadOnly = []string{"env*", "echo"}, []string{"env*"}
	w.start(s)
	text := chat.PlainText(w.call("mcp__srv__environment", nil).Content)
	if w.engine.Scripts.Snapshot().Tool("mcp__srv__environment") == nil {
		t.Fatalf("got %v; told %s", w.engine.Scripts.Snapshot().ToolNames(), w.told())
	}
	if strings.Contains(text, "not for servers") || !strings.Contains(text, "OWN=mine") ||
		!strings.Contains(text, "GIVEN=") || !strings.Contains(text, "PATH=") {
		t.Errorf("got %s", text)
	}
	if snap := w.engine.Scripts.Snapshot(); snap.Tool("mcp__srv__fail") != nil ||
		!snap.Tool("mcp__srv__environment").ReadOnly || snap.Tool("mcp__srv__echo").ReadOnly {
		t.Errorf("got %v", snap.ToolNames())
	}
}

// TestClose checks that when Close returns, the processes of a server have ended, with their child
// processes.
func TestClose(t *testing.T) { // not parallel: it runs before TestLeftByACall makes a Family
	w := newWorld(t)
	s := server("srv", "child")
	file := filepath.Join(w.dir, "pid")
	s.Env["PID_FILE"] = file
	w.start(s)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("no child on this system: %v", err)
	}
	pid, _ := strconv.Atoi(string(b))
	w.m.Close()
	w.eventually("the child to end", func() bool {
		p, err := os.FindProcess(pid)
		return err != nil || p.Signal(syscall.Signal(0)) != nil
	})
	if got := w.engine.Scripts.Snapshot().ToolNames(); len(got) != 0 {
		t.Errorf("got the tools %v", got)
	}
}

// TestLeftByACall checks that what a server starts during a call, and that goes on running, may
// have written what the call may have written.
func TestLeftByACall(t *testing.T) { // not parallel: servers of other tests would count
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not tell what a server starts")
	}
	w := newWorld(t)
	w.family = process.NewFamily()
	s := server("srv", "starts")
	file := filepath.Join(w.dir, "pid")
	s.Env["PID_FILE"] = file
	w.start(s)
	// the start of processes is recorded in hundredths of a second
	time.Sleep(20 * time.Millisecond)
	w.wantResult("mcp__srv__t", nil, "")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	want := fmt.Sprintf("sleep (pid %s), left by the tool mcp__srv__t,", b)
	if who, _ := w.engine.ChangedBy("/x", later, later, 0); who != want {
		t.Errorf("got %q, want %q", who, want)
	}
	pid, _ := strconv.Atoi(string(b))
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
	w.m.Close() // the server does not wait for it
	w.eventually("its end to be noticed", func() bool {
		who, _ := w.engine.ChangedBy("/x", later, later, 0)
		return who == ""
	})
}

// TestTasksOverHTTP checks that tools that run as tasks only are not offered, in every form of
// answer.
func TestTasksOverHTTP(t *testing.T) {
	t.Parallel()
	const tools = `{"tools":[{"name":"long","inputSchema":{},` +
		`"execution":{"taskSupport":"required"}},{"name":"quick","inputSchema":{}}]}`
	for _, kind := range []string{"application/json", "text/event-stream"} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			_ = json.NewDecoder(r.Body).Decode(&m)
			result := map[string]string{"tools/list": tools,
				"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},` +
					`"serverInfo":{"name":"s","version":"1"}}`}[m.Method]
			switch {
			case r.Method != http.MethodPost:
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			case m.ID == nil:
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", kind)
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID,
				cmp.Or(result, "{}"))
			if kind == "text/event-stream" {
				answer = ": hello\r\nevent: message\r\ndata: " + answer + "\r\n\r\n"
			}
			for i := range len(answer) { // in pieces
				fmt.Fprint(w, answer[i:i+1])
				if i%16 == 0 {
					w.(http.Flusher).Flush()
				}
			}
		}))
		t.Cleanup(web.Close)
		w := newWorld(t)
		w.start(config.MCPServer{Name: "web", URL: web.URL, Timeout: deadline,
			StartupTimeout: deadline})
		names := fmt.Sprint(w.engine.Scripts.Snapshot().ToolNames())
		if names != "[mcp__web__quick]" {
			t.Errorf("%s: got %s; %s", kind, names, w.told())
		}
		w.wantNotice("only run as tasks")
		w.m.Close()
		web.CloseClientConnections()
	}
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := newServer()
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	w.start(config.MCPServer{Name: "web", URL: web.URL, Timeout: deadline,
		StartupTimeout: deadline})
	w.wantResult("mcp__web__echo", map[string]any{"text": "hello"}, "hello")
	w.wantResult("mcp__web__progress", nil, "done")
	w.m.Close()
}
