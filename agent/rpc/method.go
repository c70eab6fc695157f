// This file is the table of the client's requests and of the notifications to it.

package rpc

import (
	"context"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// Method is a request that a client can send.
type Method struct {
	Name string
	Doc  string
	// types as in the tables of the engine: "table" is a JSON object, "list" an array; "?" =
	// optional
	Params []value.Field
	Result []value.Field

	when when
	// aborts means that the method abort ends it.
	aborts bool
	first  func(s *server, p params) error // validates further, by the reader; may be nil
	run    func(s *server, ctx context.Context, p params) (any, error)
	then   func(s *server, p params) // called after the answer; may be nil
}

// when says when a request is processed.
type when int

const (
	inOrder when = iota // after the previous requests; it never waits for scripts or the user
	beside              // on a goroutine of its own
	atOnce              // on the reader's goroutine: for requests that unblock others
)

// Notification is a notification to the client.
type Notification struct {
	Name, Doc string
	Params    []value.Field
}

// Methods returns the methods in the order of the reference.
func Methods() []Method {
	return slices.Concat(promptMethods(), uiMethods(), sessionMethods(), settingMethods(),
		lookMethods())
}

// Notifications returns the notifications in the order of the reference.
func Notifications() []Notification { return append([]Notification(nil), notifications...) }

func f(name, typ, doc string) value.Field { return value.Field{Name: name, Type: typ, Doc: doc} }

func one(name, typ, doc string, values ...string) value.Field {
	return value.Field{Name: name, Type: typ, Doc: doc, Values: values}
}

func object(name, typ, doc string, fields ...value.Field) value.Field {
	return value.Field{Name: name, Type: typ, Doc: doc, Fields: fields}
}

var (
	textParam = f("text", "string",
		"the input; /NAME ARGS runs a slash command, !COMMAND a shell command")
	imagesParam  = f("images", "list?", "{mime_type, data}: data is base64, at most 5 MB each")
	promptResult = []value.Field{f("id", "string",
		"the prompt_id of its events, its entry in the session, and the id of its prompt.end")}
	sessionField = object("session", "table", "the current session",
		f("id", "string", ""), f("path", "string", "the file; \"\" = the session is not saved"),
		f("name", "string", "\"\" = it has none"))
	inSession = []value.Field{sessionField}
)

func promptMethods() []Method {
	return []Method{
		{Name: "initialize", first: greet, run: initialize,
			Doc: "The first request. It opens the session, loads the scripts, and is answered " +
				"when both are ready.",
			Params: []value.Field{f("protocol", "integer",
				"the version that the client speaks: 1"),
				object("client", "table", "", f("name", "string", ""), f("version", "string?", "")),
				object("capabilities", "table?", "",
					f("ui", "boolean?",
						"the client answers ui.request; otherwise everything that asks is refused"),
					f("surface", "boolean?",
						"the client shows what scripts put on a screen: ui.show, ui.insert, "+
							"ui.copy, ui.desktop; ui.screen says how wide it is"),
					f("panels", "boolean?",
						"with surface: the client shows panels, ui.panel, and sends the keys "+
							"that are pressed in them, ui.key")),
				f("events", "list?",
					"names and globs of the events to send; a leading ! excludes: "+
						"[\"!*_delta\"] sends all except these")},
			Result: []value.Field{f("protocol", "integer", ""),
				f("events", "integer", "version of the events, as in docs/json.md"),
				f("version", "string", "of the agent"),
				sessionField, f("model", "string", "provider/id"), f("methods", "list", "names")}},
		{Name: "prompt", run: prompt,
			Doc: "Sends input to the agent. It returns before the end of the prompt, which is " +
				"reported by prompt.end. While the agent works, the input reaches the model " +
				"during that work (steer); with the kind follow_up it waits for its end.",
			Params: []value.Field{textParam, imagesParam,
				one("kind", "string?", "\"prompt\" if omitted", "prompt", "steer", "follow_up")},
			Result: promptResult},
		{Name: "steer", run: steer, Doc: "The same with the kind steer.",
			Params: []value.Field{textParam, imagesParam}, Result: promptResult},
		{Name: "follow_up", run: followUp, Doc: "The same with the kind follow_up.",
			Params: []value.Field{textParam, imagesParam}, Result: promptResult},
		{Name: "abort", run: abort,
			Doc: "Ends the current work and empties the queue; with graceful the running tool " +
				"calls finish, and the queue is kept.",
			Params: []value.Field{one("kind", "string?", "\"hard\" if omitted", "hard",
				"graceful")}, Result: []value.Field{f("dropped", "list",
				"ids of prompts that had not begun")}},
		{Name: "compact", run: compact, when: beside, aborts: true,
			Doc:    "Replaces the beginning of the conversation by a summary, for the model.",
			Params: []value.Field{f("instructions", "string?", "for the model that summarises")},
			Result: []value.Field{f("dropped", "integer", "messages that the summary replaces"),
				f("kept", "integer", "messages"), f("tokens_before", "integer", ""),
				f("tokens_after", "integer", "an estimate")}},
	}
}

// uiMethods returns the methods for dialogs, screens and panels.
func uiMethods() []Method {
	return []Method{
		{Name: "ui.respond", run: respond, when: atOnce,
			Doc: "Answers a ui.request. An invalid answer is an error, and the dialog " +
				"stays open.",
			Params: []value.Field{f("id", "string", "of the ui.request"),
				one("decision", "string?", "approve: one of its options", decisions...),
				f("args", "table?",
					"approve: the arguments as the user edited them; guards see them before "+
						"they run"),
				f("reason", "string?", "approve, with reject: why, for the model"),
				f("rule", "string?",
					"approve, with always: the rule to store, as the user edited it; it must "+
						"allow this call"),
				f("value", "string|boolean|list?",
					"confirm: true or false; select: the value of a choice, with multi a list of "+
						"them; input and edit: text"),
				f("cancelled", "boolean?", "the user does not want to answer")}},
		{Name: "ui.screen", run: setScreen, when: atOnce,
			Doc: "Describes the screen on which the client shows the output of scripts. Omitted " +
				"parameters are unchanged.",
			Params: []value.Field{f("width", "integer?",
				"cells of a line; 80 if never set"),
				f("height", "integer?", "lines of a panel; 24 if never set"),
				f("focused", "boolean?", "the user looks at it; true if never set")}},
		{Name: "ui.key", run: pressKey, when: atOnce,
			Doc: "The user presses a key in a panel. Esc closes the panel unless the script " +
				"handles that key; it has three seconds to say so.",
			Params: []value.Field{f("id", "string", "of the ui.panel"),
				f("key", "string",
					"its name: a, A, up, enter, esc, ctrl+x, f1; paste for pasted text"),
				f("text", "string?", "the text of the key, or the pasted text")}},
		{Name: "ui.leave", run: leavePanel, when: atOnce,
			Doc: "The user closes a panel without asking its script. ui.panel reports that it is " +
				"closed.", Params: []value.Field{f("id", "string", "of the ui.panel")}},
	}
}

func sessionMethods() []Method {
	return []Method{
		{Name: "sessions.list", run: sessionsList, when: beside,
			Doc:    "The sessions of this project, newest first.",
			Params: []value.Field{f("limit", "integer?", "the largest number; 50 if omitted")},
			Result: []value.Field{f("sessions", "list",
				"{id, path, name, title, cwd, begun, modified, messages, more, damaged, "+
					"current}; times are seconds since 1970")}},
		{Name: "sessions.new", run: sessionsNew, when: beside, aborts: true,
			Doc: "Ends the session and begins an empty one.", Result: inSession},
		{Name: "sessions.resume", run: sessionsResume, when: beside, aborts: true,
			Doc:    "Ends the session and resumes another one.",
			Params: []value.Field{f("id", "string", "or a prefix of it")}, Result: inSession},
		{Name: "sessions.fork", run: sessionsFork, when: beside, aborts: true,
			Doc: "Continues after an earlier entry; the file keeps the entries after it.",
			Params: []value.Field{f("entry", "string", "the id of a message, or of a prompt"),
				f("before", "boolean?", "continue before the entry, to edit that prompt")},
			Result: inSession},
		{Name: "sessions.export", run: sessionsExport, when: beside, Doc: "The session as text.",
			Params: []value.Field{one("format", "string?", "\"markdown\" if omitted", "markdown",
				"json")},
			Result: []value.Field{f("text", "string", "")}},
		{Name: "sessions.name", run: sessionsName, when: beside, Doc: "Names the session.",
			Params: []value.Field{f("name", "string", "")}, Result: inSession},
	}
}

func settingMethods() []Method {
	return []Method{
		{Name: "models.list", run: modelsList, when: beside, aborts: true,
			Doc:    "The usable models. Servers are asked for their models.",
			Params: []value.Field{f("known", "boolean?", "ask no server, list the known models")},
			Result: []value.Field{f("model", "string", "the current model"),
				f("models", "list",
					"{id, provider, context, max_output, images, thinking, price}: id is "+
						"provider/id, price is in US dollars per million tokens, null = unknown"),
				f("problems", "list",
					"{provider, problem}: unusable providers, and what to do about them")}},
		{Name: "model.set", run: modelSet, Doc: "Changes the model, from the next request on.",
			Params: []value.Field{f("model", "string", "provider/id")},
			Result: []value.Field{f("model", "string", "")}},
		{Name: "thinking.set", run: thinkingSet, Doc: "Lets the model think more, or less.",
			Params: []value.Field{one("thinking", "string", "", chat.ThinkingLevels()...)},
			Result: []value.Field{f("thinking", "string", "")}},
		{Name: "permission.set", run: permissionSet,
			Doc:    "Changes the permission mode, from the next tool call on.",
			Params: []value.Field{one("permission", "string", "", event.PermissionNames()...)},
			Result: []value.Field{f("permission", "string", "")}},
		{Name: "commands.list", run: commandsList, when: beside,
			Doc: "The slash commands: prompt {text = \"/NAME ARGS\"} runs one.",
			Result: []value.Field{f("commands", "list",
				"{name, usage, description, source, idle}: source is agent or a script; idle = "+
					"not while the agent works")}},
		{Name: "command.complete", run: commandComplete, when: beside, aborts: true,
			Doc: "Completions of the arguments of a command.",
			Params: []value.Field{f("name", "string", "without the slash"),
				f("prefix", "string?", "the typed part of the arguments")},
			Result: []value.Field{f("completions", "list",
				"{value, description}: value replaces all arguments")}},
	}
}

func lookMethods() []Method {
	return []Method{
		{Name: "state", run: state, when: beside, Doc: "The current state.",
			Result: stateResult},
		{Name: "messages", run: messages, when: beside,
			Doc:    "The conversation as the user may see it.",
			Params: []value.Field{f("limit", "integer?", "only that many of the last ones")},
			Result: []value.Field{sessionField, f("messages", "list",
				"{id, kind, time, ...}: kind is user, assistant, tool, summary or end")}},
		{Name: "tools.list", run: toolsList, when: beside, Doc: "The tools that a model may call.",
			Result: []value.Field{f("tools", "list",
				"{name, description, schema, kind, read_only, source}")}},
		{Name: "scripts.list", run: scriptsList, when: beside,
			Doc: "The scripts and their states.", Result: scriptsResult},
		{Name: "scripts.reload", run: scriptsReload, when: beside, Doc: "Loads every script again.",
			Result: scriptsResult},
		{Name: "shutdown", run: nothing, then: shutdown, when: atOnce,
			Doc: "Ends the session and the program, as the end of standard input does; with " +
				"when = idle it waits for the end of all prompts, and accepts no more requests " +
				"until then.",
			Params: []value.Field{one("when", "string?", "\"now\" if omitted", "now", "idle")}},
	}
}

var stateResult = []value.Field{
	one("state", "string", "", "working", "idle"), f("model", "string", "provider/id"),
	f("thinking", "string", "\"\" = the model's default"),
	one("permission", "string", "", event.PermissionNames()...),
	sessionField, f("queue", "list",
		"{id, kind, text, source}: the input that waits, in the order in which it takes effect"),
	f("window", "table",
		"{tokens, limit, percent, estimated} of the model's window; limit 0 = unknown; "+
			"estimated: its server does not count tokens"),
	f("usage", "table", "{input, output, cache_read, cache_write}: tokens of the whole session"),
	f("cost", "number?", "US dollars, whole session; null = the price of some of it is unknown"),
	f("broken", "list", "names of scripts with a guard that fails again and again"),
	f("scripts", "list", "{name, state}"), f("dialogs", "list",
		"ids of the unanswered ui.requests"),
}

var scriptsResult = []value.Field{f("scripts", "list",
	"{name, path, source, state, generation, handlers, tools, commands, protected, version, "+
		"summary, error, notes}: state is ok, error (the last good version is in force), failed, "+
		"gone, changed (a project's: the trusted version is in force, not the file), untrusted, "+
		"replaced or disabled (by the user: agent ext enable)")}

var notifications = []Notification{
	{Name: "event", Doc: "An event. The parameters are an event of docs/json.md that " +
		"initialize selected. The output of scripts (notify, say) and of commands are the " +
		"events notification and say.",
		Params: []value.Field{f("event", "string", "name"),
			f("...", "any", "the envelope and the fields of the event")}},
	{Name: "prompt.end", Doc: "The end of a prompt: sent once for each, after all its events.",
		Params: []value.Field{f("id", "string", "the id that prompt returned"),
			one("status", "string",
				"handled: a command or a script handled the input without a model; steered: "+
					"the model got the input during another prompt", "completed", "cancelled",
				"blocked", "stopped", "limit", "error", "handled", "steered"),
			f("response", "string", "the last text of the model"),
			f("reason", "string?", "why it ended that way"),
			f("refused", "integer", "how many tool calls were refused, the prompt itself included"),
			f("insert", "string?", "text that a command wants in the user's editor")}},
	{Name: "ui.request",
		Doc: "A question to the user; a script or a tool call waits for ui.respond. Several may " +
			"be open at once.",
		Params: []value.Field{f("id", "string", ""),
			one("kind", "string", "", "approve", "confirm", "select", "input", "edit"),
			f("title", "string?", "the question; absent in approve"),
			f("script", "string?", "who asks; absent = the agent"), f("detail", "string?", ""),
			f("yes", "string?", "confirm: the label"), f("no", "string?", "confirm"),
			f("default", "boolean?", "confirm: the answer of Enter"),
			f("choices", "list?", "select: {value, label, description}"),
			f("multi", "boolean?", "select: several may be chosen"),
			f("other", "boolean?", "select: the user may enter another text"),
			f("text", "string?",
				"input, edit: the initial text; that of edit may have several lines"),
			f("secret", "boolean?", "input: a password, which must not be seen on the screen"),
			f("call_id", "string?", "approve"), f("tool", "string?", "approve"),
			f("tool_kind", "string?", "approve: read, edit, execute, search, agent or other"),
			f("args", "table?", "approve: the final arguments, masked"),
			f("preview", "table?",
				"approve: what the call would do, masked: {kind, title, lang, text}, drawn as "+
					"display of tool_result, {note} on one line, {path, exists} of the file "+
					"that would change; {fails} says why it would fail"),
			f("rewritten", "table?",
				"approve: if scripts changed the call: {by = {{script, line, changed}}, tool, "+
					"args}: by whom, and the original; without script, the user"),
			f("agent", "string?", "approve: the calling agent"),
			f("depth", "integer?", "approve: above 0 for a sub-agent"),
			f("asks", "list?",
				"approve: {script, line, text, reason, detail, failure}: all that ask; "+
					"without script, the permission mode"),
			f("options", "list?",
				"approve: the possible decisions: once, session (the same for the rest of "+
					"it), always, reject"),
			f("risks", "string[]?",
				"approve: what the call does that is risky, as sentences: it writes outside of "+
					"the project, uses the network, or may write files that are not known"),
			f("always", "string?",
				"approve: the rule that always stores")}},
	{Name: "ui.show",
		Doc: "A script shows something, which replaces its earlier output of the same kind and " +
			"key; without lines, that is removed. Texts may contain control characters: keep " +
			"them from a terminal.",
		Params: []value.Field{f("script", "string", ""),
			one("kind", "string",
				"status: in the status line; status_line: in it, in place of model, window and "+
					"cost; widget: lines next to the editor; footer: at the foot; header: at the "+
					"head; title: of the window; working: in place of that word", "status",
				"status_line", "widget", "footer", "header", "title", "working"),
			f("key", "string", "the script's own"),
			f("lines", "list?", "of lists of {text, style}: style is absent, or one of "+
				strings.Join(ui.Styles(), ", ")),
			f("failed", "boolean?", "the script's function has failed: the first line says so, "+
				"and the others may not be true any more"),
			one("side", "string?", "status", "left", "right"),
			one("place", "string?", "widget: of the editor", "above", "below"),
			f("order", "number?", "the smallest comes first")}},
	{Name: "ui.panel",
		Doc: "A script has opened or redrawn a panel; without lines, the panel is closed. " +
			"Several may be open: the one opened last is on top and gets the keys. " +
			"Texts may contain control characters: keep them from a terminal.",
		Params: []value.Field{f("id", "string", ""), f("script", "string", ""),
			f("title", "string?", ""),
			f("overlay", "boolean?", "draw it over the conversation, as large as its lines"),
			f("lines", "list?",
				"as those of ui.show; more than the height of ui.screen are not visible")}},
	{Name: "ui.insert", Doc: "A script puts text into the user's editor.",
		Params: []value.Field{f("script", "string", ""), f("text", "string", "")}},
	{Name: "ui.copy", Doc: "A script puts text into the clipboard.",
		Params: []value.Field{f("script", "string", ""), f("text", "string", "")}},
	{Name: "ui.desktop",
		Doc: "A desktop notification of a script; without title and body, the bell.",
		Params: []value.Field{f("script", "string", ""), f("title", "string", ""),
			f("body", "string", "")}},
	{Name: "ui.cancel",
		Doc: "A dialog needs no answer any more: its prompt has ended, or it has timed out.",
		Params: []value.Field{f("id", "string", ""),
			one("reason", "string", "", "cancelled", "timeout")}},
}

var decisions = []string{"once", "session", "always", "reject"}
