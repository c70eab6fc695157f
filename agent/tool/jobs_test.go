//go:build unix

package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
)

// jobWorld calls tools that share jobs.
type jobWorld struct {
	t   *testing.T
	o   Options
	dir string
}

func newJobWorld(t *testing.T) *jobWorld { return &jobWorld{t, testOptions(t), t.TempDir()} }

func (w *jobWorld) call(name string, args map[string]any) *engine.Result {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return callWith(ctx, w.t, w.o, w.dir, name, args, nil)
}

// start starts a command and returns its job and process id.
func (w *jobWorld) start(command string) (id string, pid int) {
	w.t.Helper()
	r := w.call("bash", map[string]any{"command": command, "background": true})
	if r.IsError {
		w.t.Fatal(text(r))
	}
	return r.Details["job"].(string), r.Details["pid"].(int)
}

func (w *jobWorld) everyAgent(string) bool { return true }

func TestJob(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	id, pid := w.start("echo one; while [ ! -e go ]; do sleep 0.01; done; echo two >&2; exit 3")
	var got string
	eventually(t, "the first output", func() bool {
		got = text(w.call("job", map[string]any{"id": id}))
		return strings.HasSuffix(got, "\none\n")
	})
	if !strings.HasPrefix(got, "job j1, running for ") ||
		!strings.Contains(got, fmt.Sprintf("pid %d: echo one;", pid)) {
		t.Errorf("got %s", got)
	}
	expect(t, w.call("job", map[string]any{"id": id}), "~\n[no new output]")
	if notes := w.o.Jobs.Ended(w.everyAgent); notes != nil {
		t.Errorf("got %q for a running job", notes)
	}
	put(t, w.dir, "go", "")
	r := w.call("job", map[string]any{"id": id, "wait": 60.0})
	expect(t, r, "~: exit code 3: echo one;")
	expect(t, r, "~\ntwo\n")
	if r.Details["exit_code"] != 3 || r.Details["running"] != false {
		t.Errorf("got %v", r.Details)
	}
	if notes := w.o.Jobs.Ended(w.everyAgent); notes != nil {
		t.Errorf("got %q although its output was seen", notes)
	}
	if full := get(t, r.Details["output"].(string)); full != "one\ntwo\n" {
		t.Errorf("got %q in the file", full)
	}
}

func TestEndedJobsAreReportedOnce(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	w.start("echo x; false")
	var notes []string
	nobody := func(string) bool { return false }
	eventually(t, "the note", func() bool {
		notes = append(w.o.Jobs.Ended(nobody), w.o.Jobs.Ended(w.everyAgent)...)
		return len(notes) > 0
	})
	if len(notes) != 1 || !strings.Contains(notes[0],
		": exit code 1: echo x; false\n2 bytes of its output are new: job {\"id\": \"j1\"}") {
		t.Errorf("got %q", notes)
	}
	if again := w.o.Jobs.Ended(w.everyAgent); again != nil {
		t.Errorf("got %q again", again)
	}
}

func TestJobErrors(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	expect(t, w.call("job", map[string]any{"id": "j1"}), "!no job in this session")
	expect(t, w.call("job", nil), "[no jobs]")
	w.start("sleep 300")
	expect(t, w.call("job", map[string]any{"id": "j7"}), `!got "j7"; there is j1`)
	for range jobsMost - 1 {
		w.start("sleep 300")
	}
	expect(t, w.call("bash", map[string]any{"command": "true", "background": true}),
		"!16 are the most")
	if got := text(w.call("job", nil)); strings.Count(got, ": sleep 300\n") != jobsMost {
		t.Errorf("got %s", got)
	}
	expect(t, w.call("bash", map[string]any{"command": "true", "background": true, "cwd": "zz"}),
		"!no such file")
	w.o.Jobs = nil
	expect(t, w.call("bash", map[string]any{"command": "true", "background": true}),
		"!leave background out")
	expect(t, w.call("job", nil), "!nothing runs in the background here")
}

func TestJobTimeout(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	r := w.call("bash", map[string]any{"command": "sleep 300", "background": true, "timeout": 0.1})
	expect(t, w.call("job", map[string]any{"id": r.Details["job"], "wait": 60.0}),
		"~timed out after 100ms: the command and its children were killed")
}

func TestEndOfSessionKillsJobs(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	const command = `trap '' TERM; (trap '' TERM; echo $BASHPID > child; sleep 300; sleep 300) & ` +
		`echo $$ > parent; sleep 300; sleep 300`
	w.start(command)
	eventually(t, "the processes", func() bool {
		return pid(w.dir, "child") != 0 &&
			pid(w.dir, "parent") != 0
	})
	w.o.Jobs.End()
	for _, who := range []string{"parent", "child"} {
		eventually(t, "the end of "+who, func() bool { return !alive(pid(w.dir, who)) })
	}
	expect(t, w.call("job", nil), "[no jobs]")
	if notes := w.o.Jobs.Ended(w.everyAgent); notes != nil {
		t.Errorf("got %q of another session", notes)
	}
	if id, _ := w.start("true"); id != "j2" {
		t.Errorf("got %s: ids must not repeat", id)
	}
	w.o.Jobs.Close()
	expect(t, w.call("bash", map[string]any{"command": "true", "background": true}),
		"!the program is ending")
}

func TestKillCommandOfJob(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	r := w.call("bash", map[string]any{"command": "sleep 300 & sleep 300", "background": true})
	_, kill, _ := strings.Cut(text(r), "end it with bash: ")
	expect(t, w.call("bash", map[string]any{"command": kill}), "[no output]")
	expect(t, w.call("job", map[string]any{"id": "j1", "wait": 60.0}),
		"~ended by a signal: signal: terminated")
}

func TestLongOutputOfJob(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	id, _ := w.start("seq 1 100000")
	got := text(w.call("job", map[string]any{"id": id, "wait": 60.0}))
	if !strings.Contains(got, " bytes are left out here; the whole output is in "+w.o.dir(t)) ||
		!strings.HasSuffix(got, "\n100000\n") {
		t.Errorf("got %.300s", got)
	}
}

func (o Options) dir(t *testing.T) string {
	t.Helper()
	f, err := o.Output.Create("probe")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	os.Remove(f.Path())
	return filepath.Dir(f.Path())
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: timed out", what)
		}
	}
}
