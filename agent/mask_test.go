package agent

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/value"
)

// redacting is a language whose scripts all mask pin-N.
type redacting struct{}

func (redacting) Language() string     { return "redacting" }
func (redacting) Extensions() []string { return []string{".redact"} }
func (redacting) Close()               {}

func (r redacting) Load(_ *engine.Run, bind *engine.Binding) (engine.VM, error) {
	return r, bind.Gen.Registry.AddRedactor(&engine.Redactor{Name: "pin",
		Patterns: []*regexp.Regexp{regexp.MustCompile(`pin-\d+`)}})
}

// TestModelListsAreMasked checks that replies of servers and errors of the settings are masked in
// lists of models.
func TestModelListsAreMasked(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: t.TempDir(), runtimes: []engine.Runtime{redacting{}}}
	var cancel func()
	w.ctx, cancel = context.WithTimeout(context.Background(), deadline)
	w.start(Options{}, cancel)
	g, err := w.engine.Scripts.Load(w.ctx, &scriptfile.Script{Name: "a.redact", Path: "/a.redact"})
	if err != nil {
		t.Fatal(err)
	}
	w.engine.Scripts.Swap([]*engine.Generation{g}, nil)
	addProviders(t, w, &engine.Provider{Name: "refuses",
		List: func(context.Context) ([]chat.Model, error) {
			return nil,
				errors.New("no models for pin-1000")
		}},
		&engine.Provider{Name: "lacks", Unusable: "pin-2000 is no address"})
	w.agent.Catalog().Find(w.ctx, func(f models.Found) {
		if f.Err == nil || f.Err.Error() != "no models for [redacted:pin]" {
			t.Errorf("got %v", f.Err)
		}
	})
	if u := w.agent.Catalog().Unusable(); len(u) != 1 ||
		u[0].Err.Error() != "[redacted:pin] is no address" {
		t.Errorf("got %v", u)
	}
}

// TestRedactorAppliesEverywhere checks that the matches of a redactor reach no model, no screen and
// no file.
func TestRedactorAppliesEverywhere(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: t.TempDir(), runtimes: []engine.Runtime{redacting{}}}
	var cancel func()
	w.ctx, cancel = context.WithTimeout(context.Background(), deadline)
	call := use("bash", `{"command":"echo pin-$((1+1))000 pin-3000"}`)
	call.text = "I say pin-4000"
	call.chunks = append(call.chunks, chat.Chunk{Reasoning: "I think pin-5000"})
	w.answers = []answer{call,
		{chunks: []chat.Chunk{{Text: "it is pi"}, {Text: "n-60"}, {Text: "00."}}}}
	w.start(Options{System: "the system has pin-7000"}, cancel)
	g, err := w.engine.Scripts.Load(w.ctx, &scriptfile.Script{Name: "a.redact", Path: "/a.redact"})
	if err != nil {
		t.Fatal(err)
	}
	w.engine.Scripts.Swap([]*engine.Generation{g}, nil)
	w.on("agent_before_start",
		func(*event.Event) any { return map[string]any{"context": "a script adds pin-8000"} })
	var ran string
	w.on("tool_start", func(ev *event.Event) any {
		args, _ := ev.Field("args").(map[string]any)
		ran = value.Text(args, "command")
		return nil
	})
	end := w.prompt("the user says pin-1000")
	if end.Response != "it is [redacted:pin]." {
		t.Errorf("the answer is %q (%s)", end.Response, end.Reason)
	}
	w.engine.Emitter.Drain(w.ctx)
	if !strings.Contains(ran, "pin-3000") {
		t.Errorf("the call ran with %q, not with the model's words", ran)
	}
	pins := regexp.MustCompile(`.{0,60}pin-\d{4}.{0,20}`)
	seen := func(where, text string) {
		if found := pins.FindAllString(text, -1); found != nil ||
			!strings.Contains(text, "[redacted:pin]") {
			t.Errorf("%s contains %q", where, found)
		}
	}
	for _, r := range w.requests {
		for _, m := range r.Messages {
			j, _ := json.Marshal(m)
			if pins.Match(j) {
				t.Errorf("a model got %s", j)
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

// TestWholeOutputsAreMasked checks that the files of long outputs and of jobs are masked, and that
// the beginning of a secret that does not go on is not lost. The two streams of a command may
// arrive in any order.
func TestWholeOutputsAreMasked(t *testing.T) {
	t.Parallel()
	const command = `{"command":"for i in 1 2 3; do printf pi; sleep 0.05; echo n-77; printf pi ` +
		`>&2; sleep 0.05; echo n-88 >&2; done; yes pin-9999 | head -n 9000; printf pi"`
	home := t.TempDir()
	w := &world{t: t, home: t.TempDir(), runtimes: []engine.Runtime{redacting{}}}
	var cancel func()
	w.ctx, cancel = context.WithTimeout(context.Background(), deadline)
	w.answers = []answer{use("bash", command+"}"), use("bash", command+`,"background":true}`),
		use("job", `{"id":"j1","wait":60}`)}
	w.start(Options{Output: output.New(home), Jobs: tool.NewJobs()}, cancel)
	g, err := w.engine.Scripts.Load(w.ctx, &scriptfile.Script{Name: "a.redact", Path: "/a.redact"})
	if err != nil {
		t.Fatal(err)
	}
	w.engine.Scripts.Swap([]*engine.Generation{g}, nil)
	w.prompt("go")
	texts := kept(t, home)
	if len(texts) != 2 {
		t.Fatalf("got %d files, want one of the command and one of the job", len(texts))
	}
	for _, text := range append(texts, w.request(3)) {
		if strings.Contains(text, "n-77\n") || strings.Contains(text, "n-88\n") ||
			strings.Contains(text, "n-99") || !strings.Contains(text,
			"[redacted:pin]\n[redacted:pin]\n") || !strings.Contains(text, "]\npi") {
			t.Errorf("got %q of %.300q ... %q",
				regexp.MustCompile(`.{0,60}n-[789].{0,20}`).FindAllString(text, 5), text,
				text[max(0, len(text)-100):])
		}
	}
}
