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
	inOrder when = iota // after those before it; it never waits for scripts or the user
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
		"what to say; /NAME ARGS runs a command, !COMMAND a command of the user's shell")
	imagesParam  = f("images", "list?", "{mime_type, data}: data is base64, at most 5 MB each")
	promptResult = []value.Field{f("id", "string",
		"the prompt_id of its events, its entry in the session, and the id of its prompt.end")}
	sessionField = object("session", "table", "the session that is worked on",
		f("id", "string", ""), f("path", "string", "the file; \"\" = it is not written down"),
		f("name", "string", "\"\" = it has none"))
	inSession = []value.Field{sessionField}
)

func promptMethods() []Method {
	return []Method{
		{Name: "initialize", first: greet, run: initialize,
			Doc: "The first request. It opens the session, loads the scripts, and is answered " +
				"when both are there.",
			Params: []value.Field{f("protocol", "integer",
				"the version that the client speaks: 1"),
				object("client", "table", "", f("name", "string", ""), f("version", "string?", "")),
				object("capabilities", "table?", "",
					f("ui", "boolean?",
						"the client answers ui.request; else what would ask is refused"),
					f("surface", "boolean?",
						"the client shows what scripts put on a screen: ui.show, ui.insert, "+
							"ui.copy, ui.desktop; ui.screen says how wide it is"),
					f("panels", "boolean?",
						"with surface: the client shows panels, ui.panel, and sends the keys "+
							"that are pressed in them, ui.key")),
				f("events", "list?",
					"names and globs of the events to tell; one with ! before it leaves out: "+
						"[\"!*_delta\"] is all but those")},
			Result: []value.Field{f("protocol", "integer", ""),
				f("events", "integer", "version of the events, as in docs/json.md"),
				f("version", "string", "of the agent"),
				sessionField, f("model", "string", "provider/id"), f("methods", "list", "names")}},
		{Name: "prompt", run: prompt,
			Doc: "Gives the agent input and does not wait for its end, which is told by " +
				"prompt.end. While the agent works, the input reaches the model in the middle of " +
				"its work (steer); with the kind follow_up it waits until that has ended.",
			Params: []value.Field{textParam, imagesParam,
				one("kind", "string?", "\"prompt\" if left out", "prompt", "steer", "follow_up")},
			Result: promptResult},
		{Name: "steer", run: steer, Doc: "The same with the kind steer.",
			Params: []value.Field{textParam, imagesParam}, Result: promptResult},
		{Name: "follow_up", run: followUp, Doc: "The same with the kind follow_up.",
			Params: []value.Field{textParam, imagesParam}, Result: promptResult},
		{Name: "abort", run: abort,
			Doc: "Ends what is under way and empties the queue; with graceful the tool calls " +
				"under way end by themselves, and the queue stays.",
			Params: []value.Field{one("kind", "string?", "\"hard\" if left out", "hard",
				"graceful")}, Result: []value.Field{f("dropped", "list",
				"ids of prompts that had not begun")}},
		{Name: "compact", run: compact, when: beside, aborts: true,
			Doc:    "Replaces the beginning of the conversation by a summary, for the model.",
			Params: []value.Field{f("instructions", "string?", "for who writes the summary")},
			Result: []value.Field{f("dropped", "integer", "messages that the summary stands for"),
				f("kept", "integer", "messages"), f("tokens_before", "integer", ""),
				f("tokens_after", "integer", "an estimate")}},
	}
}

// uiMethods returns the methods for dialogs, screens and panels.
func uiMethods() []Method {
	return []Method{
		{Name: "ui.respond", run: respond, when: atOnce,
			Doc: "Answers a ui.request. An answer that does not fit is an error, and the dialog " +
				"stays open.",
			Params: []value.Field{f("id", "string", "of the ui.request"),
				one("decision", "string?", "approve: one of its options", decisions...),
				f("args", "table?",
					"approve: the arguments as the user edited them; guards see them before "+
						"they run"),
				f("reason", "string?", "approve, with reject: why, for the model"),
				f("value", "string|boolean|list?",
					"confirm: true or false; select: the value of a choice, with multi a list of "+
						"them; input and edit: text"),
				f("cancelled", "boolean?", "the user does not want to answer")}},
		{Name: "ui.screen", run: setScreen, when: atOnce,
			Doc: "Says of the screen on which the client shows what scripts put there: what is " +
				"left out stays as it was.",
			Params: []value.Field{f("width", "integer?",
				"cells of a line; 80 if it was never said"),
				f("height", "integer?", "lines of a panel; 24 if it was never said"),
				f("focused", "boolean?", "the user looks at it; true if it was never said")}},
		{Name: "ui.key", run: pressKey, when: atOnce,
			Doc: "The user presses a key in a panel. After esc the script closes it, unless it " +
				"has a use for that key; it has three seconds to say so.",
			Params: []value.Field{f("id", "string", "of the ui.panel"),
				f("key", "string",
					"its name: a, A, up, enter, esc, ctrl+x, f1; paste is for what was pasted"),
				f("text", "string?", "what it writes, or what was pasted")}},
		{Name: "ui.leave", run: leavePanel, when: atOnce,
			Doc: "The user leaves a panel, and its script is not asked. ui.panel says that it is " +
				"closed.", Params: []value.Field{f("id", "string", "of the ui.panel")}},
	}
}

func sessionMethods() []Method {
	return []Method{
		{Name: "sessions.list", run: sessionsList, when: beside,
			Doc:    "The sessions of this project, the last one first.",
			Params: []value.Field{f("limit", "integer?", "how many at most; 50 if left out")},
			Result: []value.Field{f("sessions", "list",
				"{id, path, name, title, cwd, begun, modified, messages, more, damaged, "+
					"current}; times are seconds since 1970")}},
		{Name: "sessions.new", run: sessionsNew, when: beside, aborts: true,
			Doc: "Ends the session and begins an empty one.", Result: inSession},
		{Name: "sessions.resume", run: sessionsResume, when: beside, aborts: true,
			Doc:    "Ends the session and goes on with another one.",
			Params: []value.Field{f("id", "string", "or its beginning")}, Result: inSession},
		{Name: "sessions.fork", run: sessionsFork, when: beside, aborts: true,
			Doc: "Goes on behind an earlier entry; what came after it stays in the file.",
			Params: []value.Field{f("entry", "string", "the id of a message, or of a prompt"),
				f("before", "boolean?", "before the entry: to write that prompt anew")},
			Result: inSession},
		{Name: "sessions.export", run: sessionsExport, when: beside, Doc: "The session as text.",
			Params: []value.Field{one("format", "string?", "\"markdown\" if left out", "markdown",
				"json")},
			Result: []value.Field{f("text", "string", "")}},
		{Name: "sessions.name", run: sessionsName, when: beside, Doc: "Names the session.",
			Params: []value.Field{f("name", "string", "")}, Result: inSession},
	}
}

func settingMethods() []Method {
	return []Method{
		{Name: "models.list", run: modelsList, when: beside, aborts: true,
			Doc:    "What can be asked. Servers are asked what models they have.",
			Params: []value.Field{f("known", "boolean?", "ask no server, list what is known")},
			Result: []value.Field{f("model", "string", "the one that is asked"),
				f("models", "list",
					"{id, provider, context, max_output, images, thinking, price}: id is "+
						"provider/id, price is in US dollars per million tokens, null = unknown"),
				f("problems", "list",
					"{provider, problem}: what cannot be asked, and what to do about it")}},
		{Name: "model.set", run: modelSet, Doc: "Asks another model from the next request on.",
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
			Doc: "How the arguments of a command may go on.",
			Params: []value.Field{f("name", "string", "without the slash"),
				f("prefix", "string?", "what was typed of the arguments")},
			Result: []value.Field{f("completions", "list",
				"{value, description}: value stands for all of the arguments")}},
	}
}

func lookMethods() []Method {
	return []Method{
		{Name: "state", run: state, when: beside, Doc: "What there is to know at this moment.",
			Result: stateResult},
		{Name: "messages", run: messages, when: beside,
			Doc:    "The conversation as the user may see it.",
			Params: []value.Field{f("limit", "integer?", "only so many of the last ones")},
			Result: []value.Field{sessionField, f("messages", "list",
				"{id, kind, time, ...}: kind is user, assistant, tool, summary or end")}},
		{Name: "tools.list", run: toolsList, when: beside, Doc: "What a model may call.",
			Result: []value.Field{f("tools", "list",
				"{name, description, schema, kind, read_only, source}")}},
		{Name: "scripts.list", run: scriptsList, when: beside,
			Doc: "The scripts, and what became of them.", Result: scriptsResult},
		{Name: "scripts.reload", run: scriptsReload, when: beside, Doc: "Loads every script again.",
			Result: scriptsResult},
		{Name: "shutdown", run: nothing, then: shutdown, when: atOnce,
			Doc: "Ends the session and the program, as the end of standard input does; with " +
				"when = idle only once all prompts have ended, and nothing more is taken until " +
				"then.",
			Params: []value.Field{one("when", "string?", "\"now\" if left out", "now", "idle")}},
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
		"ids of the ui.requests that wait for an answer"),
}

var scriptsResult = []value.Field{f("scripts", "list",
	"{name, path, source, state, generation, handlers, tools, commands, protected, version, "+
		"summary, error, notes}: state is ok, error (the last good version is in force), failed, "+
		"gone, changed (a project's: the trusted version is in force, not the file), untrusted or "+
		"replaced")}

var notifications = []Notification{
	{Name: "event", Doc: "Something happened. The parameters are an event of docs/json.md, as " +
		"initialize wanted them. What scripts notify and say, and what commands display, are the " +
		"events notification and say.",
		Params: []value.Field{f("event", "string", "name"),
			f("...", "any", "the envelope and the fields of the event")}},
	{Name: "prompt.end", Doc: "What became of a prompt: told once for each, behind all its events.",
		Params: []value.Field{f("id", "string", "what prompt answered"),
			one("status", "string",
				"handled: a command or a script dealt with it, and no model was asked; steered: "+
					"the model was told in the middle of another prompt", "completed", "cancelled",
				"blocked", "stopped", "limit", "error", "handled", "steered"),
			f("response", "string", "the last text of the model"),
			f("reason", "string?", "why it ended like that"),
			f("refused", "integer", "how many tool calls were refused, the prompt itself included"),
			f("insert", "string?", "text that a command wants in the user's editor")}},
	{Name: "ui.request",
		Doc: "The user is asked, and a script or a tool call waits for ui.respond. Several may " +
			"be open at once.",
		Params: []value.Field{f("id", "string", ""),
			one("kind", "string", "", "approve", "confirm", "select", "input", "edit"),
			f("title", "string?", "the question; not of approve"),
			f("script", "string?", "who asks; left out = the agent"), f("detail", "string?", ""),
			f("yes", "string?", "confirm: what to call it"), f("no", "string?", "confirm"),
			f("default", "boolean?", "confirm: what Enter gives"),
			f("choices", "list?", "select: {value, label, description}"),
			f("multi", "boolean?", "select: several may be chosen"),
			f("other", "boolean?", "select: a text of the user's own will do as well"),
			f("text", "string?",
				"input, edit: what stands there at first; of edit it may have several lines"),
			f("call_id", "string?", "approve"), f("tool", "string?", "approve"),
			f("tool_kind", "string?", "approve: read, edit, execute, search, agent or other"),
			f("args", "table?", "approve: the final arguments, masked"),
			f("preview", "table?",
				"approve: what the call would do, masked: {kind, title, lang, text}, drawn as "+
					"display of tool_result is, {note} on one line, {path, exists} of the file "+
					"that would change; {fails} says why it would fail"),
			f("rewritten", "table?",
				"approve: if scripts changed the call: {by = {{script, line, changed}}, tool, "+
					"args}: who, and what it was before; without script, the user"),
			f("agent", "string?", "approve: who wants it"),
			f("depth", "integer?", "approve: above 0 for a sub-agent"),
			f("asks", "list?",
				"approve: {script, line, text, reason, detail, failure}: everybody who asks; "+
					"without script it is the permission mode"),
			f("options", "list?",
				"approve: the decisions that there are: once, session (the same for the rest of "+
					"it), always, reject"), f("always", "string?",
				"approve: the rule that always stores")}},
	{Name: "ui.show",
		Doc: "A script shows something, in the place of what it showed under the same kind and " +
			"key; without lines, that goes. Texts may hold control characters: keep them from a " +
			"terminal.",
		Params: []value.Field{f("script", "string", ""),
			one("kind", "string",
				"status: in the status line; widget: lines beside the editor; footer: at the "+
					"foot; title: of the window", "status", "widget", "footer", "title"),
			f("key", "string", "the script's own"),
			f("lines", "list?", "of lists of {text, style}: style is left out, or one of "+
				strings.Join(ui.Styles(), ", ")),
			one("side", "string?", "status", "left", "right"),
			one("place", "string?", "widget: of the editor", "above", "below"),
			f("order", "number?", "the least comes first")}},
	{Name: "ui.panel",
		Doc: "A script has opened a panel, or drawn it anew; without lines, it is closed. " +
			"Several may be open: the last one that was opened is on top, and has the keys. " +
			"Texts may hold control characters: keep them from a terminal.",
		Params: []value.Field{f("id", "string", ""), f("script", "string", ""),
			f("title", "string?", ""), f("lines", "list?",
				"as those of ui.show; more than the height of ui.screen are not in sight")}},
	{Name: "ui.insert", Doc: "A script puts text into the user's editor.",
		Params: []value.Field{f("script", "string", ""), f("text", "string", "")}},
	{Name: "ui.copy", Doc: "A script puts text into the clipboard.",
		Params: []value.Field{f("script", "string", ""), f("text", "string", "")}},
	{Name: "ui.desktop", Doc: "A script tells the user, who may look elsewhere.",
		Params: []value.Field{f("script", "string", ""), f("title", "string", ""),
			f("body", "string", "")}},
	{Name: "ui.cancel",
		Doc: "A dialog needs no answer any more: its prompt has ended, or its time is over.",
		Params: []value.Field{f("id", "string", ""),
			one("reason", "string", "", "cancelled", "timeout")}},
}

var decisions = []string{"once", "session", "always", "reject"}
