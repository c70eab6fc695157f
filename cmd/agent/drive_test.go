// This file drives the program in process: a user, a model that plays what the prompt says, and
// scripts.

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
	"github.com/agentscripts/agent/engine/ui"
)

// driveTime bounds a run, and every wait of these tests: a machine that is busy with others may be
// slow for long.
const driveTime = 3 * time.Minute

// played is the script of the model that plays.
const played = "testdata/played.lua"

// drive is one run of the program, or several, one after the other, in one home and one project.
type drive struct {
	t         testing.TB
	ctx       context.Context
	home, dir string
	app       *app
	user      *user // nil: no user is available

	out, err, lines buffer // what -p and --json show
	mu              sync.Mutex
	events          []*event.Event
	end             agent.End // of the last prompt
}

// buffer is a bytes.Buffer for several goroutines.
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

// save writes a script of the user; a name with a slash is a file of the project.
func (d *drive) save(name, text string) {
	d.t.Helper()
	if strings.Contains(name, "/") {
		d.write(filepath.Join(d.dir, name), text)
		return
	}
	d.write(filepath.Join(d.home, "scripts", name), text)
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
	fr := front{mode: "print", place: place{home: d.home, dir: d.dir},
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
		d.app.shut()
		return err
	}
	return nil
}

// input gives the program inputs one after the other, and waits for each one's end.
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

// fired returns the events of a name as they were emitted.
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

// logged returns the lines of a script's log, without time and level.
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

// requests returns what the model was sent, a line of JSON each.
func (d *drive) requests() (list []string) {
	for _, l := range d.logged(filepath.Base(played)) {
		if b, err := base64.StdEncoding.DecodeString(l); err == nil {
			list = append(list, string(b))
		}
	}
	return list
}

// seen returns what a script's handlers wrote down of the events of a name.
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

// sessions returns what the session files hold.
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

// user answers dialogs: with no, once and for all, or yes.
type user struct {
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
func (u *user) Select(context.Context, *ui.Dialog) (string, bool, error) {
	return "", false,
		nil
}
func (u *user) Many(context.Context, *ui.Dialog) ([]string, bool, error) {
	return nil, false,
		nil
}
func (u *user) Edit(context.Context, *ui.Dialog) (string, bool, error) {
	return "", false,
		nil
}
func (u *user) Input(context.Context, *ui.Dialog) (string, bool, error) {
	return "", false,
		nil
}

// change replaces a script's text, if there is such a script, and waits for the new version to be
// in force.
func (d *drive) change(name, text string) {
	d.t.Helper()
	if _, err := os.Stat(filepath.Join(d.home, "scripts", name)); err != nil {
		return
	}
	d.save(name, text)
	d.app.agent.Reload(d.ctx)
	d.app.engine.Emitter.Drain(d.ctx)
}
