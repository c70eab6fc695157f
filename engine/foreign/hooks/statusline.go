// This file shows what the command of statusLine writes.

package hooks

import (
	"math"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// statusRow stands for the status line among the events.
var statusRow = row{name: "statusLine", limit: 5 * time.Second}

// mostStatus is how many lines are shown.
const mostStatus = 3

// statusEvents are the events after which the status line may say something else.
var statusEvents = []string{"session_start", "turn_end", "agent_end", "session_compact",
	"model_change", "thinking_change", "permission_change"}

// readStatus reads statusLine. What is wrong with it does not keep the hooks from running.
func (s *settings) readStatus(f *fields) {
	if f.m["statusLine"] == nil {
		return
	}
	in := &fields{mistake: &mistake{lines: f.lines}}
	in.m, in.place = (&fields{m: f.m, mistake: in.mistake}).table("statusLine"), "statusLine."
	if in.text("type") != "command" {
		in.wrong("type", "want command")
	}
	h := &hook{row: &statusRow, line: f.lines["statusLine"]}
	h.kind, h.command, h.shell = "command", in.need("command"), "sh"
	if in.err != nil {
		s.addNote(in.err.Error() + ", so no status line is shown")
		return
	}
	s.status = h
}

// registerStatus shows the status line, from now on after each of its events.
func (x *extension) registerStatus(run *engine.Run) error {
	if x.s.status == nil {
		return nil
	}
	a := x.api.At(x.s.status.line)
	for _, name := range statusEvents {
		if _, err := a.Invoke(run, "on", name, nil, a.Func(func(_ *engine.Run,
			args []any) (any, error) {
			x.refreshStatus(args[0].(*event.Event).Env())
			return nil, nil
		})); err != nil {
			return err
		}
	}
	return nil
}

// refreshStatus runs the command of the status line, and shows what it writes. It does not wait for
// it. While it runs, only the last call counts.
func (x *extension) refreshStatus(env *event.Envelope) {
	x.mu.Lock()
	defer x.mu.Unlock()
	waits := x.shows != nil
	x.shows = env
	if waits || !env.Interactive || x.ctx.Err() != nil {
		return
	}
	x.format.beside.Go(func() {
		for {
			x.mu.Lock()
			env := x.shows
			x.mu.Unlock()
			x.showStatus(env)
			x.mu.Lock()
			if x.shows == env || x.ctx.Err() != nil {
				x.shows = nil
				x.mu.Unlock()
				return
			}
			x.mu.Unlock()
		}
	})
}

// showStatus runs the command once.
func (x *extension) showStatus(env *event.Envelope) {
	run := x.api.NewRun(x.ctx, "statusLine")
	defer run.End()
	in, err := plain.JSON(x.statusInput(env), "")
	if err != nil {
		x.api.Log("warn", "statusLine: "+err.Error())
		return
	}
	o := x.runCommand(run, x.s.status, env, in)
	if x.ctx.Err() != nil {
		return
	}
	if o.err != nil || o.code != 0 {
		a := x.s.answerOf(x.s.status, o)
		if a.err != nil {
			a.failed = a.err.Error()
		}
		x.api.Log("warn", "statusLine: "+a.failed)
		return // what it wrote last stays
	}
	var lines []any
	for line := range strings.Lines(o.stdout) {
		if line = plain.Line(line, 500); line != "" && len(lines) < mostStatus {
			lines = append(lines, line)
		}
	}
	var show any // nil removes it
	if len(lines) > 0 {
		show = x.api.Func(func(*engine.Run, []any) (any, error) { return lines, nil })
	}
	if _, err := x.api.Invoke(run, "ui.footer", show); err != nil {
		x.api.Log("warn", "statusLine: "+err.Error())
	}
}

// statusInput returns what the command reads.
func (x *extension) statusInput(env *event.Envelope) message {
	_, name, _ := strings.Cut(env.Model, "/")
	in := object("hook_event_name", "Status", "session_id", env.SessionID, "transcript_path",
		env.SessionPath, "version", x.format.version, "cwd", env.CWD, "model",
		object("id", name, "display_name", name),
		"workspace", object("current_dir", env.CWD, "project_dir", env.Project, "added_dirs",
			[]any{}), "output_style", object("name", "default"))
	cost := object("total_cost_usd", 0)
	if env.Cost != nil {
		cost["total_cost_usd"] = env.Cost()
	}
	in["cost"] = cost
	if env.Window == nil {
		return in
	}
	w := env.Window()
	window := object("total_input_tokens", w["tokens"], "context_window_size", w["limit"])
	if used, ok := value.Number(w["percent"]); ok { // whole numbers there
		used = math.Round(used)
		window["used_percentage"], window["remaining_percentage"] = used, 100-used
	}
	in["context_window"] = window
	return in
}
