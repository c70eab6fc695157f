package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
)

// redacting is a language whose every script masks pin-N.
type redacting struct{}

func (redacting) Language() string     { return "redacting" }
func (redacting) Extensions() []string { return []string{".redact"} }
func (redacting) Close()               {}

func (r redacting) Load(_ *engine.Run, bind *engine.Binding) (engine.VM, error) {
	return r, bind.Gen.AddRedactor(&engine.Redactor{Name: "pin", Patterns: []*regexp.Regexp{regexp.MustCompile(`pin-\d+`)}})
}

// What a redactor matches is seen by nobody: no model, no screen, no file.
func TestRedactorSeesAll(t *testing.T) {
	w := &world{t: t, home: t.TempDir(), runtimes: []engine.Runtime{redacting{}}}
	var cancel func()
	w.ctx, cancel = context.WithTimeout(context.Background(), deadline)
	call := use("bash", `{"command":"echo pin-$((1+1))000 pin-3000"}`)
	call.text = "I say pin-4000"
	call.chunks = append(call.chunks, engine.Chunk{Reasoning: "I think pin-5000"})
	w.answers = []answer{call, {chunks: []engine.Chunk{{Text: "it is pi"}, {Text: "n-60"}, {Text: "00."}}}}
	w.start(Options{System: "the system has pin-7000"}, cancel)
	g, err := w.engine.Load(w.ctx, &engine.Script{Name: "a.redact", Path: "/a.redact"})
	if err != nil {
		t.Fatal(err)
	}
	w.engine.Swap([]*engine.Generation{g}, nil)
	w.on("agent_before_start", func(*engine.Event) any { return map[string]any{"context": "a script adds pin-8000"} })
	var ran string
	w.on("tool_start", func(ev *engine.Event) any {
		args, _ := ev.Field("args").(map[string]any)
		ran = engine.Text(args, "command")
		return nil
	})
	end := w.prompt("the user says pin-1000")
	if end.Response != "it is [redacted:pin]." {
		t.Errorf("the answer is %q (%s)", end.Response, end.Reason)
	}
	w.engine.Drain(w.ctx)
	if !strings.Contains(ran, "pin-3000") {
		t.Errorf("what ran is %q, not what the model wrote", ran)
	}
	pins := regexp.MustCompile(`.{0,60}pin-\d{4}.{0,20}`)
	seen := func(where, text string) {
		if found := pins.FindAllString(text, -1); found != nil || !strings.Contains(text, "[redacted:pin]") {
			t.Errorf("in %s is %q", where, found)
		}
	}
	for _, r := range w.requests {
		for _, m := range r.Messages {
			j, _ := json.Marshal(m)
			if pins.Match(j) {
				t.Errorf("a model is sent %s", j)
			}
		}
		seen("the system prompt", r.System)
	}
	var stream strings.Builder
	for _, ev := range w.events {
		j, err := json.Marshal(ev)
		if err != nil {
			t.Error(err)
		}
		stream.Write(j)
		stream.WriteByte('\n')
	}
	seen("the stream", stream.String())
	files, _ := filepath.Glob(filepath.Join(w.home, "sessions", "*", "*.jsonl"))
	if len(files) != 1 {
		t.Fatalf("sessions: %q", files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	seen("the session", string(text))
}
