package engine_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/subject"
)

// TestChangedBy: while a tool runs and shortly after, it may have written the files that its call
// names, or any file if they are unknown. Calls of the user are reported as the user's.
func TestChangedBy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, origin string
		who          string
		user         bool
		about        *subject.Subject
	}{
		{file: "/s/a.lua", who: "the tool work"},
		{file: "/s/b.lua", about: &subject.Subject{Kind: subject.Command}},
		{file: "?", who: "the tool work", about: &subject.Subject{Kind: subject.Command}},
		{file: "/s/b.lua", about: &subject.Subject{Kind: subject.URL}},
		{file: "/s/b.lua"},
		{file: "?", who: "the tool work"},
		{file: "panic", who: "the tool work"},
		{file: "?", origin: "user", who: "the tool work", user: true},
		{file: "/s/b.lua", origin: "user"},
	} {
		w := newWorld(t, withFakeTouch(&atomic.Int32{}), func(o *engine.Options) {
			if o.Tools[1].Subject = tt.about; tt.about == nil {
				o.Tools[1].Subject = &subject.Subject{Kind: subject.Path}
			}
		})
		var who string
		var user bool
		began := time.Now()
		w.running = func() { who, user = w.ChangedBy("/s/a.lua", time.Now(), time.Now(), 0) }
		w.dispatch("work", mode(event.PermissionYolo), func(c *engine.Call) {
			c.Origin, c.Args = tt.origin, map[string]any{"file": tt.file}
		})
		if who != tt.who || user != tt.user {
			t.Errorf("%+v: got %q, user %v", tt, who, user)
		}
		if who, _ := w.ChangedBy("/s/a.lua", time.Now(), time.Now(), time.Hour); who != tt.who {
			t.Errorf("%+v: got %q afterwards", tt, who)
		}
		for _, at := range []time.Time{began.Add(-time.Second), time.Now().Add(time.Second)} {
			if who, _ := w.ChangedBy("/s/a.lua", at, at, time.Millisecond); who != "" {
				t.Errorf("%+v: got %q for %s", tt, who, at.Sub(began))
			}
		}
		before, later := began.Add(-time.Second), time.Now().Add(time.Second)
		if who, _ := w.ChangedBy("/s/a.lua", before, later, 0); who != tt.who {
			t.Errorf("%+v: got %q for an interval that contains the call", tt, who)
		}
	}
}

// TestToolWithoutSubject: a tool without a Subject may have written any file, also while a
// background job of its call runs.
func TestToolWithoutSubject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withFakeTouch(&atomic.Int32{}))
	var ended func()
	w.using = func(u *engine.Use) { ended = u.Continues() }
	w.dispatch("work", mode(event.PermissionYolo), func(c *engine.Call) {
		c.Args = map[string]any{"file": "/s/b.lua"}
	})
	if who, _ := w.ChangedBy("/s/a.lua", time.Now(), time.Now(), 0); who != "the tool work" {
		t.Errorf("got %q while its job runs", who)
	}
	ended()
	ended()
	if who, _ := w.ChangedBy("/s/a.lua", time.Now(), time.Now(), 0); who != "" {
		t.Errorf("got %q after the job has ended", who)
	}
}

// TestChangedByWhatACallLeft: processes that a call has left running may have written what the call
// may have written, until they have ended, and so does the time after that. Other agents are told
// that they run if they may write their scripts.
func TestChangedByWhatACallLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, origin string
		confined     bool
		want         string
		heard        []bool
	}{
		{file: "?", want: "sleep (pid 7), left by the tool work,",
			heard: []bool{true, true, false, false}},
		{file: "?", origin: "user", want: "sleep (pid 7), left by the tool work,"},
		{file: "?", confined: true, heard: []bool{true, false}},
	} {
		w := newWorld(t, withFakeTouch(&atomic.Int32{}), func(o *engine.Options) {
			o.MayWrite = func(string) bool { return false }
			if tt.confined {
				o.Tools[1].Sandbox = &engine.Sandbox{
					Confinement: func(map[string]any) engine.Confinement { return engine.Sealed }}
			}
		})
		var heard []bool
		w.OnChanges(func(working bool) { heard = append(heard, working) }, "/s/a.lua")
		var ended func()
		w.using = func(u *engine.Use) { ended = u.Leaves(func() string { return "sleep (pid 7)" }) }
		w.dispatch("work", mode(event.PermissionYolo), func(c *engine.Call) {
			c.Origin, c.Args = tt.origin, map[string]any{"file": tt.file}
		})
		later := time.Now().Add(time.Hour)
		if who, user := w.ChangedBy("/s/a.lua", later, later, 0); who != tt.want ||
			user != (tt.origin == "user") {
			t.Errorf("%+v: got %q, user %v", tt, who, user)
		}
		ended()
		ended()
		if who, _ := w.ChangedBy("/s/a.lua", later, later, 0); who != "" {
			t.Errorf("%+v: got %q after its end", tt, who)
		}
		if !slices.Equal(heard, tt.heard) {
			t.Errorf("%+v: others were told %v", tt, heard)
		}
	}
}

// TestChangedInTheSandbox: a confined program has not written files that the sandbox protects.
func TestChangedInTheSandbox(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		how     engine.Confinement
		program bool // the tool has a Subject: it runs commands
		allowed string
		want    string
	}{
		{engine.Confined, false, "/p", ""}, {engine.Sealed, true, "/p", ""},
		{engine.Sealed, true, "/s", "the tool work"}, {engine.Confined, false, "/s",
			"the tool work"},
		{engine.Outside, true, "/p", "the tool work"}, {engine.Unconfined, true, "/p",
			"the tool work"},
	} {
		w := newWorld(t, withFakeTouch(&atomic.Int32{}), func(o *engine.Options) {
			o.MayWrite = func(path string) bool { return strings.HasPrefix(path, tt.allowed) }
			work := o.Tools[1]
			work.Sandbox = &engine.Sandbox{
				Confinement: func(map[string]any) engine.Confinement { return tt.how }}
			if tt.program {
				work.Subject = &subject.Subject{Kind: subject.Command}
			}
		})
		w.dispatch("work", mode(event.PermissionYolo), func(c *engine.Call) {
			c.Args = map[string]any{"file": "?"}
		})
		who, _ := w.ChangedBy("/s/a.lua", time.Now(), time.Now(), time.Hour)
		if who != tt.want {
			t.Errorf("%+v: got %q", tt, who)
		}
	}
}
