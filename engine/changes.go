// This file remembers which tool runs may have changed files, for scripts that change meanwhile.

package engine

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// changesKept is how many runs are remembered: a file that was written in an early one may be
	// moved to the scripts in a later one.
	changesKept = 10_000
	// detailsKept is how long it is remembered what an ended run may have written: longer than it
	// takes to look at a changed file on a busy machine. It holds on to the call's arguments.
	detailsKept = time.Minute
	// lookMost is how long a look at the disk may take.
	lookMost = time.Second
	// stampLag is how far the time stamp of a file may be behind the clock.
	stampLag = 10 * time.Millisecond
)

// changes are the runs of tools that do not only read.
type changes struct {
	mu   sync.Mutex
	runs []*change
	hear func(working bool) // called under mu; see OnChanges
}

// change is one such run, and the work that continues after it.
type change struct {
	all     *changes
	tool    string
	user    bool                   // the user made the call
	open    bool                   // other programs are to know of it: see OnChanges
	may     func(path string) bool // reports whether it may write the file at path
	began   time.Time
	working int // 0: it has ended; under all.mu, as ended
	ended   time.Time
}

// begin adds the run of d's tool.
func (c *changes) begin(d *dispatch) *change {
	r := &change{tool: d.tool, user: d.call.Origin == "user", may: d.mayChange()}
	r.open = !r.user && d.runsPrograms()
	return c.addChange(r)
}

// beginProgram adds a program that a script starts with ext.exec or ext.sh, until end is called: in
// a handler or a tool, which a model may have caused to run, such as a formatter after each write.
// What commands, timers and the user interface start is the user's.
func (c *changes) beginProgram(g *Generation, run *Run, function string, args []any) (end func()) {
	if run == nil || run.Kind != vm.KindGuard && run.Kind != vm.KindObserver &&
		run.Kind != vm.KindTool {
		return func() {}
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
		return func() {}
	}
	r := &change{tool: function + " of " + g.Name, open: true,
		may: g.engine.programMay(canWrite(whole), !g.Header.Grants.Has("unconfined"))}
	return c.addChange(r).end
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

// addChange adds a run that begins now.
func (c *changes) addChange(r *change) *change {
	r.all, r.began, r.working = c, time.Now(), 1
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.open && c.hear != nil {
		c.hear(true)
	}
	for _, old := range c.runs {
		if old.working == 0 && r.began.Sub(old.ended) > detailsKept {
			old.may = anything
		}
	}
	c.runs = append(c.runs[max(0, len(c.runs)-changesKept):], r)
	return r
}

// addWork adds work that continues after the run.
func (r *change) addWork() {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	r.working++
}

// end ends the run, or work that continued after it.
func (r *change) end() {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	r.working--
	r.ended = time.Now()
	if r.working == 0 && r.open && r.all.hear != nil {
		r.all.hear(false)
	}
}

// OnChanges has hear called when a run of a tool begins that may write files which nothing names,
// except for calls of the user, and again when it has ended with all work that continued after it.
// It must be called before the first call.
func (e *Engine) OnChanges(hear func(working bool)) {
	e.changes.mu.Lock()
	defer e.changes.mu.Unlock()
	e.changes.hear = hear
}

// runsPrograms reports whether the call runs commands that write files, or does not say what it is
// about.
func (d *dispatch) runsPrograms() bool {
	s := d.found.Subject
	if s == nil || s.Kind != subject.Command {
		return s == nil
	}
	return writesFiles(d.touches().whole())
}

// writesFiles reports whether something writes files, or may write any file.
func writesFiles(whole Touched) bool {
	return len(whole.Writes()) > 0 || whole.CanWrite(string(filepath.Separator))
}

// mayChange returns a function that reports whether the call may write the file at a path: any
// file if the tool does not say what its calls are about, or starts a program that may, otherwise
// what it touches. The change of a protected file by a tool that runs no command is the user's, who
// has seen and approved all that it writes.
func (d *dispatch) mayChange() func(path string) bool {
	s := d.found.Subject
	confined := d.found.confinement(d.args)
	held := confined == Confined || confined == Sealed
	switch {
	case s == nil:
		return d.e.programMay(anything, held)
	case s.Kind != subject.Command && d.decision.protection().Asks != "":
		return func(string) bool { return false }
	}
	// before the run: it may change what its paths lead to
	return d.e.programMay(canWrite(d.touches().whole()), held)
}

// programMay narrows may to what a program in the sandbox may write, if it is confined.
func (e *Engine) programMay(may func(path string) bool, confined bool) func(path string) bool {
	if !confined || e.opts.MayWrite == nil {
		return may
	}
	return func(path string) bool { return e.opts.MayWrite(path) && may(path) }
}

// canWrite returns a function that reports whether something may write the file at a path.
func canWrite(whole Touched) func(path string) bool {
	return func(path string) bool {
		ctx, cancel := context.WithTimeout(context.Background(), lookMost)
		defer cancel()
		can, err := within(ctx, func() bool { return whole.CanWrite(path) })
		return err != nil || can
	}
}

// AnyChange reports whether a tool that does not only read has run.
func (e *Engine) AnyChange() bool {
	e.changes.mu.Lock()
	defer e.changes.mu.Unlock()
	return len(e.changes.runs) > 0
}

func anything(string) bool { return true }

// ChangedBy returns a tool that may have written the file at path, an absolute path with its links
// followed, that was changed between two times, which may be the same: one that was running then,
// or had ended less than after before. It returns "" if there is none. user reports that only tools
// whose calls the user made come into question.
func (e *Engine) ChangedBy(path string, from, to time.Time, after time.Duration) (tool string,
	user bool) {
	e.changes.mu.Lock()
	var those []change
	for _, r := range e.changes.runs {
		if !to.Add(stampLag).Before(r.began) && (r.working > 0 || from.Sub(r.ended) < after) {
			those = append(those, *r)
		}
	}
	e.changes.mu.Unlock()
	for _, r := range those { // may reads the disk
		if (tool == "" || user && !r.user) && r.may(path) {
			tool, user = r.tool, r.user
		}
	}
	return tool, user
}
