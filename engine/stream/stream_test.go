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

// world is a stream with a listener that records what it gets.
type world struct {
	*stream.Stream
	events *event.Table

	mu    sync.Mutex
	seen  []string
	leave func() // ends the subscription
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
	w.leave = w.Subscribe(nil, func(ev *event.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = append(w.seen, ev.Text("markdown")+ev.Text("chunk"))
	})
	t.Cleanup(w.leave)
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

func TestListenersGetEventsInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stream.Options{})
	var second []string
	leave := w.Subscribe(nil, func(ev *event.Event) {
		second = append(second, ev.Text("markdown"))
	})
	w.Tell(w.say("a"))
	w.Tell(w.say("b"))
	leave()
	leave()
	w.Tell(w.say("c"))
	w.want(t, "a|b|c")
	if got := strings.Join(second, "|"); got != "a|b" {
		t.Errorf("the listener that unsubscribed has seen %q", got)
	}
}

func TestPanicOfListenerIsReported(t *testing.T) {
	t.Parallel()
	failed := make(chan string, 1)
	w := newWorld(t, stream.Options{Failed: func(text string) { failed <- text }})
	defer w.Subscribe(nil, func(*event.Event) { panic("broken") })()
	w.Tell(w.say("a"))
	if got := <-failed; got != "a listener failed at say: broken" {
		t.Error(got)
	}
	w.want(t, "a")
}

func TestObserversGetMaskedOutput(t *testing.T) {
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

func TestListenersAndObserversGetSameOrder(t *testing.T) {
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

// TestListenersGetWhatTheyWant checks that each listener gets the events that it wants, in the
// order of the stream, and that an event without listeners is not delivered, and is known to be
// unwanted before it is made.
func TestListenersGetWhatTheyWant(t *testing.T) {
	t.Parallel()
	w := &world{Stream: stream.New(stream.Options{Mask: redact.NewMask(nil)})}
	var err error
	if w.events, err = event.NewTable(spec.Events(), time.Now, nil, nil); err != nil {
		t.Fatal(err)
	}
	var only, except []string
	add := func(list *[]string) func(*event.Event) {
		return func(ev *event.Event) { *list = append(*list, ev.Name()) }
	}
	leave := w.Subscribe(event.Only("say", "hook_finished"), add(&only))
	defer w.Subscribe(event.Except("hook_finished", "notification"), add(&except))()
	names := []string{"say", "hook_finished", "custom:x", "notification", "say"}
	tell := func() {
		for _, name := range names {
			w.Tell(w.events.Named(name, nil, nil))
		}
	}
	tell()
	if got := fmt.Sprint(only, except); got != "[say hook_finished say] [say custom:x say]" {
		t.Error(got)
	}
	if !w.Wants("hook_finished") || w.Wants("notification") || !w.Wants("custom:x") {
		t.Error("wrong wants")
	}
	leave()
	only = nil
	tell()
	if w.Wants("hook_finished") || len(only) > 0 {
		t.Errorf("after leaving: %v", only)
	}
}

// TestUnwantedEndEndsText: the rest of a text is delivered, masked, when its end comes, even to a
// listener that does not want the event of the end.
func TestUnwantedEndEndsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, stream.Options{}, `pin-\d+`)
	var seen strings.Builder
	defer w.Subscribe(event.Only("message_delta"), func(ev *event.Event) {
		seen.WriteString(ev.Text("delta"))
	})()
	w.leave()
	w.Tell(w.events.Named("message_delta", nil, map[string]any{"message_id": "m", "kind": "text",
		"delta": "a pin-77"}))
	w.Tell(w.events.Named("message_end", nil, map[string]any{"message_id": "m"}))
	w.Flush(context.Background())
	if got := seen.String(); strings.Contains(got, "77") || !strings.HasPrefix(got, "a ") ||
		len(got) <= len("a ") {
		t.Errorf("seen %q", got)
	}
}
