package picoclaw_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/foreigntest"
	"github.com/agentscripts/agent/engine/foreign/picoclaw"
)

// TestMain lets the test program act as a hook: its arguments are "hook" and the name of one of
// hooks.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "hook" {
		hooks[os.Args[2]](&process{in: bufio.NewReaderSize(os.Stdin, 1<<20)})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process is the other end of the protocol, in a process of its own.
type process struct{ in *bufio.Reader }

// request is what a hook gets.
type request struct {
	ID     any            `json:"id"`
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// receive returns the next request; nil at the end.
func (p *process) receive() *request {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		return nil
	}
	r := &request{}
	if err := json.Unmarshal(line, r); err != nil {
		fmt.Fprintln(os.Stderr, "bad request:", string(line))
		os.Exit(3)
	}
	return r
}

// send writes a line.
func (p *process) send(line string) { fmt.Println(line) }

// answer answers a request with a result.
func (p *process) answer(r *request, result string) {
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":%s}`, r.ID, result))
}

// greet answers hook.hello, and returns its parameters.
func (p *process) greet() map[string]any {
	r := p.receive()
	p.answer(r, `{"ok":true,"name":"go-hook"}`)
	return r.Params
}

// serve answers requests until the end: what the function does not answer goes on.
func (p *process) serve(result func(method string, params map[string]any) string) {
	for r := p.receive(); r != nil; r = p.receive() {
		text := result(strings.TrimPrefix(r.Method, "hook."), r.Params)
		switch {
		case r.ID == nil || text == "none":
			continue
		case text == "" && r.Method == "hook.approve_tool":
			text = `{"approved":true}`
		case text == "":
			text = `{"action":"continue"}`
		case strings.HasPrefix(text, `{"code"`):
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"error":%s}`, r.ID, text))
			continue
		}
		p.answer(r, text)
	}
}

// commandOf returns the command of a tool call.
func commandOf(params map[string]any) string {
	args, _ := params["arguments"].(map[string]any)
	command, _ := args["command"].(string)
	return command
}

// world is an engine with a loader, for extensions.
type world struct {
	*foreigntest.World
	t      testing.TB
	format *picoclaw.Format
	model  string // of requests
}

// newWorld makes a world, which has other runtimes besides. Time limits are multiplied by patience.
func newWorld(t testing.TB, patience float64, others ...engine.Runtime) *world {
	t.Helper()
	format := picoclaw.New("picoclaw.json", extapi.Options{LookupEnv: foreigntest.Environment})
	return &world{foreigntest.New(t, patience, append(others, format)...), t, format,
		"maker/model-1"}
}

// settings are the settings of a process of one of hooks. The text is added to them.
func settings(t testing.TB, kind, more string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command, _ := json.Marshal([]string{self, "hook", kind})
	return fmt.Sprintf(`"%s":{"command":%s,%s}`, kind, command, more)
}

// file returns a picoclaw.json with processes, which have the time that a busy machine needs.
func file(processes ...string) string {
	return `{"hooks":{"enabled":true,"defaults":{"interceptor_timeout_ms":300000,` +
		`"observer_timeout_ms":300000},"processes":{` + strings.Join(processes, ",") + `}}}`
}

// install writes an extension with one process, one of hooks, which intercepts stages.
func (w *world) install(kind string, stages ...string) *world {
	w.t.Helper()
	list, _ := json.Marshal(stages)
	w.Write("x/picoclaw.json", file(settings(w.t, kind, `"intercept":`+string(list))))
	return w
}

func (w *world) start() *world {
	w.t.Helper()
	w.Start()
	return w
}
