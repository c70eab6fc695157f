package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

// fakeFence keeps programs from paths in /kept, which can be lifted, and in /never.
type fakeFence struct{}

func (fakeFence) Refuses(_ string, reads, writes []string) (noReads, noWrites []string) {
	free := func(path string) bool {
		return !strings.HasPrefix(path, "/kept/") && !strings.HasPrefix(path, "/never/")
	}
	return slices.DeleteFunc(slices.Clone(reads), free),
		slices.DeleteFunc(slices.Clone(writes), free)
}

func (fakeFence) CanLift(_ string, reads, writes []string) ([]string, error) {
	for _, path := range append(reads, writes...) {
		if strings.HasPrefix(path, "/never/") {
			return nil, errors.New("there is a reason")
		}
	}
	return []string{"/kept"}, nil
}

func (fakeFence) Holds(what, glob string) bool { return what == "writes" && glob == ".env" }
func (fakeFence) Keeps(path string) bool       { return strings.HasPrefix(path, "/kept/") }

// namedTouch reads and writes the files that the arguments name.
type namedTouch struct {
	fakeTouch
	reads, writes []string
}

func (n namedTouch) Reads() []string    { return n.reads }
func (n namedTouch) Writes() []string   { return n.writes }
func (namedTouch) Unknown() bool        { return false }
func (namedTouch) CanWrite(string) bool { return false }

// answers is a user who gives the same answer to each question.
type answers struct {
	engine.Answer
	asked []string
}

func (a *answers) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	text := ""
	for _, one := range q.Asks {
		text += one.Text + "; "
	}
	a.asked = append(a.asked, text)
	return a.Answer, nil
}

// TestLift: what the sandbox refuses, and the user approves, can be done by that call alone; a call
// is refused without a question if that is impossible.
func TestLift(t *testing.T) {
	t.Parallel()
	const lifts = "with your yes, the sandbox lets this call write "
	yes, no := engine.Answer{Allow: true}, engine.Answer{}
	edited := engine.Answer{Allow: true, Args: map[string]any{"write": "/p/b"}}
	more := engine.Answer{Allow: true, Args: map[string]any{"write": "/kept/c"}}
	for _, tt := range []struct {
		name        string
		mode        event.Permission
		args        map[string]any
		answer      engine.Answer
		asked, told string // what is asked and what the model is told; "" = nothing
		lifted      string
	}{
		{"protected", event.PermissionYolo, map[string]any{"write": "/kept/guard"}, yes,
			"it is protected; " + lifts + "/kept/guard", "", "/kept/guard"},
		{"no", event.PermissionYolo, map[string]any{"write": "/kept/guard"}, no,
			"it is protected; " + lifts + "/kept/guard", "refused by the user", ""},
		{"never", event.PermissionYolo, map[string]any{"write": "/never/guard"}, yes, "",
			"the sandbox would not let this call write /never/guard, and cannot be lifted for " +
				"that alone (there is a reason); if it has to be, ask the user", ""},
		{"nothing asks", event.PermissionYolo, map[string]any{"write": "/kept/a"}, yes, "", "", ""},
		{"routine", event.PermissionDefault, map[string]any{"write": "/kept/a", "read": "/kept/b"},
			yes, "run (kind other) asks for approval in permission mode default; " + lifts +
				"/kept/a, and read /kept/b", "", "/kept/b /kept/a"},
		{"in the project", event.PermissionDefault, map[string]any{"write": "/p/a"}, yes,
			"run (kind other) asks for approval in permission mode default; ", "", ""},
		{"outside", event.PermissionYolo, map[string]any{"write": "/kept/guard", "out": true}, yes,
			"it is protected; the command would run outside", "", ""},
		{"edited", event.PermissionDefault, map[string]any{"write": "/kept/a"}, edited,
			lifts + "/kept/a", "", ""},
		// the user's own words are put to him only if they need more of the sandbox
		{"edited to more", event.PermissionDefault, map[string]any{"write": "/p/a"}, more,
			"permission mode default; \n" + lifts + "/kept/c", "", "/kept/c"},
		{"edited to other", event.PermissionDefault, map[string]any{"write": "/kept/a"}, more,
			lifts + "/kept/a, and make new files in /kept; \n" + lifts + "/kept/c", "",
			"/kept/c"},
	} {
		for _, server := range []bool{false, true} {
			asked, lifted := &answers{Answer: tt.answer}, ""
			tool := &engine.Tool{Name: "run", Kind: "other", Run: func(_ context.Context,
				use *engine.Use) (*engine.Result, error) {
				reads, writes := use.Lifted()
				lifted = strings.Join(append(reads, writes...), " ")
				return engine.TextResult("done"), nil
			}, Sandbox: &engine.Sandbox{Fence: fakeFence{}, Lifts: !server,
				Otherwise: "ask the user",
				Confinement: func(args map[string]any) engine.Confinement {
					if args["out"] == true {
						return engine.Outside
					}
					return engine.Sealed
				}}}
			e, err := engine.New(engine.Options{Events: spec.Events(), Tools: []*engine.Tool{tool},
				Approver: asked,
				Protect: func(c *engine.Call, t engine.Touched, _ []string) engine.Protection {
					if strings.HasSuffix(value.Text(c.Args, "write"), "guard") {
						return engine.Protection{Asks: "it is protected"}
					}
					return engine.Protection{}
				},
				Touch: func(_ context.Context, c *engine.Call, _ *engine.Tool) engine.Touched {
					n := namedTouch{writes: []string{value.Text(c.Args, "write")}}
					if path := value.Text(c.Args, "read"); path != "" {
						n.reads = []string{path}
					}
					return n
				}})
			if err != nil {
				t.Fatal(err)
			}
			r := e.Dispatch(context.Background(), &engine.Call{ID: "1", Tool: "run", Args: tt.args,
				Origin: "model", Env: &event.Envelope{Permission: tt.mode}})
			told, got := chat.PlainText(r.Content), strings.Join(asked.asked, "\n")
			e.Close()
			if server {
				protected := strings.HasSuffix(value.Text(tt.args, "write"), "guard") &&
					tt.args["out"] == nil
				if lifted != "" || strings.Contains(got, "sandbox lets") ||
					protected != strings.Contains(told, "its program runs already") {
					t.Errorf("%s, a server: asked %q, told %q, lifted %q", tt.name, got, told,
						lifted)
				}
				continue
			}
			want := tt.told
			if want == "" {
				want = "done"
			}
			if !strings.Contains(got, tt.asked) || (tt.asked == "") != (got == "") ||
				!strings.Contains(told, want) || lifted != tt.lifted ||
				len(asked.asked) > 1+strings.Count(tt.asked, "\n") {
				t.Errorf("%s: asked %q, told %q, lifted %q", tt.name, got, told, lifted)
			}
		}
	}
}

// TestLiftOfTheSession: an answer for the session covers the same call with the same lift, and what
// is lifted may make files beside those that it writes.
func TestLiftOfTheSession(t *testing.T) {
	t.Parallel()
	user, lifted := &answers{Answer: engine.Answer{Allow: true, Session: true}}, []string{}
	tool := &engine.Tool{Name: "run", Kind: "other", Run: func(_ context.Context, use *engine.Use) (
		*engine.Result, error) {
		_, writes := use.Lifted()
		lifted = append(lifted, strings.Join(writes, " "))
		return engine.TextResult("done"), nil
	}, Sandbox: &engine.Sandbox{Fence: fakeFence{}, Lifts: true,
		Confinement: func(map[string]any) engine.Confinement { return engine.Sealed }}}
	e, err := engine.New(engine.Options{Events: spec.Events(), Tools: []*engine.Tool{tool},
		Approver: user,
		MayWrite: func(string) bool { return false },
		Touch: func(_ context.Context, c *engine.Call, _ *engine.Tool) engine.Touched {
			return namedTouch{writes: []string{value.Text(c.Args, "write")}}
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, path := range []string{"/p/a", "/kept/a", "/kept/a", "/kept/b"} {
		e.Dispatch(context.Background(), &engine.Call{ID: "1", Tool: "run", Origin: "model",
			Args: map[string]any{"write": path}, Env: &event.Envelope{Permission: "default"}})
		now := time.Now()
		tool, _ := e.ChangedBy("/kept/guard", now, now, 0)
		if path == "/p/a" && tool != "" {
			t.Errorf("%s may have written what the sandbox keeps from it", tool)
		}
	}
	if len(user.asked) != 3 || !slices.Equal(lifted, []string{"", "/kept/a", "/kept/a",
		"/kept/b"}) {
		t.Errorf("asked %q, lifted %q", user.asked, lifted)
	}
	if who, _ := e.ChangedBy("/kept/guard", time.Now(), time.Now(), 1e12); who != "the tool run" {
		t.Error("what is lifted may have made a file beside, and did not count")
	}
}
