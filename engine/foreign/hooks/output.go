// This file understands what a hook answers.

package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// mostText limits each text of a hook in characters, as there.
const mostText = 10_000

// output is what a hook has written.
type output struct {
	code           int
	stdout, stderr string
	cut            bool   // it has written more than that
	refused        string // what the sandbox has refused
	missing        string // the interpreter of its program, if that is not there
	err            error  // it could not run, or did not end in time
}

// answer is what a hook decides.
type answer struct {
	decision string         // deny, ask, allow; "" = none
	reason   string         // of the decision
	update   map[string]any // other arguments
	context  string         // for the model
	result   any            // another result of the tool; nil = as it is
	stop     bool           // continue is false
	why      string
	say      string // to the user
	failed   string // for the user: an error that decides nothing
	stderr   string
	wishes

	// of docker-agent
	messages []any  // others for the model
	summary  string // of a compaction
	metadata message

	err error // it has not answered: if it guards, the call must not simply go on
}

// firm orders decisions: the firmest counts.
func firm(decision string) int {
	return slices.Index([]string{"", "allow", "ask", "deny"}, decision)
}

// answerOf returns the answer that the output of a hook is.
func (d *dialect) answerOf(h *hook, o output) *answer {
	r := h.row
	if o.err != nil {
		return &answer{err: o.err}
	}
	a := &answer{stderr: short(o.stderr)}
	text := strings.Trim(o.stdout, " \t\r\n\ufeff") // as JavaScript does it
	structured := strings.HasPrefix(text, "{") && (o.code == 0 || !d.strict)
	if structured {
		if err := a.readJSON(d, h, text, o.cut); err != nil {
			*a = answer{stderr: a.stderr}
			structured = d.strict
			if d.strict || !r.text {
				a.err = err
			} else {
				a.failed = plain.Error(err) + "; the model gets it as text"
			}
		}
	}
	switch {
	case o.code == 2:
		a.refuse(r)
	case o.code == 126 || o.code == 127:
		hint := "install it, or correct the command"
		if o.code == 126 {
			hint = "make it executable with chmod +x, or name its interpreter"
		}
		if o.missing != "" {
			hint = "correct the first line of its program: there is no " + o.missing
		}
		a.err = fmt.Errorf("it cannot be started (exit code %d)%s; %s", o.code, said(a.stderr),
			hint)
	case o.code != 0 && r.decides && o.refused != "" && a.decision == "" && !a.stop:
		a.err = fmt.Errorf("it failed with exit code %d, and the sandbox refused it to %s",
			o.code, o.refused)
	case structured:
	case o.code != 0 && d.strict:
		a.err = errors.New(o.failure())
	case h.strict && text != "":
		a.err = errors.New("its answer is not a JSON object, which strict_output wants")
	case o.code != 0:
		a.failed = o.failure()
		a.err = nil
	case r.text:
		a.context = short(text)
	}
	if a.decision != "" && a.reason == "" {
		if a.reason = a.say; a.reason == "" {
			a.reason = a.stderr
		}
	}
	return a
}

// failure says that a hook has failed.
func (o *output) failure() string {
	return fmt.Sprintf("it failed with exit code %d%s", o.code, said(o.stderr))
}

// refuse is exit code 2: nothing in the JSON can be more lenient.
func (a *answer) refuse(r *row) {
	a.err = nil
	if !r.blocks {
		a.failed = "its exit code 2 has no effect on this event" + said(a.stderr)
		return
	}
	if a.decision != "deny" {
		a.decision, a.reason = "deny", ""
	}
	if a.reason == "" {
		a.reason = a.stderr
	}
}

// said is the end of an error message: what a hook wrote to stderr.
func said(stderr string) string {
	if text := plain.Line(stderr, 500); text != "" {
		return ": " + text
	}
	return ""
}

// short shortens a text of a hook.
func short(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= mostText {
		return text
	}
	return plain.Chars(text, mostText)
}

// readJSON reads an answer that is a JSON object.
func (a *answer) readJSON(d *dialect, h *hook, text string, cut bool) error {
	if cut {
		return errors.New("its answer is too long")
	}
	f := &fields{mistake: &mistake{}}
	if err := json.Unmarshal([]byte(text), &f.m); err != nil {
		return fmt.Errorf("its answer is not a JSON object: %w%s", plain.Wrap(err),
			said(plain.Short(text, 80)))
	}
	r := h.row
	a.stop = f.typed("continue", "boolean") == false
	a.why, a.say = f.text("stopReason"), f.text("systemMessage")
	switch said := f.text("decision"); {
	case said == "":
	case said == "block", said == "deny" && !d.strict:
		a.decision = "deny"
	case (said == "approve" || said == "allow" || said == "ask") && !d.strict:
		if r.decides && said != "ask" {
			a.decision = "allow"
		} else if r.decides {
			a.decision = "ask"
		}
	default:
		f.wrong("decision", fmt.Sprintf("got %.40q, want block", said))
	}
	a.reason = f.text("reason")
	own := f.inner("hookSpecificOutput")
	a.context = join(f.text("additionalContext"), own.text("additionalContext"))
	a.update = own.table("updatedInput")
	for _, name := range []string{"updatedToolOutput", "updated_tool_output",
		"updatedMCPToolOutput", "updated_tool_response"} {
		if v := own.m[name]; v != nil {
			a.result = v
		}
	}
	if r.decides {
		a.readPermission(d, own)
	}
	if d.strict {
		a.readMore(h, f, own)
	} else {
		a.readWishes(r, f, own)
	}
	for _, text := range []*string{&a.why, &a.say, &a.reason, &a.context} {
		*text = short(*text)
	}
	return f.err
}

// readPermission reads what a hook decides about a call.
func (a *answer) readPermission(in *dialect, f *fields) {
	d, why := f.text("permissionDecision"), f.text("permissionDecisionReason")
	inner := f.inner("decision") // of PermissionRequest
	if b := inner.text("behavior"); b != "" {
		d, why, a.update = b, inner.text("message"), inner.table("updatedInput")
		if inner.flag("interrupt") && b == "deny" {
			a.stop, a.why = true, why
		}
	}
	switch {
	case d == "":
		return
	case d == "allow", d == "ask", d == "deny":
	case d == "defer" && !in.strict: // to whoever runs the agent
		d = "ask"
	default:
		f.wrong("permissionDecision", fmt.Sprintf("got %.40q, want allow, ask or deny", d))
		return
	}
	if firm(d) >= firm(a.decision) {
		a.decision, a.reason = d, why
	}
}
