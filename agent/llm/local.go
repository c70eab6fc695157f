// This file finds model servers on this machine: Ollama and llama.cpp on their usual ports. It only
// looks for them when models are listed.

package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

const (
	ollamaPort  = "11434"
	llamaCppURL = "http://127.0.0.1:8080"
	// shownModels is the largest number of models that Ollama is asked about: each takes a request
	// of some milliseconds.
	shownModels = 64
	// askedAtOnce is how many such requests run concurrently.
	askedAtOnce = 8
)

// newOllama returns a provider for Ollama's OpenAI-compatible endpoint.
func newOllama(o Options) *engine.Provider {
	s := server{program: o.program(), seen: &sync.Map{}, name: "ollama", setting: "OLLAMA_HOST",
		baseURL: "http://127.0.0.1:" + ollamaPort + "/v1"}
	host := o.address("OLLAMA_HOST")
	if host != "" {
		s.baseURL = ollamaURL(host) + "/v1"
	}
	p := newChat(s, o)
	p.List = s.list(o, func(ctx context.Context) ([]chat.Model, error) {
		models, err := s.ollamaModels(ctx)
		return models, dropUnreachable(err, host == "")
	})
	return p
}

// ollamaURL returns the address that OLLAMA_HOST means to a client: it may lack the scheme and the
// port, or be a wildcard address.
func ollamaURL(host string) string {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return strings.TrimRight(host, "/") // the request reports what is wrong with it
	}
	name, port := u.Hostname(), u.Port()
	if name == "" || name == "0.0.0.0" || name == "::" {
		name = "127.0.0.1"
	}
	if port == "" && u.Scheme == "http" {
		port = ollamaPort
	}
	u.Host = name
	if port != "" {
		u.Host = net.JoinHostPort(name, port)
	}
	return strings.TrimRight(u.String(), "/")
}

// dropUnreachable removes the error that no server is running if the program only guessed its
// address.
func dropUnreachable(err error, guessed bool) error {
	if guessed && errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	return err
}

// ollamaModels requests the models, and what each can do.
func (s server) ollamaModels(ctx context.Context) ([]chat.Model, error) {
	root := strings.TrimSuffix(s.baseURL, "/v1")
	var tags struct {
		Models []struct{ Name, Model string }
	}
	if err := s.getJSON(ctx, http.MethodGet, root+"/api/tags", nil, &tags); err != nil {
		return nil, err
	}
	models := make([]chat.Model, 0, len(tags.Models))
	for _, t := range tags.Models {
		if t.Name == "" {
			t.Name = t.Model
		}
		if t.Name != "" {
			models = append(models, chat.Model{ID: t.Name})
		}
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, askedAtOnce)
	for i := range models[:min(len(models), shownModels)] {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			s.ollamaShow(ctx, root, &models[i])
		})
	}
	wg.Wait()
	s.ollamaLoaded(ctx, root, models)
	return models, nil
}

// ollamaShow adds Ollama's details of a model, if there are any.
func (s server) ollamaShow(ctx context.Context, root string, m *chat.Model) {
	var show struct {
		Info         map[string]any `json:"model_info"`
		Capabilities []string
	}
	if s.getJSON(ctx, http.MethodPost, root+"/api/show", map[string]any{"model": m.ID},
		&show) != nil {
		return
	}
	for key, v := range show.Info { // llama.context_length, qwen3.context_length, ...
		if strings.HasSuffix(key, ".context_length") {
			m.Context = tokens(v)
		}
	}
	for _, c := range show.Capabilities {
		m.Images = m.Images || c == "vision"
		m.Thinking = m.Thinking || c == "thinking"
	}
}

// ollamaLoaded sets the context size of loaded models, which is usually smaller than the possible
// one.
func (s server) ollamaLoaded(ctx context.Context, root string, models []chat.Model) {
	var loaded struct {
		Models []struct {
			Name    string
			Context any `json:"context_length"`
		}
	}
	if s.getJSON(ctx, http.MethodGet, root+"/api/ps", nil, &loaded) != nil {
		return
	}
	for _, l := range loaded.Models {
		for i := range models {
			if n := tokens(l.Context); models[i].ID == l.Name && n > 0 {
				models[i].Context = n
			}
		}
	}
}

// tokens converts a server's number of tokens, 0 if it is not one.
func tokens(v any) int {
	const most = 1 << 30 // more than any model has
	n, ok := value.Number(v)
	if !ok || n < 1 || n > most {
		return 0
	}
	return int(n)
}

// newLlamaCpp returns a provider for llama.cpp's server on its usual port.
func newLlamaCpp(o Options) *engine.Provider {
	s := server{program: o.program(), seen: &sync.Map{}, name: "llamacpp",
		setting: "the address of llama.cpp", baseURL: llamaCppURL + "/v1"}
	if o.LlamaCpp != "" {
		s.baseURL = o.LlamaCpp + "/v1"
	}
	p := newChat(s, o)
	p.List = s.list(o, func(ctx context.Context) ([]chat.Model, error) {
		models, err := s.llamaCppModels(ctx)
		return models, dropUnreachable(err, true)
	})
	return p
}

// llamaCppModels requests the models. Other programs use that port, too: it ignores a server that
// does not look like llama.cpp.
func (s server) llamaCppModels(ctx context.Context) ([]chat.Model, error) {
	var props struct {
		Settings *struct {
			Context any `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct{ Vision bool }
	}
	root := strings.TrimSuffix(s.baseURL, "/v1")
	err := s.getJSON(ctx, http.MethodGet, root+"/props", nil, &props)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, err
	}
	if err != nil || props.Settings == nil {
		return nil, fmt.Errorf(
			"what listens at %s is not llama.cpp; name a server in config.toml: [providers.NAME] "+
				"base_url", root)
	}
	models, err := s.openAIModels(ctx)
	for i := range models {
		models[i].Images = props.Modalities.Vision
		if n := tokens(props.Settings.Context); n > 0 {
			models[i].Context = n
		}
	}
	return models, err
}
