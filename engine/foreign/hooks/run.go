// This file runs the commands of hooks.

package hooks

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/extfiles"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/value"
)

// command is the shell command that runs a program with its arguments.
const command = `exec "$0" "$@"`

// runCommand runs the command of a hook to its end. in is what it reads.
func (x *extension) runCommand(run *engine.Run, h *hook, env *event.Envelope, in []byte) output {
	if lib := x.api.Bind.Gen.Library; lib != nil {
		if err := extfiles.Check(lib.Modules); err != nil {
			return output{err: fmt.Errorf("its file %w, and the new one is not in force yet", err)}
		}
	}
	var places message
	var err error
	dir := env.CWD
	if x.s.strict {
		dir, places, err = x.surroundings(run, h, env)
	} else {
		places, err = x.places(env)
	}
	if err != nil {
		return output{err: err}
	}
	file := x.offerFile(h, places)
	if file != "" {
		defer os.Remove(file)
	}
	v, err := x.api.Invoke(run, "exec", h.argv(places), object("cwd", dir, "env", places,
		"stdin", string(in), "timeout", h.limit().Seconds()))
	if err != nil {
		return output{err: err}
	}
	r, _ := v.(map[string]any)
	code, _ := value.Number(r["code"])
	o := output{code: int(code), stdout: value.Text(r, "stdout"), stderr: value.Text(r, "stderr"),
		cut: r["left_out"] != nil, refused: value.Text(r, "refused")}
	if lib := x.api.Bind.Gen.Library; lib != nil && (o.code == 126 || o.code == 127) {
		o.missing = missingInterpreter(lib.Modules, o.stderr)
	}
	switch {
	case r["timed_out"] == true:
		o.err = fmt.Errorf("it has not ended within %v, and was killed", h.limit())
	case o.code > killed && o.code <= killed+lastSignal:
		o.err = fmt.Errorf("it was ended by the signal %d%s", o.code-killed, said(o.stderr))
	}
	if file != "" {
		x.takeFile(run, h, env, file)
	}
	return o
}

// missingInterpreter returns the interpreter that is not there of a program that could not be
// started, which stderr names; "" if that is not why.
func missingInterpreter(programs []*scriptfile.Module, stderr string) string {
	for _, m := range programs {
		if m.Path == "" || !strings.Contains(stderr, m.Path) {
			continue
		}
		if name := plain.MissingInterpreter(m.Path); name != "" {
			return name
		}
	}
	return ""
}

// places returns the folders that the commands of Claude Code's hooks know by variables.
func (x *extension) places(env *event.Envelope) (message, error) {
	project := cmp.Or(env.Project, env.CWD)
	places := object("CLAUDE_PROJECT_DIR", project, "CLAUDE_PLUGIN_ROOT",
		x.format.root(x.api.Bind.Gen.Path))
	if data := x.api.Bind.Gen.Data; data != "" {
		if err := os.MkdirAll(data, 0o700); err != nil {
			return nil, fmt.Errorf("its folder for data cannot be made: %w", err)
		}
		places["CLAUDE_PLUGIN_DATA"] = data
	}
	return places, nil
}

const (
	// killed is added to the number of the signal that ended a command: it is then its exit code.
	killed = 128
	// lastSignal is the largest number of a signal.
	lastSignal = 64
)

// argv returns the words that start a hook.
func (h *hook) argv(places map[string]any) []any {
	if !h.bare {
		return []any{h.shell, "-c", h.command}
	}
	words := append([]string{h.command}, h.args...)
	for i := range words {
		for name, place := range places {
			words[i] = strings.ReplaceAll(words[i], "${"+name+"}", place.(string))
		}
	}
	return append([]any{h.shell, "-c", cmp.Or(h.script, command)}, value.TextList(words)...)
}

// wait returns how long a handler may take that waits for hooks, in seconds.
func wait(hooks []*hook) float64 {
	var most time.Duration
	for _, h := range hooks {
		most = max(most, h.limit())
	}
	return (most + slack).Seconds()
}

// slack is how much longer a handler may take than its slowest hook, whose end is then reported as
// its own.
const slack = 10 * time.Second
