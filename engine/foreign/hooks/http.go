// This file asks web servers and models.

package hooks

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// hostOf returns the host of an address, with its port; "" if it is not the address of a web
// server.
//
//go:noinline
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Host
}

// request sends what a hook reads to its server.
func (x *extension) request(run *engine.Run, h *hook, in []byte) output {
	headers := object("Content-Type", "application/json")
	for name, v := range h.headers {
		text, _ := v.(string)
		headers[name] = os.Expand(text, func(name string) string {
			if !slices.Contains(h.allowed, name) {
				return ""
			}
			v, _ := x.api.Invoke(run, "env", name)
			text, _ := v.(string)
			return text
		})
	}
	v, err := x.api.Invoke(run, "http.request", object("url", h.url, "method", "POST", "headers",
		headers, "body", string(in), "timeout", h.limit().Seconds()))
	if err != nil {
		return output{err: err}
	}
	r, _ := v.(map[string]any)
	body := value.Text(r, "body")
	if status, _ := value.Number(r["status"]); status < 200 || status > 299 {
		return output{code: 1, stderr: fmt.Sprintf("the server answered with status %v", status)}
	}
	return output{stdout: body}
}

// question is what a model is asked for a hook of the type prompt.
const question = "You decide for a hook of a coding agent. Answer whether the condition holds: " +
	"ok is true if the agent may go on. If it is false, say why in reason."

// askModel asks a model whether the agent may go on.
func (x *extension) askModel(run *engine.Run, h *hook, in []byte) *answer {
	prompt := strings.ReplaceAll(h.prompt, "$ARGUMENTS", string(in))
	if prompt == h.prompt {
		prompt += "\n\n" + string(in)
	}
	_, m, err := x.askText(run, h, question, prompt, object("ok", "boolean", "reason", "string?"))
	ok, answered := m["ok"].(bool)
	switch {
	case err != nil:
		return &answer{err: err}
	case !answered:
		return &answer{err: fmt.Errorf("the model has not answered with {ok, reason}")}
	case ok:
		return &answer{}
	}
	return &answer{decision: "deny", reason: short(value.Text(m, "reason"))}
}

// askText asks a model for a hook. data is nil without a schema.
//
//go:noinline
func (x *extension) askText(run *engine.Run, h *hook, system, prompt string,
	schema message) (text string, data message, err error) {
	ctx, cancel := context.WithTimeout(run.Context(), h.limit())
	defer cancel()
	request := object("prompt", prompt, "system", system)
	if schema != nil {
		request["schema"] = schema
	}
	if strings.Contains(h.model, "/") {
		request["model"] = h.model
	}
	v, err := x.api.InvokeWithin(ctx, run, "llm.complete", request)
	if err != nil {
		return "", nil, err
	}
	reply, _ := v.(map[string]any)
	plain, _ := value.Plain(reply["data"])
	data, _ = plain.(map[string]any)
	return value.Text(reply, "text"), data, nil
}

func unload(_ *asked, _ *hook, _ message) *answer { return &answer{} }
