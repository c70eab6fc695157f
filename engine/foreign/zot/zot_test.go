package zot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// extensions are programs of extensions.
var extensions = map[string]func(x *extension){
	"all":     all,
	"guard":   guard,
	"idle":    withoutReady,
	"garbage": garbage,
	"other":   func(x *extension) { x.send(`{"type":"ready"}`); x.receive() },
	"silent":  func(x *extension) { x.receive(); x.receive() },
	"ends":    func(*extension) { fmt.Fprintln(os.Stderr, "no database"); os.Exit(4) },
	"flood": func(x *extension) {
		x.begin()
		for {
			fmt.Print(strings.Repeat("x", 1<<20)) // one endless line
		}
	},
	"deaf": func(x *extension) { // registers, and never reads again
		x.begin(`{"type":"register_tool","name":"deaf","schema":null}`)
		select {}
	},
}

// all registers a command and a tool that do what their arguments say.
func all(x *extension) {
	ack, _ := json.Marshal(x.begin(
		`{"type":"register_command","name":"zot","description":"does it"}`,
		`{"type":"register_tool","name":"weather","description":"The weather","schema":`+
			`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}`,
		`{"type":"register_tool","name":"bad","schema":{"type":7}}`,
		`{"type":"subscribe","events":["tool_call","nonsense"],"intercept":["nonsense"]}`))
	var heard []string
	x.serve(func(f map[string]any) string {
		response := `{"type":"command_response","id":"ID",`
		switch f["type"] {
		case "event":
			heard = append(heard, fmt.Sprint(f["event"], " ", f["tool_name"], " ", f["tool_args"],
				" in ", f["session_id"], " ", f["cwd"], ", ", f["sequence"]))
		case "tool_call":
			args := f["args"].(map[string]any)
			switch args["city"] {
			case "Berlin":
				return `{"type":"tool_result","id":"ID","content":[{"type":"text",` +
					`"text":"16C, fog"},{"type":"image","mime_type":"image/png","data":"AAAA"},` +
					`{"type":"film"}]}`
			case "Atlantis":
				return `{"type":"tool_result","id":"ID","is_error":true,"content":[{"type":` +
					`"text","text":"no such city"}]}`
			case "Nowhere":
				return `{"type":"tool_result","id":"ID"}`
			case "crash":
				os.Exit(9)
			}
			x.send(`{"type":"tool_result","id":"77","content":[]}`) // answers nothing
		case "tool_cancel":
			x.send(`{"type":"notify","level":"success","message":"cancelled"}`)
		case "command_invoked":
			switch what := f["args"].(string); what {
			case "ack":
				text, _ := json.Marshal(string(ack))
				return response + `"action":"display","display":` + string(text) + `}`
			case "env":
				text, _ := json.Marshal(strings.Join(os.Environ(), " "))
				return response + `"action":"display","display":` + string(text) + `}`
			case "heard":
				text, _ := json.Marshal(strings.Join(heard, "; "))
				return response + `"action":"display","display":` + string(text) + `}`
			case "prompt", "insert":
				return response + `"action":"` + what + `","` + what + `":"go"}`
			case "error":
				return response + `"action":"prompt","prompt":"x","error":"broken"}`
			case "late":
				x.send(`{"type":"register_command","name":"late"}`)
			case "strange":
				x.send(`{"type":"from_the_future","x":1}`)
				x.send(`not json`)
				x.send(`{"type":"notify","level":7}`)
			case "unknown":
				return response + `"action":"dance"}`
			}
			return response + `"action":"noop"}`
		}
		return ""
	})
}

// guard refuses and changes calls, and refuses turns.
func guard(x *extension) {
	x.begin(`{"type":"subscribe","intercept":["tool_call","turn_start","assistant_message"]}`)
	x.serve(func(f map[string]any) string {
		response := `{"type":"event_intercept_response","id":"ID"`
		switch f["event"] {
		case "tool_call":
			command, _ := f["tool_args"].(map[string]any)["command"].(string)
			switch {
			case strings.Contains(command, "rm"):
				return response + `,"block":true,"reason":"never"}`
			case command == "no reason":
				return response + `,"block":true}`
			case command == "ls":
				return response + `,"modified_args":{"command":"ls -l"}}`
			case command == "drop":
				return response + `,"modified_args":{}}`
			case command == "list":
				return response + `,"modified_args":[1]}`
			case command == "exit":
				os.Exit(0)
			}
		case "turn_start":
			return response + `,"block":true,"reason":"after hours"}`
		case "assistant_message":
			return response + `,"replace_text":"[redacted]"}`
		}
		return response + `}`
	})
}

// withoutReady never says ready, as programs made before it existed, and registers before it has
// read anything.
func withoutReady(x *extension) {
	x.send(`{"type":"hello","name":"x"}`)
	x.send(`{"type":"register_command","name":"zot"}`)
	x.serve(func(f map[string]any) string {
		if f["type"] == "command_invoked" {
			return `{"type":"command_response","id":"ID","action":"display","display":"here"}`
		}
		return ""
	})
}

// garbage writes other lines first, as many programs do.
func garbage(x *extension) {
	x.send("loading...")
	x.send("[1]")
	x.send("{broken")
	withoutReady(x)
}

// command runs the command /zot and returns its result as text.
func (w *world) command(args string) string {
	r, err := w.Engine.Commands.Run(context.Background(), &event.Envelope{}, "zot", args)
	return fmt.Sprintf("%+v %v", r, err)
}

func TestCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "all").start()
	for args, want := range map[string]string{
		"prompt":  "Prompt:go",
		"insert":  "Insert:go",
		"error":   "Error:broken",
		"noop":    "Prompt: Insert: Display: Error:",
		"unknown": `unknown action "dance"`,
		"ack":     `"cwd"`,
	} {
		if got := w.command(args); !strings.Contains(got, want) {
			t.Errorf("/zot %s: got %s, want %s", args, got, want)
		}
	}
	ack := w.command("ack")
	for _, want := range []string{`"protocol_version":1`, `"zot_version":"9.8.7"`,
		`"provider":"maker"`, `"model":"model-1"`, `/scripts/x"`, `/data/x"`} {
		if !strings.Contains(ack, want) {
			t.Errorf("hello_ack: got %s, want %s in it", ack, want)
		}
	}
	if env := w.command("env"); strings.Contains(env, "SECRET") ||
		!strings.Contains(env, "HOME=/somewhere") {
		t.Errorf("the environment is %s", env)
	}
	w.WantEvents("register_tool bad has no effect")
	w.WantEvents(`unknown event "nonsense"`)
	w.WantEvents(`"nonsense" cannot be intercepted`)
	w.command("late")
	w.WantEvents("register_command late came after the extension was ready")
	if got := w.command("strange"); !strings.Contains(got, "<nil>") {
		t.Errorf("after strange frames: %s", got)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "all").start()
	w.Answers = true
	ctx := context.Background()
	call := func(city string) *engine.Result {
		return w.Call(ctx, "weather", map[string]any{"city": city})
	}
	if r := call("Berlin"); r.IsError || len(r.Content) != 3 || r.Content[0].Text != "16C, fog" ||
		r.Content[1].MimeType != "image/png" || !strings.Contains(r.Content[2].Text, "film") {
		t.Errorf("got %+v", r)
	}
	if r := call("Atlantis"); !r.IsError || r.Content[0].Text != "no such city" {
		t.Errorf("got %+v", r)
	}
	if r := call("Nowhere"); !strings.Contains(r.Content[0].Text, "no content") {
		t.Errorf("got %+v", r)
	}
	if r := w.Call(ctx, "weather", map[string]any{"town": 1}); !r.IsError {
		t.Errorf("the arguments were not checked: %+v", r)
	}
	w.Until("the events", func() bool {
		heard := w.command("heard")
		return strings.Contains(heard, "tool_call weather map[city:Berlin] in session-1 /w, 1;") &&
			strings.Contains(heard, ", 2")
	})
	short, cancel := context.WithCancel(ctx)
	done := make(chan *engine.Result)
	go func() { done <- w.Call(short, "weather", map[string]any{"city": "Slow"}) }()
	w.Until("the call", func() bool { return strings.Contains(w.command("heard"), "Slow") })
	cancel()
	<-done
	w.WantEvents("notification cancelled")
}

// TestGuard: calls are refused and changed, and the guard sees what other handlers have made of the
// arguments.
func TestGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "guard").start()
	w.Answers = true
	for command, want := range map[string]string{
		"rm -rf /":  "never",
		"no reason": "blocked by the extension x",
		"ls":        "ran ls -l",
		"pwd":       "ran pwd",
		"drop":      "ran <nil>", // what is left out is removed
	} {
		if got := w.Bash(command); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	if len(w.Asked()) > 0 {
		t.Errorf("the user was asked: %q", w.Asked())
	}
	w.Bash("list") // an answer that is none is a failure, which asks
	if len(w.Asked()) != 1 || !strings.Contains(w.Asked()[0], "modified_args") {
		t.Errorf("asked %q", w.Asked())
	}
	late := &engine.Handler{Event: "tool_call", Priority: 99, Name: "late",
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			return map[string]any{"args": map[string]any{"command": "rm after all"}}, nil
		}}
	defer w.Engine.Scripts.AddGoHandler(late)()
	if got := w.Bash("date"); !strings.Contains(got, "never") {
		t.Errorf("the final arguments passed: %q", got)
	}
}

// TestStartsThatWork are programs that do not begin as the protocol says.
func TestStartsThatWork(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"idle", "garbage"} {
		w := newWorld(t, 20).install("x", kind).start()
		if got := w.command(""); !strings.Contains(got, "Display:here") {
			t.Errorf("%s: got %s; events:\n%s", kind, got, w.Recorded())
		}
	}
}

// TestStartsThatFail: an extension that does not start is named with the reason.
func TestStartsThatFail(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"other":  `the first frame is "ready", want {"type":"hello"`,
		"ends":   "it ended with exit code 4; its last words: no database",
		"silent": "no hello: stopped: used up its wall time",
		"flood":  "it sent a message of more than",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			patience := 2.0
			if kind == "silent" { // its end is awaited
				patience = 0.05
			}
			w := newWorld(t, patience).install("x", kind).start()
			w.WantEvents(want)
			if strings.Contains(w.Recorded(), "no database; its last words") {
				t.Errorf("its last words come twice:\n%s", w.Recorded())
			}
		})
	}
	for manifest, want := range map[string]string{
		`{"name":"x"`:                  "not a valid extension.json",
		`{"exec":"./x"}`:               "name is missing",
		`{"name":"x"}`:                 "exec is missing",
		`{"name":"x","exec":"./gone"}`: "its file gone: cannot be read",
		`{"name":"x","exec":"no-such-program-anywhere"}`: "cannot be started",
		`{"name":"x","exec":"./extension.json"}`:         "permission denied",
		"{\"name\":\"x\",\"exec\":\"a\\u0000b\"}":        "must not contain NUL",
	} {
		w := newWorld(t, 2)
		w.write("x", manifest)
		w.start().WantEvents(want)
	}
}

// TestEnabled: a manifest switches its extension off and on.
func TestEnabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "all").start()
	on, err := os.ReadFile(w.Path("x/extension.json"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("x", strings.Replace(string(on), "{", `{"enabled":false,`, 1))
	w.Until("it is off", func() bool { return len(w.Engine.Scripts.Snapshot().Generations) == 0 })
	w.write("x", strings.Replace(string(on), "{", `{"enabled":true,`, 1))
	w.Until("it is on", func() bool { return len(w.Engine.Scripts.Snapshot().Generations) == 1 })
}

// TestCrash: when a program has ended, the calls that it guards are asked about, until it works
// again.
func TestCrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "guard").start()
	if got := w.Bash("exit"); strings.Contains(got, "ran") {
		t.Errorf("the call ran: %q", got)
	}
	if len(w.Asked()) == 0 || !strings.Contains(w.Asked()[0], "its process has ended") {
		t.Errorf("asked %q", w.Asked())
	}
	w.Until("a new process", func() bool { return strings.Contains(w.Bash("rm"), "never") })
}

// TestNoUnguardedMoment polls a call that an extension refuses, while its program is ended and the
// extension replaced.
func TestNoUnguardedMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "guard").start()
	w.Routine = true // what nobody guards runs
	var polls sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	for range 2 {
		polls.Go(func() {
			for ctx.Err() == nil {
				if got := w.Bash("rm"); strings.Contains(got, "ran") {
					t.Errorf("the call ran: %q", got)
					return
				}
			}
		})
	}
	number := func() int {
		if g := w.Engine.Scripts.Snapshot().Generations; len(g) == 1 {
			return g[0].Number
		}
		return 0
	}
	for i := range 10 {
		before := number()
		if i%2 == 0 {
			w.Loader.Reload(ctx)
		} else if i == 1 {
			w.Bash("exit") // the pause before a restart grows with each time
		}
		if i%2 == 0 || i == 1 {
			w.Until("another generation", func() bool { return number() != before })
		}
		w.write("x", "{") // a broken version changes nothing
		w.Loader.Rescan(ctx)
		w.install("x", "guard")
	}
	cancel()
	polls.Wait()
}

// TestDeaf: a program that does not read its input is ended, and holds up nothing.
func TestDeaf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "deaf").start()
	w.Answers = true
	big := strings.Repeat("x", 1<<20)
	var calls sync.WaitGroup
	for range 80 {
		calls.Go(func() {
			w.Call(context.Background(), "deaf", map[string]any{"text": big})
		})
	}
	w.WantEvents("it does not read its input")
	calls.Wait()
}
