// This file passes events to a process that observes them.

package picoclaw

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
)

// kinds are the events of picoclaw that happen here: the name without "agent.", the event here, and
// the payload.
var kinds = []kind{
	{"turn.start", "agent_start", "UserMessage=prompt"},
	{"turn.end", "agent_end", "Status=status Workspace=cwd Iterations=+turns " +
		"Duration=~duration_ms FinalContentLen=#response FinalContent=response " +
		"ToolKinds=tool_names"},
	{"llm.request", "llm_request", "Model=model MessagesCount=#messages ToolsCount=#tools"},
	{"llm.delta", "message_delta", "ContentDeltaLen=#delta Part=kind"},
	{"llm.response", "llm_response", "ContentLen=#text ToolCalls=#tool_calls " +
		"HasReasoning=?reasoning"},
	{"llm.retry", "llm_retry", "Attempt=+attempt MaxRetries=+max Reason=cause Error=error " +
		"Backoff=~backoff_ms"},
	{"context.compress", "session_compact", "Reason=cause DroppedMessages=+dropped " +
		"RemainingMessages=+kept"},
	{"session.summarize", "session_compact", "SummarizedMessages=+dropped KeptMessages=+kept " +
		"SummaryLen=#summary"},
	{"tool.exec_start", "tool_start", "Tool=tool Arguments=args"},
	{"tool.exec_end", "tool_end", "Tool=tool IsError=is_error Duration=~duration_ms"},
	{"tool.exec_skipped", "tool_skipped", "Tool=tool Reason=reason"},
	{"steering.injected", "steering_injected", "Count=+count"},
	{"follow_up.queued", "input_queued", "Kind=kind QueueDepth=+waiting"},
	{"interrupt.received", "interrupt", "Kind=kind"},
	{"subturn.spawn", "subagent_start", "AgentID=subagent_id Label=name ParentTurnID=prompt_id"},
	{"subturn.end", "subagent_end", "AgentID=subagent_id Status=status"},
	{"error", "error", "Stage=stage Message=message"},
}

type kind struct {
	name, ours string
	payload    fields
}

// words are what picoclaw calls the ways in which a prompt ends or is interrupted.
var words = map[any]string{"cancelled": "aborted", "blocked": "error", "stopped": "completed",
	"limit": "completed", "hard": "hard_abort"}

// elsewhere are the beginnings of the names of events that picoclaw has and this program has not.
var elsewhere = []string{"channel.", "bus.", "gateway.", "mcp.", "agent.message.", "agent.thread.",
	"agent.subturn."}

// isElsewhere reports whether an event of picoclaw does not happen here.
func isElsewhere(name string) bool {
	return slices.ContainsFunc(elsewhere, func(start string) bool {
		return strings.HasPrefix(name, start)
	}) && !slices.ContainsFunc(kinds, func(k kind) bool { return k.fits(name) })
}

// early returns the name that a kind had in earlier versions of picoclaw: tool_exec_start for
// tool.exec_start.
func (k *kind) early() string { return strings.ReplaceAll(k.name, ".", "_") }

// fits reports whether a name of the settings means the kind.
func (k *kind) fits(name string) bool {
	start, open := strings.CutSuffix(name, "*")
	return name == "all" || name == k.early() || name == "agent."+k.name ||
		open && strings.HasPrefix("agent."+k.name, start)
}

// isEarly reports whether a name of the settings may be that of an earlier version of picoclaw,
// which sent hook.event.
func isEarly(name string) bool { return !strings.Contains(name, ".") }

// observe registers handlers for the events that the settings name.
func (h *hook) observe(run *engine.Run) error {
	options := map[string]any{"timeout": h.ext.settings.observer.Seconds()}
	for i := range kinds {
		k, wanted, early := &kinds[i], false, false
		for _, name := range h.conf.Observe {
			fits := k.fits(name)
			wanted, early = wanted || fits, early || fits && isEarly(name)
		}
		if !wanted {
			continue
		}
		handler := h.ext.api.Func(func(_ *engine.Run, args []any) (any, error) {
			return nil, h.tell(args[0].(*event.Event), k, early)
		})
		if _, err := h.ext.api.Invoke(run, "on", k.ours, options, handler); err != nil {
			return err
		}
	}
	for _, name := range h.conf.Observe {
		h.checkObserved(name)
	}
	return nil
}

// checkObserved reports a name that means no event.
func (h *hook) checkObserved(name string) {
	var names []string
	for i := range kinds {
		if kinds[i].fits(name) {
			return
		}
		names = append(names, "agent."+kinds[i].name, kinds[i].early())
	}
	if isElsewhere(name) {
		return
	}
	h.ext.api.Tell("warn", fmt.Sprintf("%s: observe: unknown event %.60q%s", h.conf.name, name,
		suggest.DidYouMean(name, names)))
}

// tell sends an event: in the present form, and, if it was named as in an earlier version of
// picoclaw, in the form of that version too. A process knows one of them.
func (h *hook) tell(ev *event.Event, k *kind, early bool) error {
	if k.name == "follow_up.queued" && ev.Text("kind") != "follow_up" {
		return nil
	}
	payload, err := k.payload.of(ev)
	if err != nil {
		return err
	}
	for _, key := range []string{"Status", "Kind"} {
		if s, ok := words[payload[key]]; ok {
			payload[key] = s
		}
	}
	if payload["Part"] == "reasoning" {
		payload["ReasoningDeltaLen"], payload["ContentDeltaLen"] = payload["ContentDeltaLen"], 0
	}
	from, _ := source.of(ev) // texts
	where, _ := scope.of(ev)
	at := ev.Time().UTC().Format(time.RFC3339Nano)
	if err := h.notify("hook.runtime_event", map[string]any{"id": ev.Text("id"),
		"kind": "agent." + k.name, "time": at, "source": from, "scope": where,
		"payload": payload}); err != nil || !early {
		return err
	}
	about, _ := meta.of(ev)
	about["Source"] = "turn." + strings.TrimPrefix(k.name, "turn.")
	return h.notify("hook.event", map[string]any{"Kind": k.early(), "Time": at, "Meta": about,
		"Payload": payload})
}

// notify sends a message that the process does not answer.
func (h *hook) notify(method string, params any) error {
	line, err := encode(outgoing{Version: "2.0", Method: method, Params: params})
	if err != nil {
		return err
	}
	return h.peer.Send(line)
}
