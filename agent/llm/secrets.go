package llm

import (
	"net/url"
	"slices"

	"github.com/agentscripts/agent/agent/config"
)

// Secrets returns the keys that the environment holds, for engine.Options.Secrets: no output may
// show them, whoever prints them. What providers read as a key is one, and so are passwords in
// addresses, headers of config.toml by which servers know somebody, what MCP servers are given in
// secret, and what was written into config.toml though it should not be there.
func Secrets(o Options) []string {
	keys := o.config().Written()
	o.secret = func(text string) { keys = append(keys, text) }
	Providers(o)
	o.key("ANTHROPIC_AUTH_TOKEN") // which other programs read
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

// password is the password in an address; "" = there is none.
func password(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	password, _ := u.User.Password()
	return password
}
