// This file checks the program against the table of events: every event fires, and everything that
// a handler may return takes effect. The runs that cause this are in scenarios_*_test.go.

package main

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
)

// TestEveryEventFires runs the program so that each event of the table fires, and checks what a
// handler sees of it.
func TestEveryEventFires(t *testing.T) {
	t.Parallel()
	for _, row := range spec.Events() {
		s, ok := fires[row.Name]
		if !ok {
			t.Errorf("%s: no scenario fires it", row.Name)
			continue
		}
		for _, lang := range languages {
			t.Run(row.Name+"/"+lang, func(t *testing.T) {
				d := s.run(t, lang, row.Name)
				checkFired(t, d, &row, s, lang)
			})
		}
	}
	for name := range fires {
		if !isEvent(name) {
			t.Errorf("%s: a scenario for an unknown event", name)
		}
	}
}

// checkFired checks the events that the handler logged.
func checkFired(t *testing.T, d *drive, row *event.Row, s scenario, lang string) {
	t.Helper()
	name := row.Name
	if s.on != "" {
		name = s.on
	}
	seen := d.seen("h."+lang, name)
	if len(seen) == 0 {
		t.Fatalf("it did not fire; all events:\n%.6000s", d.lines.String())
	}
	// the stream reports the decisions of guards as tool_approval and tool_skipped
	if len(d.fired(name)) == 0 && name != "guard" {
		t.Errorf("scripts saw it, but it is not in the user's stream")
	}
	for _, ev := range seen {
		if wrong := checkFields(row, ev); len(wrong) > 0 {
			t.Errorf("%s", strings.Join(wrong, "; "))
		}
	}
	for _, ev := range d.fired("script_error") {
		if ev.Text("script") == "h."+lang {
			t.Errorf("the handler failed: %s", ev.Text("message"))
		}
	}
	checkLines(t, d.lines.String())
	for _, c := range s.sees {
		d.check(c)
	}
}

func isEvent(name string) bool {
	for _, row := range spec.Events() {
		if row.Name == name {
			return true
		}
	}
	return false
}

// TestEveryOutcomeIsHonoured returns each key that the table permits, and checks its effect: on the
// requests to the model, on what the user sees, on the session file, and on a session that is
// resumed later.
func TestEveryOutcomeIsHonoured(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, row := range spec.Events() {
		for _, key := range row.Returns {
			known[row.Name+"."+key] = true
			s, ok := effects[row.Name+"."+key]
			if !ok {
				t.Errorf("%s.%s: no scenario shows its effect", row.Name, key)
				continue
			}
			runEffect(t, row.Name, key, s)
		}
		if len(row.Returns) > 0 {
			runEffect(t, row.Name, "notify", notifying(fires[row.Name]))
		}
	}
	for name := range effects {
		if !known[name] {
			t.Errorf("%s: a scenario for a key that may not be returned", name)
		}
	}
}

func runEffect(t *testing.T, event, key string, s scenario) {
	for _, lang := range languages {
		t.Run(event+"."+key+"/"+lang, func(t *testing.T) {
			if len(s.does) == 0 && fires[event].does != nil {
				s.does = fires[event].does
			}
			if len(s.sees) == 0 {
				t.Fatal("the scenario checks nothing")
			}
			d := s.run(t, lang, event)
			for _, ev := range d.fired("script_error") {
				t.Errorf("a script failed: %s", scriptError(ev))
			}
			for _, c := range s.sees {
				d.check(c)
			}
		})
	}
}

// notifying returns the scenario with a handler that also sends a notification to the user.
func notifying(s scenario) scenario {
	s.returns, s.body, s.times = map[string]any{"notify": "pssst"}, body{}, 1
	s.sees = []string{`user: \[h\.(lua|js)\] info: pssst`, `json: "message":"pssst"`}
	return s
}
