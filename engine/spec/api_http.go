// This file holds the rows of HTTP requests.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// httpFields are the fields of a request besides its URL.
var httpFields = []value.Field{
	{Name: "headers", Type: "table?",
		Doc: "names and values: text, a list of texts, or the result of ext.secret"},
	{Name: "body", Type: "string?"},
	encodingField("of body: text, or base64 for bytes"),
	{Name: "json", Type: "any?", Doc: "plain data, sent as JSON instead of body"},
	{Name: "timeout", Type: "number?",
		Doc: "seconds for the whole request; absent or 0: 30 seconds for the response, and for " +
			"each piece " +
			"of it"},
	{Name: "binary", Type: "boolean?",
		Doc: "true: the body and its chunks are base64. Otherwise they are text, and invalid " +
			"UTF-8 becomes U+FFFD"},
	{Name: "on_response", Type: "function?", Takes: []value.Field{{Name: "response", Type: "any"}},
		Doc: "on_response({status, headers, url}) is called before the body is read"},
	{Name: "on_chunk", Type: "function?", Takes: []value.Field{textField},
		Doc: "on_chunk(text) is called with each piece of the body as it arrives, in whole " +
			"characters; reading waits until it returns"},
	{Name: "on_line", Type: "function?", Takes: []value.Field{lineField},
		Doc: "on_line(line) is called with each line"},
	{Name: "on_event", Type: "function?", Takes: []value.Field{{Name: "event", Type: "any"}},
		Doc: "on_event({event, data, id}) is called with each server-sent event"},
}

const httpResult = `Returns {status, headers, body, url}. 4xx and 5xx are results too; names of ` +
	`headers are in lower case. A body has at most 8 MiB; with on_chunk, on_line or on_event it ` +
	`is absent if the status is 2xx. An error of the world has the code "not_found" ` +
	`(no such host), "refused", "timeout", "too_large", "denied" (a redirect to what is not ` +
	`granted, ` +
	`or a name that leads to an address that is not) or "failed". Redirects to granted hosts ` +
	`are followed; headers and body are not sent to another host. ` +
	`The host must be granted: net:HOST, net:HOST:PORT, net:*.HOST, net:option.NAME, or net:* ` +
	`for all public hosts; grant this machine as localhost or by its address.`

func httpRow(name, doc, lua, js string) engine.APIRow {
	return engine.APIRow{
		Name: "http." + name, Codes: []string{"not_found", "refused", "timeout", "too_large",
			"denied", "failed"}, Waits: true, Grant: "net:HOST", Judged: true, Aborts: true,
		Result: "table",
		Params: []value.Field{{Name: "url", Type: "string"},
			{Name: "options", Type: "table?", Fields: httpFields}},
		Doc: doc + httpResult, Lua: lua, JS: js,
	}
}

var requests = []engine.APIRow{
	{
		Name: "http.request", Codes: []string{"not_found", "refused", "timeout", "too_large",
			"denied", "failed"}, Waits: true, Grant: "net:HOST", Judged: true, Aborts: true,
		Result: "table",
		Params: []value.Field{{Name: "request", Type: "table", Fields: append([]value.Field{
			{Name: "url", Type: "string", Doc: "http:// or https://"},
			{Name: "method", Type: "string?", Doc: "absent: GET, or POST if there is a body"},
		}, httpFields...)}},
		Doc: "Makes a request. " + httpResult,
		Lua: `local r = ext.http.request{
  url = "http://localhost:1/items",
  method = "PUT",
  json = { a = 1 },
} or { status = 0 }`,
		JS: `const r = await ext.http.request({
  url: "http://localhost:1/items",
  method: "PUT",
  json: { a: 1 },
}).catch(() => ({ status: 0 }));`,
	},
	httpRow("get", "Makes a GET request. ",
		`local r = ext.http.get("http://localhost:1/items", {
  headers = { accept = "application/json" },
}) or { status = 0 }`,
		`const r = await ext.http.get("http://localhost:1/items", {
  headers: { accept: "application/json" },
}).catch(() => ({ status: 0 }));`),
	httpRow("post", "Makes a POST request. ",
		`local r = ext.http.post("http://localhost:1/items", {
  json = { name = "tea" },
}) or { status = 0 }`,
		`const r = await ext.http.post("http://localhost:1/items", {
  json: { name: "tea" },
}).catch(() => ({ status: 0 }));`),
}
