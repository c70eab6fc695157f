// This file implements ext.exec and ext.sh: programs that scripts run.

package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// mostPrograms is how many programs all scripts together may run at a time; more wait. It is far
// above what a machine runs well in parallel, and far below what would exhaust it.
const mostPrograms = 64

// inherited lists the variables that a program inherits: those needed to find files and programs,
// and no keys.
var inherited = [...]string{"PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR"}

// inheritedWindows lists variables without which most programs do not start on Windows.
var inheritedWindows = [...]string{"SystemRoot", "PATHEXT", "COMSPEC", "USERPROFILE", "APPDATA",
	"LOCALAPPDATA", "TEMP", "TMP"}

// programs holds ext.exec and ext.sh.
type programs struct {
	env     environment
	started func(pid int) (ended func()) // as process.Command.Started
	fence   *fence.Fence                 // as Options.Fence
	family  *process.Family              // as Options.Family
	outside *Outside                     // replaces programs in tests; nil: they run
	slots   chan struct{}                // holds one for each program that runs
}

func (x *programs) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"exec": x.exec, "sh": x.sh,
	}
}

func (x *programs) exec(c *engine.HostCall) (any, error) {
	const name = "ext.exec"
	list := c.Args[0].([]any)
	if len(list) == 0 {
		return nil, errors.New(name + ": argv: got nothing, want a program")
	}
	argv := make([]string, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("%s: argv[%d]: got %s, want string", name, i+1,
				value.TypeName(v))
		}
		if strings.Contains(s, "\x00") {
			return nil, fmt.Errorf("%s: argv[%d]: has a NUL byte in it", name, i+1)
		}
		argv[i] = s
	}
	path, err := x.findProgram(c, name, argv[0])
	if err != nil {
		return nil, err
	}
	return x.run(c, name, process.Command{Argv: append([]string{path}, argv[1:]...)})
}

func (x *programs) sh(c *engine.HostCall) (any, error) {
	const name = "ext.sh"
	if !c.Gen.Header.Grants.Allows("exec", "sh") {
		return nil, engine.Needs(name, "exec:sh")
	}
	line := text(c.Args[0])
	if strings.Contains(line, "\x00") {
		return nil, errors.New(name + ": line: has a NUL byte in it")
	}
	return x.run(c, name, process.Command{Argv: process.Shell(line)})
}

// workdir returns the directory in which the program runs; "" for that of this program.
func workdir(c *engine.HostCall) string {
	dir := ""
	if c.Run.Env != nil {
		dir = c.Run.Env.CWD
	}
	if given := text(table(c.Args[1])["cwd"]); filepath.IsAbs(given) {
		return given
	} else if given != "" {
		return filepath.Join(dir, given)
	}
	return dir
}

// checkDir reports what is wrong with a working directory. The system's error would be the same as
// for a missing program.
func checkDir(name, dir string) error {
	if strings.Contains(dir, "\x00") {
		return errors.New(name + ": cwd: has a NUL byte in it")
	}
	st, err := os.Stat(dir)
	switch {
	case dir == "":
		return nil
	case err != nil:
		return &fault.WorldError{Code: code(err),
			Message: fmt.Sprintf("%s: cwd %s: %s", name, dir, why(err))}
	case !st.IsDir():
		return &fault.WorldError{Code: "not_found",
			Message: fmt.Sprintf("%s: cwd %s: is not a directory", name, dir)}
	}
	return nil
}

// findProgram finds the program to run, if the script may run it. A name is searched in PATH only:
// programs in the working directory are never found by name.
func (x *programs) findProgram(c *engine.HostCall, name, what string) (string, error) {
	grants := c.Gen.Header.Grants
	if what == "" {
		return "", errors.New(name + `: argv[1]: got "", want a program`)
	}
	if filepath.Base(what) != what {
		path := what
		if !filepath.IsAbs(path) {
			path = filepath.Join(workdir(c), path)
		}
		path = filepath.Clean(path)
		if slash := filepath.ToSlash(path); !grants.Allows("exec", slash) && !grants.Has("exec:*") {
			return "", engine.Needs(name, "exec:"+slash)
		}
		if x.outside != nil {
			return path, nil
		}
		found, err := exec.LookPath(path)
		if err != nil {
			return "", notStarted(name, what, err)
		}
		return found, nil
	}
	if !grants.Allows("exec", what) {
		return "", engine.Needs(name, "exec:"+what)
	}
	if x.outside != nil {
		return what, nil
	}
	search, _ := x.env.lookup("PATH")
	denied := false
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(dir, what))
		if err == nil {
			return found, nil
		}
		denied = denied || errors.Is(err, fs.ErrPermission)
	}
	if denied {
		return "", notStarted(name, what, fs.ErrPermission)
	}
	return "", &fault.WorldError{Code: "not_found",
		Message: fmt.Sprintf("%s: %.200s: there is no such program in PATH", name, what)}
}

// environ returns the environment of a program: the inherited variables, and those of the script.
func (x *programs) environ(name string, own map[string]any) ([]string, error) {
	names := inherited[:]
	if runtime.GOOS == "windows" {
		names = slices.Concat(names, inheritedWindows[:])
	}
	var out []string
	for _, n := range names {
		if v, ok := x.env.lookup(n); ok {
			out = append(out, n+"="+v)
		}
	}
	for _, n := range value.SortedKeys(own) {
		v, ok := own[n].(string)
		switch {
		case n == "" || strings.ContainsAny(n, "=\x00"):
			return nil, fmt.Errorf("%s: env: %.80q is not a valid name of a variable", name, n)
		case !ok:
			return nil, fmt.Errorf("%s: env.%s: got %s, want string", name, n,
				value.TypeName(own[n]))
		case strings.Contains(v, "\x00"):
			return nil, fmt.Errorf("%s: env.%s: has a NUL byte in it", name, n)
		}
		out = append(out, n+"="+v) // the last value of a name counts
	}
	return out, nil
}

// readOptions sets what the options say of a command, and returns its time limit, 0 = none.
func (x *programs) readOptions(c *engine.HostCall, name string, options map[string]any,
	cmd *process.Command) (timeout time.Duration, err error) {
	cmd.Dir = workdir(c)
	if err := checkDir(name, cmd.Dir); err != nil {
		return 0, err
	}
	if cmd.Env, err = x.environ(name, table(options["env"])); err != nil {
		return 0, err
	}
	if v, ok := options["timeout"]; ok {
		d, err := seconds(v)
		if err != nil {
			return 0, fmt.Errorf("%s: timeout: %w", name, err)
		}
		timeout = *d
	}
	cmd.Stdin = text(options["stdin"])
	return timeout, checkTerminal(c, name, options)
}

// run runs a program to its end.
func (x *programs) run(c *engine.HostCall, name string, cmd process.Command) (any, error) {
	options := table(c.Args[1])
	timeout, err := x.readOptions(c, name, options, &cmd)
	if err != nil {
		return nil, err
	}
	onLine, _ := options["on_line"].(engine.Func)
	if x.outside != nil {
		return x.standIn(c, name, onLine)
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	select {
	case x.slots <- struct{}{}:
		defer func() { <-x.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	cmd.Started, cmd.Family = x.started, x.family
	confined := !c.Gen.Header.Grants.Has("unconfined")
	if confined {
		var lift fence.Lift
		if c.Gen.Data != "" {
			lift.Writes = []string{c.Gen.Data}
		}
		cmd.Confine = x.fence.ConfineBut(lift)
	}
	if truth(options["tty"]) {
		return x.runOnTerminal(ctx, c, name, cmd, timeout)
	}
	out := newOutput(onLine != nil)
	cmd.Output, cmd.Ended = out.addOutput, out.ended
	p, err := process.Start(cmd)
	if err != nil {
		return nil, notStarted(name, cmd.Argv[0], err)
	}
	var how process.How
	go func() {
		how = p.Wait(ctx, timeout)
		p.EndRest()
		p.Left(func(list []process.Relative) (ended func()) {
			return c.Leaves(process.Names(list))
		})
		out.endOutput()
	}()
	for line, ok := out.nextLine(); ok; line, ok = out.nextLine() {
		if _, err = onLine.Call(c.Run, line.text, line.stream); err != nil {
			cancel()
			break
		}
	}
	out.waitOutput()
	if stop := c.Context(); stop.Err() != nil {
		return nil, context.Cause(stop)
	}
	if err != nil {
		return nil, err
	}
	result := out.result(exitCode(p.State()), how == process.TimedOut)
	if confined {
		x.tellRefused(c, cmd, result)
	}
	return result, nil
}

// checkTerminal reports what is wrong with the option tty.
func checkTerminal(c *engine.HostCall, name string, options map[string]any) error {
	if !truth(options["tty"]) {
		return nil
	}
	for _, other := range []string{"stdin", "on_line"} {
		if options[other] != nil {
			return fmt.Errorf("%s: options.%s: with tty, the program has the user's terminal: its "+
				"input and output are there", name, other)
		}
	}
	if c.Run.Kind != vm.KindCommand {
		return fmt.Errorf("%s: options.tty: only a command, a shortcut, a panel or a timer may "+
			"give the terminal away; this is %s", name, c.Run.Label)
	}
	return nil
}

// runOnTerminal runs a program to its end that the user sees and types to. The run's wall clock is
// stopped meanwhile.
func (x *programs) runOnTerminal(ctx context.Context, c *engine.HostCall, name string,
	cmd process.Command, timeout time.Duration) (any, error) {
	s := c.Gen.Engine().Screen.Surface()
	if s == nil || s.Handover == nil {
		return nil, &fault.WorldError{Code: "headless",
			Message: name + ": tty: there is no terminal that a program could have"}
	}
	var result map[string]any
	var started, err error
	c.Run.OffClock(func() {
		err = s.Handover(ctx, func(ctx context.Context, t *ui.Terminal) {
			cmd.Terminal = t
			var p *process.Process
			if p, started = process.Start(cmd); started != nil {
				return
			}
			how := p.Wait(ctx, timeout)
			p.EndRest()
			p.Left(func(list []process.Relative) (ended func()) {
				return c.Leaves(process.Names(list))
			})
			result = newOutput(false).result(exitCode(p.State()), how == process.TimedOut)
		})
	})
	switch stop := c.Context(); {
	case stop.Err() != nil:
		return nil, context.Cause(stop)
	case started != nil:
		return nil, notStarted(name, cmd.Argv[0], started)
	case err != nil:
		return nil, &fault.WorldError{Code: "failed", Message: name + ": tty: " + plain.Error(err)}
	}
	return result, nil
}

// maxRefused limits a text about refusals in bytes.
const maxRefused = 2000

// tellRefused warns the user of what the sandbox refused to a program of a script, and adds it to
// the result.
func (x *programs) tellRefused(c *engine.HostCall, cmd process.Command, result map[string]any) {
	refused := x.fence.Refused(fence.Program{Script: c.Gen.Name,
		Line: strings.Join(cmd.Argv, " ")}, cmd.Dir,
		text(result["stdout"])+"\n"+text(result["stderr"]))
	if len(refused) == 0 {
		return
	}
	words := plain.Line(fence.Words(refused), maxRefused)
	result["refused"] = words
	c.Gen.Engine().Notices.Notify(c.Run.Env, c.Gen.Name, ui.Notice{Level: "warn",
		Text: fmt.Sprintf("the sandbox refused its program %s to %s; the grant unconfined runs "+
			"its programs outside of the sandbox", filepath.Base(cmd.Argv[0]), words)})
}

// exitCode returns the exit code as shells report it: 128 plus the number of a signal.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// notStarted returns the error of a program that could not be started.
func notStarted(name, what string, err error) error {
	return &fault.WorldError{Code: code(err), Message: fmt.Sprintf("%s: %.200s: %s", name, what,
		why(err))}
}

// code returns the script's error code for an error of the system.
func code(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return "not_found"
	case errors.Is(err, fs.ErrPermission):
		return "denied"
	}
	return "failed"
}

// why returns the cause of an error, without operation and path.
func why(err error) string {
	var path *fs.PathError
	var run *exec.Error
	switch {
	case errors.As(err, &run):
		return why(run.Err)
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return plain.Error(err)
}
