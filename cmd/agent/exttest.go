// This file implements agent ext test, which runs the tests that scripts contain, and agent ext
// bench, which measures their handlers.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

func extTest(f *flags, words []string, stdout, stderr io.Writer) (code int) {
	files, err := scriptFiles(words)
	if err != nil {
		return usageError(stderr, fmt.Errorf("ext test: %w", err))
	}
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	passed, failed, broken := 0, 0, 0
	var report []string
	for _, file := range files {
		results, err := trial.Test(ctx, trialOptions(), file)
		lines, bad := fileReport(file, results, err)
		if f.json {
			lines = jsonReport(file, results, err)
		}
		report = append(report, lines...)
		if err != nil {
			broken++
		}
		passed, failed = passed+len(results)-bad, failed+bad
	}
	if !f.json {
		report = append(report, testSummary(len(files), passed, failed, broken))
	}
	code = exitOK
	if len(report) > 0 {
		code = printText(stdout, stderr, strings.Join(report, "\n"))
	}
	if failed+broken > 0 {
		return exitError
	}
	return code
}

// testSummary returns the last line of the report.
func testSummary(files, passed, failed, broken int) string {
	summary := fmt.Sprintf("%d passed, %d failed", passed, failed)
	switch {
	case files == 0:
		summary = "no scripts"
	case broken > 0:
		summary += fmt.Sprintf(", %d could not be tested", broken)
	}
	return summary
}

// testLine is one test in JSON. A script that could not be tested has one line without a name.
type testLine struct {
	File    string     `json:"file"`
	Test    string     `json:"test,omitempty"`
	Line    int        `json:"line,omitempty"` // of its ext.test
	Passed  bool       `json:"passed"`
	Failure *testFault `json:"failure,omitempty"`
	Log     string     `json:"log,omitempty"` // the end of the script's log, if it failed
}

type testFault struct {
	Line    int    `json:"line,omitempty"`   // 1-based
	Column  int    `json:"column,omitempty"` // 1-based; 0 = the line as a whole
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// jsonReport returns the JSON lines about one file.
func jsonReport(file string, results []trial.Result, err error) (lines []string) {
	add := func(x testLine, err error) {
		if err != nil {
			x.Failure = &testFault{Message: err.Error()}
			var se *fault.ScriptError
			if errors.As(err, &se) {
				x.Failure = &testFault{se.Line, se.Column,
					strings.Replace(err.Error(), se.Error(), se.Message, 1), se.Hint}
			}
		}
		b, _ := json.Marshal(x) // texts and numbers
		lines = append(lines, string(b))
	}
	for _, r := range results {
		add(testLine{File: file, Test: r.Name, Line: r.Line, Passed: r.Err == nil, Log: r.Log},
			r.Err)
	}
	if err != nil {
		add(testLine{File: file}, err)
	}
	return lines
}

// fileReport returns the lines about one file, and how many of its tests failed.
func fileReport(file string, results []trial.Result, err error) (lines []string, failed int) {
	shown := plain.RevealName(file)
	switch {
	case err != nil && len(results) == 0:
		return []string{plain.Text(shown + ": FAIL\n" + below(detail(file, err)))}, 0
	case err == nil && len(results) == 0:
		return []string{plain.Text(shown + ": no tests")}, 0
	}
	lines = []string{plain.Text(shown)}
	for _, r := range results {
		if r.Err == nil {
			lines = append(lines, plain.Text("  ok    "+r.Name))
			continue
		}
		failed++
		text := "  FAIL  " + r.Name + "\n" + below(detail(file, r.Err))
		if r.Log != "" {
			text += "\n" + below("log:\n"+r.Log)
		}
		lines = append(lines, plain.Text(text))
	}
	if err != nil {
		lines = append(lines, plain.Text(below(detail(file, err))))
	}
	return lines, failed
}

// detail returns an error with its position as a path that a terminal can open.
func detail(file string, err error) string {
	var se *fault.ScriptError
	if !errors.As(err, &se) {
		return err.Error()
	}
	shown := *se
	if shown.File == filepath.Base(file) {
		shown.File = file
	}
	if outer, found := strings.CutSuffix(err.Error(), se.Error()); found && outer != "" {
		return outer + shown.Detail()
	}
	return shown.Detail()
}

// below indents text below the line that it belongs to.
func below(text string) string { return "        " + strings.ReplaceAll(text, "\n", "\n        ") }

// extBench implements agent ext bench NAME [SESSION].
func extBench(f *flags, words []string, stdout, stderr io.Writer) (code int) {
	if len(words) < 1 || len(words) > 2 {
		return usageError(stderr, fmt.Errorf("ext bench: got %d words, want NAME, of a script or "+
			"a file, and optionally the id of a SESSION whose tool calls it gets", len(words)))
	}
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	line, err := at.bench(ctx, words)
	var usage installcmd.UsageError
	switch {
	case errors.As(err, &usage):
		return usageError(stderr, err)
	case err != nil:
		return failure(stderr, err)
	}
	if !f.json {
		return printText(stdout, stderr, plain.Text(line.text()))
	}
	b, err := json.Marshal(line)
	if err != nil {
		return failure(stderr, err)
	}
	return printText(stdout, stderr, string(b))
}

// bench measures the script that the first word names, by the calls of the session that a second
// one names.
func (p place) bench(ctx context.Context, words []string) (*benchLine, error) {
	files, err := scriptFiles(words[:1])
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("%s: want one script, got a folder", words[0])
	}
	if err != nil {
		return nil, installcmd.Usage(fmt.Errorf("ext bench: %w", err))
	}
	file := files[0]
	line := &benchLine{File: file, Calls: "synthetic"}
	var calls []trial.Canary
	if len(words) == 2 {
		s, err := p.findSession(words[1])
		if err != nil {
			return nil, fmt.Errorf("ext bench: %w", err)
		}
		line.Calls, calls = s.ID(), trial.RecordedCalls(s)
		if len(calls) == 0 {
			return nil, fmt.Errorf("ext bench: session %s has no tool calls", s.ID())
		}
	}
	m, err := trial.Bench(ctx, trialOptions(), file, calls)
	if err != nil {
		return nil, errors.New(plain.Text("ext bench: " + detail(file, err)))
	}
	line.read(m)
	return line, nil
}

// benchLine is what agent ext bench --json prints. Times are in microseconds.
type benchLine struct {
	File     string         `json:"file"`
	Calls    string         `json:"calls"` // synthetic, or the id of a session
	LoadUS   float64        `json:"load_us"`
	Memory   uint64         `json:"memory_bytes"`
	Handlers []benchHandler `json:"handlers"`
	Untried  []string       `json:"untried"` // functions behind which nothing was measured
}

type benchHandler struct {
	Event  string  `json:"event"`
	Line   int     `json:"line"`
	Filter string  `json:"filter,omitempty"`
	Runs   int     `json:"runs"`
	Errors int     `json:"errors"`
	Error  string  `json:"error,omitempty"` // the first one
	P50US  float64 `json:"p50_us"`
	P99US  float64 `json:"p99_us"`
	MaxUS  float64 `json:"max_us"`
}

// read reads what was measured.
func (l *benchLine) read(m *trial.Measured) {
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	l.LoadUS, l.Memory = us(m.Load), m.Memory
	l.Handlers, l.Untried = []benchHandler{}, []string{}
	for _, t := range m.Handlers {
		l.Handlers = append(l.Handlers, benchHandler{t.Event, t.Line, t.Filter, t.Runs, t.Errors,
			t.Error, us(t.P50), us(t.P99), us(t.Max)})
	}
	for _, u := range m.Untried {
		l.Untried = append(l.Untried, u.Name)
	}
}

// text describes the line for a person.
func (l *benchLine) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: loads in %s, keeps %d KB; calls: %s\n", plain.RevealName(l.File),
		tookUS(l.LoadUS), (l.Memory+1023)>>10, l.Calls)
	for _, h := range l.Handlers {
		name := fmt.Sprintf("%d: %s", h.Line, strings.TrimSpace(h.Event+" "+h.Filter))
		if h.Runs == 0 {
			fmt.Fprintf(&b, "  %-30s  not measured: no event fits its filter\n", name)
			continue
		}
		fmt.Fprintf(&b, "  %-30s  p50 %s  p99 %s  max %s  of %s", name, tookUS(h.P50US),
			tookUS(h.P99US), tookUS(h.MaxUS), plain.Count(h.Runs, "run"))
		if h.Errors > 0 {
			fmt.Fprintf(&b, ", %d FAILED: %s", h.Errors, h.Error)
		}
		b.WriteString("\n")
	}
	if len(l.Handlers) == 0 {
		b.WriteString("  it has no handlers\n")
	}
	if len(l.Untried) > 0 {
		fmt.Fprintf(&b, "not measured, since it needs the world outside: what follows %s\n",
			strings.Join(l.Untried, ", "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// tookUS formats a time of so many microseconds.
func tookUS(us float64) string { return plain.Took(time.Duration(us * 1e3)) }
