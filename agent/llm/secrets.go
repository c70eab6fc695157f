package llm

import (
	"net/url"
	"slices"

	"github.com/agentscripts/agent/agent/config"
)

// Secrets returns the secrets in the environment and the settings, for engine.Options.Secrets: no
// output may show them. They are the keys that providers read, passwords in addresses, headers in
// config.toml that identify the user to servers, the secrets of MCP servers, and keys that were
// written to config.toml by mistake.
func Secrets(o Options) []string {
	keys := o.config().Written()
	o.secret = func(text string) { keys = append(keys, text) }
	Providers(o)
	o.key("ANTHROPIC_AUTH_TOKEN") // read by other programs
	for _, p := range o.config().Providers {
		keys = append(keys, password(p.BaseURL))
		for name, value := range p.Headers {
			if config.HoldsKey(name) {
				keys = append(keys, config.Key(value))
			}
		}
	}
	keys = append(keys, config.Keys(o.config().MCP,
		func(name string) (string, bool) { v := o.env(name); return v, v != "" })...)
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return key == "" })
}

// password returns the password in an address; "" = there is none.
func password(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	password, _ := u.User.Password()
	return password
}
