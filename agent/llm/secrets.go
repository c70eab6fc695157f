package llm

import (
	"net/url"
	"slices"

	"github.com/agentscripts/agent/agent/config"
)

// Secrets returns the keys that the environment holds, for engine.Options.Secrets: no output may
// show them, whoever prints them. Passwords in addresses, and headers of config.toml by which
// servers know somebody, are keys, too, and so is what MCP servers are given in secret, and what
// was written into config.toml though it should not be there.
func Secrets(o Options) []string {
	names := []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"}
	addresses := []string{o.env("ANTHROPIC_BASE_URL"), o.env("OPENAI_BASE_URL"),
		o.env("OLLAMA_HOST")}
	keys := o.config().Written()
	for _, p := range o.config().Providers {
		names, addresses = append(names, p.APIKeyEnv), append(addresses, p.BaseURL)
		for name, value := range p.Headers {
			if config.HoldsKey(name) {
				keys = append(keys, config.Key(value))
			}
		}
	}
	keys = append(keys, config.Keys(o.config().MCP,
		func(name string) (string, bool) { v := o.env(name); return v, v != "" })...)
	for _, name := range names {
		keys = append(keys, o.env(name))
	}
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil {
			password, _ := u.User.Password()
			keys = append(keys, password)
		}
	}
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return key == "" })
}
