package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// TestProtectionAsks: calls that change protected files ask in every mode, and accept-edits covers
// only edits that Protect allows.
func TestProtectionAsks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode   event.Permission
		path   string
		origin string
		want   string // what is asked; "" = nothing
	}{
		{event.PermissionAcceptEdits, "src/a", "model", ""},
		{event.PermissionAcceptEdits, "guard", "model", "it is protected"},
		{event.PermissionAcceptEdits, "outside", "model",
			"put (kind edit) asks for approval in permission mode accept-edits: it is outside"},
		{event.PermissionYolo, "guard", "model", "it is protected"},
		{event.PermissionYolo, "outside", "model", ""},
		{event.PermissionYolo, "guard", "user", ""},
		{event.PermissionYolo, "panic", "model",
			"it is unknown whether this changes protected files"},
		{event.PermissionDefault, "outside", "model",
			"put (kind edit) asks for approval in permission mode default: it is outside"},
		{event.PermissionDefault, "src/a", "model",
			"put (kind edit) asks for approval in permission mode default"},
	} {
		ran := false
		put := &Tool{Name: "put", Kind: "edit", Run: func(context.Context, *Use) (*Result,
			error) {
			ran = true
			return TextResult("done"), nil
		}}
		protect := func(c *Call, _ Touched, _ []string) Protection {
			switch value.Text(c.Args, "path") {
			case "guard":
				return Protection{Asks: "it is protected", Edits: "it is protected"}
			case "outside":
				return Protection{Edits: "it is outside"}
			case "panic":
				panic("oh")
			}
			return Protection{}
		}
		e, err := New(Options{Tools: []*Tool{put}, Protect: protect})
		if err != nil {
			t.Fatal(err)
		}
		r := e.Dispatch(context.Background(), &Call{ID: "1", Tool: "put",
			Args: map[string]any{"path": tt.path}, Origin: tt.origin,
			Env: &event.Envelope{Permission: tt.mode}})
		if text := chat.PlainText(r.Content); (tt.want == "") != ran ||
			!strings.Contains(text, tt.want) {
			t.Errorf("%s %s by %s: ran %v, got %q, want %q", tt.mode, tt.path, tt.origin, ran, text,
				tt.want)
		}
		e.Close()
	}
}

// keepingFence keeps programs from writing what is in /kept.
type keepingFence struct{ Fence }

func (keepingFence) Keeps(path string) bool { return strings.HasPrefix(path, "/kept/") }

// TestProtectionPerhaps: nobody is asked about protected files that a program may change, if the
// sandbox keeps it from all of them.
func TestProtectionPerhaps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		how     Confinement
		perhaps []string
		asks    bool
	}{
		{Sealed, []string{"/kept/a", "/kept/b"}, false},
		{Sealed, []string{"/kept/a", "/b"}, true},
		{Sealed, nil, true}, // it certainly changes them
		{Confined, []string{"/kept/a"}, true},
		{Outside, []string{"/kept/a"}, true},
	} {
		run := &Tool{Name: "run", Run: func(context.Context, *Use) (*Result, error) {
			return TextResult("done"), nil
		}, Sandbox: &Sandbox{Fence: keepingFence{},
			Confinement: func(map[string]any) Confinement { return tt.how }}}
		e, err := New(Options{Tools: []*Tool{run}, Protect: func(*Call, Touched,
			[]string) Protection {
			return Protection{Asks: "it may be protected", Perhaps: tt.perhaps}
		}})
		if err != nil {
			t.Fatal(err)
		}
		r := e.Dispatch(context.Background(), &Call{ID: "1", Tool: "run", Origin: "model",
			Env: &event.Envelope{Permission: event.PermissionYolo}})
		e.Close()
		if text := chat.PlainText(r.Content); tt.asks != strings.Contains(text,
			"it may be protected") {
			t.Errorf("%+v: got %q", tt, text)
		}
	}
}

// TestCancelledWhileFilesAreChecked: the user can cancel a call while the disk does not respond.
func TestCancelledWhileFilesAreChecked(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	defer close(hang)
	ctx, cancel := context.WithCancel(context.Background())
	put := &Tool{Name: "put", Kind: "edit", Run: func(context.Context, *Use) (*Result,
		error) {
		return TextResult("done"), nil
	}}
	e, err := New(Options{Tools: []*Tool{put}, Protect: func(*Call, Touched,
		[]string) Protection {
		return Protection{}
	},
		Touch: func(context.Context, *Call, *Tool) Touched {
			cancel()
			<-hang
			return &unknownTouched{}
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := e.Dispatch(ctx, &Call{ID: "1", Tool: "put", Args: map[string]any{}, Origin: "model",
		Env: &event.Envelope{Permission: event.PermissionYolo}})
	if !r.IsError {
		t.Errorf("got %q, want that it was cancelled", chat.PlainText(r.Content))
	}
}
