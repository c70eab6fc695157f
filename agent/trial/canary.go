// This file tries guards on harmless calls.

package trial

import (
	"context"
	"path/filepath"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
)

// Canary is a harmless call.
type Canary struct {
	Tool string
	Args map[string]any
}

// String formats the call for people.
func (c Canary) String() string {
	for _, key := range []string{"command", "path", "pattern"} {
		if s, ok := c.Args[key].(string); ok {
			return c.Tool + " " + s
		}
	}
	return c.Tool + " " + compact(c.Args)
}

// harmless are everyday commands. Some of them contain, in a harmless place, what a careless guard
// looks for: the letters rm, a word such as sudo or force in a text that is only printed or
// searched, a redirection to /dev/null.
var harmless = []string{
	"ls -la", "pwd", "git status", "git diff --stat", "git log --oneline -n 5", "go build ./...",
	"go test ./...", "npm test", "npm run format",
	"make", "cat README.md", "head -n 20 main.go", "grep -rn TODO src", "find . -name '*.go'",
	"echo done", "mkdir -p build/out",
	"cargo check 2>/dev/null", "git commit -m 'stop using sudo in the docs'",
	"grep -n 'rm -rf' docs/faq.md", "terraform plan", "python3 -m pytest -x",
}

// canaries returns the calls, in the project at dir.
func canaries(dir string) []Canary {
	var all []Canary
	for _, command := range harmless {
		all = append(all, Canary{tool.Bash, map[string]any{"command": command}})
	}
	return append(all,
		Canary{"read", map[string]any{"path": filepath.Join(dir, "README.md")}},
		Canary{"write", map[string]any{"path": filepath.Join(dir, "src", "environment.go"),
			"content": "package environment\n"}},
		Canary{"edit", map[string]any{"path": filepath.Join(dir, "docs", "settings.md"),
			"edits": []any{map[string]any{"old": "colour", "new": "color"}}}},
		Canary{"ls", map[string]any{"path": dir}},
	)
}

// Objection is a script's objection to a harmless call.
type Objection struct {
	Canary  Canary
	Refused bool // otherwise it asks
	Reason  string
	Line    int // of the handler; 0 = unknown
}

// Checked is the result of trying a script without a test.
type Checked struct {
	Objections []Objection
	// Notices are the engine's notices about the script's registrations.
	Notices []string
	// Untried are the functions that need the outside world: code after them was not tried.
	Untried []Untried
	// Failed is the first failure of a handler, nil if there is none. Unsure means that something
	// was missing before that exists when the program runs: a file, a variable, a setting.
	Failed error
	Unsure bool
}

// Canaries loads the script at path, starts a session, and tries its guards on harmless calls. The
// error is that of the load.
func Canaries(ctx context.Context, o Options, path string) (*Checked, error) {
	o.checking = true
	w, err := openWorld(ctx, o, path)
	if err != nil {
		return nil, err
	}
	defer w.close(ctx)
	_, failed := w.settle(ctx)
	out := &Checked{Notices: w.notices, Failed: failed}
	for _, c := range canaries(w.project()) {
		w.hold(ctx, c, out)
	}
	out.Untried, out.Unsure = w.untried.list(), w.untried.unsure()
	return out, nil
}

// hold dispatches one harmless call as far as the guards.
func (w *world) hold(ctx context.Context, c Canary, out *Checked) {
	// it changes an existing file: a guard may require that it was read before
	t := w.eng.Scripts.Snapshot().Tool(c.Tool)
	if t != nil && t.Subject != nil && t.Subject.Reads && t.Subject.Writes {
		w.eng.Dispatch(ctx, &engine.Call{ID: "call_0", Tool: "read",
			Args: map[string]any{"path": c.Args["path"]}, Origin: "model", Env: w.agent.Envelope()})
	}
	r := w.eng.Dispatch(ctx, &engine.Call{ID: "call_1", Tool: c.Tool, Args: c.Args, Origin: "model",
		Env: w.agent.Envelope(), Preview: true})
	_, err := w.settle(ctx)
	if out.Failed == nil {
		out.Failed = err
	}
	if r.Skipped == "invalid" || r.Verdict == nil {
		return
	}
	if failed := r.Verdict.Failed(); failed != nil { // reported as a failure, not as an objection
		if out.Failed == nil && !w.untried.stopped(failed.Message, failed.Position) {
			out.Failed = failed
		}
		return
	}
	o := Objection{Canary: c, Refused: r.Verdict.Blocked || r.Skipped != "",
		Reason: r.Verdict.Reason}
	for _, a := range r.Verdict.Asks {
		if a.Script != "" && o.Reason == "" {
			o.Reason = a.Text
		}
	}
	for _, s := range r.Trail {
		if s.Script == w.gen.Name && (s.Outcome == "block" || s.Outcome == "ask") {
			o.Line = s.Line
		}
	}
	if o.Line > 0 {
		out.Objections = append(out.Objections, o)
	}
}
