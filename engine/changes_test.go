package engine_test

import (
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
		tool         string
		user         bool
		about        *subject.Subject
	}{
		{file: "/s/a.lua", tool: "work"},
		{file: "/s/b.lua", about: &subject.Subject{Kind: subject.Command}},
		{file: "?", tool: "work", about: &subject.Subject{Kind: subject.Command}},
		{file: "/s/b.lua", about: &subject.Subject{Kind: subject.URL}},
		{file: "/s/b.lua"},
		{file: "?", tool: "work"},
		{file: "panic", tool: "work"},
		{file: "?", origin: "user", tool: "work", user: true},
		{file: "/s/b.lua", origin: "user"},
	} {
		w := newWorld(t, withFakeTouch(&atomic.Int32{}), func(o *engine.Options) {
			if o.Tools[1].Subject = tt.about; tt.about == nil {
				o.Tools[1].Subject = &subject.Subject{Kind: subject.Path}
			}
		})
		var tool string
		var user bool
		began := time.Now()
		w.running = func() { tool, user = w.ChangedBy("/s/a.lua", time.Now(), time.Now(), 0) }
		w.dispatch("work", mode(event.PermissionYolo), func(c *engine.Call) {
			c.Origin, c.Args = tt.origin, map[string]any{"file": tt.file}
		})
		if tool != tt.tool || user != tt.user {
			t.Errorf("%+v: got %q, user %v", tt, tool, user)
		}
		if tool, _ := w.ChangedBy("/s/a.lua", time.Now(), time.Now(), time.Hour); tool != tt.tool {
			t.Errorf("%+v: got %q afterwards", tt, tool)
		}
		for _, at := range []time.Time{began.Add(-time.Second), time.Now().Add(time.Second)} {
			if tool, _ := w.ChangedBy("/s/a.lua", at, at, time.Millisecond); tool != "" {
				t.Errorf("%+v: got %q for %s", tt, tool, at.Sub(began))
			}
		}
		before, later := began.Add(-time.Second), time.Now().Add(time.Second)
		if tool, _ := w.ChangedBy("/s/a.lua", before, later, 0); tool != tt.tool {
			t.Errorf("%+v: got %q for an interval that contains the call", tt, tool)
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
	if tool, _ := w.ChangedBy("/s/a.lua", time.Now(), time.Now(), 0); tool != "work" {
		t.Errorf("got %q while its job runs", tool)
	}
	ended()
	ended()
	if tool, _ := w.ChangedBy("/s/a.lua", time.Now(), time.Now(), 0); tool != "" {
		t.Errorf("got %q after the job has ended", tool)
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
		{engine.Sealed, true, "/s", "work"}, {engine.Confined, false, "/s", "work"},
		{engine.Outside, true, "/p", "work"}, {engine.Unconfined, true, "/p", "work"},
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
		tool, _ := w.ChangedBy("/s/a.lua", time.Now(), time.Now(), time.Hour)
		if tool != tt.want {
			t.Errorf("%+v: got %q", tt, tool)
		}
	}
}
