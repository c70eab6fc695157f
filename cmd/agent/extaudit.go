// This file implements agent ext audit and agent ext why, which show who decided what, and why.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/plain"
)

// auditFlags are the flags of agent ext audit.
type auditFlags struct {
	script string
	since  string
	verify bool
}

// extAudit implements agent ext audit: it prints the audit log, or verifies that it is complete.
func extAudit(f *flags, words []string, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	if len(words) > 0 {
		return usageError(stderr, fmt.Errorf("ext audit: got %s, want only flags: --script NAME, "+
			"--since 1h, --verify", strings.Join(words, " ")))
	}
	if f.audit.verify {
		return verifyAudit(f, at.home, stdout, stderr)
	}
	since, err := sinceTime(f.audit.since, time.Now())
	if err != nil {
		return usageError(stderr, err)
	}
	records, err := audit.Read(audit.Dir(at.home), audit.Query{Since: since,
		Script: f.audit.script})
	if err != nil {
		return failure(stderr, fmt.Errorf("ext audit: %w", err))
	}
	if len(records) == 0 && !f.json {
		return printText(stdout, stderr, "the audit log is empty")
	}
	for _, r := range records {
		line := r.Line()
		if f.json {
			b, err := r.JSON()
			if err != nil {
				return failure(stderr, fmt.Errorf("ext audit: %w", err))
			}
			line = string(b)
		}
		if code := printText(stdout, stderr, line); code != exitOK {
			return code
		}
	}
	return exitOK
}

func verifyAudit(f *flags, home string, stdout, stderr io.Writer) int {
	if f.audit.script != "" || f.audit.since != "" {
		return usageError(stderr, errors.New("ext audit: --verify checks the whole log: "+
			"leave out --script and --since"))
	}
	report, err := audit.Verify(audit.Dir(home))
	if err != nil {
		return failure(stderr, fmt.Errorf("ext audit: %w", err))
	}
	code := exitOK
	if !report.OK() {
		code = exitError
	}
	if f.json {
		findings := []string{}
		for _, x := range report.Findings {
			findings = append(findings, x.String())
		}
		b, err := json.Marshal(map[string]any{"ok": report.OK(), "files": report.Files,
			"records": report.Records, "findings": findings})
		if err != nil {
			return failure(stderr, err)
		}
		return max(code, printText(stdout, stderr, string(b)))
	}
	for _, x := range report.Findings {
		printed := printText(stdout, stderr, plain.Text(x.String()))
		code = max(code, printed)
	}
	state := "no record was changed or removed"
	if !report.OK() {
		state = "THE LOG WAS CHANGED"
	}
	return max(code, printText(stdout, stderr, fmt.Sprintf("%d records in %d files: %s",
		report.Records, report.Files, state)))
}

// sinceTime parses --since: a duration before now, a day, or a time.
func sinceTime(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		if _, err := fmt.Sscanf(days, "%d", &n); err == nil && fmt.Sprint(n) == days && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since: got %q, want a duration such as 90m, 1h or 7d, or a "+
		"day such as 2026-11-23", plain.Line(s, 80))
}

// extWhy implements agent ext why [CALL]: it prints who decided about a tool call.
func extWhy(f *flags, words []string, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	if len(words) > 1 {
		return usageError(stderr, fmt.Errorf("ext why: got %d words, want the id of one call, or "+
			"nothing for the last one", len(words)))
	}
	r, err := audit.Find(audit.Dir(at.home), strings.Join(words, ""), "")
	if err != nil {
		return failure(stderr, fmt.Errorf("ext why: %w", err))
	}
	text, err := audit.Why(audit.Dir(at.home), r)
	if f.json {
		var b []byte
		b, err = r.JSON()
		text = string(b)
	}
	if err != nil {
		return failure(stderr, fmt.Errorf("ext why: %w", err))
	}
	return printText(stdout, stderr, text)
}
