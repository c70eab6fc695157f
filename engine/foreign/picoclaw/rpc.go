// This file is the connection to a process: requests, and the answers to them.

package picoclaw

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// outgoing is what a process gets: a request, or a notification if it has no id.
type outgoing struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// message is what a process writes.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`

	wrong error // why it is not understood; the fields that are have been set
}

// rpcError is an error of JSON-RPC.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *rpcError) Error() string {
	return fmt.Sprintf("it answered with the error %d: %s", e.Code, e.Message)
}

// isNoMethod reports whether an error says that the process does not know the method.
func isNoMethod(err error) bool {
	const code = -32601
	var e *rpcError
	return errors.As(err, &e) && e.Code == code
}

// number returns the id of the request that a message answers; 0 if there is none.
func (m *message) number() int {
	n, err := strconv.Atoi(string(bytes.Trim(m.ID, `"`)))
	if err != nil || m.Method != "" {
		return 0
	}
	return n
}

// receive passes a line of the process to what waits for it, and reports whether something did.
func (h *hook) receive(line []byte) (answers bool) {
	m := &message{}
	m.wrong = json.Unmarshal(line, m)
	switch {
	case m.number() > 0:
		if answers = h.waiting.Answer(m.number(), m); !answers {
			h.log("an answer has the id %.40s, for which nothing waits", m.ID)
		}
	case m.wrong != nil:
		h.waiting.Misread(m.wrong)
		h.log("a message is not understood: %v", m.wrong)
	case m.Method != "":
		h.log("it calls %.40q, but hooks only answer", m.Method)
	default:
		h.log("a message has neither an id nor a method")
	}
	return answers
}

// log writes a warning to the log.
func (h *hook) log(format string, args ...any) {
	h.ext.api.Log("warn", h.conf.name+": "+fmt.Sprintf(format, args...))
}

// request sends a request, and returns the result.
func (h *hook) request(run *engine.Run, method string, params any) (json.RawMessage, error) {
	m, _, err := h.waiting.Ask(run, h.peer, func(id int) error {
		line, err := encode(outgoing{"2.0", id, method, params})
		if err != nil {
			return err
		}
		return h.peer.Send(line)
	})
	switch {
	case err != nil:
	case m.wrong != nil:
		err = fmt.Errorf("its answer is not understood: %w", m.wrong)
	case m.Error != nil:
		err = m.Error
	case m.Result == nil:
		err = fmt.Errorf("its answer has neither a result nor an error")
	default:
		return m.Result, nil
	}
	return nil, fmt.Errorf("%s: %s: %w", h.conf.name, method, err)
}

// answer is the result of a process at one of the stages.
type answer struct {
	Action   string         `json:"action"`
	Reason   string         `json:"reason"`
	Approved *bool          `json:"approved"` // approve_tool
	Request  map[string]any `json:"request"`  // before_llm
	Response map[string]any `json:"response"` // after_llm
	Call     *struct {      // before_tool: what it leaves out stays
		Tool      string         `json:"tool"`
		Arguments map[string]any `json:"arguments"`
	} `json:"call"`
	Result map[string]any `json:"result"` // before_tool, after_tool
}

// toolActions are the answers of hook.before_tool; the others have no respond and no deny_tool.
var toolActions = []string{"continue", "modify", "abort_turn", "hard_abort", "respond", "deny_tool"}

// aborts returns what the answer ends, in the words of the engine; "" = nothing.
func (a *answer) aborts() string {
	switch a.Action {
	case "abort_turn":
		return "prompt"
	case "hard_abort":
		return "agent"
	}
	return ""
}

// reason returns why the process refuses or ends something.
func (h *hook) reason(a *answer) string {
	return cmp.Or(a.Reason, "refused by the hook "+h.conf.name)
}

// aborted returns the outcome of an answer that ends something; nil if there is no answer.
func (h *hook) aborted(a *answer) any {
	if a == nil {
		return nil
	}
	return h.ext.api.Abort(a.aborts(), h.reason(a))
}

// wrong returns the error of an answer.
func (h *hook) wrong(where string, err error) error {
	return fmt.Errorf("%s: hook.%s: %w", h.conf.name, where, err)
}

// consult asks the process at a stage about an event, with parameters that are fields of the event,
// and others. The answer is nil if the process does not know a stage that its settings do not name.
func (h *hook) consult(run *engine.Run, ev *event.Event, stage string, about fields,
	others map[string]any) (*answer, error) {
	_, named := h.conf.intercepts(stage)
	unused := &h.unused[slices.Index(stages, stage)]
	if unused.Load() {
		return nil, nil
	}
	params, err := about.of(ev)
	if err != nil {
		return nil, err
	}
	maps.Copy(params, others)
	describe(ev, stage, params)
	raw, err := h.request(run, "hook."+stage, params)
	switch {
	case err != nil && !named && isNoMethod(err):
		unused.Store(true)
		return nil, nil
	case err != nil:
		return nil, err
	}
	a, err := readAnswer(stage, raw)
	if err != nil {
		return nil, h.wrong(stage, err)
	}
	return a, nil
}

// readAnswer reads an answer at a stage. An action that the stage does not have is an error: it
// would be treated as consent.
func readAnswer(stage string, raw json.RawMessage) (*answer, error) {
	a, known := &answer{}, toolActions
	if stage != "before_tool" {
		known = toolActions[:4]
	}
	err := json.Unmarshal(raw, a)
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(raw, &keys) // null has none, which is not consent
	switch {
	case err != nil:
		err = fmt.Errorf("its answer is not understood: %w", err)
	case stage == "approve_tool":
		if a.Approved == nil {
			err = fmt.Errorf(`got %.80s, want {"approved": true} or {"approved": false, `+
				`"reason": "..."}`, raw)
		}
	case a.Action == "" && (a.Reason != "" || a.Approved != nil) ||
		a.Action != "" && !slices.Contains(known, a.Action):
		err = fmt.Errorf("unknown action %.40q, want one of %s", a.Action,
			strings.Join(known, ", "))
	case keys == nil, a.Action == "" && (keys["deny"] != nil || keys["block"] != nil),
		stage == "before_tool" && a.Approved != nil && !*a.Approved:
		err = fmt.Errorf("got %.80s, which is not an answer", raw)
	case stage == "before_tool" && a.Result != nil && a.Action != "respond":
		err = fmt.Errorf("a result needs the action respond, got %.40q", a.Action)
	}
	return a, err
}
