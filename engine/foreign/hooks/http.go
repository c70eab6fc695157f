// This file asks web servers and models.

package hooks

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// hostOf returns the host of an address, with its port; "" if it is not the address of a web
// server.
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
	_, m, err := x.askText(run, h, question, h.asked(in), object("ok", "boolean", "reason",
		"string?"))
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

// asked returns what a model is asked about what a hook reads.
func (h *hook) asked(in []byte) string {
	if strings.Contains(h.prompt, "$ARGUMENTS") {
		return strings.ReplaceAll(h.prompt, "$ARGUMENTS", string(in))
	}
	return h.prompt + "\n\n" + string(in)
}

// askText asks a model for a hook. data is nil without a schema.
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
	kept, _ := value.Plain(reply["data"])
	data, _ = kept.(map[string]any)
	return value.Text(reply, "text"), data, nil
}

// unload is the builtin unload. At a handoff it hears model_change.
func unload(a *asked, h *hook, _ message) *answer {
	models, _ := plainField(a.ev, "from_models").([]any)
	if len(models) > 0 && a.ev.Text("kind") != "handoff" {
		m, _ := models[0].(message)
		a.x.unloadModel(a.run, h, value.Text(m, "provider")+"/"+value.Text(m, "model"),
			a.ev.Text("to_model"))
	}
	return &answer{}
}

// mostUnloading is how long a server may take to unload a model.
const mostUnloading = 10 * time.Second

// unloadModel asks the server on this machine whose model is no longer used to remove it from
// memory: Ollama, Docker Model Runner, or the one at the address in the argument of the hook. Its
// errors are only logged.
func (x *extension) unloadModel(run *engine.Run, h *hook, was, now string) {
	provider, model, _ := strings.Cut(was, "/")
	p := x.api.Bind.Gen.Engine().Scripts.Snapshot().Provider(provider)
	if was == now || p == nil || model == "" {
		return
	}
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return
	}
	body := object("model", model, "models", []any{model})
	before, _, runner := strings.Cut(u.Path, "/engines/")
	switch {
	case len(h.args) > 0:
		if u, err = u.Parse(h.args[0]); err != nil {
			return
		}
	case !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname()):
		return
	case runner:
		u.Path = before + "/engines/unload"
	case provider == "ollama" || u.Port() == "11434":
		u.Path, body = "/api/generate", object("model", model, "keep_alive", 0)
	default:
		return
	}
	v, err := x.api.Invoke(run, "http.request", object("url", u.String(), "method", "POST",
		"json", body, "timeout", mostUnloading.Seconds()))
	r, _ := v.(message)
	if status, _ := value.Number(r["status"]); err == nil && status > 299 {
		err = fmt.Errorf("status %v: %s", status, short(value.Text(r, "body")))
	}
	if err != nil {
		x.api.Log("warn", fmt.Sprintf("unload: %s was not unloaded: %s", was, plain.Error(err)))
	}
}
