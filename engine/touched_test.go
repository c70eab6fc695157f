package engine_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// fakeTouch reports that a call writes the file that its argument names.
type fakeTouch struct {
	asked *atomic.Int32
	file  string
	sure  bool
}

func (f fakeTouch) Reads() []string           { return nil }
func (f fakeTouch) Writes() []string          { return []string{f.file} }
func (f fakeTouch) Unknown() bool             { return !f.sure }
func (fakeTouch) WritesBelow() []string       { return nil }
func (fakeTouch) Commands() []string          { return nil }
func (fakeTouch) Seen(fs.FileInfo) bool       { return true }
func (fakeTouch) Dir() string                 { return "" }
func (fakeTouch) Fills() []string             { return nil }
func (fakeTouch) RunsWritten() bool           { return false }
func (f fakeTouch) CanWrite(path string) bool { return f.file == path || !f.sure }
func (f fakeTouch) Fits(what, glob string) (fits, sure bool) {
	return what == "writes" && strings.HasSuffix(f.file, glob), f.sure
}
func (f fakeTouch) Risks() engine.Risks {
	return engine.Risks{Outside: "writes " + f.file, Unknown: "unknown", Network: "network"}
}
func (fakeTouch) Rooted(glob string) string   { return glob }
func (f fakeTouch) Why(what, _ string) string { return "why it " + what }

func (f fakeTouch) Perhaps(what, _ string) string {
	if who, ok := strings.CutSuffix(f.file, " perhaps?"); ok && what == "writes" {
		return who
	}
	return ""
}

// withFakeTouch makes a world in which calls write the file that the argument "file" names. If the
// name ends in "?", the call may also write other files. It counts in asked how often the files of
// a call are determined.
func withFakeTouch(asked *atomic.Int32) worldOption {
	return func(o *engine.Options) {
		o.Touch = func(_ context.Context, c *engine.Call,
			_ *engine.Tool) engine.Touched {
			asked.Add(1)
			file := value.Text(c.Args, "file")
			if file == "panic" {
				panic("touch")
			}
			return fakeTouch{asked, file, !strings.HasSuffix(file, "?")}
		}
	}
}

// guardEnvFiles returns a script with a guard that blocks writes to files that end in .env. seen
// gets what the guard reads of each call.
func guardEnvFiles(t *testing.T, seen *[]string) func(l *fakeLoad) {
	return func(l *fakeLoad) {
		filter, err := event.NewFilter(&event.Row{Name: "guard", Filters: []string{"writes"},
			Payload: nil}, map[string]any{"writes": ".env"})
		if err != nil {
			t.Fatal(err)
		}
		l.on("guard", func(c *fakeCall) (any, error) {
			ev := c.ev
			*seen = append(*seen, fmt.Sprint(ev.Field("writes"), ev.Field("unknown_writes")))
			return map[string]any{"block": true, "reason": "by hand"}, nil
		}, func(h *engine.Handler) { h.Filter = filter })
	}
}

func TestWritesFilter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file            string
		ran, asks, hits int
	}{
		{"x/.env", 0, 0, 1}, {"x", 1, 0, 0}, {"?", 1, 1, 0}, {"panic", 1, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			var asked atomic.Int32
			var seen []string
			w := newWorld(t, withFakeTouch(&asked))
			w.script("a.fake", guardEnvFiles(t, &seen))
			w.dispatch("work", func(c *engine.Call) { c.Args = map[string]any{"file": tt.file} })
			if w.runs() != tt.ran || len(w.questions) != tt.asks || len(seen) != tt.hits {
				t.Errorf("ran %d, asked %d, the guard ran %d times", w.runs(), len(w.questions),
					len(seen))
			}
			if tt.hits > 0 && seen[0] != "[x/.env] false" {
				t.Errorf("the guard saw %s", seen[0])
			}
			if asked.Load() != 1 {
				t.Errorf("the files were determined %d times, want once", asked.Load())
			}
		})
	}
}

// TestWritesFilterInTheSandbox: what a program may touch is not asked about if the sandbox of this
// call keeps it from all that the filter matches; what the call names is.
func TestWritesFilterInTheSandbox(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file   string
		how    engine.Confinement
		fence  engine.Fence
		asks   int
		blocks bool
	}{
		{"?", engine.Sealed, fakeFence{}, 0, false},
		{"openssl may write .env perhaps?", engine.Sealed, fakeFence{}, 0, false},
		{"?", engine.Confined, fakeFence{}, 1, false},
		{"?", engine.Outside, fakeFence{}, 1, false},
		{"?", engine.Unconfined, fakeFence{}, 1, false},
		{"?", engine.Sealed, nil, 1, false},
		{"x/.env", engine.Sealed, fakeFence{}, 0, true},
	} {
		var asked atomic.Int32
		var seen []string
		w := newWorld(t, withFakeTouch(&asked), func(o *engine.Options) {
			o.Tools[1].Sandbox = &engine.Sandbox{Fence: tt.fence,
				Confinement: func(map[string]any) engine.Confinement { return tt.how }}
		})
		w.script("a.fake", guardEnvFiles(t, &seen))
		w.dispatch("work", mode(event.PermissionYolo), func(c *engine.Call) {
			c.Args = map[string]any{"file": tt.file}
		})
		asks := 0
		for _, q := range w.questions {
			for _, a := range q.Asks {
				if a.Script == "a.fake" {
					asks++
				}
			}
		}
		if asks != tt.asks || tt.blocks != (w.runs() == 0) {
			t.Errorf("%+v: asked %d, ran %d times", tt, asks, w.runs())
		}
	}
}

// TestWritesFilterPerhaps: if a program may write a file that a guard protects, the refusal names
// the program and the file.
func TestWritesFilterPerhaps(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	var seen []string
	w := newWorld(t, withFakeTouch(&asked), headlessWorld)
	w.script("a.fake", guardEnvFiles(t, &seen))
	r := w.dispatch("work", func(c *engine.Call) {
		c.Args = map[string]any{"file": "openssl may write .env perhaps?"}
	})
	if w.runs() != 0 || !strings.Contains(chat.PlainText(r.Content),
		"openssl may write .env, which a.fake guards (writes=.env) (why it writes)") {
		t.Errorf("got %+v", r)
	}
}

func TestWritesFilterHeadless(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	var seen []string
	w := newWorld(t, withFakeTouch(&asked), headlessWorld)
	w.script("a.fake", guardEnvFiles(t, &seen))
	r := w.dispatch("work", func(c *engine.Call) { c.Args = map[string]any{"file": "?"} })
	if w.runs() != 0 || !strings.Contains(chat.PlainText(r.Content),
		"this call may touch paths that a.fake guards (writes=.env)") {
		t.Errorf("got %+v", r)
	}
}

// TestWritesFilterUnknown: without Options.Touch, the files of all calls are unknown, so the user
// is asked.
func TestWritesFilterUnknown(t *testing.T) {
	t.Parallel()
	var seen []string
	w := newWorld(t)
	w.script("a.fake", guardEnvFiles(t, &seen))
	if w.dispatch("work"); len(w.questions) != 1 {
		t.Errorf("asked %d questions", len(w.questions))
	}
}

// TestTouchFollowsArguments: the files of a call are determined only if a handler needs them or
// the call may write a file that a later one runs, and again after a rewrite. The guard gets the
// files of the rewritten call.
func TestTouchFollowsArguments(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	w := newWorld(t, withFakeTouch(&asked), silent)
	w.dispatch("work", func(c *engine.Call) { c.Origin = "user" })
	if asked.Load() != 0 {
		t.Errorf("the files were determined %d times, want never", asked.Load())
	}
	var seen []string
	w.script("a.fake", guardEnvFiles(t, &seen))
	var writes []string
	w.script("b.fake", func(l *fakeLoad) {
		l.on("tool_call", func(c *fakeCall) (any, error) {
			writes = append(writes, fmt.Sprint(c.ev.Field("writes")))
			return map[string]any{"args": map[string]any{"file": ".env"}}, nil
		})
		l.on("tool_call", func(c *fakeCall) (any, error) {
			writes = append(writes, fmt.Sprint(c.ev.Field("writes")))
			return nil, nil
		})
	})
	w.dispatch("work", func(c *engine.Call) { c.Args = map[string]any{"file": "plain"} })
	if want := []string{"[plain]", "[.env]"}; !slices.Equal(writes, want) || len(seen) != 1 ||
		w.runs() != 1 {
		t.Errorf("handlers saw %q, want %q; the guard ran %d times; ran %d", writes, want,
			len(seen), w.runs())
	}
}

// brokenTouch panics in Fits or Perhaps.
type brokenTouch struct {
	fakeTouch
	fits bool // Fits panics too
}

func (b brokenTouch) Fits(what, glob string) (fits, sure bool) {
	if b.fits {
		panic("no glob")
	}
	return false, false
}

func (brokenTouch) Perhaps(_, _ string) string { panic("no answer") }
func (brokenTouch) Why(_, _ string) string     { panic("no answer") }

// TestFilterOfBrokenTouch: if matching the filter of a guard panics, the user is asked, and the
// panic is reported.
func TestFilterOfBrokenTouch(t *testing.T) {
	t.Parallel()
	for _, fits := range []bool{true, false} {
		var asked atomic.Int32
		var seen []string
		w := newWorld(t, func(o *engine.Options) {
			o.Touch = func(context.Context, *engine.Call, *engine.Tool) engine.Touched {
				return brokenTouch{fakeTouch{&asked, ".env", true}, fits}
			}
		})
		w.script("a.fake", guardEnvFiles(t, &seen))
		w.approve = func(context.Context, *engine.Question) (engine.Answer, error) {
			return engine.Answer{}, nil // no
		}
		r := w.dispatch("work")
		wantRun(t, w, r, 0)
		if len(w.questions) != 1 || len(seen) > 0 || !strings.Contains(
			w.questions[0].Asks[0].Text, "this call may touch paths that") {
			t.Errorf("Fits panics %v: asked %+v, the guard ran %d times", fits, w.questions,
				len(seen))
		}
		want := "no answer"
		if fits {
			want = "no glob"
		}
		if !slices.ContainsFunc(w.seen("error"), func(ev *event.Event) bool {
			return ev.Text("stage") == "touch" && strings.Contains(ev.Text("message"), want)
		}) {
			t.Errorf("Fits panics %v: the panic is not reported", fits)
		}
	}
}

// TestTimeLimitOfAGuardsFilter: a guard about files asks when its time limit has passed while the
// files of the call are still looked for.
func TestTimeLimitOfAGuardsFilter(t *testing.T) {
	t.Parallel()
	hang := make(chan bool)
	defer close(hang)
	w := newWorld(t, headlessWorld, func(o *engine.Options) {
		o.Touch = func(context.Context, *engine.Call, *engine.Tool) engine.Touched {
			<-hang
			return nil
		}
	})
	var seen []string
	limit := time.Millisecond
	g := w.script("a.fake", guardEnvFiles(t, &seen))
	g.Registry.Handlers[0].Timeout = &limit
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // less than the engine's limit
	defer cancel()
	r := w.Dispatch(ctx, &engine.Call{ID: "1", Tool: "work", Origin: "model"})
	if w.runs() != 0 || !strings.Contains(chat.PlainText(r.Content),
		"this call may touch paths that a.fake guards (writes=.env)") {
		t.Errorf("got %+v", r)
	}
}
