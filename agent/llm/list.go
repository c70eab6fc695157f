// This file requests the servers' lists of models.

package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/chat"
)

const (
	// localWait is how long a server on this machine may take in total to list its models: the user
	// waits for the list, but a machine that runs a model is busy.
	localWait = 3 * time.Second
	// remoteWait is the same for others.
	remoteWait = 8 * time.Second
	// listBytes bounds an answer: the longest known list has some 3 MB.
	listBytes = 16 << 20
	// mostModels bounds a list: users do not read longer ones.
	mostModels = 5000
)

// withCache returns s with a cache for what the server says of its models.
func (s server) withCache() server {
	if s.seen == nil {
		s.seen = &sync.Map{}
	}
	return s
}

// list returns a Provider.List that calls ask with a time limit, and adds known and cached details
// of the models.
func (s server) list(o Options, ask func(context.Context) ([]chat.Model,
	error)) func(context.Context) ([]chat.Model, error) {
	return func(ctx context.Context) ([]chat.Model, error) {
		wait := remoteWait
		if s.loopback() {
			wait = localWait
		}
		limited, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		models, err := ask(limited)
		if err != nil {
			if ctx.Err() == nil && limited.Err() != nil {
				err = fmt.Errorf("no answer in %s from %s; is it right?", wait, s.where())
			}
			return nil, err
		}
		return s.remember(o, models), nil
	}
}

// remember completes and stores the details of models.
func (s server) remember(o Options, models []chat.Model) []chat.Model {
	models = models[:min(len(models), mostModels)]
	for i, m := range models {
		models[i] = s.completeModel(o, m)
		if s.seen != nil {
			s.seen.Store(m.ID, models[i])
		}
	}
	return models
}

// completeModel adds known details to a server's description of a model; the user's settings have
// priority.
func (s server) completeModel(o Options, m chat.Model) chat.Model {
	d := describe(s.name, m.ID, nil)
	if m.Context == 0 {
		m.Context = d.Context
	}
	if m.MaxOutput == 0 {
		m.MaxOutput = d.MaxOutput
	}
	if m.Price == nil {
		m.Price = d.Price
	}
	m.Images, m.Thinking = m.Images || d.Images, m.Thinking || d.Thinking
	for _, own := range o.config().Models {
		if own.Name == s.name+"/"+m.ID {
			override(&m, own)
		}
	}
	return m
}

// model returns what is known of a model.
func (s server) model(o Options, id string) chat.Model {
	if s.seen != nil {
		if m, ok := s.seen.Load(id); ok {
			return m.(chat.Model)
		}
	}
	return s.completeModel(o, chat.Model{ID: id})
}

// loopback reports whether the server is on this machine.
func (s server) loopback() bool {
	u, err := url.Parse(s.baseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// openAIModels requests the list that all OpenAI-compatible servers have. Many give more details
// than OpenAI does.
func (s server) openAIModels(ctx context.Context) ([]chat.Model, error) {
	var answer struct{ Data []map[string]any }
	address, err := s.at("models")
	if err == nil {
		err = s.getJSON(ctx, http.MethodGet, address, nil, &answer)
	}
	if err != nil {
		return nil, err
	}
	var models []chat.Model
	for _, d := range answer.Data {
		id, _ := d["id"].(string)
		if id == "" || s.official() && !talks(id) {
			continue
		}
		m := chat.Model{ID: id, Price: listPrice(d["pricing"])}
		for _, key := range []string{"context_length", "max_model_len", "context_window",
			"max_context_length"} {
			if n := tokens(d[key]); n > 0 {
				m.Context = n
				break
			}
		}
		models = append(models, m)
	}
	return models, nil
}

// talks reports whether one of OpenAI's models answers in text: OpenAI's list includes others
// without marking them.
func talks(id string) bool {
	for _, other := range []string{"audio", "realtime", "transcribe", "tts", "image", "search",
		"instruct", "embedding", "live"} {
		if strings.Contains(id, other) {
			return false
		}
	}
	return strings.HasPrefix(id, "gpt-") || strings.HasPrefix(id, "ft:gpt-") ||
		strings.HasPrefix(id, "codex") || len(id) > 1 && id[0] == 'o' && id[1] >= '1' &&
		id[1] <= '9'
}

// listPrice parses a price in OpenRouter's format: US dollars per token, as text. nil = unknown.
func listPrice(v any) *chat.Price {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	read := func(key string) (float64, bool) {
		text, _ := m[key].(string)
		n, err := strconv.ParseFloat(text, 64)
		const perMillion = 1e6
		return n * perMillion, err == nil && n >= 0 && n < 1
	}
	input, ok1 := read("prompt")
	output, ok2 := read("completion")
	if !ok1 || !ok2 {
		return nil
	}
	p := &chat.Price{Input: input, Output: output, CacheRead: input, CacheWrite: input}
	if n, ok := read("input_cache_read"); ok {
		p.CacheRead = n
	}
	if n, ok := read("input_cache_write"); ok {
		p.CacheWrite = n
	}
	return p
}

// getJSON sends a request to s and decodes the answer into v; body nil = no body.
func (s server) getJSON(ctx context.Context, method, address string, body, v any) error {
	var request []byte
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		request = b
	}
	res, err := s.sendRequest(ctx, method, address, request, "application/json")
	if err != nil {
		return failure(s, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, listBytes+1))
	switch {
	case err != nil:
		return failure(s, err)
	case res.StatusCode != http.StatusOK:
		return statusFailure(s, res.StatusCode, res.Header, said(b))
	case len(b) > listBytes:
		return errors.New("the list of models is larger than " + strconv.Itoa(listBytes>>20) +
			" MB")
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("got no list of models from %s: is it right? %w", s.where(), err)
	}
	return nil
}
