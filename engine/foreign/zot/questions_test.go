package zot_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

func init() {
	extensions["halves"] = halves
	extensions["backwards"] = backwards
	extensions["quits"] = quits
}

// asks makes a call that the extension is asked about.
func (w *world) asks(ctx context.Context, command string) string {
	return chat.PlainText(w.Engine.Dispatch(ctx, &engine.Call{ID: command, Tool: "bash",
		Args: map[string]any{"command": command}, Origin: "model",
		Env: &event.Envelope{}}).Content)
}

const consents = `{"type":"event_intercept_response","id":"ID"}`

// halves answers the command half by half a notice, and writes the rest with the next question.
func halves(x *extension) {
	rest := ""
	x.begin(`{"type":"subscribe","intercept":["tool_call"]}`)
	x.serve(func(f map[string]any) string {
		if rest != "" {
			fmt.Print(rest)
			rest = ""
		}
		args, _ := f["tool_args"].(map[string]any)
		if args["command"] == "half" {
			fmt.Print(`{"type":"notify","mess`)
			rest = `age":"number ` + f["id"].(string) + `"}` + "\n"
			return ""
		}
		return consents
	})
}

// TestHalfALine checks that a call can be cancelled while the program writes a line, and that the
// whole line is understood, whether the program was asked a moment ago or not.
func TestHalfALine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "halves").start()
	w.Answers = true
	for _, rest := range []time.Duration{0, 50 * time.Millisecond} {
		for i := range 5 {
			time.Sleep(rest) // both kinds of readers are wanted
			if got := w.asks(context.Background(), "ls"); got != "ran ls" {
				t.Fatalf("call %d: got %q", i, got)
			}
			time.Sleep(rest)
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			if got := w.asks(ctx, "half"); strings.HasPrefix(got, "ran") {
				t.Fatalf("call %d: it ran: %q", i, got)
			}
			cancel()
		}
	}
	if got := w.asks(context.Background(), "ls"); got != "ran ls" || len(w.Asked()) > 0 {
		t.Errorf("got %q, asked %q", got, w.Asked())
	}
	w.Until("the notices", func() bool {
		return strings.Count(w.Recorded(), "notification number ") == 10
	})
}

// backwards answers questions four by four, the last first, and notifies in between.
func backwards(x *extension) {
	var ids []string
	x.begin(`{"type":"subscribe","intercept":["tool_call"]}`)
	x.serve(func(f map[string]any) string {
		if id, ok := f["id"].(string); ok {
			ids = append(ids, id)
		}
		if len(ids) == 4 {
			for i := range ids {
				x.send(`{"type":"notify","level":"info","message":"four"}`)
				x.send(strings.Replace(consents, "ID", ids[len(ids)-1-i], 1))
			}
			ids = nil
		}
		return ""
	})
}

// TestQuestionsAtOnce checks that questions of several calls get their own answers, whoever reads
// them.
func TestQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "backwards").start()
	w.Answers = true
	for range 20 {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				command := fmt.Sprint("echo ", i)
				if got := w.asks(context.Background(), command); got != "ran "+command {
					t.Errorf("%s: got %q", command, got)
				}
			})
		}
		all.Wait()
	}
	if asked := w.Asked(); len(asked) > 0 {
		t.Errorf("asked %q", asked)
	}
}

// quits ends in the middle of its third answer.
func quits(x *extension) {
	n := 0
	x.begin(`{"type":"subscribe","intercept":["tool_call"]}`)
	x.serve(func(map[string]any) string {
		if n++; n == 3 {
			fmt.Print(consents[:20])
			os.Exit(1)
		}
		return consents
	})
}

// TestEndInAnAnswer checks that a program that ends while it answers lets no call through.
func TestEndInAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "quits").start()
	w.Routine = true
	var got []string
	for range 3 {
		got = append(got, w.asks(context.Background(), "ls"))
	}
	if got[0] != "ran ls" || got[1] != "ran ls" || strings.HasPrefix(got[2], "ran") {
		t.Errorf("got %q", got)
	}
	if asked := strings.Join(w.Asked(), "\n"); !strings.Contains(asked, "its process has ended") {
		t.Errorf("asked %q", asked)
	}
}
