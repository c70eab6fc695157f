// This file reads [providers.NAME]: model servers named by the user.

package config

import (
	"maps"
	"strings"
	"unicode"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// Provider is a model server that speaks a supported protocol.
type Provider struct {
	Name      string
	API       string // chat, responses or anthropic
	BaseURL   string
	APIKeyEnv string   // the environment variable that holds the key; "" = none needed
	Models    []string // ids; nil = ask the server
	Headers   map[string]string
}

var providerFields = []value.Field{{Name: "base_url", Type: "string"},
	{Name: "api", Type: "string?", Values: []string{"chat", "responses", "anthropic"}},
	{Name: "api_key_env", Type: "string?"}, {Name: "models", Type: "list?"},
	{Name: "headers", Type: "table?"}}

func (r *reader) setProviders(v any) {
	all := r.table("providers", v, "[providers.NAME] and below it base_url = \"http://...\"")
	for _, name := range value.SortedKeys(all) {
		path := []string{"providers", name}
		if strings.Contains(name, "/") || name == "" {
			r.warn(path, "providers: got %q, want a name without a slash: its models are called "+
				"NAME/ID", name)
			continue
		}
		m, ok := r.fields(path, r.withoutKey(path, all[name]), providerFields)
		if !ok {
			continue
		}
		p := Provider{Name: name, API: value.Text(m, "api"), BaseURL: value.Text(m, "base_url")}
		p.APIKeyEnv = r.keyVariable(append(path, "api_key_env"), value.Text(m, "api_key_env"))
		if p.API == "" {
			p.API = "chat"
		}
		p.Models = r.texts(append(path, "models"), m["models"])
		p.Headers = r.headers(append(path, "headers"), m["headers"])
		r.Providers = append(r.Providers, p)
	}
}

// withoutKey returns a provider's table without a key written in it: the file is shown to others,
// copied, and backed up.
func (r *reader) withoutKey(path []string, v any) any {
	t, ok := v.(map[string]any)
	if !ok || t["api_key"] == nil {
		return v
	}
	r.warn(append(path, "api_key"),
		"%s: a key does not belong into this file: put it into a variable of the environment, "+
			"and name that: api_key_env = %q",
		strings.Join(path, "."), variable(path[len(path)-1]))
	if key, ok := t["api_key"].(string); ok {
		r.written = append(r.written, key)
	}
	t = maps.Clone(t)
	delete(t, "api_key")
	return t
}

// variable returns the name of a variable for a provider's key: MY_SERVER_API_KEY.
func variable(name string) string {
	return plain.Variable(name) + "_API_KEY"
}

// headers returns the valid headers of a table. It warns of each other one without showing its
// value, which may be secret.
func (r *reader) headers(path []string, v any) map[string]string {
	t, _ := v.(map[string]any)
	var out map[string]string
	for _, name := range value.SortedKeys(t) {
		text, ok := t[name].(string)
		switch {
		case !ok:
			r.warn(append(path, name), "%s: %s: got %s, want a string", strings.Join(path, "."),
				name, value.TypeName(t[name]))
		case strings.ContainsFunc(text, unicode.IsControl), !headerName().MatchString(name):
			r.warn(append(path, name), "%s: %q cannot be sent: no header has such characters",
				strings.Join(path, "."), name)
		default:
			if out == nil {
				out = map[string]string{}
			}
			out[name] = text
		}
	}
	return out
}

// headerName matches valid header names. Source: RFC 9110, "token".
var headerName = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// texts returns the strings of a list; it warns of other values.
func (r *reader) texts(path []string, v any) (out []string) {
	list, _ := v.([]any)
	for i, x := range list {
		s, ok := x.(string)
		if !ok {
			r.warn(path, "%s[%d]: got %s, want a string", path[len(path)-1], i+1,
				value.TypeName(x))
			continue
		}
		out = append(out, s)
	}
	return out
}
