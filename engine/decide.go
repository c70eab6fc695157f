// This file decides whether a call may run: permission modes, and the user if there is a question.

package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/value"
)

// askKey identifies a question by asker and text, to remember its answer.
type askKey struct {
	script string
	text   string
}

// decision decides whether one call may run: it consults the user's rules, protected files, the
// permission mode, the scripts, and then the user, and remembers the answers.
type decision struct {
	d        *dispatch // the call
	ruling   ruling
	answered map[askKey]bool // the questions that the user has approved
	source   string          // what decided
	by       *Handler        // the handler that skips the routine question
	lift     *lift           // what the sandbox would refuse to the call; nil = nothing is known
	lifted   *lift           // what the user has approved of that
	edited   bool            // the user has edited the arguments since: see moreToLift
}

// decide lets the call run, asks the user, or refuses. Questions of handlers apply in every mode;
// the mode's own can be skipped.
func (c *decision) decide() bool {
	c.by = nil
	if !c.ruled() {
		return false
	}
	asks, source := c.pending()
	if len(asks) == 0 {
		if more := c.moreToLift(); more != nil {
			return c.askUser([]Ask{*more})
		}
		c.source = source
		return true
	}
	c.setLift()
	asks = c.withLift(asks)
	if c.remembered(asks) {
		c.grantLift(asks)
		c.source = "session_allow"
		return true
	}
	asks, ok := c.permission(asks)
	asks = c.withLift(asks)
	switch {
	case !ok:
		return false
	// a script was reloaded while its handler waited: the new version runs, after the guards
	case c.d.unguarded:
		return true
	case len(asks) == 0:
		c.source, c.by = "script", c.d.verdict.Allowed
		return true
	case c.useless(asks):
		return false
	}
	return c.askUser(asks)
}

// pending returns the questions that are not answered yet, and, if there are none, the source of
// the decision.
func (c *decision) pending() (asks []Ask, source string) {
	for _, a := range c.d.verdict.Asks {
		if !c.answered[askKey{a.Script, a.Text}] {
			asks = append(asks, a)
		}
	}
	if a := c.ruling.ask(); a != nil && !c.answered[askKey{"", a.Text}] {
		asks = append(asks, *a)
	}
	if a := c.protected(); a != nil && !c.answered[askKey{"", a.Text}] {
		asks = append(asks, *a)
	}
	if a := c.leaves(); a != nil && !c.answered[askKey{"", a.Text}] {
		asks = append(asks, *a)
	}
	a, source := c.routine()
	switch {
	case a != nil && !c.answered[askKey{"", a.Text}]:
		asks = append(asks, *a)
	case c.answered != nil: // the user's approval in an earlier round decides
		return asks, c.source
	}
	if source == "script" {
		c.by = c.d.verdict.Allowed
	}
	return asks, source
}

// onlyReads is the source of the decision about a command line that only reads.
const onlyReads = "only_reads"

// routine returns the permission mode's question, or nil and the reason.
func (c *decision) routine() (*Ask, string) {
	mode := event.PermissionDefault
	if c.d.call.Env != nil && c.d.call.Env.Permission != "" {
		mode = c.d.call.Env.Permission
	}
	readOnly, edits, kind := false, false, "other"
	if t := c.d.found; t != nil {
		readOnly, edits, kind = t.ReadOnly, t.Kind == "edit", t.Kind
	}
	switch {
	case readOnly:
		return nil, "read_only"
	case mode == event.PermissionYolo:
		return nil, "yolo"
	case c.d.call.Origin == "user":
		return nil, "mode"
	case mode == event.PermissionPlan && c.onlyReads():
		return nil, onlyReads
	case mode == event.PermissionPlan:
		return &Ask{routine: true, Text: planText(c.d.tool)}, ""
	case (mode == event.PermissionAcceptEdits || mode == event.PermissionAuto) && edits &&
		c.protection().Edits == "", mode == event.PermissionAuto && c.confinement() == Sealed:
		return nil, "mode"
	case c.ruling.decision == "allow":
		return nil, "rule_allow"
	case c.d.found != nil && c.d.found.NoApproval, c.d.verdict.Allowed != nil:
		return nil, "script"
	case c.onlyReads():
		return nil, onlyReads
	}
	short := string(mode) + " asks before whatever may change something"
	text := fmt.Sprintf("%s (kind %s) asks for approval in permission mode %s", c.d.tool, kind,
		mode)
	if why := c.protection(); edits && why.Edits != "" && why.Asks == "" {
		text += ": " + why.Edits
		short += ": " + why.Edits
	}
	return &Ask{routine: true, Text: text, Short: short}, ""
}

func planText(tool string) string {
	return "permission mode plan is read only: " + tool + " may change things"
}

// remembered reports whether the user allowed all questions for this session.
func (c *decision) remembered(asks []Ask) bool {
	var keys []string
	for _, a := range asks {
		if a.Failure != nil {
			return false
		}
		keys = append(keys, c.sessionKey(a))
	}
	return c.d.e.User.allows(keys)
}

// sessionKey identifies what "allow for this session" covers: the same asker with the same question
// and the same tool; for edits any file, otherwise the same arguments.
func (c *decision) sessionKey(a Ask) string {
	args := ""
	if c.d.found == nil || c.d.found.Kind != "edit" || !a.routine {
		if j, err := json.Marshal(c.d.args); err == nil { // plain data: map keys are sorted
			args = string(j)
		} else { // NaN or an infinity
			args = fmt.Sprint(c.d.args)
		}
	}
	return strings.Join([]string{c.d.tool, a.Script, a.Text, args}, "\x00")
}

// permission runs the tool_permission handlers: they may skip the routine question, or block.
func (c *decision) permission(asks []Ask) ([]Ask, bool) {
	if !c.d.e.Emitter.wants(c.d.snap, event.ToolPermission{}) {
		return asks, true
	}
	list := make([]any, len(asks))
	for i, a := range asks {
		list[i] = map[string]any{"who": a.Script, "why": a.Text}
	}
	fired := event.ToolPermission{Asks: list}
	if c.ruling.decision == "ask" {
		fired.Rule = c.ruling.rule
	}
	v := Verdict{}
	ev := c.d.askHandlers(c.d.ctx, c.d.snap, c.d.event(fired), &v)
	if v.retired && !v.Blocked {
		c.d.verdict.Trail = append(c.d.verdict.Trail, v.Trail...)
		c.d.unguarded = true
		return asks, true
	}
	if !c.permitted(ev, &v) {
		return nil, false
	}
	detail, _ := ev.Field("detail").(map[string]any)
	kept := asks[:0:0]
	for _, a := range asks {
		if a.routine && v.Allowed != nil && a.Text != planText(c.d.tool) {
			c.d.verdict.Allowed = v.Allowed
			continue
		}
		if detail != nil {
			a.Detail, _ = value.Merge(a.Detail, detail).(map[string]any)
		}
		kept = append(kept, a)
	}
	return append(kept, v.Asks...), true
}

// permitted continues with the answers of the tool_permission handlers.
func (c *decision) permitted(ev *event.Event, v *Verdict) bool {
	c.d.verdict.Trail = append(c.d.verdict.Trail, v.Trail...)
	c.d.unguarded = false
	c.d.e.Stream.Tell(ev)
	return c.d.pass(v)
}

// askUser shows one dialog for all questions. If no one can approve, it refuses the call, and says
// how to allow it.
func (c *decision) askUser(asks []Ask) bool {
	for _, a := range asks {
		if a.routine && a.Text == planText(c.d.tool) {
			c.d.refuse("denied", "mode", "refused: "+a.Text)
			return false
		}
	}
	if c.d.e.User.approver == nil || c.subagentFailure(asks) {
		c.d.refuse("denied", "headless", headless(asks, c.always(asks),
			c.confinement() == Sealed))
		return false
	}
	q := &Question{Call: c.d.final(), Asks: asks, Preview: c.d.previewCall(),
		Rewritten: c.d.rewritten,
		Risks:     c.risks(asks),
		Always:    c.always(asks)}
	if q.Always != "" {
		q.CheckRule = c.ruleChecker()
	}
	if c.d.found != nil {
		q.Kind = c.d.found.Kind
	}
	c.d.e.Notices.Waiting(c.d.call.Env, "approval")
	a, err := c.showQuestion(q)
	if err != nil || c.d.ctx.Err() != nil {
		c.d.refuse("aborted", "cancelled", "cancelled by the user")
		return false
	}
	if !a.Allow {
		text := "refused by the user"
		if a.Reason != "" {
			text += ": " + a.Reason
		}
		c.d.refuse("denied", "user_rejected", text)
		return false
	}
	c.accept(q, a)
	return true
}

// risks returns what a question says about what the call does. A sandbox limits which unknown files
// a program writes.
func (c *decision) risks(asks []Ask) []string {
	t := c.d.found
	if t == nil || t.ReadOnly {
		return nil
	}
	r, how := c.d.touches().risks(), c.confinement()
	if how == Confined || how == Sealed {
		r.Unknown = ""
	}
	// the permission mode's question says it
	if t.Kind == "edit" && slices.ContainsFunc(asks, func(a Ask) bool { return a.routine }) {
		r.Outside, r.Unknown = "", ""
	}
	return slices.DeleteFunc([]string{r.Outside, r.Unknown, r.Network},
		func(text string) bool { return text == "" })
}

// showQuestion shows q to the user; the wall clocks of the scripts that made the call are stopped
// meanwhile.
func (c *decision) showQuestion(q *Question) (a Answer, err error) {
	ask := func() { a, err = c.d.e.User.approver.Approve(c.d.ctx, q) }
	if by := causeOf(c.d.ctx); by != nil {
		by.OffClock(ask)
	} else {
		ask()
	}
	return a, err
}

// subagentFailure refuses the call if a guard failed in a sub-agent: users do not follow a
// sub-agent closely enough to decide.
func (c *decision) subagentFailure(asks []Ask) bool {
	for _, a := range asks {
		if a.Failure != nil && c.d.call.Env != nil && c.d.call.Env.Depth > 0 {
			return true
		}
	}
	return false
}

// accept records the user's approval. Edited arguments make the guards run again.
func (c *decision) accept(q *Question, a Answer) {
	if c.answered == nil {
		c.answered = map[askKey]bool{}
	}
	for _, k := range q.Asks {
		c.answered[askKey{k.Script, k.Text}] = true
	}
	c.grantLift(q.Asks)
	if a.Args != nil && !sameArgs(a.Args, c.d.args) {
		c.d.args, c.edited = a.Args, true
		c.d.unguarded = true // no guard has seen these
		c.d.verdict.Trail = append(c.d.verdict.Trail, Step{Event: stepApproval, Outcome: "rewrite",
			Changed: []string{"args"}})
		c.d.rewritten = c.d.rewriteSoFar()
	}
	source := "user_once"
	switch {
	case a.Always && q.Always != "" && c.store(q, a.Rule):
		source = "user_always"
	case a.Session: // for the arguments as the user edited them
		source = "user_session"
		var keys []string
		for _, k := range q.Asks {
			if k.Failure == nil {
				keys = append(keys, c.sessionKey(k))
			}
		}
		c.d.e.User.allow(keys)
	}
	c.source = source
}

// headless returns the message for a call that no one could approve, and says how to allow it: with
// the rule always, "" if none is narrow enough, or with the mode auto if the call is sealed.
func headless(asks []Ask, always string, sealed bool) string {
	var parts []string
	routine, before := false, ""
	for _, a := range asks {
		if a.Reason == before { // it is shown once
			a.Reason = ""
		} else {
			before = a.Reason
		}
		if routine = routine || a.routine; a.routine || a.Rule != "" {
			parts = append(parts, a.Text+inParentheses(a.Reason))
			continue
		}
		who := fault.Position{File: a.Script, Line: a.Line}.String()
		parts = append(parts, who+" asks: "+a.Text+inParentheses(a.Reason))
	}
	text := "refused: no one can approve this in a non-interactive run: " +
		strings.Join(parts, "; ")
	if routine && len(asks) == 1 {
		if sealed {
			text += "; --permission auto would allow it, without a network, and so would --yolo"
		} else {
			text += "; --yolo would allow it (and --permission accept-edits for edits in the " +
				"project)"
		}
		if always != "" {
			text += ", and so would the rule " + always + " in [permissions] allow of config.toml"
		}
	}
	return text
}

// inParentheses returns a reason as it follows a question; "" = there is none.
func inParentheses(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// approve fires tool_approval.
func (d *dispatch) approve(decision, source string, by *Handler) {
	d.decision.source = source
	if d.call.Preview || !d.e.Emitter.wants(d.snap, event.ToolApproval{}) {
		return
	}
	script, line := by.registered()
	d.e.Emitter.Emit(d.event(event.ToolApproval{Decision: decision, Source: source, Script: script,
		Line: line}))
}

// refuse ends the call: it was denied, or the user cancelled it.
func (d *dispatch) refuse(cause, source, text string) {
	decision := "deny"
	if source == "cancelled" {
		decision = "cancelled"
	}
	d.approve(decision, source, d.verdict.By)
	d.skip(cause, text, d.verdict.By)
}

// skip ends the call before its tool ran; by is the handler that refused it, or nil.
func (d *dispatch) skip(cause, text string, by *Handler) {
	d.result = ErrorResult(text)
	if cause == "invalid" { // the form of a call that was refused does not matter
		d.annotate(d.result)
	}
	d.result.Skipped = cause
	if d.decision.source == "" || cause == "unknown" || cause == "invalid" {
		d.decision.source = cause
	}
	if !d.e.Emitter.wants(d.snap, event.ToolSkipped{}) || d.call.Preview {
		return
	}
	script, line := by.registered()
	d.e.Emitter.Emit(d.event(event.ToolSkipped{Cause: cause, Reason: text, Script: script,
		Line: line}))
}

func sourceOf(h *Handler) string {
	if h != nil && h.Event == "guard" {
		return "guard"
	}
	return "script"
}

// because returns the text for the model for a block or a stop.
func because(what string, by *Handler, reason string) string {
	if reason == "" {
		reason = "no reason given"
	}
	return fmt.Sprintf("%s %s: %s", what, by.ScriptName(), reason)
}

// preview returns the result of a preview: the verdict, without a run.
func (d *dispatch) preview() *Result {
	r := d.result
	if r == nil {
		r = &Result{}
	}
	r.Tool, r.Args, r.Trail = d.tool, d.args, d.verdict.Trail
	r.Verdict = &d.verdict
	return r
}

// Skip ends a call without dispatching it, as Dispatch ends one that is refused: it fires
// tool_skipped, and returns the result. cause is one of Result.Skipped; text is for the model.
func (e *Engine) Skip(call *Call, cause, text string) *Result {
	d := &dispatch{e: e, call: call, tool: call.Tool, args: call.Args, snap: e.Scripts.acquire()}
	d.decision.d, d.review.d = d, d
	defer d.snap.release()
	d.skip(cause, text, nil)
	d.result.Tool, d.result.Args = call.Tool, call.Args
	return d.result
}
