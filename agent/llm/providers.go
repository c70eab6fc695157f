// This file lists the model servers from the environment, from the user's settings, and on this
// machine.

package llm

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// Options configures the servers.
type Options struct {
	Config *config.Config           // nil = no settings
	Env    func(name string) string // the environment; nil = empty
	// address of llama.cpp; "" = its usual one, http://127.0.0.1:8080
	LlamaCpp string
	Version  string // of the program, sent to servers

	secret func(text string) // called with each secret that is read; nil = none
}

// program returns the program's name for servers.
func (o Options) program() string { return strings.TrimSuffix("agent/"+o.Version, "/") }

// env returns a variable of the environment without the space around it: keys come from files that
// end in a newline.
func (o Options) env(name string) string {
	if o.Env == nil || name == "" {
		return ""
	}
	return strings.TrimSpace(o.Env(name))
}

// key returns a key from the environment.
func (o Options) key(name string) string {
	key := o.env(name)
	if o.secret != nil {
		o.secret(key)
	}
	return key
}

// address returns an address from the environment, which may contain a password.
func (o Options) address(name string) string {
	address := o.env(name)
	if o.secret != nil {
		o.secret(password(address))
	}
	return address
}

func (o Options) config() *config.Config {
	if o.Config == nil {
		return &config.Config{}
	}
	return o.Config
}

// defaults are the models used if the user has not chosen one, by provider: good at using tools, at
// a medium price.
var defaults = [...][2]string{{"anthropic", "claude-sonnet-4-6"}, {"openai", "gpt-5.2"}}

// Providers returns the providers from the environment and the user's settings, in order of
// preference, and warnings about the settings. Incomplete providers are included as Unusable. It
// connects to no server.
func Providers(o Options) (providers []*engine.Provider, warnings []string) {
	providers = []*engine.Provider{anthropicItself(o), openAIItself(o)}
	own := []*engine.Provider{newOllama(o), newLlamaCpp(o)}
	for _, c := range o.config().Providers {
		p := named(c, o)
		is := func(b *engine.Provider) bool { return b.Name == p.Name }
		said := fmt.Sprintf(
			"config.toml: [providers.%s] replaces the built-in provider %s", p.Name,
			p.Name)
		if i := slices.IndexFunc(providers, is); i >= 0 {
			providers[i], warnings = p, append(warnings, said)
			continue
		}
		if i := slices.IndexFunc(own, is); i >= 0 {
			own, warnings = slices.Delete(own, i, i+1), append(warnings, said)
		}
		providers = append(providers, p)
	}
	return append(providers, own...), warnings
}

// Describe returns a function that adds known details of a model to its provider's description. It
// also covers the providers of scripts, and ids that are in no list.
func Describe(o Options) func(provider string, m chat.Model) chat.Model {
	return func(provider string,
		m chat.Model) chat.Model {
		return server{name: provider}.completeModel(o, m)
	}
}

// anthropicItself returns the provider for Anthropic, or for the server in ANTHROPIC_BASE_URL.
func anthropicItself(o Options) *engine.Provider {
	s := server{program: o.program(), name: "anthropic", baseURL: anthropicURL,
		setting: "ANTHROPIC_BASE_URL", keyEnv: "ANTHROPIC_API_KEY",
		models: knownModels("anthropic")}
	s.key = o.key(s.keyEnv)
	if u := o.address(s.setting); u != "" {
		s.baseURL, s.moved = u, true
	}
	return usable(s, newAnthropic(s, o))
}

// openAIItself returns the provider for OpenAI's responses API or, if OPENAI_BASE_URL names another
// server, for chat completions, which all of them support. Such a server may need no key.
func openAIItself(o Options) *engine.Provider {
	s := server{program: o.program(), name: "openai", baseURL: openAIURL,
		setting: "OPENAI_BASE_URL", keyEnv: "OPENAI_API_KEY", models: knownModels("openai")}
	s.key = o.key(s.keyEnv)
	if u := o.address(s.setting); u != "" {
		s.baseURL, s.moved = u, true
	}
	if s.official() {
		return usable(s, newResponses(s, o))
	}
	p := usable(s, newChat(s, o))
	if s.key == "" && p.Unusable == setHint(s.keyEnv) {
		p.Unusable = ""
	}
	return p
}

// named returns the provider for a server of the user's settings.
func named(c config.Provider, o Options) *engine.Provider {
	s := server{program: o.program(), name: c.Name, baseURL: c.BaseURL,
		setting: "providers." + c.Name + ".base_url in config.toml", keyEnv: c.APIKeyEnv,
		key: o.key(c.APIKeyEnv), headers: c.Headers, models: c.Models}
	switch c.API {
	case "anthropic":
		return usable(s, newAnthropic(s, o))
	case "responses":
		return usable(s, newResponses(s, o))
	}
	return usable(s, newChat(s, o))
}

// Like makes a provider for a server that a script names.
func Like(o Options) func(chat.Server) *engine.Provider {
	return func(m chat.Server) *engine.Provider {
		s := server{program: o.program(), name: m.Name, baseURL: m.BaseURL,
			setting: "base_url of ext.provider " + m.Name, key: m.Key, seen: &sync.Map{}}
		for _, model := range s.remember(o, slices.Clone(m.Models)) {
			s.models = append(s.models, model.ID)
		}
		var p *engine.Provider
		switch {
		case m.Like == "anthropic":
			p = newAnthropic(s, o)
		case s.official():
			p = newResponses(s, o)
		default:
			p = newChat(s, o)
		}
		switch {
		case m.List == nil && len(m.Models) > 0: // the script lists the models
			p.List = nil
		case m.List != nil:
			p.List = func(ctx context.Context) ([]chat.Model, error) {
				models, err := m.List(ctx)
				return s.remember(o, models), err
			}
		}
		return usable(s, p)
	}
}

// knownModels returns the known models of a provider, the default one first.
func knownModels(provider string) (ids []string) {
	for _, d := range defaults {
		if d[0] == provider {
			ids = append(ids, d[1])
		}
	}
	for _, e := range catalog()[provider] {
		if !slices.Contains(ids, e.id) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

func setHint(variable string) string { return "set " + variable }

// usable records in p what its server lacks.
func usable(s server, p *engine.Provider) *engine.Provider {
	p.SetUp = s.key != "" || s.keyEnv == "" || s.moved
	u, err := url.Parse(s.baseURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		p.Unusable = fmt.Sprintf("%s: got %s, want an address such as http://127.0.0.1:8080/v1",
			s.setting, redactAddress(s.baseURL))
	case s.keyEnv != "" && s.key == "":
		p.Unusable = setHint(s.keyEnv)
	case strings.ContainsFunc(s.key, invalidInKey):
		p.Unusable = cmp.Or(s.keyEnv, "the key") +
			" contains a line break, a space or another character that no key has: set it to the " +
			"key alone"
	}
	return p
}

// invalidInKey reports whether c cannot be part of a key. A key that was copied with other text
// would fail late, with a message that does not say why.
func invalidInKey(c rune) bool { return c <= ' ' || c > '~' }

// redactAddress formats an invalid address without its secret parts: all of it, if it looks like a
// key.
func redactAddress(text string) string {
	if before, after, ok := strings.Cut(text, "@"); ok && !strings.Contains(before, "//") {
		text = "…@" + after
	}
	if !strings.ContainsAny(text, " .:/") {
		return fmt.Sprintf("%d characters that are not an address", len(text))
	}
	return strconv.Quote(shown(text))
}

// provider returns the fields that providers of all servers have in common.
func provider(s server, o Options) *engine.Provider {
	p := &engine.Provider{Name: s.name, Source: "builtin"}
	if u, err := url.Parse(s.baseURL); err == nil {
		u.User, u.RawQuery = nil, ""
		p.BaseURL = u.String()
	}
	for _, id := range s.models {
		p.Models = append(p.Models, s.model(o, id))
	}
	return p
}

// known reports whether anything is known of a model.
func known(m chat.Model) bool { return m.Context > 0 || m.Price != nil || m.Thinking || m.Images }
