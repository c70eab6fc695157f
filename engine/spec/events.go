// This file holds the rows of the events about scripts, sessions and the runtime.

package spec

import (
	"slices"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// Events returns the rows of the event table in the order of the reference.
func Events() []event.Row {
	var rows []event.Row
	for _, group := range [][]*event.Row{scriptEvents, sessionEvents, inputEvents, agentEvents,
		turnEvents, streamEvents, toolEvents, subagentEvents, runtimeEvents} {
		for _, row := range group {
			rows = append(rows, *row)
		}
	}
	return rows
}

// The functions that make fields and rows return pointers, and are not inlined: the structs are
// large, and the tables call them hundreds of times. The program is 230 KB smaller for it.

// list returns the fields.
func list(fields ...*value.Field) (all []value.Field) {
	for _, field := range fields {
		all = append(all, *field)
	}
	return all
}

//go:noinline
func f(name, typ, doc string) *value.Field {
	return &value.Field{Name: name, Type: typ, Doc: doc}
}

// ref makes a field that is a name (of a call, a tool, a script, a script's file) or one of a few
// values. It is never masked.
//
//go:noinline
func ref(name, typ, doc string) *value.Field {
	return &value.Field{Name: name, Type: typ, Doc: doc, Verbatim: true}
}

// unmasked makes a field that handlers read unmasked.
//
//go:noinline
func unmasked(field *value.Field) *value.Field {
	one := *field
	one.Unmasked = true
	return &one
}

// unshown makes a field that the stream does not carry.
//
//go:noinline
func unshown(field *value.Field) *value.Field {
	one := *field
	one.Unshown = true
	return &one
}

// piece sets the role of the field in a text that is streamed in pieces.
//
//go:noinline
func piece(part value.PieceRole, field *value.Field) *value.Field {
	one := *field
	one.Piece = part
	return &one
}

// last marks an event after which no more pieces of a text come from the same agent.
//
//go:noinline
func last(r *event.Row) *event.Row {
	r.EndsPieces = true
	return r
}

// having sets the keys of a table, or of the items of a list: reading another key is an error.
//
//go:noinline
func having(field *value.Field, fields []value.Field) *value.Field {
	one := *field
	one.Fields = fields
	return &one
}

// one makes a text field with a few values, which is never masked; a filter with its name accepts
// no others.
//
//go:noinline
func one(name, doc string, values ...string) *value.Field {
	return &value.Field{Name: name, Type: "string", Doc: doc, Values: values, Verbatim: true}
}

// observe makes a row whose handlers may return nothing.
//
//go:noinline
func observe(name, doc string, payload ...*value.Field) *event.Row {
	return &event.Row{Name: name, Phase: event.Observe, Kind: vm.KindObserver,
		Failure: event.FailWarn, Doc: doc, Payload: list(payload...)}
}

// intercept makes a row whose handlers may return the given keys. A context that they return stays
// until the prompt ends, unless lasting says otherwise.
//
//go:noinline
func intercept(name, doc string, returns []string, payload ...*value.Field) *event.Row {
	row := &event.Row{Name: name, Phase: event.Intercept, Kind: vm.KindGuard,
		Failure: event.FailWarn, Doc: doc, Returns: returns, Payload: list(payload...)}
	if slices.Contains(returns, "context") {
		row.Lifetime = event.ForPrompt
	}
	return row
}

//go:noinline
func filtered(r *event.Row, mainText string, filters ...string) *event.Row {
	r.Filters, r.MainText = filters, mainText
	return r
}

// withholding sets the description of what happens to the subject of the event if a handler with
// on_error = block fails.
//
//go:noinline
func withholding(what string, r *event.Row) *event.Row {
	r.Withhold = what
	return r
}

// checked adds a check of the values that handlers return for the payload field name.
//
//go:noinline
func checked(r *event.Row, name string, check func(v any) error) *event.Row {
	for i := range r.Payload {
		if r.Payload[i].Name == name {
			r.Payload[i].Check = check
		}
	}
	return r
}

// lasting sets how long the context that handlers return stays.
//
//go:noinline
func lasting(r *event.Row, lifetime string) *event.Row {
	r.Lifetime = lifetime
	return r
}

//go:noinline
func failing(r *event.Row, fail event.Failure) *event.Row {
	r.Failure = fail
	return r
}

var scriptEvents = []*event.Row{
	observe("script_load", "A script was loaded or reloaded.",
		ref("script", "string", "file name"), ref("path", "string", ""),
		f("generation", "integer", ""),
		ref("cause", "string", "start, save or manual"),
		f("handlers", "integer", "how many"), f("ms", "number", "milliseconds"),
		ref("version", "string", "SHA-256"), f("grants", "list?", "")),
	observe("script_unload", "A version of a script is unloaded; it gets this event too.",
		ref("script", "string", ""), ref("path", "string", ""), f("generation", "integer", ""),
		ref("cause", "string", "save, manual, removed, disabled or off"),
		f("handlers", "integer", ""),
		f("ms", "number", ""), ref("version", "string", "")),
	observe("script_error", "A script failed: while loading, or in a handler.",
		ref("script", "string", ""), ref("path", "string", ""), f("generation", "integer", ""),
		ref("handler", "string", ""),
		ref("file", "string", ""), f("line", "integer?", "1-based"),
		f("column", "integer?", "1-based"), f("message", "string", ""),
		f("excerpt", "string?",
			"the line and its neighbours, with a caret"),
		f("stack", "string?", "innermost call first"), f("hint", "string?", "what to do"),
		f("kept_previous", "boolean", "the last good version stays"),
		f("waits", "boolean", "a new version waits")),
}

var sessionEvents = []*event.Row{
	lasting(intercept("session_start", "A session starts.", []string{"context"},
		one("cause", "", "startup", "resume", "new", "clear", "fork", "compact", "reload")),
		event.ForSession),
	intercept("session_before_switch", "The user is about to switch to another session.",
		[]string{"block"},
		one("cause", "", "new", "clear", "resume"),
		f("prompt", "string?", "first prompt of the new session")),
	filtered(intercept("session_before_fork",
		"The conversation is about to continue from an earlier entry.", []string{"block"},
		ref("entry_id", "string", ""), f("is_user_message", "boolean", ""),
		f("text", "string", "of the entry")), "text", "match"),
	filtered(intercept("session_before_compact",
		"Earlier messages are about to be replaced by a summary.",
		[]string{"block", "summary", "instructions", "keep_from"},
		one("cause", "", "manual", "threshold", "overflow"),
		unshown(unmasked(having(f("messages", "list", "to be summarised"),
			chat.MessageFields()))), unshown(f("previous_summary", "string?", "")),
		ref("keep_from", "string", "id of the first message that stays; \"\" = none"),
		f("instructions", "string?", "of the user"), f("input_tokens", "integer", ""),
		f("output_tokens", "integer", ""), f("limit", "integer", "tokens, 0 = unknown")), "",
		"depth"),
	observe("session_compact",
		"Earlier messages were replaced by a summary, for the model; the session file keeps them.",
		one("cause", "", "manual", "threshold", "overflow"), f("summary", "string", ""),
		f("tokens_before", "integer", ""), f("tokens_after", "integer", "an estimate"),
		f("dropped", "integer", "messages"), f("kept", "integer", "messages")),
	func() *event.Row {
		r := observe("session_end", "The session ends; also on a signal.",
			one("cause", "", "exit", "clear", "switch", "signal"))
		r.Kind = vm.KindSessionEnd
		return last(r)
	}(),
}

var runtimeEvents = []*event.Row{
	observe("model_change", "The model has changed.", changed...),
	observe("thinking_change", "The thinking level has changed.", changed...),
	observe("permission_change", "The permission mode has changed.", changed...),
	filtered(intercept("limit_reached",
		"A limit of the prompt is reached; extend raises it by that much.",
		[]string{"extend"},
		one("kind", "", "turns", "cost", "tokens", "time"), f("value", "number", ""),
		f("limit", "number", "turns, US dollars, tokens, seconds")), "", "kind", "depth"),
	filtered(observe("limit_extended", "A limit has been raised.",
		one("kind", "", "turns", "cost", "tokens", "time"), f("previous", "number", ""),
		f("new", "number", ""),
		one("by", "", "user", "script")), "", "kind", "depth"),
	filtered(intercept("notification", "A notice is shown to the user.",
		[]string{"message", "block"},
		one("level", "", ui.Levels()...), f("message", "string", ""),
		ref("source", "string", "a script's name, or \"agent\""),
		ref("stage", "string?",
			"what failed, if an error event reports the same; limit: a limit has ended the "+
				"prompt")), "message", "level", "match"),
	observe("say", "Markdown is shown in the transcript; the model does not get it (ext.say, a "+
		"command's display).",
		ref("source", "string", "a script's name, or \"agent\""), f("markdown", "string", "")),
	filtered(observe("error",
		"Something failed outside of scripts. The user is shown a "+
			"notification.",
		ref("stage", "string", "where"), f("message", "string", ""), f("retryable", "boolean", "")),
		"message", "match"),
	observe("terminal_resize", "The size of the terminal has "+
		"changed.", f("width", "integer", "columns"),
		f("height", "integer", "rows")),
	observe("hook_finished", "A handler has run (for traces; never fired for its own handlers).",
		ref("hook", "string", "the event that was handled"), ref("script", "string", ""),
		f("line", "integer?", "where the handler was registered"), ref("handler", "string", ""),
		f("duration_us", "number", ""), ref("outcome", "string",
			"pass, rewrite, block, ask, allow, respond, error, ..."),
		f("exit_code", "integer?", "of a command hook"),
		f("stderr", "string?", "of a command hook")),
	filtered(observe(event.Custom,
		"A script has called ext.emit(\"custom:NAME\", value).", f("value", "any", ""),
		ref("source", "string", "the script that sent it")), "value", "match"),
}

// changed is the payload of a change of settings.
var changed = []*value.Field{ref("new", "string", ""), ref("previous", "string", ""),
	one("source", "", "user", "script", "fallback")}
