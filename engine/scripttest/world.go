// This file implements a fake user, who gives the answers that the case defines, and fake tools,
// which do nothing.

package scripttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
)

// user gives the answers that the case defines, one by one.
type user struct {
	ask func(line string) // receives each question

	mu       sync.Mutex
	approves []engine.Answer
	confirms []bool
	late     bool // approves after lateAnswer
	words    []string
}

// lateAnswer is the delay of a late answer: longer than the time limits that cases test.
const lateAnswer = 2500 * time.Millisecond

// errNoAnswer is returned when the case defines no answer.
var errNoAnswer = errors.New("the case has no answer to this")

// Approve implements engine.Approver.
func (u *user) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	for _, a := range q.Asks {
		line := fmt.Sprintf("asked about %s %s", q.Call.Tool, compact(q.Call.Args))
		if a.Script != "" {
			line += " by " + a.Script
		}
		line += ": " + a.Text
		if a.Reason != "" {
			line += " (" + a.Reason + ")"
		}
		if a.Detail != nil {
			line += " " + compact(a.Detail)
		}
		u.ask(line)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.approves) == 0 {
		return engine.Answer{}, errNoAnswer
	}
	if u.late {
		time.Sleep(lateAnswer)
	}
	a := u.approves[0]
	u.approves = u.approves[1:]
	return a, nil
}

// Confirm implements ui.Dialogs.
func (u *user) Confirm(_ context.Context, d *ui.Dialog) (bool, error) {
	line := fmt.Sprintf("%s confirms: %s", d.Script, d.Title)
	for _, part := range []string{d.Detail, d.Yes, d.No} {
		if part != "" {
			line += " | " + part
		}
	}
	u.ask(line)
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.confirms) == 0 {
		return false, errNoAnswer
	}
	yes := u.confirms[0]
	u.confirms = u.confirms[1:]
	return yes, nil
}

// Select implements ui.Dialogs.
func (u *user) Select(ctx context.Context, d *ui.Dialog) (string, bool, error) {
	line := fmt.Sprintf("%s lets choose: %s", d.Script, d.Title)
	if d.Other {
		line += " (or else)"
	}
	if d.Detail != "" {
		line += " | " + d.Detail
	}
	for _, c := range d.Choices {
		line += fmt.Sprintf(" | %s=%s %s", c.Value, c.Label, c.Description)
	}
	return u.say(ctx, line)
}

// Many implements ui.Dialogs: the user's next answer has commas between the values.
func (u *user) Many(ctx context.Context, d *ui.Dialog) ([]string, bool, error) {
	word, ok, err := u.Select(ctx, d)
	if !ok || word == "none" {
		return nil, ok, err
	}
	return strings.Split(word, ", "), true, nil
}

// Edit implements ui.Dialogs.
func (u *user) Edit(ctx context.Context, d *ui.Dialog) (string, bool, error) {
	return u.say(ctx, fmt.Sprintf("%s lets edit: %s | %s | %q", d.Script, d.Title, d.Detail,
		d.Text))
}

// Input implements ui.Dialogs.
func (u *user) Input(ctx context.Context, d *ui.Dialog) (string, bool, error) {
	return u.say(ctx, fmt.Sprintf("%s lets write: %s | %s | %s", d.Script, d.Title, d.Detail,
		d.Text))
}

// say returns the user's next answer: "-" cancels, "..." waits until ctx ends.
func (u *user) say(ctx context.Context, line string) (string, bool, error) {
	u.ask(line)
	u.mu.Lock()
	word := ""
	if len(u.words) > 0 {
		word, u.words = u.words[0], u.words[1:]
	}
	u.mu.Unlock()
	switch word {
	case "":
		return "", false, errNoAnswer
	case "-":
		return "", false, nil
	case "...":
		<-ctx.Done()
		return "", false, context.Cause(ctx)
	}
	return word, true, nil
}

// Cancels is a user who cancels every dialog. A test embeds it and answers those that it needs.
type Cancels struct{}

// Confirm implements ui.Dialogs.
func (Cancels) Confirm(context.Context, *ui.Dialog) (bool, error) { return false, nil }

// Select implements ui.Dialogs.
func (Cancels) Select(context.Context, *ui.Dialog) (string, bool, error) { return "", false, nil }

// Many implements ui.Dialogs.
func (Cancels) Many(context.Context, *ui.Dialog) ([]string, bool, error) { return nil, false, nil }

// Edit implements ui.Dialogs.
func (Cancels) Edit(context.Context, *ui.Dialog) (string, bool, error) { return "", false, nil }

// Input implements ui.Dialogs.
func (Cancels) Input(context.Context, *ui.Dialog) (string, bool, error) { return "", false, nil }

// tools returns fakes of the built-in tools, which print what they would have done.
func tools() []*engine.Tool {
	text := map[string]any{"type": "string"}
	tool := func(name, kind string, readOnly bool, params ...string) *engine.Tool {
		properties, required := map[string]any{}, []any{}
		for _, p := range params {
			properties[p] = text
			required = append(required, p)
		}
		return &engine.Tool{Name: name, Description: name, Kind: kind, ReadOnly: readOnly,
			Source: "builtin",
			Schema: map[string]any{"type": "object", "properties": properties,
				"required": required},
			Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
				return engine.TextResult(name + " ran: " + compact(use.Args)), nil
			}}
	}
	about := func(t *engine.Tool, s subject.Subject) *engine.Tool {
		t.Subject = &s
		return t
	}
	path, command := subject.Path, subject.Command
	return []*engine.Tool{
		about(tool("read", "read", true, "path"),
			subject.Subject{Kind: path, Arg: "path", Reads: true}),
		about(tool("write", "edit", false, "path", "content"),
			subject.Subject{Kind: path, Arg: "path", Writes: true}),
		about(tool("edit", "edit", false, "path"),
			subject.Subject{Kind: path, Arg: "path", Reads: true, Writes: true}),
		about(tool("bash", "execute", false, "command"),
			subject.Subject{Kind: command, Arg: "command"}),
	}
}

// lookupEnv is the fake environment: a few variables, and those that programs need.
func lookupEnv(name string) (string, bool) {
	switch name {
	case "PATH":
		return os.LookupEnv(name)
	case "HOME":
		return "/home/user", true
	case "CASE_KEY", "GITHUB_TOKEN":
		return "key-0123456789", true
	case "CASE_TEXT":
		return "a text", true
	case "CASE_EMPTY":
		return "", true
	}
	return "", false
}
