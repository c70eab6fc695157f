// This file runs the tests of a script.

package trial

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/vm"
)

// testTime is the time limit of one test: simulated time does not count, so a test that takes
// longer hangs.
const testTime = 30 * time.Second

// maxLog is how many bytes of the end of a script's log are shown for a failed test.
const maxLog = 2000

// Result is the result of one test.
type Result struct {
	Name string
	Line int   // of its ext.test
	Err  error // nil: it passed. Usually a *fault.ScriptError
	Log  string
}

// Test runs the tests of the script at path, each in a world of its own. It returns an error for a
// script that cannot be read or loaded. A script without tests has neither results nor an error.
func Test(ctx context.Context, o Options, path string) ([]Result, error) {
	w, err := openWorld(ctx, o, path)
	if err != nil {
		return nil, err
	}
	tests := w.tests
	w.close(ctx)
	var results []Result
	for i, t := range tests {
		if ctx.Err() != nil {
			return results, context.Cause(ctx)
		}
		r := Result{Name: t.name, Line: t.line}
		r.Log, r.Err = runTest(ctx, o, path, i)
		results = append(results, r)
	}
	return results, nil
}

// runTest runs test i.
func runTest(ctx context.Context, o Options, path string, i int) (log string, err error) {
	w, err := openWorld(ctx, o, path)
	if err != nil {
		return "", err
	}
	defer w.close(ctx)
	if i >= len(w.tests) {
		return "", fmt.Errorf("%s registers other tests each time it loads", scriptName(path))
	}
	t := w.tests[i]
	if err := w.during(ctx, func(ctx context.Context) error {
		return w.runWorld(ctx,
			t)
	}); err != nil {
		return w.log(), w.excerpt(placed(err, t))
	}
	if kind := w.user.left(); kind != "" {
		return w.log(), w.excerpt(&fault.ScriptError{Position: fault.Position{File: w.gen.Name,
			Line: t.line},
			Message: fmt.Sprintf("t.answer(%q, ...) was given and not used", kind)})
	}
	if key := w.screen.left(); key != "" {
		return w.log(), w.excerpt(&fault.ScriptError{Position: fault.Position{File: w.gen.Name,
			Line: t.line}, Message: fmt.Sprintf(
			"t.key(%q) was pressed, and no panel was there to hear it", key)})
	}
	return "", nil
}

// runWorld runs a test, and waits for its effects.
func (w *world) runWorld(ctx context.Context, t test) error {
	if _, err := w.settle(ctx); err != nil {
		return err
	}
	limit := testTime
	r := engine.NewRun(ctx, w.gen, vm.KindCommand, "test", w.agent.Envelope(), &limit)
	if _, err := w.gen.Run(r, t.fn, w.methods()); err != nil {
		return err
	}
	_, err := w.settle(ctx)
	return err
}

// placed returns err with the position of the test, if it has none of its own.
func placed(err error, t test) error {
	if se, ok := err.(*fault.ScriptError); ok && se.Line == 0 {
		at := *se
		at.Line = t.line
		return &at
	}
	return err
}

// excerpt adds the source line to an error without an excerpt.
func (w *world) excerpt(err error) error {
	if se, ok := err.(*fault.ScriptError); ok && se.Excerpt == "" && se.Line > 0 &&
		se.File == w.gen.Name {
		se.Excerpt = fault.Excerpt(w.source, se.Line, se.Column)
	}
	return err
}

// log returns the end of the script's log.
func (w *world) log() string {
	b, err := regularfile.Read(filepath.Join(w.home, "logs", w.gen.Name+".log"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(plain.Tail(b, maxLog)))
}
