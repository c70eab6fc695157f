// This file records which tool runs may have changed files, so that changes of scripts can be
// attributed to them.

package engine

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/vm"
)

// lookMost is the time limit for a look at the disk.
const lookMost = time.Second

// beginChange adds the run of d's tool.
func (d *dispatch) beginChange() *changes.Run {
	user := d.call.Origin == "user"
	if !user {
		d.e.written.Add(d.touches().whole().Fills())
	}
	return d.e.changes.Add(&changes.Run{Tool: d.tool, User: user, May: d.mayChange(),
		Open: !user && d.runsPrograms()})
}

// beginProgram adds a program that a script starts with ext.exec or ext.sh, in a handler or a
// tool, which a model may have caused to run, such as a formatter after each write. It returns nil
// for programs that commands, timers and the user interface start: they count as the user's.
func (g *Generation) beginProgram(run *Run, function string, args []any) *changes.Run {
	if run == nil || run.Kind != vm.KindGuard && run.Kind != vm.KindObserver &&
		run.Kind != vm.KindTool {
		return nil
	}
	call := Call{Args: map[string]any{"command": commandLine(args[0])}, Env: run.Env}
	if len(args) > 1 {
		options, _ := args[1].(map[string]any)
		call.Args["cwd"] = options["cwd"]
	}
	t := &touches{}
	t.init(g.engine, run.Context(), call, &Tool{Subject: &subject.Subject{Kind: subject.Command,
		Arg: "command", Dir: "cwd"}})
	whole := t.whole()
	if !writesFiles(whole) {
		return nil
	}
	return g.engine.changes.Add(&changes.Run{Tool: function + " of " + g.Name, Open: true,
		May: g.engine.programMay(canWrite(whole), !g.Header.Grants.Has("unconfined"))})
}

// commandLine returns the program and arguments of ext.exec as a command line, which that of ext.sh
// is already.
func commandLine(what any) string {
	if line, ok := what.(string); ok {
		return line
	}
	var words []string
	list, _ := what.([]any)
	for _, word := range list {
		text, _ := word.(string)
		words = append(words, "'"+strings.ReplaceAll(text, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

// Written returns a function that reports whether a call of this session, other than those of the
// user, has decided about the contents of a file, given by its absolute path with links followed.
// It is nil if none has.
func (e *Engine) Written() func(path string) bool {
	if e.written.Added() == 0 {
		return nil
	}
	return e.written.Has
}

// OnChanges has hear called when a run of a tool begins that may write files which nothing names,
// except for calls of the user, and again when it has ended with all work that continued after it.
// Processes that a tool leaves running count only if they may write the file at path. It must be
// called before the first call.
func (e *Engine) OnChanges(hear func(working bool), paths ...string) {
	e.changes.Listen(hear, paths...)
}

// runsPrograms reports whether the call runs commands that write files, or has no known subject.
func (d *dispatch) runsPrograms() bool {
	s := d.found.Subject
	if s == nil || s.Kind != subject.Command {
		return s == nil
	}
	return writesFiles(d.touches().whole())
}

// writesFiles reports whether a call writes files, or may write any file.
func writesFiles(whole Touched) bool {
	return len(whole.Writes()) > 0 || whole.CanWrite(string(filepath.Separator))
}

// mayChange returns a function that reports whether the call may write the file at a path: any file
// if the tool's calls have no known subject, or if it starts a program that may, otherwise the
// files that it touches. A change of a protected file by a tool that runs no command counts as the
// user's, who has seen and approved everything that it writes.
func (d *dispatch) mayChange() func(path string) bool {
	s := d.found.Subject
	confined := d.found.confinement(d.args)
	held := confined == Confined || confined == Sealed
	if l := d.decision.lifted; l != nil {
		may := d.e.programMay(canWrite(d.touches().whole()), held)
		return func(path string) bool { return l.opens(path) || may(path) }
	}
	switch {
	case s == nil:
		return d.e.programMay(changes.Anything, held)
	case s.Kind != subject.Command && d.decision.protection().Asks != "":
		return func(string) bool { return false }
	}
	// before the run, which may change the targets of its paths
	return d.e.programMay(canWrite(d.touches().whole()), held)
}

// programMay restricts may to the files that a program in the sandbox may write, if it is confined.
func (e *Engine) programMay(may func(path string) bool, confined bool) func(path string) bool {
	if !confined || e.opts.MayWrite == nil {
		return may
	}
	return func(path string) bool { return e.opts.MayWrite(path) && may(path) }
}

// canWrite returns a function that reports whether a call may write the file at a path.
func canWrite(whole Touched) func(path string) bool {
	return func(path string) bool {
		ctx, cancel := context.WithTimeout(context.Background(), lookMost)
		defer cancel()
		can, err := within(ctx, func() bool { return whole.CanWrite(path) })
		return err != nil || can
	}
}

// AnyChange reports whether any tool has run that is not read-only.
func (e *Engine) AnyChange() bool {
	return e.changes.Any()
}

// ChangedBy returns in words, such as "the tool bash", who may have written the file at path, an
// absolute path with its links followed, that was changed between two times, which may be the same:
// a tool or what it left, if that was running then, or had ended less than after before. It returns
// "" if there is none. user reports that all candidates are tools that the user called.
func (e *Engine) ChangedBy(path string, from, to time.Time, after time.Duration) (who string,
	user bool) {
	return e.changes.Of(path, from, to, after)
}
