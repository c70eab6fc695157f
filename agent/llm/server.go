package llm

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// server is a model server: its address, and how to speak with it.
type server struct {
	name    string // of the provider
	baseURL string
	// setting names the setting that sets baseURL, for errors: "ANTHROPIC_BASE_URL",
	// "providers.local.base_url in config.toml".
	setting string
	moved   bool   // baseURL comes from setting, not from the maker
	key     string // "" = none needed
	keyEnv  string // the variable that holds the key, for errors
	headers map[string]string
	models  []string // ids; nil = ask the server
	// seen is the server's description of its models, chat.Model by id; nil = it was not asked.
	seen *sync.Map
	// sign sets the headers that identify the user to the server; nil = those of OpenAI-compatible
	// servers.
	sign    func(h http.Header, key string)
	memo    *memo  // of sent messages; nil = none
	program string // the program's name in User-Agent
}

// official reports whether s is OpenAI's own server.
func (s server) official() bool { return strings.HasPrefix(s.baseURL, "https://api.openai.com/") }

// stays returns a client that does not follow redirects, because keys and conversations are for the
// server that the user named. The standard library removes only Authorization from a request to
// another host, and no other header.
func stays() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// at returns the address of path at s.
func (s server) at(path string) (string, error) {
	u, err := url.Parse(s.baseURL)
	if err != nil {
		return "", err
	}
	return u.JoinPath(path).String(), nil
}

// sendRequest sends one request to s; body nil = none. Headers set by the user have priority over
// the API's. It does not repeat a failed request: the agent does that, and reports it.
func (s server) sendRequest(ctx context.Context, method, address string, body []byte,
	accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", cmp.Or(s.program, "agent"))
	if s.sign != nil {
		s.sign(req.Header, s.key)
	} else if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	for name, value := range s.headers {
		req.Header.Set(name, value)
	}
	res, err := stays().Do(req)
	if ctx.Err() != nil { // ctx's error is more precise
		if res != nil {
			res.Body.Close()
		}
		return nil, ctx.Err()
	}
	return res, err
}

// post sends body to path and returns the answer, whose size is limited. An error status is an
// error.
func (s server) post(ctx context.Context, path string, body []byte, accept string) (*http.Response,
	error) {
	address, err := s.at(path)
	if err != nil {
		return nil, err
	}
	res, err := s.sendRequest(ctx, http.MethodPost, address, body, accept)
	if err != nil {
		return nil, err
	}
	if err := answered(s, res); err != nil {
		return nil, err
	}
	bounded(res)
	return res, nil
}

var (
	addressUser  = lazyregexp.New(`//[^/]*@`)
	addressQuery = lazyregexp.New(`\?.+`)
)

// shown returns an address without its secret parts: user name, password, and query.
func shown(address string) string {
	address = addressUser().ReplaceAllString(address, "//…@")
	return addressQuery().ReplaceAllString(address, "?…")
}
