// This file holds the rows of the event table: scripts, session, agent, turn.
package spec

import "github.com/agentscripts/agent/engine"

// Events returns the rows of the event table in the order of the reference.
func Events() []engine.EventRow {
	var rows []engine.EventRow
	for _, group := range [][]engine.EventRow{scriptEvents, sessionEvents, agentEvents, toolEvents, runtimeEvents} {
		rows = append(rows, group...)
	}
	return rows
}

func f(name, typ, doc string) engine.Field { return engine.Field{Name: name, Type: typ, Doc: doc} }

// one is a text field with few values; a filter of its name takes no others.
func one(name, doc string, values ...string) engine.Field {
	return engine.Field{Name: name, Type: "string", Doc: doc, Values: values}
}

// observe makes a row whose handlers may return nothing.
func observe(name, doc string, payload ...engine.Field) engine.EventRow {
	return engine.EventRow{Name: name, Phase: engine.Observe, Kind: engine.KindObserver, Failure: engine.FailWarn, Doc: doc, Payload: payload}
}

// intercept makes a row whose handlers may return the given keys.
func intercept(name, doc string, returns []string, payload ...engine.Field) engine.EventRow {
	return engine.EventRow{Name: name, Phase: engine.Intercept, Kind: engine.KindGuard, Failure: engine.FailWarn, Doc: doc, Returns: returns, Payload: payload}
}

func filtered(r engine.EventRow, mainText string, filters ...string) engine.EventRow {
	r.Filters, r.MainText = filters, mainText
	return r
}

func failing(r engine.EventRow, fail engine.Failure) engine.EventRow {
	r.Failure = fail
	return r
}

var scriptEvents = []engine.EventRow{
	observe("script_load", "A script was loaded or reloaded.",
		f("script", "string", "file name"), f("path", "string", ""), f("generation", "integer", ""),
		f("cause", "string", "start, save or manual"), f("handlers", "integer", "how many it registered"), f("ms", "number", "milliseconds")),
	observe("script_unload", "A version of a script leaves; heard by the leaving generation too.",
		f("script", "string", ""), f("path", "string", ""), f("generation", "integer", ""),
		f("cause", "string", "save, manual or removed"), f("handlers", "integer", ""), f("ms", "number", "")),
	observe("script_error", "A script failed: while loading, or in a handler.",
		f("script", "string", ""), f("path", "string", ""), f("generation", "integer", ""), f("handler", "string", ""),
		f("file", "string", ""), f("line", "integer?", "1-based"), f("column", "integer?", "1-based"), f("message", "string", ""),
		f("excerpt", "string?", ""), f("hint", "string?", ""), f("kept_previous", "boolean", "the last good version stays in force")),
}

var sessionEvents = []engine.EventRow{
	intercept("session_start", "A session begins.", []string{"context"},
		f("cause", "string", "startup, resume, new, clear, fork, compact or reload")),
	func() engine.EventRow {
		r := observe("session_end", "The session ends; also on a signal.", f("cause", "string", "exit, clear, switch or signal"))
		r.Kind = engine.KindSessionEnd
		return r
	}(),
	filtered(intercept("input", "The user gave input.", []string{"text", "images", "handled", "block", "context"},
		one("kind", "", "prompt", "steer", "follow_up"), f("text", "string", ""), f("images", "list?", "image blocks"),
		f("source", "string", "interactive, cli, queue, rpc or script")), "text", "kind", "match"),
}

var agentEvents = []engine.EventRow{
	filtered(intercept("agent_before_start", "A prompt is about to be worked on.", []string{"prompt", "system_prompt", "context", "block"},
		f("prompt", "string", ""), f("system_prompt", "string", "")), "prompt", "match", "depth"),
	filtered(observe("agent_start", "Work on a prompt begins.", f("prompt", "string", "")), "prompt", "match", "depth"),
	filtered(observe("agent_end", "Work on a prompt has ended.",
		f("response", "string", "the last text of the model"), f("status", "string", "completed, cancelled, blocked, stopped, limit or error"),
		f("error", "string?", ""), f("turns", "integer", ""), f("tool_calls", "integer", ""), f("tool_names", "list", ""),
		f("usage", "table", "{input, output, cache_read, cache_write}"), f("cost", "number?", "US dollars"), f("duration_ms", "number", "")), "response", "match", "depth"),
	filtered(intercept("turn_start", "A model call is about to be made.", []string{"block", "ask", "stop", "context"},
		f("turn", "integer", "1-based")), "", "depth"),
	filtered(observe("turn_end", "A model call and its tool batch have ended.",
		f("cause", "string", "normal, continue, steered, error, cancelled, blocked or loop_detected"), f("error", "string?", ""),
		f("finish_reason", "string?", ""), f("usage", "table", ""), f("has_tool_calls", "boolean", "")), "", "depth"),
	filtered(observe("message_start", "A message of the model begins.", f("message_id", "string", "")), "", "depth"),
	filtered(observe("message_delta", "A piece of a message of the model.",
		f("message_id", "string", ""), one("kind", "", "text", "reasoning"), f("delta", "string", "")), "delta", "kind", "depth"),
	filtered(observe("message_end", "A message of the model is complete.", f("message_id", "string", ""), f("text", "string", "")), "text", "match", "depth"),
}

var runtimeEvents = []engine.EventRow{
	filtered(intercept("notification", "Something is shown to the user.", []string{"message", "block"},
		one("level", "", engine.Levels()...), f("message", "string", ""), f("source", "string", "a script's name, or \"agent\"")), "message", "level", "match"),
	observe("say", "Markdown is shown in the transcript; it is not sent to the model (ext.say, a command's display).",
		f("source", "string", "a script's name, or \"agent\""), f("markdown", "string", "")),
	observe("error", "Something failed that is no script's doing.",
		f("stage", "string", "where"), f("message", "string", ""), f("retryable", "boolean", "")),
	observe("hook_finished", "A handler has run (for traces; never fired for its own handlers).",
		f("hook", "string", "the event that was handled"), f("script", "string", ""), f("handler", "string", ""),
		f("duration_us", "number", ""), f("outcome", "string", "pass, rewrite, block, ask, allow, respond, error, ...")),
}
