// This file implements agent ext test, which runs the tests that scripts contain.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/agent/trial"
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
