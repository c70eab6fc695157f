// This file adds hints to failures of JavaScript code: what to write instead.

package js

import (
	"strings"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/suggest"
)

// absent lists globals that scripts for other hosts expect, and what to use instead.
var absent = map[string]string{
	"module":  "only the files of lib/ have it: a script registers through ext",
	"exports": "only the files of lib/ have it: a script registers through ext",
	"process": "this is not Node: ext.os, ext.cwd and ext.mode tell where a script runs",
	"Buffer": "this is not Node: texts are strings, bytes are Uint8Array; ext.base64 " +
		"encodes them",
	"setImmediate": "use setTimeout(fn, 0) or queueMicrotask(fn)",
	"BigInt":       "numbers above 2^53 are handled as strings",
	"window":       "this is not a browser: ext.notify and ext.ui talk to the user",
	"document":     "this is not a browser: ext.notify and ext.ui talk to the user",
	"alert":        "use ext.notify(text)",
	"confirm":      "use await ext.ui.confirm(text)",
	"print":        "use console.log or ext.log.info",
	"global":       "use globalThis",
	"self":         "use globalThis",
	"__dirname":    "ext.script has the folder of the script",
	"__filename":   "ext.script has the path of the script",
	"localStorage": "use ext.store, or ext.state for what belongs to the session",
	"navigator":    "this is not a browser: ext.os and ext.version tell where a script runs",
	"EventSource":  "use ext.http.request and on_event, or read the body of a fetch",
	"WebSocket":    "there are none: use fetch or ext.http",
	"Intl":         "use ext.time.format for times; numbers have toFixed",
	"WeakRef":      "there are none: use WeakMap",

	"XMLHttpRequest":       "use fetch or ext.http",
	"FinalizationRegistry": "there is none: nothing can be told of what is gone",
	"WritableStream":       "only ReadableStream is there: read it with for await",
	"TransformStream": "only ReadableStream is there: read it with for await, and change " +
		"what comes",
	"CompressionStream":   "there is none: answers of servers are unpacked already",
	"DecompressionStream": "there is none: answers of servers are unpacked already",
}

// foreign lists modules of Node, and what to use instead.
var foreign = map[string]string{
	"fs": "ext.fs", "path": "ext.path", "child_process": "ext.exec", "http": "ext.http",
	"https": "ext.http", "crypto": "ext.hash", "os": "ext.os", "util": "console and ext.json",
	"process": "ext.env, ext.cwd and ext.os", "timers": "ext.after and ext.every",
	"buffer": "Uint8Array and ext.base64", "url": "URL, which is there without it",
	"events": "EventTarget, which is there without it",
	"stream": "ReadableStream, which is there without it", "net": "ext.http",
	"readline": "ext.ui.input", "assert": "console.assert, or throw",
	"timers/promises": "ext.sleep", "fs/promises": "ext.fs", "axios": "fetch",
	"node-fetch": "fetch",
}

// explain adds a hint to a failure reported by the interpreter or by require.
func (f *failures) explain(se *fault.ScriptError) {
	if se.Message == "TypeError: Dynamic object is not callable" { // the interpreter's own words
		se.Message = "TypeError: this is no function"
		se.Hint = "it holds functions or values: call one of these, as in ext.log.info(text)"
	}
	if strings.HasPrefix(se.Message, "TypeError: Could not convert &{") { // and an address
		se.Message = "TypeError: the object cannot be converted to a string or a number"
	}
	if hint := f.hint(se.Message); hint != "" {
		se.Hint = hint
	}
}

// hint returns how to fix a failure, "" if it is not known.
func (f *failures) hint(msg string) string {
	if rest, ok := strings.CutPrefix(msg, "require: got \""); ok {
		name, _, _ := strings.Cut(rest, "\"")
		name = strings.TrimPrefix(name, "node:")
		if foreign[name] == "" {
			name, _, _ = strings.Cut(name, "/")
		}
		if use := foreign[name]; use != "" {
			return "this is not Node: use " + use
		}
	}
	// of a second argument, which handlers of pi have
	if _, rest, ok := strings.Cut(msg, "Cannot read property '"); ok {
		name, rest, _ := strings.Cut(rest, "'")
		if note := suggest.ForeignHint(suggest.ForeignCall, name, nil); note != "" &&
			strings.HasPrefix(rest, " of undefined") {
			return "a handler is called with the event alone" + note
		}
	}
	name, ok := strings.CutSuffix(strings.TrimPrefix(msg, "ReferenceError: "), " is not defined")
	if !ok || name == msg {
		return ""
	}
	if h := absent[name]; h != "" {
		return h
	}
	names := f.names()
	for _, n := range names {
		if n == name {
			return "did you mean ext." + n + "?"
		}
	}
	return ""
}
