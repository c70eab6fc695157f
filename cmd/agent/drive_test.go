// This file runs the program in this process, with a simulated user, a scripted model and scripts.

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/ui"
)

// driveTime is the timeout of a run and of every wait of these tests. It is long because the
// machine may be busy.
const driveTime = 3 * time.Minute

// played is the script that implements the scripted model.
const played = "testdata/played.lua"

// drive is one run of the program, or several in succession, with one home and one project.
type drive struct {
	t         testing.TB
	ctx       context.Context
	home, dir string
	app       *app
	user      *user // nil: no user is available

	out, err, lines buffer // the output of -p and --json
	mu              sync.Mutex
	events          []*event.Event
	end             agent.End // of the last prompt
}

// buffer is a bytes.Buffer that several goroutines may use.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newDrive(t testing.TB, files map[string]string) *drive {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), driveTime)
	t.Cleanup(cancel)
	d := &drive{t: t, ctx: ctx, home: t.TempDir(), dir: t.TempDir()}
	d.write(filepath.Join(d.dir, ".git", "HEAD"), "ref: refs/heads/trunk\n")
	for name, text := range files {
		d.save(name, text)
	}
	return d
}

func (d *drive) write(path, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// save writes a script of the user. A name with a slash is a file of the project.
func (d *drive) save(name, text string) {
	d.t.Helper()
	if strings.Contains(name, "/") {
		d.write(filepath.Join(d.dir, name), text)
		return
	}
	d.write(filepath.Join(d.home, "scripts", name), text)
}

// place is where the program runs.
func (d *drive) place() place {
	return place{home: d.home, dir: d.dir, heap: scripttest.SteadyHeap}
}

// open starts the program.
func (d *drive) open(args ...string) {
	d.t.Helper()
	if err := d.tryOpen(args...); err != nil {
		d.t.Fatal(err)
	}
}

func (d *drive) tryOpen(args ...string) error {
	flags := []string{"-e", played, "--model", "played/m"}
	if !slices.Contains(args, "--permission") {
		flags = append(flags, "--yolo")
	}
	f, err := parseFlags(append(flags, args...))
	if err != nil {
		d.t.Fatal(err)
	}
	cancel := func(error) {}
	shown := &printer{out: &d.out, err: &d.err, gone: cancel}
	lines := &printer{out: &d.lines, err: &d.lines, json: true, gone: cancel}
	fr := front{mode: "print", place: d.place(),
		emit: func(ev *event.Event) {
			d.mu.Lock()
			d.events = append(d.events, ev)
			d.mu.Unlock()
			shown.event(ev)
			lines.event(ev)
		}}
	if d.user != nil {
		fr.mode, fr.approver, fr.dialogs = "tui", d.user, d.user
	}
	if d.app, err = newApp(f, fr); err != nil {
		return err
	}
	if err := d.app.startSession(d.ctx); err != nil {
		d.app.closeScripts()
		return err
	}
	return nil
}

// input sends inputs to the program one at a time, and waits for the end of each.
func (d *drive) input(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		shown := &printer{out: &d.out, err: &d.err}
		err := d.app.work(d.ctx, text, func(e agent.End) {
			d.end = e
			shown.printResult(e)
		})
		if err != nil {
			d.t.Fatal(err)
		}
		if d.ctx.Err() != nil {
			d.t.Fatalf("%q took too long; so far:\n%s", text, d.lines.String())
		}
	}
}

// close ends the program.
func (d *drive) close() { d.app.close(d.ctx, "exit") }

// fired returns the emitted events with a given name.
func (d *drive) fired(name string) (list []*event.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, ev := range d.events {
		if ev.Name() == name {
			list = append(list, ev)
		}
	}
	return list
}

// logged returns the lines of a script's log without time and level.
func (d *drive) logged(script string) (lines []string) {
	path := filepath.Join(d.home, "logs", script+".log")
	old, _ := os.ReadFile(path + ".1")
	b, _ := os.ReadFile(path)
	for _, l := range strings.Split(string(old)+string(b), "\n") {
		if parts := strings.SplitN(l, " ", 4); len(parts) == 4 { // date, time, level
			lines = append(lines, strings.TrimLeft(parts[3], " "))
		}
	}
	return lines
}

// requests returns the requests to the model, one line of JSON each.
func (d *drive) requests() (list []string) {
	for _, l := range d.logged(filepath.Base(played)) {
		if b, err := base64.StdEncoding.DecodeString(l); err == nil {
			list = append(list, string(b))
		}
	}
	return list
}

// seen returns the events of a name that a script's handlers logged.
func (d *drive) seen(script, event string) (list []map[string]any) {
	for _, l := range d.logged(script) {
		text, ok := strings.CutPrefix(l, "event ")
		if !ok {
			continue
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			d.t.Errorf("%s wrote %.200q: %v", script, text, err)
		}
		if m["event"] == event {
			list = append(list, m)
		}
	}
	return list
}

// sessions returns the contents of the session files.
func (d *drive) sessions() string {
	var b strings.Builder
	paths, _ := filepath.Glob(filepath.Join(d.home, "sessions", "*", "*.jsonl"))
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			d.t.Error(err)
		}
		b.Write(text)
	}
	return b.String()
}

// user answers every question with yes or, if no is set, with no, and cancels other dialogs.
type user struct {
	scripttest.Cancels

	mu    sync.Mutex
	no    bool
	asked []string
}

func (u *user) ask(text string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, text)
	return !u.no
}

func (u *user) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	var text string
	for _, a := range q.Asks {
		text += fmt.Sprintln(a.Script, a.Text, a.Reason, a.Detail)
	}
	if u.ask(text) {
		return engine.Answer{Allow: true}, nil
	}
	return engine.Answer{Reason: "the user says no"}, nil
}

func (u *user) Confirm(_ context.Context, q *ui.Dialog) (bool, error) {
	return u.ask(q.Title + "\n" + q.Detail), nil
}

// change replaces a script's text, if the script exists, and waits for the new version to be in
// force.
func (d *drive) change(name, text string) {
	d.t.Helper()
	if _, err := os.Stat(filepath.Join(d.home, "scripts", name)); err != nil {
		return
	}
	d.save(name, text)
	d.app.agent.Reload(d.ctx)
	d.app.engine.Emitter.Drain(d.ctx)
}
