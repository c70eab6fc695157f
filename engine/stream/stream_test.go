package stream_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/stream"
)

// world is a stream with somebody who listens to it.
type world struct {
	*stream.Stream
	events *event.Table

	mu   sync.Mutex
	seen []string
}

func newWorld(t *testing.T, o stream.Options, patterns ...string) *world {
	t.Helper()
	o.Mask = redact.NewMask(nil)
	var list []*redact.Redactor
	for _, p := range patterns {
		r := &redact.Redactor{Name: "pin", Patterns: []*regexp.Regexp{regexp.MustCompile(p)}}
		if err := r.Prepare(); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	o.Mask.Replace(list)
	w := &world{Stream: stream.New(o)}
	var err error
	w.events, err = event.NewTable(spec.Events(), time.Now, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Subscribe(func(ev *event.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = append(w.seen, ev.Text("markdown")+ev.Text("chunk"))
	}))
	return w
}

func (w *world) say(text string) *event.Event {
	return w.events.Named("say", nil, map[string]any{"source": "x", "markdown": text})
}

func (w *world) output(text string) *event.Event {
	return w.events.Named("tool_output", nil, map[string]any{"call_id": "1", "chunk": text,
		"stderr": false})
}

func (w *world) want(t *testing.T, want string) {
	t.Helper()
	w.Flush(context.Background())
	w.mu.Lock()
	defer w.mu.Unlock()
	if got := strings.Join(w.seen, "|"); got != want {
		t.Errorf("seen %q, want %q", got, want)
	}
}

func TestListenersGetAllInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stream.Options{})
	var second []string
	leave := w.Subscribe(func(ev *event.Event) { second = append(second, ev.Text("markdown")) })
	w.Tell(w.say("a"))
	w.Tell(w.say("b"))
	leave()
	leave()
	w.Tell(w.say("c"))
	w.want(t, "a|b|c")
	if got := strings.Join(second, "|"); got != "a|b" {
		t.Errorf("the one that left has seen %q", got)
	}
}

func TestListenerThatPanicsIsTold(t *testing.T) {
	t.Parallel()
	failed := make(chan string, 1)
	w := newWorld(t, stream.Options{Failed: func(text string) { failed <- text }})
	defer w.Subscribe(func(*event.Event) { panic("broken") })()
	w.Tell(w.say("a"))
	if got := <-failed; got != "a listener failed at say: broken" {
		t.Error(got)
	}
	w.want(t, "a")
}

func TestObserversGetOutputAsItIsShown(t *testing.T) {
	t.Parallel()
	var heard []string
	w := newWorld(t, stream.Options{Observe: func(ev *event.Event) {
		heard = append(heard, ev.Text("chunk"))
	}}, `pin-\d+`)
	w.TellOutput(w.output("a pi"))
	w.TellOutput(w.output("n-77 b"))
	w.EndOutput("1")
	w.mu.Lock()
	got, all := strings.Join(w.seen, ""), strings.Join(heard, "")
	w.mu.Unlock()
	if got != "a [redacted:pin] b" || all != got {
		t.Errorf("seen %q, heard %q", got, all)
	}
}

func TestStreamAndObserversHaveOneOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stream.Options{})
	var heard []string
	var tellers sync.WaitGroup
	for i := range 8 {
		tellers.Add(1)
		go func() {
			defer tellers.Done()
			for n := range 50 {
				text := fmt.Sprint(i, "-", n)
				w.InOrder(w.say(text), func() { heard = append(heard, text) })
			}
		}()
	}
	tellers.Wait()
	w.want(t, strings.Join(heard, "|"))
}
