package agent

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// kept returns the files of complete outputs.
func kept(t *testing.T, home string) (texts []string) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(home, "output", "*"))
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	return texts
}

// TestLongResultIsShortened checks that a result of any tool is shortened after the handlers of
// tool_result.
func TestLongResultIsShortened(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := newWorld(t, Options{Output: output.New(home)}, use("ls", "{}"))
	long := "first\n" + strings.Repeat("line\n", 3*output.Lines) + "last"
	w.on("tool_result", func(ev *event.Event) any { return map[string]any{"content": long} })
	w.prompt("go")
	got := chat.PlainText(w.requests[1].Messages[2].Content)
	if len(got) > output.Bytes+output.Room || !strings.HasPrefix(got, "first\n") ||
		!strings.HasSuffix(got, "last") {
		t.Errorf("got %d bytes: %.100s", len(got), got)
	}
	texts := kept(t, home)
	if len(texts) != 1 || texts[0] != long {
		t.Fatalf("got %d files", len(texts))
	}
	entry := w.saved().Entries()
	for _, e := range entry {
		if e.Tool != nil && !strings.Contains(got, e.Tool.Details["full_output"].(string)) {
			t.Errorf("got details %v", e.Tool.Details)
		}
	}
	w.prompt("!echo x")
	w.prompt("and now")
	if got := w.request(2); strings.Count(got, "left out here") != 2 {
		t.Errorf("the user's own command was not cut: %d bytes", len(got))
	}
}

// TestInvalidImagesOfToolsAreDropped checks that images that providers would reject are not added
// to the conversation.
func TestInvalidImagesOfToolsAreDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", "{}"))
	var pixel bytes.Buffer
	if err := png.Encode(&pixel, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	good := base64.StdEncoding.EncodeToString(pixel.Bytes())
	w.on("tool_result", func(ev *event.Event) any {
		image := func(data string) any {
			return map[string]any{"type": "image", "mime_type": "image/png", "data": data}
		}
		large := base64.StdEncoding.EncodeToString(append(pixel.Bytes(),
			make([]byte, tool.PictureBytes)...))
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": "two"},
			image(good), image(large), image(good[:20])}}
	})
	w.prompt("go")
	c := w.requests[1].Messages[2].Content
	for _, want := range []string{"two\n", "[an image is left out: the image has 3.8 MB",
		"[an image is left out: it is a broken image"} {
		if len(c) != 2 || !strings.Contains(c[0].Text, want) || c[1].Data != good {
			t.Errorf("got %d blocks, %.400v, want %q in it", len(c), c[0], want)
		}
	}
}

// TestEndedJobsAreReported runs commands in the background and checks that the next request to the
// model reports their end once.
func TestEndedJobsAreReported(t *testing.T) {
	t.Parallel()
	jobs := tool.NewJobs()
	dir := t.TempDir()
	look := use("job", `{"id":"j1","wait":60}`)
	// the request exists already, so it cannot have the note
	look.before = func(context.Context) { put(t, dir, "one") }
	w := newWorld(t, Options{Jobs: jobs, Dir: dir},
		use("bash", `{"command":"while [ ! -e one ]; do sleep 0.01; done; echo said; exit `+
			`3","background":true}`), look, answer{text: "done"},
		use("bash", `{"command":"true","background":true}`),
		use("bash", `{"command":"while [ ! -e go ]; do sleep 0.01; done","background":true}`))
	w.prompt("go")
	if got := w.request(2); !strings.Contains(got,
		": exit code 3: while [ ! -e one ]; do sleep 0.01; done; echo said; exit 3\nsaid") ||
		strings.Contains(got, "<context") {
		t.Errorf("got %s", got)
	}
	w.prompt("again")
	put(t, dir, "go")
	until(t, "the end", func() bool {
		w.prompt("and now")
		told := w.request(len(w.requests) - 1) // on a busy machine, j2 may end after j3
		return strings.Contains(told, "\njob j2, ended after ") &&
			strings.Contains(told, "\njob j3, ended after ")
	})
	w.prompt("more")
	got := w.request(len(w.requests) - 1)
	for _, id := range []string{"j2", "j3"} {
		if strings.Count(got, "job "+id+", ended after") != 1 {
			t.Errorf("%s: got %s", id, got)
		}
	}
	for _, e := range w.saved().Entries() {
		if e.Context != nil && e.Context.Lifetime != session.ForSession {
			t.Errorf("got %+v", e.Context)
		}
	}
}

// TestJobsEndWithTheSession checks that jobs end when another session begins or the program ends.
func TestJobsEndWithTheSession(t *testing.T) {
	t.Parallel()
	start := use("bash", `{"command":"sleep 300","background":true}`)
	w := newWorld(t, Options{Jobs: tool.NewJobs()}, start, answer{text: "x"}, start,
		use("job", "{}"))
	w.prompt("go")
	if err := w.agent.NewSession(w.ctx, "new", ""); err != nil {
		t.Fatal(err)
	}
	w.prompt("go")
	if got := w.request(4); !strings.Contains(got, "tool>t-job:job j2, running") ||
		strings.Contains(got, "j1") {
		t.Errorf("got %s", got)
	}
	w.agent.Close(w.ctx, "exit")
	if notes := w.agent.o.Jobs.Ended(func(string) bool { return true }); notes != nil {
		t.Errorf("got %q", notes)
	}
	bash := w.engine.Scripts.Snapshot().Tool("bash")
	if _, err := bash.Run(w.ctx,
		&engine.Use{Args: map[string]any{"command": "true", "background": true}}); err == nil ||
		!strings.Contains(err.Error(), "the program is ending") {
		t.Errorf("got %v", err)
	}
}

// TestSubAgentJobs checks that the jobs of a sub-agent continue after it, and that their end is
// reported to the main agent.
func TestSubAgentJobs(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{Jobs: tool.NewJobs()}, map[string][]answer{
		"go": {use("agent", `{"task":"start"}`), use("job", `{"id":"j1"}`)},
		"start": {use("bash",
			`{"command":"while [ ! -e go ]; do sleep 0.01; done","background":true}`),
			{text: "started"}},
	})
	w.prompt("go")
	if got := w.results("go"); !strings.Contains(got, "job j1, running") {
		t.Errorf("got %s", got)
	}
	put(t, w.agent.o.Dir, "go")
	until(t, "the note", func() bool {
		w.prompt("and now")
		return strings.Contains(w.request(len(w.requests)-1), "job j1, ended after")
	})
}
