package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// TestPreview: the question shows the tool's preview of the call, with the final arguments.
func TestPreview(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		preview func(ctx context.Context, use *engine.Use) (*ui.Preview, error)
		want    *ui.Preview
	}{
		"none": {nil, nil},
		"shown": {func(_ context.Context, use *engine.Use) (*ui.Preview, error) {
			n, _ := value.Number(use.Args["n"])
			return &ui.Preview{Note: value.NumberText(n)}, nil
		}, &ui.Preview{Note: "1"}},
		"fails": {func(context.Context, *engine.Use) (*ui.Preview, error) {
			return nil,
				errors.New("no such file")
		}, &ui.Preview{Fails: "no such file"}},
		"panics": {func(context.Context, *engine.Use) (*ui.Preview, error) { panic("boom") },
			&ui.Preview{Fails: "internal error: boom"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *engine.Options) { o.Tools[1].Preview = tt.preview })
			w.script("rewrite.fake", func(l *fakeLoad) { l.on("tool_call", behaviours["rewrite"]) })
			w.dispatch("work", mode(event.PermissionDefault))
			if len(w.questions) != 1 {
				t.Fatalf("got %d questions", len(w.questions))
			}
			if got := w.questions[0].Preview; (got == nil) != (tt.want == nil) || got != nil &&
				*got != *tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestPreviewDeadline: if the disk does not respond to a preview, the call ends at the tool's
// deadline.
func TestPreviewDeadline(t *testing.T) {
	t.Parallel()
	free := make(chan struct{})
	defer close(free)
	ctx, cancel := context.WithCancel(context.Background())
	bounded := false
	w := newWorld(t, func(o *engine.Options) {
		o.Tools[1].Preview = func(ctx context.Context, _ *engine.Use) (*ui.Preview, error) {
			_, bounded = ctx.Deadline()
			cancel() // stands for the deadline
			<-free
			return nil, nil
		}
	})
	r := w.Dispatch(ctx, &engine.Call{ID: "c", Tool: "work", Origin: "model",
		Env: &event.Envelope{Permission: event.PermissionDefault}})
	if r.Skipped == "" || !bounded {
		t.Errorf("got %+v, with a deadline %v", r, bounded)
	}
}
