// This file holds guards against calls that harm nobody.

package trial

import (
	"context"
	"path/filepath"

	"github.com/agentscripts/agent/engine"
)

// Canary is a harmless call.
type Canary struct {
	Tool string
	Args map[string]any
}

// String is the call as a person reads it.
func (c Canary) String() string {
	for _, key := range []string{"command", "path", "pattern"} {
		if s, ok := c.Args[key].(string); ok {
			return c.Tool + " " + s
		}
	}
	return c.Tool + " " + compact(c.Args)
}

// harmless are commands of every day. Some of them have in them, in a harmless place, what a
// careless guard looks for: the letters rm, a word such as sudo or force in a text that is only
// printed or looked for, a redirection to nowhere.
var harmless = []string{
	"ls -la", "pwd", "git status", "git diff --stat", "git log --oneline -n 5", "go build ./...",
	"go test ./...", "npm test", "npm run format",
	"make", "cat README.md", "head -n 20 main.go", "grep -rn TODO src", "find . -name '*.go'",
	"echo done", "mkdir -p build/out",
	"cargo check 2>/dev/null", "git commit -m 'stop using sudo in the docs'",
	"grep -n 'rm -rf' docs/faq.md", "terraform plan", "python3 -m pytest -x",
}

// canaries are the calls, in the project at dir.
func canaries(dir string) []Canary {
	var all []Canary
	for _, command := range harmless {
		all = append(all, Canary{"bash", map[string]any{"command": command}})
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

// Objection is what a script has against a harmless call.
type Objection struct {
	Canary  Canary
	Refused bool // else it asks
	Reason  string
	Line    int // of the handler; 0 = not known
}

// Checked is what came of trying a script without a test.
type Checked struct {
	Objections []Objection
	// Notices are what the engine says of what the script registered.
	Notices []string
	// Untried are the functions that reach out of the world: what comes behind them was not tried.
	Untried []Untried
	// Failed is the first failure of a handler, nil if there is none. Unsure says that something
	// was missing before, which is there when the program runs: a file, a variable, a setting.
	Failed error
	Unsure bool
}

// Canaries loads the script at path, lets a session start, and holds harmless calls against it. The
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

// hold takes one harmless call down the road as far as the guards.
func (w *world) hold(ctx context.Context, c Canary, out *Checked) {
	// it changes a file that is there: a guard may want it to have been read
	t := w.eng.Scripts.Snapshot().Tool(c.Tool)
	if t != nil && t.Subject != nil && t.Subject.Reads && t.Subject.Writes {
		w.eng.Dispatch(ctx, &engine.Call{ID: "call_0", Tool: "read",
			Args: map[string]any{"path": c.Args["path"]}, Origin: "model", Env: w.envelope()})
	}
	r := w.eng.Dispatch(ctx, &engine.Call{ID: "call_1", Tool: c.Tool, Args: c.Args, Origin: "model",
		Env: w.envelope(), Preview: true})
	_, err := w.settle(ctx)
	if out.Failed == nil {
		out.Failed = err
	}
	if r.Skipped == "invalid" || r.Verdict == nil {
		return
	}
	if failed := r.Verdict.Failed(); failed != nil { // told as a failure, and not as an objection
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
