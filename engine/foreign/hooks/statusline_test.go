package hooks_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

// status returns a hooks.json with a status line.
func status(fields string) string {
	return `{"hooks": {}, "statusLine": {"type": "command", ` + fields + `}}`
}

// TestStatusLine: what the command writes is shown at the foot of the screen, and the last answer
// stays if it fails.
func TestStatusLine(t *testing.T) {
	t.Parallel()
	w := newRig(t)
	w.env.Interactive, w.env.Model = true, "p/some-model"
	w.env.Window = func() map[string]any {
		return map[string]any{"tokens": 500, "limit": 1000, "percent": 49.6}
	}
	w.env.Cost = func() float64 { return 0.25 }
	w.put("hooks.json", status(`"command": "cat >in; test ! -e fail && cat line"`), 0o644)
	w.write("line", "\x1b[31mone\x1b[0m\n\ntwo\nthree\nfour\n")
	w.begin()
	w.fires(event.SessionStart{Cause: "new"})
	w.eventually("the line", func() bool { return w.footer() == "one|two|three" })
	in := w.input()
	if in["cwd"] != w.dir || in["version"] != "9.8.7" ||
		in["model"].(map[string]any)["id"] != "some-model" ||
		in["cost"].(map[string]any)["total_cost_usd"] != 0.25 ||
		in["context_window"].(map[string]any)["remaining_percentage"] != 50.0 {
		t.Errorf("got %v", in)
	}
	w.write("fail", "")
	w.fires(event.TurnEnd{Cause: "normal"})
	w.eventually("the failure in the log", func() bool {
		return strings.Contains(w.logged(), "statusLine: it failed with exit code 1")
	})
	if got := w.footer(); got != "one|two|three" {
		t.Errorf("got %q", got)
	}
	w.put("hooks.json", `{"hooks": {}}`, 0o644)
	w.eventually("its end", func() bool { return w.footer() == "" })
}

// TestStatusLineOfRunWithoutScreen: without a screen the command does not run.
func TestStatusLineOfRunWithoutScreen(t *testing.T) {
	t.Parallel()
	w := newRig(t).put("hooks.json", status(`"command": "cat >in"`), 0o644).begin()
	w.fires(event.SessionStart{Cause: "new"})
	w.loader.Close()
	w.engine.Close()
	if w.heard("in") != "" || w.footer() != "" {
		t.Errorf("got %q, %q", w.heard("in"), w.footer())
	}
}

// TestWrongStatusLine: a mistake is named with its place.
func TestWrongStatusLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"hooks": {}, "statusLine": 7}`:                       "line 1: statusLine: got number",
		`{"hooks": {}, "statusLine": {"type": "prompt"}}`:      "statusLine.type: want command",
		status(`"command": ""`):                                "statusLine.command: want text",
		`{"hooks": {}, "statusLine": {"command": "echo one"}}`: "statusLine.type: want command",
	} {
		w := newRig(t).put("hooks.json", text, 0o644).begin()
		w.wantTold(want)
	}
}
