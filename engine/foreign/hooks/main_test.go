package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign"
	"github.com/agentscripts/agent/engine/foreign/hooks"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// The runtime sets the time limit of all regular expressions, as the program has it before it reads
// any.
func init() { js.New() }

// looking returns a tool that only reads.
func looking() *engine.Tool {
	t := tool("look", "read")
	t.ReadOnly = true
	return t
}

// doing returns a tool that does what does says.
func (w *rig) doing() *engine.Tool {
	t := tool("do", "edit")
	t.Run = func(context.Context, *engine.Use) (*engine.Result, error) {
		w.does()
		return engine.TextResult("done"), nil
	}
	return t
}

// rig is an engine with a loader, for hooks.
type rig struct {
	t       testing.TB
	home    string
	dir     string // the project
	folder  string // of the scripts
	engine  *engine.Engine
	loader  *load.Loader
	env     *event.Envelope
	answers bool // of the user
	routine bool // the same, to what no script asks
	// what ext.agent and ext.llm call
	services  service.Agent
	variables map[string]string // of the environment
	does      func()            // what the tool do does
	local     *engine.Provider  // a server of models
	format    *hooks.Format     // of hooks.json
	rules     rules

	mu     sync.Mutex
	asked  []string
	detail string // of the last question
	events []string
	foot   []string // of the screen
}

// tool returns a tool that says with which arguments it has run.
func tool(name, kind string) *engine.Tool {
	return &engine.Tool{Name: name, Kind: kind,
		Schema: map[string]any{"type": "object"},
		Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
			b, _ := json.Marshal(use.Args)
			r := engine.TextResult("ran " + string(b))
			r.IsError = use.Args["command"] == "false"
			return r, nil
		}}
}

func newRig(t testing.TB) *rig {
	t.Helper()
	return newRigIn(t, t.TempDir(), t.TempDir())
}

// newRigIn is newRig with the home and the project of another.
func newRigIn(t testing.TB, home, dir string) *rig {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
	w := &rig{t: t, home: home, dir: dir}
	w.folder = filepath.Join(w.home, "scripts")
	w.variables = map[string]string{"PATH": os.Getenv("PATH"), "HOME": "/somewhere",
		"SECRET_KEY": "x"}
	w.env = &event.Envelope{SessionID: "s1", SessionPath: "/s/s1.jsonl", CWD: w.dir, Project: w.dir,
		Agent: "main", AgentID: "main", PromptID: "p1", Permission: event.PermissionAcceptEdits}
	w.local = &engine.Provider{Name: "local"}
	options := foreign.Options{Version: "9.8.7", Data: filepath.Join(w.home, "data")}
	format, docker := hooks.New("", options), hooks.New("agent.yaml", options)
	w.format = format
	w.engine = scripttest.NewStandard(t, standard.Options{Engine: engine.Options{
		Runtimes: []engine.Runtime{lua.New(), js.New(), format, docker}, Emit: w.record,
		Approver: w, Rules: &w.rules,
		Patience: 20, Envelope: func() *event.Envelope { return w.env },
		Providers: []*engine.Provider{w.local}, MayWrite: func(string) bool { return false },
		Surface: &ui.Surface{Show: w.show},
		Tools: []*engine.Tool{tool("bash", "execute"), tool("edit", "edit"), tool("read", "read"),
			tool("write", "edit"), tool("mine", "other"), looking(), w.doing()}},
		Host: host.Options{Home: w.home, Mode: "print", CWD: w.dir,
			LookupEnv: func(name string) (string, bool) {
				v, ok := w.variables[name]
				return v, ok
			},
			Services: func() *service.Agent { return &w.services }}})
	w.loader = load.New(load.Options{Engine: w.engine, Home: w.home, Watch: true})
	t.Cleanup(func() {
		w.loader.Close()
		w.engine.Close()
		format.Wait()
		docker.Wait()
	})
	return w
}

// rules are the rules that hooks have added.
type rules []string

func (*rules) Decide(*engine.Call, *engine.Tool, func() engine.Touched) (_, _, _ string) {
	return "", "", ""
}

func (*rules) Pattern(*engine.Call, *engine.Tool) string           { return "" }
func (*rules) CheckAllow(string, *engine.Call, *engine.Tool) error { return nil }
func (*rules) Allow(string) error                                  { return nil }

// AllowForSession implements engine.Rules.
func (r *rules) AllowForSession(rule string) error {
	*r = append(*r, rule)
	return nil
}

// Approve implements engine.Approver.
func (w *rig) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.detail = ""
	for name, v := range q.Asks[0].Detail {
		w.detail += fmt.Sprintf("%s=%v", name, v)
	}
	routine := true
	for _, a := range q.Asks {
		if a.Script != "" {
			routine = false
			w.asked = append(w.asked, fmt.Sprintf("%s:%d: %s %s", a.Script, a.Line, a.Text,
				a.Reason))
		}
	}
	if routine {
		w.asked = append(w.asked, "routine")
	}
	return engine.Answer{Allow: w.answers || w.routine && routine}, nil
}

// questions returns what the user was asked since the last call.
func (w *rig) questions() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() { w.asked = nil }()
	return strings.Join(w.asked, "\n")
}

// details returns what hooks have told about the call of the last question.
func (w *rig) details() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.detail
}

// record keeps the notices and errors.
func (w *rig) record(ev *event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch ev.Name() {
	case "notification", "script_error":
		w.events = append(w.events, ev.Name()+" "+ev.Text("message"))
	}
}

func (w *rig) told() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.events, "\n")
}

// wantTold waits until something is told.
func (w *rig) wantTold(want string) {
	w.t.Helper()
	w.eventually(want, func() bool { return strings.Contains(w.told(), want) })
}

func (w *rig) eventually(what string, ok func() bool) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	w.t.Fatalf("timed out: %s; told:\n%s", what, w.told())
}

// put writes a file of the extension "x".
func (w *rig) put(name, text string, mode os.FileMode) *rig {
	w.t.Helper()
	path := filepath.Join(w.folder, "x", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// write writes a file of the project.
func (w *rig) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// show keeps what is shown at the foot of the screen.
func (w *rig) show(p ui.Piece) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.Kind != ui.PieceFooter {
		return
	}
	w.foot = nil
	for _, line := range p.Lines {
		w.foot = append(w.foot, line.Text())
	}
}

func (w *rig) footer() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.foot, "|")
}

// logged returns the logs of the extensions.
func (w *rig) logged() (text string) {
	files, _ := filepath.Glob(filepath.Join(w.home, "logs", "*"))
	for _, file := range files {
		b, _ := os.ReadFile(file)
		text += string(b)
	}
	return text
}

// hooking writes a file with one hook for an event of either program.
func (w *rig) hooking(name, matcher, command string) *rig {
	w.t.Helper()
	if 'A' <= name[0] && name[0] <= 'Z' {
		return w.hooked(name, matcher, command)
	}
	return w.docker(name, matcher, command)
}

// mkdir makes a folder in the project.
func (w *rig) mkdir(name string) *rig {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Join(w.dir, name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// hooked writes a hooks.json with one group, whose hooks have the given commands.
func (w *rig) hooked(name, matcher string, commands ...string) *rig {
	w.t.Helper()
	var list []any
	for _, c := range commands {
		list = append(list, map[string]any{"type": "command", "command": c})
	}
	return w.manifest(name, matcher, list...)
}

// docker writes an agent.yaml with one hook that has the given fields, in YAML.
func (w *rig) docker(name, matcher, fields string) *rig {
	w.t.Helper()
	hook := "{type: command, command: " + strconv.Quote(fields) + "}"
	if strings.HasPrefix(fields, "{") {
		hook = fields
	}
	text := "hooks:\n  " + name + ":\n    - " + hook + "\n"
	if matcher != "-" {
		text = "hooks:\n  " + name + ":\n    - matcher: " + strconv.Quote(matcher) +
			"\n      hooks: [" + hook + "]\n"
	}
	return w.put("agent.yaml", text, 0o644)
}

// manifest writes a hooks.json with one group of hooks.
func (w *rig) manifest(name, matcher string, list ...any) *rig {
	w.t.Helper()
	b, err := json.MarshalIndent(map[string]any{"hooks": map[string]any{
		name: []any{map[string]any{"matcher": matcher, "hooks": list}}}}, "", "  ")
	if err != nil {
		w.t.Fatal(err)
	}
	return w.put("hooks.json", string(b), 0o644)
}

func (w *rig) begin() *rig {
	w.t.Helper()
	if err := w.loader.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// calls calls a tool and returns what the model sees.
func (w *rig) calls(tool string, args map[string]any) string {
	r := w.engine.Dispatch(context.Background(), &engine.Call{ID: "c1", Tool: tool, Args: args,
		Origin: "model", Env: w.env})
	return chat.PlainText(r.Content)
}

func (w *rig) bash(command string) string {
	return w.calls("bash", map[string]any{"command": command})
}

// fires asks the handlers of an event.
func (w *rig) fires(f event.Fired) (*event.Event, *engine.Verdict) {
	return w.engine.Intercept(context.Background(), w.engine.Events.New(w.env, f))
}

// heard returns what the hooks have written to a file of the project.
func (w *rig) heard(name string) string {
	b, _ := os.ReadFile(filepath.Join(w.dir, name))
	return string(b)
}

// input returns what a hook has read, which it has written to the file "in".
func (w *rig) input() map[string]any {
	w.t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(w.heard("in")), &m); err != nil {
		w.t.Fatalf("%v: %s; told: %s", err, w.heard("in"), w.told())
	}
	return m
}
