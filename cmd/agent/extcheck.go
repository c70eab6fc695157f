// This file implements agent ext check, which finds the mistakes in a script before it is used.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/lint"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
)

func extCheck(f *flags, words []string, stdout, stderr io.Writer) (code int) {
	files, err := scriptFiles(words)
	if err != nil {
		return usageError(stderr, fmt.Errorf("ext check: %w", err))
	}
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	var lines []string
	mistakes, notes := 0, 0
	for _, file := range files {
		for _, found := range checkFile(ctx, file) {
			if found.Level == lint.Error {
				mistakes++
			} else {
				notes++
			}
			shown := found
			shown.File = plain.RevealName(found.File)
			line := plain.Text(shown.String())
			if f.json {
				b, err := json.Marshal(found)
				if err != nil {
					return failure(stderr, err)
				}
				line = string(b)
			}
			lines = append(lines, line)
		}
		if !f.json {
			lines = append(lines, wantsLines(file)...)
		}
	}
	if !f.json {
		lines = append(lines,
			strings.Join([]string{plain.Count(len(files), "script"), plain.Count(mistakes, "error"),
				plain.Count(notes, "note")}, ", "))
	}
	code = exitOK
	if len(lines) > 0 {
		code = printText(stdout, stderr, strings.Join(lines, "\n"))
	}
	if mistakes > 0 {
		return exitError
	}
	return code
}

// wantsLines says what a script asks for: "x.lua:2: it runs the program git, ... (exec:git)".
func wantsLines(file string) (lines []string) {
	src, err := regularfile.Read(file)
	if err != nil {
		return nil
	}
	header, _ := load.ParseHeader(filepath.Base(file), src)
	for _, w := range load.Wants(string(src), header.Grants, header.Grants) {
		lines = append(lines, plain.Text(fmt.Sprintf("%s: it %s", plain.RevealName(file), w)))
	}
	return lines
}

// checkFile returns the problems of one script. It reads the text, loads the script and then tries
// its guards on harmless calls.
func checkFile(ctx context.Context, file string) []lint.Finding {
	src, err := regularfile.Read(file)
	if err != nil {
		return []lint.Finding{{File: file, Level: lint.Error, Rule: "load",
			Message: plain.Cause(err).Error()}}
	}
	found := lint.Source(filepath.Base(file), src)
	broken := slices.ContainsFunc(found, func(x lint.Finding) bool { return x.Rule == "header" })
	if !broken {
		checked, err := trial.Canaries(ctx, trialOptions(), file)
		found = addLoadError(found, err)
		if err == nil {
			found = addTried(found, checked)
		}
	}
	for i := range found {
		found[i].File = file
	}
	lint.Sort(found)
	return found
}

// addLoadError adds the error of loading, unless reading the text has found it already.
func addLoadError(found []lint.Finding, err error) []lint.Finding {
	if err == nil {
		return found
	}
	x := lint.Finding{Level: lint.Error, Rule: "load", Message: err.Error()}
	var se *fault.ScriptError
	if errors.As(err, &se) {
		x.Line, x.Column, x.Message, x.Hint = se.Line, se.Column, se.Message, se.Hint
	}
	if name := untried(err); name != "" {
		x = notTried(name, fault.Position{Line: x.Line, Column: x.Column})
	}
	if slices.ContainsFunc(found, func(y lint.Finding) bool {
		return y.Level == lint.Error &&
			y.Line == x.Line && x.Line > 0
	}) {
		return found
	}
	return append(found, x)
}

// addTried adds the results of trying the script.
func addTried(found []lint.Finding, c *trial.Checked) []lint.Finding {
	for _, text := range c.Notices {
		found = append(found, lint.Finding{Level: lint.Note, Rule: "trial", Message: text})
	}
	for _, u := range c.Untried {
		found = append(found, notTried(u.Name, u.At))
	}
	before := len(found)
	found = addLoadError(found, c.Failed)
	if c.Unsure && len(found) > before { // the script may work once the missing file exists
		x := &found[before]
		x.Level, x.Rule = lint.Note, "trial"
	}
	return append(found, refusals(c.Objections)...)
}

// untried returns the name of the function that a check cannot run, if err is about one.
func untried(err error) string {
	var unstubbed *trial.UnstubbedError
	var outside *trial.OutsideError
	switch {
	case errors.As(err, &unstubbed):
		return unstubbed.Name
	case errors.As(err, &outside):
		return outside.Name
	}
	return ""
}

// notTried returns a finding which says that the code after a function was not tried.
func notTried(name string, at fault.Position) lint.Finding {
	return lint.Finding{Line: at.Line, Column: at.Column, Level: lint.Note, Rule: "trial",
		Hint: "a test can: agent ext test",
		Message: name + " does nothing while a script is checked: the code after it was not " +
			"tried"}
}

// maxRefusals is the largest number of refused calls that are listed: a guard that refuses
// everything refuses all of them.
const maxRefusals = 5

// refusals returns the findings about guards that object to harmless calls: a refusal is a mistake,
// a question may be intended.
func refusals(objections []trial.Objection) []lint.Finding {
	var found []lint.Finding
	for i, o := range objections {
		if i == maxRefusals {
			return append(found, lint.Finding{Line: o.Line, Level: lint.Note, Rule: "guard",
				Message: fmt.Sprintf("and %d more", len(objections)-i)})
		}
		x := lint.Finding{Line: o.Line, Level: lint.Note, Rule: "guard",
			Message: fmt.Sprintf("asks about %q, which is harmless: %s", o.Canary.String(),
				o.Reason)}
		if o.Refused {
			if o.Canary.Args["command"] != nil {
				x.Hint = "a word in a text is no command: ext.shell.check reads commands as " +
					"bash does"
			}
			x.Level, x.Message = lint.Error, fmt.Sprintf("refuses %q, which is harmless: %s",
				o.Canary.String(), o.Reason)
		}
		found = append(found, x)
	}
	return found
}
